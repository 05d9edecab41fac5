"""What adding tells: values for progress while it runs and a report at its end; others draw them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Stage = Literal["read", "parse", "encode"]
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
    """How long an `add` still takes, from what its stages tell: papers are encoded while others are read."""

    def __init__(self) -> None:
        self._told: dict[Stage, Progress] = {}
        self._of_a_paper = 0.0  # vectors

    def seconds_left(self, now: Progress) -> float | None:
        """The longer of what reading and encoding still need; None until it is known."""
        before = self._told.get(now.stage)
        self._told[now.stage] = now
        parsed, encoded = self._told.get("parse"), self._told.get("encode")
        if parsed is None or not parsed.done:
            return None
        if encoded is None or not encoded.rate:
            return parsed.seconds_left
        if now is encoded and (before is None or before.total != now.total):
            # Here the vectors of all papers that are in have just been counted.
            self._of_a_paper = now.total / parsed.done
        wanted = max(encoded.total, self._of_a_paper * parsed.total)
        return max(parsed.seconds_left or 0.0, (wanted - encoded.done) / encoded.rate)


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
