"""A run whose feedback a person gives: in this process, which has the terminal, behind the wall."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire.interfaces.cli.output import messages, safe
from quire.interfaces.cli.stream_source import solvers

if TYPE_CHECKING:
    from quire.streams.errand import Source
    from quire.streams.runner import Setup
    from quire.streams.spec import RunSpec
    from quire.streams.sweep import Outcome
    from quire.types import Attempt, Instance, Verdict


def ask_through(specs: Sequence[RunSpec], root: Path, source: Source | None) -> list[Outcome]:
    """Run one after the other. The judges are started first: behind the wall no process can be started."""
    from quire.streams import session
    from quire.streams.runner import run
    from quire.streams.sweep import Outcome
    from quire.streams.wall import seal

    setups: list[Setup] = []
    root = root.absolute()  # behind the wall, paths are
    own = [root / spec.name for spec in specs]
    try:
        setups += [_setup(spec, source) for spec in specs]
        for folder in own:
            folder.mkdir(parents=True, exist_ok=True)
        walls = seal(
            [root, *(Path(spec.data) for spec in specs), *map(Path, source.hides if source else ())],
            own=own,
            reads=[Path(path) for path in source.reads] if source else (),
            processes=source is not None,
        )
        outcomes = []
        for spec, setup, folder in zip(specs, setups, own, strict=True):
            session.begin(folder, walls)
            done = run(spec, setup, folder)
            session.finish(folder, len(done.records))
            outcomes.append(Outcome(spec, folder, done, walls=walls))
        return outcomes
    finally:
        for setup in setups:
            setup.judge.close()


def _setup(spec: RunSpec, source: Source | None) -> Setup:
    from quire.streams.opening import open_setup

    return open_setup(spec, solvers=solvers(**source.arguments) if source else None, ask=_person)


def _person(instance: Instance, attempt: Attempt) -> Verdict:
    """Ask the person at the terminal; an empty reply means that nobody knows."""
    from quire.types import Verdict

    screen = messages()
    screen.print(f"\n[bold]{safe(instance.input)}[/]\n[cyan]{safe(attempt.output)}[/]", soft_wrap=True)
    said = screen.input("right? [y/n, Enter: cannot say] ").strip().lower()
    labels: dict[str, Any] = {"y": "right", "n": "wrong"}
    return Verdict(labels.get(said[:1], "unknown"), source="human")
