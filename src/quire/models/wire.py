"""Messages in the JSON layout of the OpenAI protocol, and the key of a request.

Byte-identical for equal messages: what a conversation shares with the one before it stays the same text,
so that prompt caches of endpoints and the response cache of quire both hit.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from quire.models.messages import Message, ToolCall


def to_wire(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The `messages` field of a request."""
    return [_message(message) for message in messages]


def _message(message: Message) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.images:
        pictures = [{"type": "image_url", "image_url": {"url": data_url(image)}} for image in message.images]
        wire["content"] = [{"type": "text", "text": message.text}, *pictures]
    if message.tool_calls:
        wire["tool_calls"] = [_tool_call(call) for call in message.tool_calls]
        wire["content"] = message.text or None
    if message.tool_call_id:
        wire["tool_call_id"] = message.tool_call_id
    return wire


def _tool_call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def data_url(image: bytes) -> str:
    """The picture as a data: URL."""
    kind = "jpeg" if image.startswith(b"\xff\xd8") else "png"
    return f"data:image/{kind};base64,{base64.b64encode(image).decode('ascii')}"


def request_key(model: str, messages: Sequence[Message], params: Mapping[str, Any]) -> str:
    """SHA-256 over all that can change the reply (so without `on_text`)."""
    said = {name: value for name, value in params.items() if name != "on_text"}
    text = json.dumps([model, to_wire(messages), said], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
