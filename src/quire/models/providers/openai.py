"""Any endpoint that speaks the OpenAI chat protocol, through the `openai` client.

    OpenAICompatible("gpt-4o-mini").complete([user("Hello")], temperature=0.0)
    OpenAICompatible("llama3.1:8b", base_url="http://127.0.0.1:11434/v1").complete(...)

The key is `OPENAI_API_KEY`, the endpoint `base_url`, else `OPENAI_BASE_URL`, else the client's own; an
endpoint that is not the client's own may be asked without a key. One request per call, no retries (see
`quire.models.retrying`); the time limit holds for the whole reply, not only for each piece of it. A
parameter that the endpoint calls unsupported is left out (or renamed) from then on. The library is
imported at the first request, which takes a third of a second.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from quire.errors import ModelRefused, ModelUnreachable
from quire.models.messages import Completion, Message, to_wire
from quire.models.protocol import Params
from quire.models.providers import openai_errors as errors
from quire.models.providers.openai_replies import read_body, read_stream
from quire.models.retrying import Transient, lost
from quire.settings import Settings

if TYPE_CHECKING:
    from openai import OpenAI

_HOME = "https://api.openai.com/v1"
_RENAMED = {"max_tokens": "max_completion_tokens"}
_OPTIONAL = frozenset(
    {"temperature", "top_p", "seed", "stop", "reasoning_effort", "max_tokens", "max_completion_tokens"}
    | {"stream_options"}
)


class _Listener:
    """Passes text on and remembers that there was some."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self.on_text = on_text
        self.heard = False

    def __call__(self, piece: str) -> None:
        self.heard = True
        self.on_text(piece)


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
        self._made: OpenAI | None = None

    def __str__(self) -> str:
        return f"{self.name} at {self.base_url}"

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """One reply of the endpoint."""
        client = self._client()
        while True:
            body = self._body(messages, params)
            try:
                return self._send(client, body, params)
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

    def _send(self, client: OpenAI, body: Mapping[str, Any], params: Params) -> Completion:
        deadline = time.monotonic() + self.time_limit
        raw = client.chat.completions.with_streaming_response
        if "on_text" not in params:
            with errors.translated(self, self.time_limit), raw.create(**body) as response:
                return read_body(response.iter_bytes(), deadline, self)
        listener = _Listener(params["on_text"])
        try:
            with errors.translated(self, self.time_limit), raw.create(**body) as response:
                return read_stream(response.iter_lines(), deadline, self, listener)
        except Transient as error:
            if listener.heard:  # a second try would say the beginning twice
                raise lost(ModelUnreachable(error.message, hint=error.hint)) from error
            raise

    def _client(self) -> OpenAI:
        with self._lock:
            if self._made is None:
                self._made = self._connect()
                weakref.finalize(self, self._made.close)
            return self._made

    def _connect(self) -> OpenAI:
        from openai import OpenAI, Timeout

        key = os.environ.get("OPENAI_API_KEY", "")
        if not key and self.base_url.rstrip("/") == _HOME:
            raise ModelRefused(
                f"There is no key for {self}.",
                hint="Set OPENAI_API_KEY, or model.base_url for an endpoint that needs none.",
            )
        limit = Timeout(self.time_limit, connect=min(self.time_limit, 10.0))
        return OpenAI(api_key=key or "none", base_url=self.base_url, timeout=limit, max_retries=0)
