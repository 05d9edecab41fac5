"""Reading what an OpenAI-compatible endpoint sends: one JSON body, or a stream of server-sent events.

Servers differ in what they leave out, so that nothing but the message itself is required: a usage that is
missing, or says what cannot be (less than nothing, no number, a prompt of 0), is estimated, so that no limit
of money rests on it; a missing finish reason is told from what is there. A body that is not JSON, or a stream
that ends without its end, is Transient.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quire.errors import ModelUnreachable
from quire.llm.messages import Completion, FinishReason, ToolCall, estimate_tokens
from quire.llm.providers.openai_errors import of_status
from quire.llm.sending import Transient, lost
from quire.types import Usage

_LONGEST_LINE = 8_000_000  # bytes of one event
_LARGEST_COUNT = 1_000_000_000  # tokens of one request
_MISSHAPEN = (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError)


def read_body(data: bytes, target: object, prompt: int) -> Completion:
    """The reply of one JSON body; `prompt` are the tokens that the request is estimated to have."""
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
        text, refusal = _text(message.get("content")), _text(message.get("refusal"))
        reason = choice.get("finish_reason")
    except _MISSHAPEN as error:
        raise lost(Transient(f"{target} sent JSON without a message in it: {str(body)[:200]}.")) from error
    usage = _usage(body.get("usage"), prompt, text + refusal, calls)
    return _completion(text, refusal, calls, reason, usage, str(body.get("model") or ""))


def _raise_error(body: Any, target: object) -> None:
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


def _usage(sent: Any, prompt: int, text: str, calls: Sequence[ToolCall]) -> Usage:
    told = sent if isinstance(sent, Mapping) else {}
    details = told.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else 0
    written = _count(told.get("completion_tokens"))
    if written is None:
        written = estimate_tokens(text) + sum(estimate_tokens(call.name + call.arguments) for call in calls)
    asked = _count(told.get("prompt_tokens")) or prompt
    return Usage(asked, written, min(cached or 0, asked), calls=1)


def _count(value: Any) -> int | None:
    """A number of tokens; None for what cannot be one."""
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LARGEST_COUNT
    return int(value) if fits else None


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
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # no half signs
    return Completion(whole, calls, usage, finish, model)


@dataclass
class _Stream:
    """What has come so far."""

    text: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    reason: Any = None
    model: str = ""
    usage: Any = None
    calls: dict[int, _Call] = field(default_factory=dict)  # by index

    def add(self, chunk: Mapping[str, Any], on_text: Callable[[str], None]) -> None:
        self.model = str(chunk.get("model") or self.model)
        self.usage = chunk.get("usage") or self.usage
        for choice in (chunk.get("choices") or ())[:1]:
            delta = choice.get("delta") or {}
            self.reason = choice.get("finish_reason") or self.reason
            self.refusal.append(_text(delta.get("refusal")))
            for call in delta.get("tool_calls") or ():
                self._add_call(call)
            if piece := _text(delta.get("content")):
                self.text.append(piece)
                on_text(piece)

    def _add_call(self, call: Mapping[str, Any]) -> None:
        function = call.get("function") or {}
        known = self.calls.setdefault(int(call.get("index") or 0), _Call())
        known.name += str(function.get("name") or "")
        known.arguments.append(str(function.get("arguments") or ""))
        known.id += str(call.get("id") or "")


@dataclass
class _Call:
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    id: str = ""

    def whole(self) -> ToolCall:
        return ToolCall(self.name, "".join(self.arguments) or "{}", self.id)


def read_stream(
    pieces: Iterator[bytes], target: object, prompt: int, on_text: Callable[[str], None]
) -> Completion:
    """The reply of a stream, its text passed to `on_text` piece by piece."""
    so_far = _Stream()
    ended = False
    for line in _lines(pieces, target):
        if not line.startswith(b"data:"):
            continue  # comments that keep the connection open, event names, blank lines
        data = line.removeprefix(b"data:").strip()
        if data == b"[DONE]":
            ended = True
            break
        _add(so_far, data, target, on_text)
    if not ended and so_far.reason is None:
        raise _broken(target, "it ended early")
    calls = tuple(call.whole() for call in so_far.calls.values())
    text, refusal = "".join(so_far.text), "".join(so_far.refusal)
    usage = _usage(so_far.usage, prompt, text + refusal, calls)
    return _completion(text, refusal, calls, so_far.reason, usage, so_far.model)


def _lines(pieces: Iterator[bytes], target: object) -> Iterator[bytes]:
    begun: list[bytes] = []
    size = 0
    for piece in pieces:
        *whole, rest = piece.split(b"\n")
        for line in whole:
            yield b"".join((*begun, line))
            begun, size = [], 0
        begun.append(rest)
        size += len(rest)
        if size > _LONGEST_LINE:
            raise lost(ModelUnreachable(f"{target} sends a line without end."))
    yield b"".join(begun)


def _add(so_far: _Stream, data: bytes, target: object, on_text: Callable[[str], None]) -> None:
    try:
        chunk = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _broken(target, str(error)) from error
    _raise_error(chunk, target)
    heard: list[str] = []
    try:
        so_far.add(chunk, heard.append)
    except _MISSHAPEN as error:
        raise _broken(target, "a chunk is not of the protocol") from error
    for piece in heard:  # outside: what a listener raises is its own
        on_text(piece)


def _broken(target: object, why: str) -> Transient:
    return lost(Transient(f"The stream from {target} broke off: {why}."))
