"""What is said to a model and what comes back: frozen values, the same for every provider.

reply = model.complete([system("Be short."), user("What is in this picture?", png)])
reply.text, reply.usage.cost, reply.finish_reason
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quire.types import Usage

Role = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "length", "tool_calls", "refusal", "filtered"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A native tool call; `arguments` is the JSON text exactly as the model wrote it, valid or not."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; `images` are PNG or JPEG bytes, only for the user's messages."""

    role: Role
    text: str
    images: tuple[bytes, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""  # which call a tool's message answers


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply. `cached` says that it came from the disk and cost nothing this time.

    `finish_reason` "length" means that the text was cut at `max_tokens`; "refusal" that the model
    declined, with its words in `text`; "filtered" that the endpoint withheld the reply. `Model.complete`
    returns neither: it raises ModelDeclined or ContentFiltered.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish_reason: FinishReason = "stop"
    model: str = ""
    cached: bool = False


def system(text: str) -> Message:
    """The message that sets the task."""
    return Message("system", text)


def user(text: str, *images: bytes) -> Message:
    """A message to the model, with pictures where it can see."""
    return Message("user", text, images=images)


def assistant(text: str, *tool_calls: ToolCall) -> Message:
    """What the model said before."""
    return Message("assistant", text, tool_calls=tool_calls)
