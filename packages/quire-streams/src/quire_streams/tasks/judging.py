"""The judge's side of the wall: who holds the gold and says only how good an answer was.

    with LocalJudge(task, data) as judge:            # same process: quick, for tests
        instances = judge.instances()
        result = judge.submit(instances[0].id, output)

Every answer may be submitted once for each `slot` that the judge was opened with: a solver that found its
way to the judge could otherwise try one answer after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Protocol

from quire.errors import TaskError
from quire.eval.result import Result, scored
from quire.types import Experience, Instance
from quire_streams.tasks.protocol import Sample, Task

SLOTS = ("answer",)  # what a run submits of each instance, unless it says otherwise


class GoldKeeper(Protocol):
    """Holds the gold of one run."""

    def instances(self) -> Sequence[Instance]:
        """What solvers may see, in the order of the file."""
        ...

    def examples(self) -> Sequence[Experience]:
        """Gold pairs outside the stream."""
        ...

    def submit(self, instance_id: str, output: str, slot: str = "answer") -> Result:
        """Judge an answer. Raises TaskError for an unknown instance or a second try."""
        ...

    def close(self) -> None:
        """Let go of the gold."""
        ...


def _check_texts(task: str, number: int, instance: Instance) -> None:
    """What stands in an instance goes through pipes as text; a task that gives a number is told so."""
    for field in fields(instance):
        value = getattr(instance, field.name)
        if field.type == "str" and not isinstance(value, str):
            raise TaskError(
                f"Task {task}: `{field.name}` of instance {number} is no text but {type(value).__name__}.",
                hint=f'Give texts, as in {field.name}=str(row["{field.name}"]).',
            )


class Ledger:
    """Samples by id, each to be judged once per slot."""

    def __init__(self, task: Task, samples: Sequence[Sample], slots: Sequence[str] = SLOTS) -> None:
        self._task = task
        self._slots = frozenset(slots)
        for number, sample in enumerate(samples, 1):
            _check_texts(task.name, number, sample.instance)
        self._samples: Mapping[str, Sample] = {sample.instance.id: sample for sample in samples}
        if len(self._samples) < len(samples):
            raise TaskError(f"Task {task.name}: several samples have the same id.")
        self._used: set[tuple[str, str]] = set()

    def instances(self) -> Sequence[Instance]:
        """In the order of the file."""
        return tuple(sample.instance for sample in self._samples.values())

    def submit(self, instance_id: str, output: str, slot: str) -> Result:
        """Judge, once."""
        if instance_id not in self._samples:
            raise TaskError(f"Task {self._task.name} has no instance `{instance_id}`.")
        if slot not in self._slots:
            raise TaskError(f"This run does not judge a `{slot}`.")
        if (instance_id, slot) in self._used:
            raise TaskError(f"Instance `{instance_id}` was judged before in this run.")
        self._used.add((instance_id, slot))
        return scored(lambda: self._task.score(self._samples[instance_id], output))


class LocalJudge:
    """A judge in this process. It keeps honest solvers honest; a hostile one needs `JudgeProcess`."""

    def __init__(
        self, task: Task, data: Path, slots: Sequence[str] = SLOTS, samples: Sequence[Sample] | None = None
    ) -> None:
        """`samples` take the place of those of the data."""
        self._ledger = Ledger(task, task.load(data) if samples is None else samples, slots)
        self._examples = tuple(task.examples(data))

    def __enter__(self) -> LocalJudge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def instances(self) -> Sequence[Instance]:
        """What solvers may see."""
        return self._ledger.instances()

    def examples(self) -> Sequence[Experience]:
        """Gold pairs outside the stream."""
        return self._examples

    def submit(self, instance_id: str, output: str, slot: str = "answer") -> Result:
        """Judge an answer."""
        return self._ledger.submit(instance_id, output, slot)

    def close(self) -> None:
        """Nothing to close."""
