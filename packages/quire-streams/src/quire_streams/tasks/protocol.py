"""What a task is: samples with their gold, how a reply is read, how an answer is scored.

A task object is small and holds no data: it is given the folder each time. Everything that touches gold
(`load`, `score`, `gold`) runs on the judge's side of the wall; `parse` runs on the solver's side.

    task = TASKS.load("ddxplus")()
    samples = task.load(Path("data/ddxplus"))
    task.score(samples[0], task.parse("12. Anemia", samples[0].instance)).value   # 1.0 or 0.0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from quire.eval.result import Result
from quire.types import Experience, Instance, Verdict

SYNTHETIC = "synthetic"  # ids of samples that were drawn by a rule begin so


@dataclass(frozen=True, slots=True)
class Sample:
    """An instance and its gold. Lives on the judge's side only."""

    instance: Instance
    gold: Any

    def example(self) -> Experience:
        """The sample as it is shown to the few-shot method: its gold as the answer."""
        one, right = self.instance, Verdict("right", source="metric")
        shown = {"shot": one.shot}
        return Experience(one.key, one.task, one.id, shown, str(self.gold), right, -1, "gold", "")


class Task(Protocol):
    """One data set: where it comes from, what a solver is told, what counts as right."""

    name: str
    shots: int  # k of the paper
    metric: str

    def load(self, data: Path) -> Sequence[Sample]:
        """All samples, in the order of the file. Raises TaskError naming file, line and field."""
        ...

    def examples(self, data: Path) -> Sequence[Experience]:
        """Gold pairs for the few-shot method; never one of the samples."""
        ...

    def parse(self, reply: str, instance: Instance) -> str:
        """The answer in a model's reply, in one canonical form; "" if there is none. Never raises."""
        ...

    def score(self, sample: Sample, output: str) -> Result:
        """Judge a parsed answer."""
        ...

    def gold(self, sample: Sample) -> str:
        """A reply that must score 1, for checking the scorer."""
        ...
