"""Many runs at once: methods x models x seeds, each in a sealed process of its own.

    outcomes = sweep(read_sweep(Path("sweep.toml")), Path("runs"), engine=ThreadEngine(2))

A run that fails, or whose process dies, is a RunOutcome with its error and does not stop the others. A
finished run is not run again; an unfinished one goes on from its last record.

The file (TOML, JSON or YAML) is as `quire stream sweep --help` shows it: task, data (from the file's folder,
else from here), methods, models, seeds (a list, or 5 for 0 to 4), and any other setting of `RunSpec`, which
holds for all. A method on one model runs once per model, one that routes runs once on all of them.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from quire.errors import QuireError, RunError, SettingsError
from quire.eval.run import Run, RunSpec, load_run
from quire.llm import Gateway
from quire.llm.budget import unpriced
from quire_streams.methods import METHODS
from quire_streams.runs import session
from quire_streams.runs.encoders import default_encoder
from quire_streams.runs.engines import End, Engine, RayCluster, TellOf, ThreadEngine
from quire_streams.runs.jobs import InChild, Person, asked_models
from quire_streams.runs.opening import SolverSource
from quire_streams.runs.runner import read_feedback, settled
from quire_streams.tasks import TASKS
from quire_streams.tasks.offline import VARIANTS, is_offline, need_offline
from quire_streams.tasks.protocol import spec_over
from quire_streams.wall import Walls

__all__ = ["RunOutcome", "RayCluster", "SolverSource", "ThreadEngine", "expand", "read_sweep", "sweep"]


@dataclass(frozen=True, slots=True)
class RunOutcome:
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
    source: SolverSource | None = None,
    gateway: Gateway | None = None,
    ask: Person | None = None,
    progress: TellOf | None = None,
    done: Callable[[RunOutcome], None] | None = None,
) -> list[RunOutcome]:
    """Run all, each in `folder / spec.name`; the outcomes in the order of the specifications.

    `source` names who solves (for `papers`), `gateway` has the models of all runs, whose limit holds for all
    together, `ask` asks a person for feedback. `progress` may be called from several threads, `done` is told
    of each run as it ends.

    Raises:
        SettingsError: two runs would share a folder, feedback is malformed or needs a person, or a task
            cannot be solved without a model.
        BudgetExceeded: the limit cannot be kept, as no price of a model is known.
    """
    check(specs, person=ask is not None)
    for spec in specs:
        if source is None and any(map(is_offline, spec.models)):
            need_offline(spec.task)
        if gateway and gateway.meter.limit:
            for role, name in asked_models(spec):
                if gateway.model(role, name).price is None:
                    raise unpriced(name)
    outcomes: dict[RunSpec, RunOutcome] = {}

    def settle(outcome: RunOutcome) -> None:
        outcomes[outcome.spec] = outcome
        if done:
            done(outcome)

    for spec in specs:
        if (run := session.finished(folder / spec.name, spec)) and settled(run) and _held(folder, run):
            walls = session.walls_of(folder / spec.name)[-1:]
            settle(RunOutcome(spec, folder / spec.name, run, walls=walls[0] if walls else None, before=True))
    job = InChild(folder, source, gateway, ask)
    todo = [spec for spec in specs if spec not in outcomes]
    tell = progress or (lambda spec, now: None)
    with closing((engine or ThreadEngine()).run(job, todo, tell)) as ends:
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
        session.check_judged(folder, run.spec, run)
    except RunError:
        return False
    return True


def _outcome(spec: RunSpec, folder: Path, end: End) -> RunOutcome:
    if isinstance(end, QuireError):
        return RunOutcome(spec, folder, failure=end)
    try:
        return RunOutcome(spec, folder, load_run(folder), walls=end)
    except QuireError as error:  # a machine of the cluster that does not share the folder
        return RunOutcome(spec, folder, failure=error, walls=end)


_NEEDED = ("task", "data", "methods", "models")
_OWN = {"task", "data", "method", "models", "seed", "order", "settings"}
_MORE = {field.name: field.type for field in fields(RunSpec) if field.name not in _OWN}


def read_sweep(path: Path, instead: Mapping[str, Any] = MappingProxyType({})) -> list[RunSpec]:
    """The runs that a sweep file asks for, with settings given `instead` of the file's.

    Raises:
        SettingsError: it cannot be read; a key is unknown, missing or of the wrong type.
        UnknownNameError: there is no such task, method or protocol.
    """
    settings = _parse_file(path)
    data = settings.get("data")
    if isinstance(data, str) and (beside := path.parent / Path(data).expanduser()).exists():
        settings["data"] = str(beside.resolve())
    return expand({**settings, **instead})


def expand(settings: dict[str, Any]) -> list[RunSpec]:
    """All combinations of a sweep's settings.

    Raises:
        SettingsError, UnknownNameError: see `read_sweep`.
    """
    if missing := [name for name in _NEEDED if name not in settings]:
        raise SettingsError(f"The sweep does not say: {', '.join(missing)}.", hint=_shape())
    if unknown := sorted(set(settings) - {*_NEEDED, "seeds", *_MORE}):
        raise SettingsError(f"The sweep has unknown settings: {', '.join(unknown)}.", hint=_shape())
    task, data = str(settings["task"]), str(settings["data"])
    TASKS[task]  # a wrong name is told before anything runs
    more = {name: _check_type(name, settings[name]) for name in _MORE if name in settings}
    more.setdefault("encoder", default_encoder())
    runs = [
        spec_over(RunSpec(task, name, chosen, data, seed=seed, **more), Path(data))
        for name in _texts("methods", settings["methods"])
        for chosen in teams(name, _texts("models", settings["models"]))
        for seed in _seeds(settings.get("seeds", 1))
    ]
    return list(dict.fromkeys(runs))


def teams(name: str, models: Sequence[str]) -> list[tuple[str, ...]]:
    """The models of each run of a method; `offline` alone stands for its variants where a method shares.

    Raises:
        UnknownNameError: there is no such method.
    """
    if METHODS[name].router == "one":
        return [(model,) for model in models]
    if list(models) == ["offline"]:
        return [tuple(f"offline:{variant}" for variant in VARIANTS)]
    return [tuple(models)]


def _texts(name: str, value: Any) -> list[str]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not listed or not all(isinstance(one, str) for one in listed):
        raise SettingsError(f"`{name}` of the sweep must be a list of names, not {value!r}.")
    return list(listed)


def _seeds(value: Any) -> Sequence[int]:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return range(value)
    if isinstance(value, list) and value and all(type(one) is int for one in value):
        return value
    raise SettingsError(f"`seeds` of the sweep must be a number of orders or a list of seeds, not {value!r}.")


def _check_type(name: str, value: Any) -> Any:
    number = _MORE[name] == "int"
    if (type(value) is int and value >= 0) if number else isinstance(value, str):
        return value
    wanted = "a number from 0" if number else "a text"
    raise SettingsError(f"`{name}` of the sweep must be {wanted}, not {value!r}.")


def _shape() -> str:
    return f"Settings: {', '.join((*_NEEDED, 'seeds', *_MORE))}."


def _parse_file(path: Path) -> dict[str, Any]:
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            return tomllib.loads(text)
        loaded = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise SettingsError(f"Cannot read the sweep {path}: {error}.") from error
    if not isinstance(loaded, dict):
        raise SettingsError(f"The sweep {path} must be a table of settings.", hint=_shape())
    return loaded
