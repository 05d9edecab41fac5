"""A trajectory as JSON Lines and back, without loss: one line for the run, one per step, one for the answer.

    {"type": "run", "run_id": "...", "question": {...}, "settings": {...}, ...}
    {"type": "step", "thought": "...", "call": {...}, "observation": {...}, ...}
    {"type": "answer", "status": "answered", "value": 42, ...}

Pictures are base64. Values that JSON lacks (dates, decimals) become text. Unknown fields of a newer
version are ignored.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

from quire import jsontext
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
            answer = _answer(value)
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
        answer=_answer(said) if said else None,
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


def _answer(values: Mapping[str, Any]) -> Answer:
    evidence = tuple(_evidence(each) for each in values.get("evidence") or ())
    answer: Answer = _known(Answer, {**values, "evidence": evidence})
    return answer


def _evidence(values: Mapping[str, Any]) -> Evidence:
    box = values.get("bbox")
    evidence: Evidence = _known(Evidence, {**values, "bbox": Box(*box) if box else None})
    return evidence
