"""Stored runs: every trajectory as a file of JSON Lines in the library's `runs/` folder.

    path = save(library.folder, trajectory)
    load(library.folder, "20260105-1432")       # the id of a run, or its unique beginning

A record is written whole and then put in place, so a run is there completely or not at all.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from quire.agents.records import from_lines, to_lines
from quire.errors import RunError
from quire.types import Trajectory

_SAFE = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A stored run in short."""

    run_id: str
    started: str
    question: str
    status: str
    value: object
    model: str
    method: str
    turns: int
    seconds: float
    cost: float


def save(folder: Path, trajectory: Trajectory) -> Path:
    """Write the run into `folder/runs`; gives its file."""
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    if not _SAFE.fullmatch(trajectory.run_id):
        raise RunError(f"`{trajectory.run_id[:80]}` cannot be the id of a run.")
    path = runs / f"{trajectory.run_id}.jsonl"
    draft = path.with_suffix(f".{os.getpid()}.draft")
    draft.write_text("\n".join(to_lines(trajectory)) + "\n", encoding="utf-8")
    draft.replace(path)
    return path


def load(folder: Path, run_id: str) -> Trajectory:
    """The run of that id, or of the only id that begins like that.

    Raises:
        RunError: there is none, there are several, or its file cannot be read.
    """
    stored = _files(folder)
    found = [path for path in stored if path.stem == run_id]
    found = found or [path for path in stored if path.stem.startswith(run_id)]
    if len(found) != 1:
        which = "no run" if not found else f"{len(found)} runs"
        raise RunError(f"There is {which} named `{run_id}`.", hint="See `quire runs` for all of them.")
    return read(found[0])


def read(path: Path) -> Trajectory:
    """The run that a file holds.

    Raises:
        RunError: the file is missing or no record of a run.
    """
    try:
        return from_lines(path.read_text(encoding="utf-8").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"Cannot read the run {path.name}: {error}.") from error
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path.name} is not the record of a run: {error!r}.") from error


def listed(folder: Path) -> list[RunSummary]:
    """All stored runs, the latest first; unreadable files are left out."""
    found = []
    for path in sorted(_files(folder), reverse=True):
        try:
            found.append(summary(read(path)))
        except RunError:
            continue
    return found


def summary(run: Trajectory) -> RunSummary:
    """A run in short."""
    return RunSummary(
        run.run_id,
        run.started,
        run.question.text,
        run.answer.status,
        run.answer.value,
        run.model,
        run.method,
        len(run.steps),
        run.seconds,
        run.usage.cost,
    )


def _files(folder: Path) -> list[Path]:
    return sorted((folder / "runs").glob("*.jsonl"))
