"""Stored runs: every trajectory as a file of JSON Lines in the library's `runs/` folder.

    path = save(library.folder, trajectory)
    load(library.folder, "20260105-1432")       # the id of a run, or its unique beginning

A record has one line for the run, one per step, one for the answer, and loses nothing:

    {"type": "run", "run_id": "...", "question": {...}, "settings": {...}, ...}
    {"type": "step", "thought": "...", "call": {...}, "observation": {...}, ...}
    {"type": "answer", "status": "answered", "value": 42, ...}

Pictures are base64. Values that JSON lacks (dates, decimals) become text. Unknown fields of a newer version
are ignored. A record is written whole and then put in place, so a run is there completely or not at all;
none is ever overwritten. The id of a record is the name of its file: a record that says otherwise is not
read.
"""

from __future__ import annotations

import base64
import json
import os
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from quire import atomic, jsontext
from quire.errors import RunError
from quire.types import Answer, Failed, Final, Observation, Step, Trajectory

VERSION = 1


def new_id() -> str:
    """The id of a run that begins now."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}"


def to_lines(trajectory: Trajectory) -> Iterator[str]:
    """The lines of a record."""
    head = jsontext.as_json(trajectory)
    steps, answer = head.pop("steps"), head.pop("answer")
    lines = [{"type": "run", "version": VERSION, **head}]
    lines += [{"type": "step", **step} for step in steps]
    for line in [*lines, {"type": "answer", **answer}]:
        yield json.dumps(line, ensure_ascii=False)


def from_lines(lines: Iterable[str]) -> Trajectory:
    """The trajectory of a record.

    Raises:
        RunError: a line is no JSON object, or there is none for the run.
        ValueError: a field is of another type.
    """
    head: Mapping[str, Any] | None = None
    answer = Answer("failed", note="The run ended before it had an answer.")
    steps: list[Step] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        value = _object(line, number)
        if value.get("type") == "run":
            head = value
        elif value.get("type") == "step":
            seen = value.get("observation")
            value["observation"] = _observation(seen) if seen else None
            steps.append(jsontext.of_json(Step, value))
        elif value.get("type") == "answer":
            answer = jsontext.of_json(Answer, value)
    if head is None:
        raise RunError("The record has no line of type `run`.")
    question = {"id": "", "text": "", **(head.get("question") or {})}
    known = {"run_id": "", **head, "question": question, "steps": steps, "answer": answer}
    return jsontext.of_json(Trajectory, known)


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        value = jsontext.loads(line)
    except ValueError as error:
        raise RunError(f"Line {number} of the record is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise RunError(f"Line {number} of the record is not a JSON object.")
    return value


_KINDS: Mapping[str, type[Observation]] = {"error": Failed, "final": Final}


def _observation(values: Mapping[str, Any]) -> Observation:
    image = base64.b64decode(values["image"]) if values.get("image") else None
    return jsontext.of_json(_KINDS.get(values["kind"], Observation), {"text": "", **values, "image": image})


_SAFE = re.compile(r"\w[\w.-]{0,99}")
_LONGEST_ID = 200  # bytes
LAST = "last"
"""Stands for the id of the run that was stored last."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A stored run in short."""

    run_id: str
    started: str
    question: str
    outcome: str  # answered, evidence (no sure answer), nothing (found), failed
    value: object
    model: str
    method: str
    turns: int
    seconds: float
    cost: float


def save(folder: Path, trajectory: Trajectory) -> Path:
    """Write the run into `folder/runs`; gives its file.

    Raises:
        RunError: its id cannot be a name, there is a run of that id, or it cannot be written.
    """
    path = free_place(folder, trajectory.run_id)
    text = "\n".join(to_lines(trajectory)) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise RunError(f"The run cannot be stored in {path.parent}: {error.strerror or error}.") from error
    return path


def free_place(folder: Path, run_id: str) -> Path:
    """Where a new run of that id goes.

    Raises:
        RunError: the id cannot be a name, or there is a run of that id.
    """
    path = folder / "runs" / f"{_checked_id(run_id)}.jsonl"
    if path.exists():
        hint = "Rename the file, or remove that run."
        raise RunError(f"There is a run named `{path.stem}` already.", hint=hint)
    return path


def _checked_id(run_id: str) -> str:
    """The id, if it can be the name of a file and leads nowhere else."""
    if not _SAFE.fullmatch(run_id) or len(os.fsencode(run_id)) > _LONGEST_ID:
        raise RunError(f"`{run_id[:80]}` cannot be the id of a run.")
    return run_id


def load(folder: Path, run_id: str) -> Trajectory:
    """The run of that id, or of the only id that begins like that; "last" is the one stored last.

    Raises:
        RunError: there is none, there are several, or its file cannot be read.
    """
    if run_id == LAST:
        return latest(folder)
    stored = files(folder)
    found = [path for path in stored if path.stem == run_id]
    found = found or [path for path in stored if path.stem.startswith(run_id)]
    if len(found) != 1:
        which = "There is no run" if not found else f"There are {len(found)} runs"
        raise RunError(f"{which} named `{run_id}`.", hint="See `quire runs` for all of them.")
    return read(found[0])


def latest(folder: Path) -> Trajectory:
    """The run that was stored last.

    Raises:
        RunError: there is none, or its file cannot be read.
    """
    stored = files(folder)
    if not stored:
        raise RunError("No question was asked yet.", hint='Ask one: quire ask "...".')
    return read(max(stored, key=lambda path: (path.stat().st_mtime_ns, path.name)))


def read(path: Path, *, brief: bool = False) -> Trajectory:
    """The run that a file holds; `brief`: without its steps, which are most of it.

    Raises:
        RunError: the file is missing, no record of a run, or of a run of another name.
    """
    try:
        lines = jsontext.lines(path.read_text(encoding="utf-8"))
        run = from_lines([*lines[:1], *lines[1:][-1:]] if brief else lines)
        named = _checked_id(run.run_id) == path.stem
    except RunError as error:
        raise RunError(f"{path.name}: {error.message}", hint=error.hint) from error
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"Cannot read the run {path.name}: {error}.") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path.name} is not the record of a run: {error!r}.") from error
    if not named:
        raise RunError(f"{path.name} holds the run `{run.run_id}`.", hint="Give it back its name.")
    return run


def count(folder: Path) -> int:
    """How many runs are stored."""
    return len(files(folder))


def listed(folder: Path, limit: int | None = None, offset: int = 0) -> list[RunSummary]:
    """Stored runs, the latest first: all, or `limit` after `offset`. Unreadable files are left out."""
    found = []
    end = None if limit is None else offset + limit
    for path in sorted(files(folder), reverse=True)[offset:end]:
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
        outcome(run.answer),
        run.answer.value,
        run.model,
        run.method,
        run.turns,
        run.seconds,
        run.usage.cost,
    )


def outcome(answer: Answer) -> str:
    """What came out: "answered", "evidence" alone, "nothing" found, or "failed"."""
    if answer.status != "abstained":
        return answer.status
    return "evidence" if answer.evidence else "nothing"


def files(folder: Path) -> list[Path]:
    """The files of all runs, by name: the latest last."""
    return sorted(path for path in (folder / "runs").glob("*.jsonl") if path.is_file())
