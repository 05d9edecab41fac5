"""Any endpoint that speaks the OpenAI chat protocol.

    OpenAICompatible("gpt-4o-mini").complete([user("Hello")], temperature=0.0)
    OpenAICompatible("llama3.1:8b", base_url="http://127.0.0.1:11434/v1").complete(...)

The key is `OPENAI_API_KEY`, the endpoint `base_url`, else `OPENAI_BASE_URL`, else OpenAI's own; another
endpoint than that may be asked without a key. One request per call, no retries (see `quire.llm.sending`);
time limit and size hold for the whole reply, head and all (`quire.web`). No redirect is followed: a prompt
goes where the user said, and nowhere else. A parameter that the endpoint calls unsupported is left out (or
renamed) from then on.

Servers differ in what they leave out of a reply, one JSON body or a stream of server-sent events, so that
nothing but the message itself is required: a usage that is missing, or says what cannot be (less than
nothing, no number, a prompt of 0), is estimated, so that no limit of money rests on it; a missing finish
reason is told from what is there. A body that is not JSON, or a stream without its end, is Transient.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from quire import web
from quire.errors import ModelRefused, ModelUnreachable
from quire.llm.messages import (
    Completion,
    FinishReason,
    Message,
    ToolCall,
    estimate_tokens,
    prompt_tokens,
    to_wire,
)
from quire.llm.protocol import Params
from quire.llm.providers import openai_errors as errors
from quire.llm.sending import Transient, lost
from quire.settings import Settings
from quire.types import Usage

_HOME = "https://api.openai.com/v1"
_RENAMED = {"max_tokens": "max_completion_tokens"}
_OPTIONAL = frozenset(
    {"temperature", "top_p", "seed", "stop", "reasoning_effort", "max_tokens", "max_completion_tokens"}
    | {"stream", "stream_options"}
)
_AGENT = {"Accept": "application/json, text/event-stream", "User-Agent": "quire"}
_LONGEST = 50_000_000  # bytes of one reply
_LONGEST_ERROR = 64 << 10  # bytes that are read of an error


class _Listener:
    """Passes text on and remembers that there was some; called with "" while nothing comes."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self.on_text = on_text
        self.heard = False

    def __call__(self, piece: str) -> None:
        self.heard = self.heard or bool(piece)
        self.on_text(piece)

    def waiting(self) -> None:
        self.on_text("")


def build(name: str, settings: Settings) -> OpenAICompatible:
    """The provider that the settings describe."""
    return OpenAICompatible(name, base_url=settings.model.base_url, time_limit=settings.model.time_limit)


class OpenAICompatible:
    """One model of one endpoint."""

    def __init__(self, name: str, *, base_url: str = "", time_limit: float = 120.0) -> None:
        self.name = name
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL", "") or _HOME
        self.time_limit = time_limit
        self._given_up: frozenset[str] = frozenset()  # by all threads
        self._lock = threading.Lock()

    def __str__(self) -> str:
        return f"{self.name} at {self.base_url}"

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """One reply of the endpoint."""
        prompt = prompt_tokens(messages)
        headers = self._headers()
        while True:
            body = self._body(messages, params)
            try:
                return self._send(headers, body, params, prompt)
            except errors.Unsupported as unsupported:
                # Others may have given it up meanwhile; what counts is that this body still had it.
                if unsupported.parameter not in body or unsupported.parameter not in _OPTIONAL:
                    raise ModelRefused(unsupported.message, hint=unsupported.hint) from unsupported
                with self._lock:
                    self._given_up = self._given_up | {unsupported.parameter}

    def _body(self, messages: Sequence[Message], params: Params) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.name, "messages": to_wire(messages)}
        for name, value in params.items():
            if name == "on_text" or (not value and value != 0):
                continue
            body[name] = list(value) if isinstance(value, tuple) else value
        if "on_text" in params:
            body["stream"] = True
            body["stream_options"] = {"include_usage": True}
        given_up = self._given_up
        for name in given_up & body.keys():
            value = body.pop(name)
            if name in _RENAMED and _RENAMED[name] not in given_up:
                body[_RENAMED[name]] = value
        return body

    def _send(
        self, headers: Mapping[str, str], body: Mapping[str, Any], params: Params, prompt: int
    ) -> Completion:
        address = f"{self.base_url.rstrip('/')}/chat/completions"
        data = json.dumps(body).encode("ascii")
        listener = _Listener(params["on_text"]) if "on_text" in params else None
        try:
            with (
                errors.translated(self, self.time_limit, _LONGEST),
                web.opened(
                    "POST",
                    address,
                    headers,
                    data,
                    seconds=self.time_limit,
                    most=_LONGEST,
                    idle=listener.waiting if listener else None,
                ) as reply,
            ):
                if not 200 <= reply.status < 300:
                    raise errors.of_reply(self, reply.status, reply.start(_LONGEST_ERROR), reply.headers)
                if listener and "json" not in reply.headers.get("Content-Type", ""):
                    return read_stream(reply.pieces(), self, prompt, listener)
                whole = read_body(b"".join(reply.pieces()), self, prompt)
                if listener:  # one that does not stream
                    listener(whole.text)
                return whole
        except Transient as error:
            if listener and listener.heard:  # a second try would say the beginning twice
                raise lost(ModelUnreachable(error.message, hint=error.hint)) from error
            raise

    def _headers(self) -> dict[str, str]:
        key = os.environ.get("OPENAI_API_KEY", "").strip()
        if not key and self.base_url.rstrip("/") == _HOME:
            raise ModelRefused(
                f"There is no key for {self}.",
                hint="Set OPENAI_API_KEY, or model.base_url for an endpoint that needs none.",
            )
        if not (key.isascii() and key.isprintable()):
            raise ModelRefused("OPENAI_API_KEY holds characters that no key has.", hint="Set it anew.")
        return {"Content-Type": "application/json", "Authorization": f"Bearer {key or 'none'}"} | _AGENT


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
        raise errors.of_status(target, status if isinstance(status, int) else 500, error, {})


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
    calls: dict[int, _CallSoFar] = field(default_factory=dict)  # by index

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
        known = self.calls.setdefault(int(call.get("index") or 0), _CallSoFar())
        known.name += str(function.get("name") or "")
        known.arguments.append(str(function.get("arguments") or ""))
        known.id += str(call.get("id") or "")


@dataclass
class _CallSoFar:
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
