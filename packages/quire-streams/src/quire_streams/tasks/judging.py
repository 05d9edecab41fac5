"""The judge's side of the wall: who holds the gold and says only how good an answer was.

    judge = LocalJudge(task, data)                   # same process: quick, for tests
    result = judge.submit(judge.instances[0].id, output)
    with JudgeProcess("ddxplus", Path("data/ddxplus")) as judge:
        judge.submit(judge.instances[0].id, "12. Epiglottitis")

Every answer may be submitted once for each `slot` that the judge was opened with: a solver that found its
way to the judge could otherwise try one answer after the other.

With a judge in a process of its own (`judge_child`) gold is never in the memory of the process that solves.
What comes over the wire are instances, example pairs and results as JSON; results carry no reason, because
a reason may tell the gold. The child is started before a wall is drawn (see `quire_streams.wall`) and is the
only one that reads the data folder.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Protocol

from quire.errors import ScoringError, TaskError, of_row
from quire.eval.result import Result, scored
from quire.eval.run import DEFAULT
from quire.types import Experience, Instance, Usage, Verdict
from quire.worker import Child, receive_json, send_json
from quire_streams.tasks.protocol import Sample, Task

SLOTS = ("answer",)  # what a run submits of each instance, unless it says otherwise


class GoldKeeper(Protocol):
    """Holds the gold of one run."""

    instances: tuple[Instance, ...]  # what solvers may see, in the order of the file
    examples: tuple[Experience, ...]  # gold pairs outside the stream

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


class LocalJudge:
    """A judge in this process. It keeps honest solvers honest; a hostile one needs `JudgeProcess`."""

    def __init__(
        self, task: Task, data: Path, slots: Sequence[str] = SLOTS, samples: Sequence[Sample] | None = None
    ) -> None:
        """`samples` take the place of those of the data.

        Raises:
            TaskError: the data cannot be read, or is no stream: texts are none, or ids stand twice.
        """
        loaded = task.load(data) if samples is None else samples
        for number, sample in enumerate(loaded, 1):
            _check_texts(task.name, number, sample.instance)
        self._task, self._slots = task, frozenset(slots)
        self._samples: Mapping[str, Sample] = {sample.instance.id: sample for sample in loaded}
        if len(self._samples) < len(loaded):
            raise TaskError(f"Task {task.name}: several samples have the same id.")
        self.instances = tuple(sample.instance for sample in loaded)
        self.examples = tuple(task.examples(data))
        self._used: set[tuple[str, str]] = set()

    def submit(self, instance_id: str, output: str, slot: str = "answer") -> Result:
        """Judge an answer, once."""
        if instance_id not in self._samples:
            raise TaskError(f"Task {self._task.name} has no instance `{instance_id}`.")
        if slot not in self._slots:
            raise TaskError(f"This run does not judge a `{slot}`.")
        if (instance_id, slot) in self._used:
            raise TaskError(f"Instance `{instance_id}` was judged before in this run.")
        self._used.add((instance_id, slot))
        return scored(lambda: self._task.score(self._samples[instance_id], output))

    def close(self) -> None:
        """Nothing to close."""


_PATIENCE = 5.0  # seconds that it has to end by itself


class JudgeProcess:
    """The client of a judge child."""

    def __init__(
        self,
        task: str,
        data: Path,
        judge_model: str = "",
        slots: Sequence[str] = SLOTS,
        protocol: str = DEFAULT,
        *,
        models: int | None = None,
        tally: int | None = None,
    ) -> None:
        """Start the child and read the instances. `models` is the socket by which it asks `judge_model`.

        In `tally`, a file, it keeps what it said. Both are closed here: what is asked there holds gold, and
        what is said there is for others to believe.

        Raises:
            TaskError: the data cannot be read.
        """
        self._lock = threading.Lock()
        given = tuple(number for number in (models, tally) if number is not None)
        numbers = ["" if number is None else str(number) for number in (models, tally)]
        named = [task, str(data), protocol, judge_model, *numbers, *slots]
        try:
            self._child = Child("quire_streams.tasks.judge_child", named, give=given, errors=2)
        finally:
            for number in given:
                os.close(number)
        texts: dict[str, str] = {}
        try:
            count, examples = self._receive()["counts"]
            self.instances = tuple(_instance(self._receive(), texts) for _ in range(count))
            rows = (self._receive() for _ in range(examples))
            self.examples = tuple(Experience(**{**row, "verdict": Verdict(**row["verdict"])}) for row in rows)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> JudgeProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._child.process.pid

    def submit(self, instance_id: str, output: str, slot: str = "answer") -> Result:
        """Judge an answer."""
        with self._lock:
            try:
                send_json(self._child.connection, [instance_id, output, slot])
            except OSError as error:
                raise ScoringError("The judge has stopped.", hint="Resume the run.") from error
            reply = self._receive()
        return Result(reply["value"], reply["parts"], usage=Usage(**reply["usage"]))

    def close(self) -> None:
        """End the child."""
        self._child.close(_PATIENCE)

    def _receive(self) -> Any:
        try:
            reply = receive_json(self._child.connection)
        except (EOFError, OSError, ValueError) as error:
            raise ScoringError("The judge has stopped.", hint="Resume the run.") from error
        if isinstance(reply, dict) and "error" in reply:
            raise of_row(reply["error"])
        return reply


def _instance(row: dict[str, Any], texts: dict[str, str]) -> Instance:
    # Long texts (API documents, option lists) are the same in every instance: keep one of each.
    fields = {name: texts.setdefault(value, value) for name, value in row.pop("fields").items()}
    return Instance(**{name: texts.setdefault(value, value) for name, value in row.items()}, fields=fields)
