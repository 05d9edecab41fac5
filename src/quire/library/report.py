"""What adding tells: values for progress while it runs and a report at its end; others draw them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Stage = Literal["read", "parse", "encode"]
_SEEN = 3.0  # seconds after which a rate counts
_USED = 0.8  # of the cores, by encoding alone
Outcome = Literal["added", "updated", "refreshed", "unchanged", "duplicate", "failed"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage has come. `rate` is in things per second; `seconds_left` is None until it is known."""

    stage: Stage
    done: int
    total: int
    rate: float
    seconds_left: float | None
    label: str = ""


OnProgress = Callable[[Progress], None]


class Outlook:
    """How long an `add` still takes, from what its stages tell: papers are encoded while others are read.

    Encoding shares the cores with the children that read, and has them to itself afterwards: until that has
    been seen, it is told from the processor time that it got so far.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        worked: Callable[[], float] = time.process_time,
        cores: int | None = None,
    ) -> None:
        self._clock = clock
        self._worked = worked
        self._cores = cores or os.cpu_count() or 1
        self._told: dict[Stage, Progress] = {}
        self._of_a_paper = 0.0  # vectors
        self._began: tuple[float, float] | None = None  # encoding: the time, and processor time until then
        self._alone: tuple[float, int] | None = None  # reading ended: the time, and vectors until then

    def seconds_left(self, now: Progress) -> float | None:
        """What reading and encoding still need together; None until it is known."""
        before = self._told.get(now.stage)
        self._told[now.stage] = now
        parsed, encoded = self._told.get("parse"), self._told.get("encode")
        if encoded is not None and self._began is None:
            self._began = self._clock(), self._worked()
        if parsed is None or not parsed.done:
            return None
        if encoded is not None and self._alone is None and parsed.done >= parsed.total:
            self._alone = self._clock(), encoded.done
        if encoded is None or not encoded.rate:
            return parsed.seconds_left
        if now is encoded and (before is None or before.total != now.total):
            # Here the vectors of all papers that are in have just been counted.
            self._of_a_paper = now.total / parsed.done
        left = max(encoded.total, self._of_a_paper * parsed.total) - encoded.done
        reading = parsed.seconds_left or 0.0
        return reading + max(0.0, left - reading * encoded.rate) / self._rate_alone(encoded)

    def _rate_alone(self, encoded: Progress) -> float:
        """Vectors a second when nothing is read any more."""
        now = self._clock()
        if self._alone is not None and now - self._alone[0] > _SEEN and encoded.done > self._alone[1]:
            return (encoded.done - self._alone[1]) / (now - self._alone[0])
        began, worked = self._began or (now, 0.0)
        busy = (self._worked() - worked) / (now - began) if now > began else 1.0  # cores that it had
        return encoded.rate * max(1.0, _USED * self._cores / max(busy, 0.1))


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file. `reason` says why it failed, or which file has the same content."""

    path: Path
    outcome: Outcome
    paper_id: str = ""
    title: str = ""
    pages: int = 0
    kind: str = ""  # name of the error class of a failure
    reason: str = ""
    notes: tuple[str, ...] = ()  # what could not be read of a PDF that is in


def missing_file(path: Path, reason: str) -> FileReport:
    """The report of what was named and is not there, or is nothing to add."""
    return FileReport(path, "failed", kind="DocumentError", reason=f"{reason[:1].upper()}{reason[1:]}.")


@dataclass(frozen=True, slots=True)
class AddReport:
    """What became of all files, in the order in which they were done."""

    files: tuple[FileReport, ...] = ()
    encoded: int = 0  # vectors made
    notes: tuple[str, ...] = ()  # about the whole run, e.g. that there is no dense model
    seconds: float = 0.0

    def of(self, outcome: Outcome) -> tuple[FileReport, ...]:
        """The files with that outcome."""
        return tuple(file for file in self.files if file.outcome == outcome)

    @property
    def added(self) -> tuple[FileReport, ...]:
        """New papers."""
        return self.of("added")

    @property
    def updated(self) -> tuple[FileReport, ...]:
        """Files whose content had changed; their old rows are gone."""
        return self.of("updated")

    @property
    def refreshed(self) -> tuple[FileReport, ...]:
        """Papers that an older parser had parsed and that are parsed again."""
        return self.of("refreshed")

    @property
    def unchanged(self) -> tuple[FileReport, ...]:
        """Files that were in already."""
        return self.of("unchanged")

    @property
    def duplicates(self) -> tuple[FileReport, ...]:
        """Files with the content of another file that is in."""
        return self.of("duplicate")

    @property
    def failed(self) -> tuple[FileReport, ...]:
        """Files that could not be read."""
        return self.of("failed")


@dataclass
class StageMeter:
    """Counts the things of one stage and tells a listener."""

    stage: Stage
    total: int
    listener: OnProgress | None
    done: int = 0
    started: float = field(default_factory=time.monotonic)

    def reached(self, done: int, label: str = "", total: int | None = None) -> None:
        """Tell that so many are done."""
        self.done = done
        self.total = max(self.total if total is None else total, done)
        if self.listener is None:
            return
        passed = time.monotonic() - self.started
        rate = self.done / passed if passed > 0 else 0.0
        left = (self.total - self.done) / rate if rate else None
        self.listener(Progress(self.stage, self.done, self.total, rate, left, label))

    def step(self, label: str = "") -> None:
        """Tell that one more is done."""
        self.reached(self.done + 1, label)
