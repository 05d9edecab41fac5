"""What a task is: samples with their gold, how a reply is read, how an answer is scored.

A task object is small and holds no data: it is given the folder each time. Everything that touches gold
(`load`, `score`, `gold`) runs on the judge's side of the wall; `parse` runs on the solver's side.

    task = TASKS.load("ddxplus")()
    samples = task.load(Path("data/ddxplus"))
    task.score(samples[0], task.parse("12. Anemia", samples[0].instance)).value   # 1.0 or 0.0
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
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
        return gold_example(
            self.instance.task, self.instance.id, self.instance.key, str(self.gold), self.instance.shot
        )


def gold_example(task: str, id: str, key: str, answer: str, shot: str, **shown: str) -> Experience:
    """A pair of question and right answer as an experience; `shown` are further fields of its prompt."""
    right = Verdict("right", source="metric")
    return Experience(key, task, id, {"shot": shot, **shown}, answer, right, -1, "gold", "")


def hand_written(task: str, family: str, before: str = "") -> list[Experience]:
    """The examples of `examples.toml` for a task; `before` stands before each question."""
    text = resources.files("quire_streams.tasks").joinpath("examples.toml").read_text(encoding="utf-8")
    rows = [{**row, "shot": before + row["question"]} for row in tomllib.loads(text)[family]]
    return [
        gold_example(task, f"example-{n}", row.pop("question"), row.pop("answer"), **row)
        for n, row in enumerate(rows)
    ]


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


# The machine-readable part of a reply.

_FENCE = re.compile(r"```[ \t]{0,99}(\w{0,30})[ \t]{0,99}\n(.*?)(?:```|\Z)", re.DOTALL)
_decoder = json.JSONDecoder()


def first_object(reply: str) -> dict[str, Any] | None:
    """The first JSON object that can be read in the reply, wherever it stands; None if there is none."""
    start = reply.find("{")
    while start >= 0:
        try:
            value, _ = _decoder.raw_decode(reply, start)
        except (json.JSONDecodeError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        start = reply.find("{", start + 1)
    return None


def fenced(reply: str, *languages: str) -> str:
    """The first fenced block in one of those languages, else the first block, else the whole reply.

    Indentation is kept: only empty lines around the text are dropped.
    """
    blocks = _FENCE.findall(reply)
    wanted = [body for language, body in blocks if language.lower() in languages]
    lines = (wanted[0] if wanted else blocks[0][1] if blocks else reply).splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)
