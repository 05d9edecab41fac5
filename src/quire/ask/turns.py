"""Steps as the messages of a conversation: in text, or as native tool calls.

    TURNS.get("tools", text_turn)(step, number, action_format)

The same step always gives the same messages, byte by byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from quire.ask.formats import render_call
from quire.llm import Message, ToolCall, assistant, user
from quire.types import Step

Turn = Callable[[Step, int, str], list[Message]]


def text_turn(step: Step, number: int, action_format: str) -> list[Message]:
    """What the model said, and the observation as a message of the user."""
    said = step.reply or _said(step, action_format)
    return [assistant(said), user(observed(step), *_pictures(step))]


def tool_turn(step: Step, number: int, action_format: str) -> list[Message]:
    """The call as a native one, and the observation as its result; a picture needs a message of its own."""
    if step.call is None or not step.reply:  # not the model's own call
        return text_turn(step, number, action_format)
    call = ToolCall(
        step.call.name, json.dumps(dict(step.call.arguments), ensure_ascii=False), f"call_{number}"
    )
    text = step.observation.text if step.observation else ""
    messages = [assistant(step.thought, call), Message("tool", text, tool_call_id=call.id)]
    if pictures := _pictures(step):
        messages.append(user("The picture:", *pictures))
    return messages


TURNS: Mapping[str, Turn] = {"tools": tool_turn}


def _said(step: Step, action_format: str) -> str:
    action = render_call(step.call, action_format) if step.call else ""
    thought = f"[Thought]: {step.thought}\n" if step.thought else ""
    return f"{thought}[Action]: {action}"


def observed(step: Step) -> str:
    """The observation with its tag; on a line of its own when it has several."""
    text = step.observation.text if step.observation else ""
    return f"[Observation]:\n{text}" if "\n" in text else f"[Observation]: {text}"


def _pictures(step: Step) -> tuple[bytes, ...]:
    image = step.observation.image if step.observation else None
    return () if image is None else (image,)


def brief(step: Step, number: int, action_format: str = "markdown") -> str:
    """One line on a step that is no longer shown in full: what was thought, done and found."""
    call = _cut(render_call(step.call, action_format), 240) if step.call else "(no action)"
    text = step.observation.text if step.observation else ""
    kind = step.observation.kind if step.observation else "error"
    found = text.rstrip().rsplit("\n", 1)[-1] if kind == "rows" else text
    thought = f"{_cut(step.thought, 200)} " if step.thought else ""
    return f"{number}. {thought}{call} -> {_cut(found, 160)}"


def _cut(text: str, length: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= length else f"{flat[: length - 3]}..."
