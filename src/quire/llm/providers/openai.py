"""Any endpoint that speaks the OpenAI chat protocol.

    OpenAICompatible("gpt-4o-mini").complete([user("Hello")], temperature=0.0)
    OpenAICompatible("llama3.1:8b", base_url="http://127.0.0.1:11434/v1").complete(...)

The key is `OPENAI_API_KEY`, the endpoint `base_url`, else `OPENAI_BASE_URL`, else OpenAI's own; another
endpoint than that may be asked without a key. One request per call, no retries (see `quire.llm.sending`);
time limit and size hold for the whole reply, head and all (`quire.web`). No redirect is followed: a prompt
goes where the user said, and nowhere else. A parameter that the endpoint calls unsupported is left out (or
renamed) from then on.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from quire import web
from quire.errors import ModelRefused, ModelUnreachable
from quire.llm.messages import Completion, Message, prompt_tokens, to_wire
from quire.llm.protocol import Params
from quire.llm.providers import openai_errors as errors
from quire.llm.providers.openai_replies import read_body, read_stream
from quire.llm.sending import Transient, lost
from quire.settings import Settings

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
