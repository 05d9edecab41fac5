"""Reading what an OpenAI-compatible endpoint sends: one JSON body, or a stream of server-sent events.

Servers differ in what they leave out, so that nothing but the message itself is required: a missing usage
is estimated, a missing finish reason is told from what is there. A body that is not JSON, or a stream that
ends without its end, is Transient.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from quire.errors import ModelUnreachable
from quire.models.messages import Completion, FinishReason, ToolCall
from quire.models.providers.openai_errors import of_status, timed_out
from quire.models.retrying import Transient, lost
from quire.models.token_estimate import estimate_tokens
from quire.types import Usage

_LONGEST = 50_000_000  # bytes of one reply


class Target(Protocol):
    """Whom the reply comes from."""

    time_limit: float


def _in_time(pieces: Iterator[Any], deadline: float, target: Target) -> Iterator[Any]:
    # The client's own time-out starts anew with each piece; a server that drips would never end.
    size = 0
    for piece in pieces:
        size += len(piece)
        if time.monotonic() > deadline:
            raise timed_out(target, target.time_limit)
        if size > _LONGEST:
            raise lost(ModelUnreachable(f"{target} sends a reply of more than {_LONGEST // 1_000_000} MB."))
        yield piece


def read_body(pieces: Iterator[bytes], deadline: float, target: Target) -> Completion:
    """The reply of one JSON body."""
    data = b"".join(_in_time(pieces, deadline, target))
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        told = f"{target} sent a reply that is not whole JSON ({len(data)} bytes): {error}."
        raise lost(Transient(told)) from error
    _raise_error(body, target)
    try:
        choice = body["choices"][0]
        message = choice["message"]
        calls = tuple(_tool_call(each) for each in message.get("tool_calls") or ())
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise lost(Transient(f"{target} sent JSON without a message in it: {str(body)[:200]}.")) from error
    text = _text(message.get("content"))
    refusal = _text(message.get("refusal"))
    usage = _usage(body.get("usage"), text)
    return _completion(text, refusal, calls, choice.get("finish_reason"), usage, str(body.get("model") or ""))


def _raise_error(body: Any, target: Target) -> None:
    if isinstance(body, Mapping) and body.get("error"):
        error = body["error"]
        status = error.get("code") if isinstance(error, Mapping) else None
        raise of_status(target, status if isinstance(status, int) else 500, error, {})


def _tool_call(call: Mapping[str, Any]) -> ToolCall:
    function = call["function"]
    arguments = function.get("arguments") or "{}"
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(str(function["name"]), written, str(call.get("id") or ""))


def _text(content: Any) -> str:
    if isinstance(content, list):  # parts, as some servers send them
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return "" if content is None else str(content)


def _usage(sent: Any, text: str) -> Usage:
    if not isinstance(sent, Mapping):
        return Usage(completion_tokens=estimate_tokens(text), calls=1)
    details = sent.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else 0
    return Usage(
        prompt_tokens=int(sent.get("prompt_tokens") or 0),
        completion_tokens=int(sent.get("completion_tokens") or 0),
        cached_tokens=int(cached or 0),
        calls=1,
    )


def _completion(
    text: str, refusal: str, calls: tuple[ToolCall, ...], reason: Any, usage: Usage, model: str
) -> Completion:
    finish: FinishReason = "tool_calls" if calls else "stop"
    if reason == "content_filter":
        finish = "filtered"
    elif refusal:
        text, finish = refusal, "refusal"
    elif reason == "length":
        finish = "length"
    return Completion(text, calls, usage, finish, model)


@dataclass
class _Stream:
    """What has come so far."""

    text: str = ""
    refusal: str = ""
    reason: str | None = None
    model: str = ""
    usage: Any = None
    calls: dict[int, list[str]] = field(default_factory=dict)  # index -> name, arguments, id

    def add(self, chunk: Mapping[str, Any], on_text: Callable[[str], None]) -> None:
        self.model = str(chunk.get("model") or self.model)
        self.usage = chunk.get("usage") or self.usage
        for choice in (chunk.get("choices") or ())[:1]:
            delta = choice.get("delta") or {}
            self.reason = choice.get("finish_reason") or self.reason
            self.refusal += _text(delta.get("refusal"))
            if piece := _text(delta.get("content")):
                self.text += piece
                on_text(piece)
            for call in delta.get("tool_calls") or ():
                self._add_call(call)

    def _add_call(self, call: Mapping[str, Any]) -> None:
        function = call.get("function") or {}
        known = self.calls.setdefault(int(call.get("index") or 0), ["", "", ""])
        known[0] += function.get("name") or ""
        known[1] += function.get("arguments") or ""
        known[2] += call.get("id") or ""


def read_stream(
    lines: Iterator[str], deadline: float, target: Target, on_text: Callable[[str], None]
) -> Completion:
    """The reply of a stream, its text passed to `on_text` piece by piece."""
    so_far = _Stream()
    ended = False
    for line in _in_time(lines, deadline, target):
        if not line.startswith("data:"):
            continue  # comments that keep the connection open, event names, blank lines
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            ended = True
            break
        so_far.add(_chunk(data, target), on_text)
    if not ended and so_far.reason is None:
        raise _broken(target, "it ended early")
    calls = tuple(ToolCall(name, arguments or "{}", id) for name, arguments, id in so_far.calls.values())
    usage = _usage(so_far.usage, so_far.text)
    return _completion(so_far.text, so_far.refusal, calls, so_far.reason, usage, so_far.model)


def _chunk(data: str, target: Target) -> Mapping[str, Any]:
    try:
        chunk = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _broken(target, str(error)) from error
    _raise_error(chunk, target)
    if not isinstance(chunk, Mapping):
        raise _broken(target, "a chunk is no object")
    return chunk


def _broken(target: Target, why: str) -> Transient:
    return lost(Transient(f"The stream from {target} broke off: {why}."))
