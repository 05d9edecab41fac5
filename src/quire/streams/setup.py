"""The live things that a run needs; `quire.streams.opening` makes them from a specification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.agents.stream.lessons import LessonWriter
from quire.agents.stream.solver import Solver
from quire.memory import Encoder
from quire.streams.case import Case
from quire.streams.feedback import Ask
from quire.tasks.judging import Judge


@dataclass(frozen=True, slots=True)
class Setup:
    """The live things of a run: one solver per model of the specification, in its order.

    With `cases` (by instance) each record keeps one for its readers, gold included: not behind a wall.
    """

    judge: Judge
    solvers: Sequence[Solver]
    encoder: Encoder
    shots: int
    writer: LessonWriter | None = None
    ask: Ask | None = None
    workers: int = 4
    cases: Mapping[str, Case] | None = None
