"""What is said to a model and what comes back, the same for every provider; and how long it is.

    reply = model.complete([system("Be short."), user("What is in this picture?", png)])
    reply.text, reply.usage.cost, reply.finish_reason

Lengths are told without any model's tokenizer: a run of letters counts one token per 5 characters begun, a
run of digits one per 3, any other visible character one. On English prose and JSON this is within a fifth
of the byte-pair tokenizers in use, mostly above them: a limit in these tokens is safe.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from quire.types import Usage

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

    role: Literal["system", "user", "assistant", "tool"]
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


def to_wire(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The `messages` field of a request."""
    return [_message(message) for message in messages]


def _message(message: Message) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.images:
        pictures = [{"type": "image_url", "image_url": {"url": data_url(image)}} for image in message.images]
        wire["content"] = [{"type": "text", "text": message.text}, *pictures]
    if message.tool_calls:
        wire["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
        wire["content"] = message.text or None
    if message.tool_call_id:
        wire["tool_call_id"] = message.tool_call_id
    return wire


def data_url(image: bytes) -> str:
    """The picture as a data: URL."""
    kind = "jpeg" if image.startswith(b"\xff\xd8") else "png"
    return f"data:image/{kind};base64,{base64.b64encode(image).decode('ascii')}"


def request_key(model: str, messages: Sequence[Message], params: Mapping[str, Any]) -> str:
    """SHA-256 over all that can change the reply (so without `on_text`)."""
    said = {name: value for name, value in params.items() if name != "on_text"}
    text = json.dumps([model, to_wire(messages), said], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


_RUN = re.compile(r"[^\W\d_]+|\d+|\S", re.UNICODE)
_PER_MESSAGE = 4  # tokens that frame a message in the chat templates in use
_PER_IMAGE = 1600  # about what the endpoints in use count for a page of 1500 pixels


def estimate_tokens(text: str) -> int:
    """About how many tokens a model would count."""
    total = 0
    for run in _RUN.findall(text):
        per_token = 3 if run[0].isdigit() else 5 if run[0].isalpha() else len(run)
        total += -(-len(run) // per_token)
    return total


def prompt_tokens(messages: Sequence[Message]) -> int:
    """About how many tokens a conversation takes, pictures and tool calls included."""
    return sum(
        _PER_MESSAGE
        + estimate_tokens(message.text)
        + _PER_IMAGE * len(message.images)
        + sum(estimate_tokens(call.name + call.arguments) for call in message.tool_calls)
        for message in messages
    )
