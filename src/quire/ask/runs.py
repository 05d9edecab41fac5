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
import dataclasses
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quire import atomic, jsontext
from quire.errors import RunError
from quire.types import (
    Answer,
    Box,
    Call,
    Evidence,
    Exchange,
    Failed,
    Final,
    Observation,
    Question,
    Step,
    Trajectory,
    Usage,
)

VERSION = 1


def to_lines(trajectory: Trajectory) -> Iterator[str]:
    """The lines of a record."""
    head = {
        field.name: getattr(trajectory, field.name)
        for field in dataclasses.fields(trajectory)
        if field.name not in ("steps", "answer")
    }
    yield _line({"type": "run", "version": VERSION, **head})
    for step in trajectory.steps:
        yield _line({"type": "step", **_shallow(step)})
    yield _line({"type": "answer", **_shallow(trajectory.answer)})


def from_lines(lines: Iterator[str] | list[str]) -> Trajectory:
    """The trajectory of a record.

    Raises:
        RunError: a line is no JSON object, or one of the three kinds is missing.
    """
    head: Mapping[str, Any] | None = None
    answer: Answer | None = None
    steps: list[Step] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        value = _object(line, number)
        if value.get("type") == "run":
            head = value
        elif value.get("type") == "step":
            steps.append(_step(value))
        elif value.get("type") == "answer":
            answer = _read_answer(value)
    if head is None:
        raise RunError("The record has no line of type `run`.")
    return Trajectory(
        run_id=str(head.get("run_id", "")),
        question=_question(head.get("question") or {}),
        steps=tuple(steps),
        answer=answer or Answer("failed", note="The run ended before it had an answer."),
        usage=_known(Usage, head.get("usage") or {}),
        seconds=float(head.get("seconds") or 0.0),
        method=str(head.get("method", "")),
        model=str(head.get("model", "")),
        started=str(head.get("started", "")),
        settings=head.get("settings") or {},
        versions=head.get("versions") or {},
    )


def plain(value: Any) -> Any:
    """The value as JSON types."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {key: plain(each) for key, each in _shallow(value).items()}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value)


def _shallow(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(plain(value), ensure_ascii=False)


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        value = jsontext.loads(line)
    except ValueError as error:
        raise RunError(f"Line {number} of the record is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise RunError(f"Line {number} of the record is not a JSON object.")
    return value


def _known(kind: Any, values: Mapping[str, Any]) -> Any:
    names = {field.name for field in dataclasses.fields(kind)}
    return kind(**{name: value for name, value in values.items() if name in names})


def _tuples(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: tuple(value) if name in names else value for name, value in values.items()}


def _question(values: Mapping[str, Any]) -> Question:
    named = _tuples(values, "anchor_papers", "reference_papers", "conferences", "tags", "only")
    said = tuple(_known(Exchange, _tuples(each, "papers")) for each in values.get("conversation") or ())
    question: Question = _known(Question, {"id": "", "text": "", **named, "conversation": said})
    return question


def _step(values: Mapping[str, Any]) -> Step:
    call, seen, said = values.get("call"), values.get("observation"), values.get("answer")
    return Step(
        thought=str(values.get("thought", "")),
        call=Call(call["name"], call["arguments"]) if call else None,
        observation=_observation(seen) if seen else None,
        reply=str(values.get("reply", "")),
        usage=_known(Usage, values.get("usage") or {}),
        seconds=float(values.get("seconds") or 0.0),
        answer=_read_answer(said) if said else None,
        notes=tuple(map(str, values.get("notes") or ())),
        opening=bool(values.get("opening")),
    )


_KINDS: Mapping[str, type[Observation]] = {"error": Failed, "final": Final}


def _observation(values: Mapping[str, Any]) -> Observation:
    image = values.get("image")
    kind = _KINDS.get(values["kind"], Observation)
    picture = base64.b64decode(image) if image else None
    rows = tuple(values.get("rows") or ())
    seen: Observation = _known(kind, {"text": "", **values, "rows": rows, "image": picture})
    return seen


def _read_answer(values: Mapping[str, Any]) -> Answer:
    evidence = tuple(_evidence(each) for each in values.get("evidence") or ())
    answer: Answer = _known(Answer, {**values, "evidence": evidence})
    return answer


def _evidence(values: Mapping[str, Any]) -> Evidence:
    box = values.get("bbox")
    evidence: Evidence = _known(Evidence, {**values, "bbox": Box(*box) if box else None})
    return evidence


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
    path = folder / "runs" / f"{checked_id(run_id)}.jsonl"
    if path.exists():
        raise RunError(
            f"There is a run named `{run_id}` already.", hint="Rename the file, or remove that run."
        )
    return path


def checked_id(run_id: str) -> str:
    """The id, if it can be the name of a file and leads nowhere else.

    Raises:
        RunError: it cannot.
    """
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
    stored = _files(folder)
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
    stored = _files(folder)
    if not stored:
        raise RunError("No question was asked yet.", hint='Ask one: quire ask "...".')
    return read(max(stored, key=lambda path: (path.stat().st_mtime_ns, path.name)))


def read(path: Path) -> Trajectory:
    """The run that a file holds.

    Raises:
        RunError: the file is missing, no record of a run, or of a run of another name.
    """
    try:
        run = from_lines(path.read_text(encoding="utf-8").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"Cannot read the run {path.name}: {error}.") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path.name} is not the record of a run: {error!r}.") from error
    if checked_id(run.run_id) != path.stem:
        raise RunError(f"{path.name} holds the run `{run.run_id}`.", hint="Give it back its name.")
    return run


def count(folder: Path) -> int:
    """How many runs are stored."""
    return len(_files(folder))


def listed(folder: Path, limit: int | None = None, offset: int = 0) -> list[RunSummary]:
    """Stored runs, the latest first: all, or `limit` after `offset`. Unreadable files are left out."""
    found = []
    end = None if limit is None else offset + limit
    for path in sorted(_files(folder), reverse=True)[offset:end]:
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


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "runs").glob("*.jsonl") if path.is_file())
