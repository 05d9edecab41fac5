"""The sockets by which a run's own process asks what it must not have: models, and a person's verdict.

    with Sockets(spec, gateway) as sockets:
        Child(..., give=sockets.given)
        sockets.hand_over()                     # the ends are the child's now
        ...
        sockets.account(folder)                 # what it took, into the run's folder

One socket is for the process that solves (the models of the specification), one for its judge's process (the
judge's model alone: what is asked there holds gold).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from quire.eval.run import RunSpec
from quire.llm import Gateway, Role
from quire_streams.channel import ChannelServer, Handler
from quire_streams.remote import served
from quire_streams.runs import session
from quire_streams.tasks.offline import is_offline

Person = Callable[[str, str], Literal["right", "wrong", "unknown"]]  # what was asked, what was answered


class Sockets:
    """The sockets of one run; none where nobody need be asked."""

    def __init__(self, spec: RunSpec, gateway: Gateway | None, ask: Person | None = None) -> None:
        self._part = gateway.part() if gateway else None
        self._ends: list[Connection] = []
        self._serving: list[ChannelServer] = []
        solving: dict[str, Handler] = {"verdict": _verdict(ask)} if ask else {}
        if self._part and not all(map(is_offline, spec.models)):
            allowed: list[tuple[Role, str]] = [("answer", name) for name in spec.models]
            solving |= served(self._part, [*allowed, ("lesson", spec.models[0])])
        self.models = self._open(solving) if solving else None
        judging = served(self._part, [("judge", spec.judge_model)]) if self._part else {}
        self.judge = self._open(judging) if judging and spec.judge_model else None

    def __enter__(self) -> Sockets:
        return self

    def __exit__(self, *_: object) -> None:
        self.hand_over()
        for serving in self._serving:
            serving.close()

    @property
    def given(self) -> tuple[int, ...]:
        """The numbers that the child inherits."""
        return tuple(end.fileno() for end in self._ends)

    def hand_over(self) -> None:
        """Close the child's ends here."""
        for end in self._ends:
            end.close()

    def account(self, folder: Path) -> None:
        """Write down what the run took."""
        if self._part:
            session.spend(folder, self._part.meter)

    def _open(self, handlers: Mapping[str, Handler]) -> int:
        here, there = Pipe()
        self._serving.append(ChannelServer(here, handlers))
        self._ends.append(there)
        return there.fileno()


def _verdict(ask: Person) -> Handler:
    def answer(given: Mapping[str, Any]) -> str:
        return ask(str(given["input"]), str(given["output"]))

    return answer
