r"""Runs as chat conversations: JSON Lines of messages with `role` and `content`, in and out.

    {"role": "user", "content": "[Question]: ..."}
    {"role": "assistant", "content": "[Thought]: ...\n[Action]: ClassicRetrieve(query='...')"}
    {"role": "user", "content": "[Observation]: ..."}

A conversation recorded elsewhere becomes a run whose steps have their actions parsed and their
observations as text; a reply that cannot be understood becomes a step with an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from quire import jsontext, literals
from quire.ask.actions import load_actions
from quire.ask.environment import failed
from quire.ask.formats import Actions
from quire.ask.llm import text_turn
from quire.ask.replies import parse_reply
from quire.errors import ActionError, RunError
from quire.types import Answer, Failed, Observation, Question, Step, Trajectory

_FIELD = re.compile(
    r"^\[(Question|Answer Format|Anchor PDF|Reference PDF|Conference|Database Schema)\]:\s*", re.M
)
_MESSAGE = re.compile(r"^\s*\[Observation\]:\s?", re.IGNORECASE)


def export_chat(run: Trajectory) -> Iterator[str]:
    """The run as lines of chat messages."""
    yield _message("user", _question_text(run.question))
    for step in run.steps:
        for message in text_turn(step, "markdown"):
            if message.role == "assistant" or step.observation is not None:
                yield _message(message.role, message.text)


def import_chat(lines: Iterable[str], run_id: str) -> Trajectory:
    """The run that a recorded conversation holds.

    Raises:
        RunError: a line is no message, or no message asks a question.
    """
    messages = [_read_line(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    dialogue = [message for message in messages if message["role"] != "system"]
    if not dialogue or dialogue[0]["role"] != "user":
        raise RunError("The conversation does not begin with a question.")
    steps = _steps(dialogue[1:], load_actions())
    return Trajectory(
        run_id, _question(run_id, dialogue[0]["content"]), tuple(steps), _last_answer(steps), model="imported"
    )


def _read_line(line: str, number: int) -> dict[str, str]:
    try:
        message = jsontext.loads(line)
        return {"role": str(message["role"]), "content": str(message["content"])}
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"Line {number} is not a chat message: {error!r}.") from error


def _steps(messages: Sequence[dict[str, str]], actions: Actions) -> list[Step]:
    steps = []
    for place, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        following = messages[place + 1] if place + 1 < len(messages) else None
        seen = _seen(following["content"]) if following and following["role"] == "user" else None
        steps.append(_step(message["content"], seen, actions))
    return steps


def _step(reply: str, seen: Observation | None, actions: Actions) -> Step:
    try:
        return replace(parse_reply(reply, actions), observation=seen, notes=())
    except ActionError as error:
        return Step("", None, seen or failed(error), reply)


def _seen(content: str) -> Observation:
    text = _MESSAGE.sub("", content, count=1)
    if text.startswith("[Error]") or text.startswith("[TimeoutError]"):
        return Failed("error", text, why=text.partition(":")[2].strip())
    if text.startswith("[Warning]"):
        return Observation("warning", text)
    rows = tuple(_rows(text))
    return Observation("rows", text, rows) if rows else Observation("text", text)


def _rows(text: str) -> Iterator[dict[str, Any]]:
    for line in jsontext.lines(text):
        if line.startswith("{"):
            try:
                row = jsontext.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict):
                yield row


def _last_answer(steps: Sequence[Step]) -> Answer:
    last = steps[-1].call if steps else None
    if last is not None and last.name == "GenerateAnswer" and "answer" in last.arguments:
        return Answer("answered", last.arguments["answer"], note="Imported; its evidence was not checked.")
    return Answer("abstained", note="The conversation ends without an answer.")


def _question(run_id: str, content: str) -> Question:
    parts = _FIELD.split(content)
    fields = {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=False)}
    return Question(
        id=run_id,
        text=fields.get("Question") or content.strip(),
        answer_format=fields.get("Answer Format", ""),
        anchor_papers=_names(fields.get("Anchor PDF", "")),
        reference_papers=_names(fields.get("Reference PDF", "")),
        conferences=_names(fields.get("Conference", "")),
    )


def _names(text: str) -> tuple[str, ...]:
    """A name, or a list of names, as Python prints it."""
    try:
        value = literals.read(text)
    except literals.NotALiteral:
        return (text,) if text else ()
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),)


def _question_text(question: Question) -> str:
    lines = [f"[Question]: {question.text}"]
    for name, value in (
        ("Answer Format", question.answer_format),
        ("Anchor PDF", list(question.anchor_papers)),
        ("Reference PDF", list(question.reference_papers)),
        ("Conference", list(question.conferences)),
    ):
        if value:
            lines.append(f"[{name}]: {value}")
    return "\n".join(lines)


def _message(role: str, content: str) -> str:
    return json.dumps({"role": role, "content": content}, ensure_ascii=False)
