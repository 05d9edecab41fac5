"""Many runs at once: methods x models x seeds, each in a sealed process of its own.

    outcomes = sweep(read_sweep(Path("sweep.toml")), Path("runs"), engine=ThreadEngine(2))

A run that fails, or whose process dies, is an Outcome with its error and does not stop the others. A finished
run is not run again; an unfinished one goes on from its last record. With an `opener` runs stay in this
process, without a wall. For the file, see `quire_streams.runs.sweep_file`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from quire.errors import QuireError, RunError, SettingsError
from quire.eval.run import Run, RunSpec, load_run
from quire.llm import Gateway
from quire_streams.runs import judged, session
from quire_streams.runs.engines import Engine, RayCluster, TellOf, ThreadEngine
from quire_streams.runs.feedback import read_feedback
from quire_streams.runs.jobs import Done, InChild, InProcess, Opener
from quire_streams.runs.run_request import SolverSource
from quire_streams.runs.runner import settled
from quire_streams.runs.sockets import Person
from quire_streams.runs.sweep_file import expand, read_sweep
from quire_streams.tasks.offline import is_offline, need_offline
from quire_streams.wall import Walls

__all__ = ["Outcome", "RayCluster", "SolverSource", "ThreadEngine", "expand", "read_sweep", "sweep"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one run of a sweep: the run, or what ended it.

    `walls` stood around its process (None: none, or it never came so far); `before`: it was finished already.
    """

    spec: RunSpec
    folder: Path
    run: Run | None = None
    failure: QuireError | None = None
    walls: Walls | None = None
    before: bool = False

    @property
    def error(self) -> str:
        """What ended it, in words; empty where it came to its end."""
        return str(self.failure) if self.failure else ""


def sweep(
    specs: Sequence[RunSpec],
    folder: Path,
    *,
    engine: Engine | None = None,
    opener: Opener | None = None,
    source: SolverSource | None = None,
    gateway: Gateway | None = None,
    ask: Person | None = None,
    progress: TellOf | None = None,
    done: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Run all, each in `folder / spec.name`; the outcomes in the order of the specifications.

    `source` names who solves (for `papers`), `gateway` has the models of all runs, whose limit holds for all
    together, `ask` asks a person for feedback. `progress` may be called from several threads, `done` is told
    of each run as it ends.

    Raises:
        SettingsError: two runs would share a folder, feedback is malformed or needs a person, or a task
            cannot be solved without a model.
    """
    check(specs, person=ask is not None)
    if opener is None and source is None:
        for spec in specs:
            if any(map(is_offline, spec.models)):
                need_offline(spec.task)
    outcomes: dict[RunSpec, Outcome] = {}

    def settle(outcome: Outcome) -> None:
        outcomes[outcome.spec] = outcome
        if done:
            done(outcome)

    for spec in specs:
        if (run := session.finished(folder / spec.name, spec)) and settled(run) and _held(folder, run):
            walls = session.walls_of(folder / spec.name)[-1:]
            settle(Outcome(spec, folder / spec.name, run, walls=walls[0] if walls else None, before=True))
    job = InProcess(folder, opener) if opener else InChild(folder, source, gateway, ask)
    todo = [spec for spec in specs if spec not in outcomes]
    with closing((engine or ThreadEngine()).run(job, todo, progress or _silent)) as ends:
        for spec, end in ends:
            settle(_outcome(spec, folder / spec.name, end))
    return [outcomes[spec] for spec in specs]


def check(specs: Sequence[RunSpec], *, person: bool = False) -> None:
    """Tell what cannot go well before anything runs.

    Raises:
        SettingsError: see `sweep`.
    """
    for spec in specs:
        if read_feedback(spec.feedback).human and not person:
            raise SettingsError(
                "A sweep cannot ask a person for feedback.", hint="Use `quire stream run --feedback human`."
            )
    twice = [name for name, count in Counter(spec.name for spec in specs).items() if count > 1]
    if twice:
        raise SettingsError(f"Two runs of the sweep would share the folder {twice[0]}.")


def _held(folder: Path, run: Run) -> bool:
    """Whether its judge said what its records say; a run that fails this is run, and told, again."""
    try:
        judged.check(folder, run.spec, run)
    except RunError:
        return False
    return True


def _outcome(spec: RunSpec, folder: Path, end: Done | QuireError) -> Outcome:
    if isinstance(end, QuireError):
        return Outcome(spec, folder, failure=end)
    try:
        return Outcome(spec, folder, end.run or load_run(folder), walls=end.walls)
    except QuireError as error:  # a machine of the cluster that does not share the folder
        return Outcome(spec, folder, failure=error, walls=end.walls)


def _silent(*_: object) -> None:
    pass
