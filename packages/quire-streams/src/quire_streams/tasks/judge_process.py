"""A judge in a process of its own: gold is never in the memory of the process that solves.

What comes over the wire are instances, example pairs and results as JSON; results carry no reason, because
a reason may tell the gold. The child is started before a wall is drawn (see `quire_streams.wall`) and is the
only one that reads the data folder.

    with JudgeProcess("ddxplus", Path("data/ddxplus")) as judge:
        judge.submit(judge.instances()[0].id, "12. Epiglottitis")
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quire.errors import ScoringError, of_row
from quire.eval.result import Result
from quire.eval.run import DEFAULT
from quire.types import Experience, Instance, Usage, Verdict
from quire.worker import Child, receive_json, send_json
from quire_streams.tasks.judging import SLOTS

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
            count, examples = self._read()["counts"]
            self._instances = tuple(_instance(self._read(), texts) for _ in range(count))
            self._examples = tuple(_example(self._read()) for _ in range(examples))
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

    def instances(self) -> Sequence[Instance]:
        """What solvers may see."""
        return self._instances

    def examples(self) -> Sequence[Experience]:
        """Gold pairs outside the stream."""
        return self._examples

    def submit(self, instance_id: str, output: str, slot: str = "answer") -> Result:
        """Judge an answer."""
        with self._lock:
            try:
                send_json(self._child.connection, [instance_id, output, slot])
            except OSError as error:
                raise ScoringError("The judge has stopped.", hint="Resume the run.") from error
            reply = self._read()
        return Result(reply["value"], reply["parts"], usage=Usage(**reply["usage"]))

    def close(self) -> None:
        """End the child."""
        self._child.close(_PATIENCE)

    def _read(self) -> Any:
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


def _example(row: dict[str, Any]) -> Experience:
    return Experience(**{**row, "verdict": Verdict(**row["verdict"])})
