"""A run as the messages of a request: the last turns in full, a line on each before, and less if need be.

    conversation(system, question, history, fits(5)[0], "markdown")

The first two messages never change but for the lines on earlier turns, which are added at the end of the
second. What a method looks up before its model is asked stands there too, behind the question. When a
prompt is too long for the model, the next fit shows fewer turns and shorter observations. The same step
always gives the same messages, in text or as native tool calls, byte by byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from quire.ask.formats import render_call
from quire.llm import Message, ToolCall, assistant, system, user
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


_CHARACTERS = 4  # of a token, about


@dataclass(frozen=True, slots=True)
class Fit:
    """How much is shown: turns in full, earlier turns in a line each, tokens of each observation."""

    window: int
    briefs: int = 50
    tokens: int | None = None
    pictures: int = 3


def fits(window: int) -> tuple[Fit, ...]:
    """From everything to the least that makes sense."""
    return (
        Fit(window),
        Fit(min(window, 3), 20, 2000, 1),
        Fit(min(window, 2), 10, 700, 1),
        Fit(1, 5, 250, 0),
    )


def conversation(
    system_text: str, question: str, history: Sequence[Step], fit: Fit, action_format: str, ending: str = ""
) -> list[Message]:
    """The messages of the next request; `ending` is added to the last one."""
    opened = [step for step in history if step.opening]
    history = [step for step in history if not step.opening]
    start = max(len(history) - fit.window, 0)
    lines = [brief(step, number, action_format) for number, step in enumerate(history[:start], 1)][
        -fit.briefs :
    ]
    pictures: tuple[bytes, ...] = ()
    if lines:
        question = "\n".join([question, "", "Your earlier turns, shortened:", *lines])
    for step in opened:
        look = _shortened(step, fit.tokens, keep_picture=fit.pictures > 0).observation
        pictures = (look.image,) if look and look.image else ()
        question = f"{question}\n\nA first look:\n{look.text if look else ''}"
    messages = [system(system_text), user(question, *pictures)]
    speak = TURNS.get(action_format, text_turn)
    for number, step in enumerate(history[start:], start + 1):
        shown = _shortened(step, fit.tokens, keep_picture=len(history) - number < fit.pictures)
        messages += speak(shown, number, action_format)
    if ending and messages[-1].role == "user":
        messages[-1] = replace(messages[-1], text=f"{messages[-1].text}\n\n{ending}")
    elif ending:
        messages.append(user(ending))
    return messages


def _shortened(step: Step, tokens: int | None, *, keep_picture: bool) -> Step:
    observation = step.observation
    if observation is None:
        return step
    text, image = observation.text, observation.image
    if image is not None and not keep_picture:
        text, image = f"{text}\n(The picture is not shown again.)", None
    if tokens is not None and len(text) > tokens * _CHARACTERS:
        text = f"{text[: tokens * _CHARACTERS]}\n... (shortened: the rest is not shown again)"
    return replace(step, observation=replace(observation, text=text, image=image))
