"""What is kept of one question of an evaluation: a line of a JSON Lines file that only grows.

Contract: a record is written whole and synced to the disk before the next question counts as done, so that a
run killed at any moment goes on where it stood. A last line that was cut off is dropped. Records are matched
by question id, never by their order. Pictures are not kept; numbers that JSON does not have become texts.

The gold and the reasons are in the file, for the report: no agent can read it.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TextIO

from quire.errors import RunError
from quire.types import Trajectory, Usage

Status = Literal["right", "wrong", "abstained", "failed", "unknown", "missing", "impossible"]
STATUSES: tuple[Status, ...] = ("right", "wrong", "abstained", "failed", "unknown", "missing", "impossible")
ASKED = frozenset({"right", "wrong", "abstained", "failed", "unknown"})


@dataclass(frozen=True, slots=True)
class EvalRecord:
    """One question and what came of it.

    `value` is the score from 0 to 1, or None where there is none; `reason` says in words why. `trajectory`
    is the whole run as JSON values (see `packed`), None where nothing was asked. Only `seconds` and what the
    trajectory says of time may differ between two runs of the same specification.
    """

    id: str
    status: Status
    question: str
    reason: str = ""
    value: float | None = None
    answer: Any = None
    gold: Any = None
    tags: tuple[str, ...] = ()
    answer_format: str = ""
    papers: tuple[str, ...] = ()
    confidence: float = 0.0
    note: str = ""
    turns: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0
    trajectory: Mapping[str, Any] | None = None
    evidence: tuple[Mapping[str, Any], ...] = field(default=())

    def outcome(self) -> tuple[Any, ...]:
        """What must be the same whenever the same run is made again."""
        return (self.id, self.status, self.value, self.reason, self.answer, self.turns)


class EvalFile:
    """The records of one evaluation."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO | None = None

    def read(self) -> dict[str, EvalRecord]:
        """All whole records by question id; of two with one id the later.

        Raises:
            RunError: a line in the middle is no record.
        """
        if not self._path.exists():
            return {}
        raw = self._path.read_bytes()
        end = raw.rfind(b"\n") + 1
        if end < len(raw):
            with self._path.open("r+b") as file:
                file.truncate(end)
        lines = raw[:end].decode("utf-8", "replace").split("\n")[:-1]
        records = (_record(line, f"{self._path}, line {n}") for n, line in enumerate(lines, 1))
        return {record.id: record for record in records}

    def append(self, record: EvalRecord) -> None:
        """Write a record and wait until it is on the disk."""
        if self._file is None:
            self._file = self._path.open("a", encoding="utf-8")
        row = {f.name: getattr(record, f.name) for f in dataclasses.fields(record)}
        self._file.write(json.dumps(packed(row), ensure_ascii=False, allow_nan=False) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file:
            self._file.close()
            self._file = None


def of_trajectory(trajectory: Trajectory) -> dict[str, Any]:
    """The fields of a record that come from the run."""
    answer = trajectory.answer
    return {
        "answer": packed(answer.value),
        "confidence": answer.confidence,
        "note": answer.note,
        "turns": len(trajectory.steps),
        "usage": trajectory.usage,
        "seconds": trajectory.seconds,
        "trajectory": packed(_without_rows(trajectory)),
        "evidence": tuple(packed(each) for each in answer.evidence),
    }


def _without_rows(trajectory: Trajectory) -> Trajectory:
    """The run as it was shown: the rows behind an observation say the same again, ten times as long."""
    steps = tuple(
        step if step.observation is None else replace(step, observation=replace(step.observation, rows=()))
        for step in trajectory.steps
    )
    return replace(trajectory, steps=steps)


def packed(value: Any) -> Any:
    """A value as JSON has it: dataclasses as objects, pictures left out, NaN and infinity as text."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be written
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (bytes, bytearray)):
        return None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: packed(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): packed(each) for key, each in value.items()}
    if isinstance(value, Iterable):
        return [packed(each) for each in value]
    return str(value)


def _record(line: str, where: str) -> EvalRecord:
    try:
        row = json.loads(line)
        row["usage"] = Usage(**row["usage"])
        for name in ("tags", "papers", "evidence"):
            row[name] = tuple(row[name])
        return EvalRecord(**row)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise RunError(f"{where} is no record of an evaluation: {error}.") from error
