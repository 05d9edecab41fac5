"""A response cache on disk: the same request is paid for once.

    Cached(provider, ResponseCache(folder / "models.sqlite"), "gpt-4o-mini @ https://api.example/v1")

The key is a hash of the model, its endpoint, all messages (pictures too) and all parameters; the request
itself is not stored. SQLite in WAL mode, a connection per call: threads and processes share one file.

Kept and used only where the same request is meant to give the same reply: temperature 0, or a seed. With
neither, each call is a new draw and goes to the model. Refusals and replies cut at `max_tokens` are not
kept. A reply from the cache has `cached=True` and an empty `usage`: it cost nothing now.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Unpack

from quire import jsontext
from quire.llm.messages import Completion, Message, request_key
from quire.llm.protocol import Params, Provider
from quire.types import Usage

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS completions (key TEXT PRIMARY KEY, model TEXT, created TEXT, reply TEXT)"
)
_PATIENCE = 30.0  # seconds to wait for another writer


@dataclass(frozen=True)
class ResponseCache:
    """A file of replies by the key of their request. Where it cannot be used, requests go to the model."""

    path: Path

    def get(self, key: str) -> Completion | None:
        """The reply that was kept for that request, with the usage it had; None also if it is damaged."""
        try:
            if not self.path.exists():
                return None
            with self._open() as file:
                row = file.execute("SELECT reply FROM completions WHERE key = ?", (key,)).fetchone()
            return jsontext.of_json(Completion, jsontext.loads(row[0])) if row else None
        except (sqlite3.Error, OSError, ValueError, TypeError):
            return None

    def put(self, key: str, reply: Completion) -> None:
        """Keep a reply; the first one for a request stays. Where nothing can be written, nothing is kept."""
        # A cache that fails must not cost the reply that was just paid for.
        with contextlib.suppress(sqlite3.Error, OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as file:
                file.execute(
                    "INSERT OR IGNORE INTO completions VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%SZ'), ?)",
                    (key, reply.model, json.dumps(asdict(reply))),
                )

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as file, file:
            file.execute("PRAGMA journal_mode = WAL")
            file.execute(_SCHEMA)
            yield file


@dataclass(frozen=True)
class Cached:
    """A provider that answers from the cache where it can. `identity` names model and endpoint."""

    inner: Provider
    cache: ResponseCache
    identity: str

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The kept reply, or the inner provider's."""
        if params.get("temperature", 1.0) != 0.0 and params.get("seed") is None:
            return self.inner.complete(messages, **params)
        key = request_key(self.identity, messages, params)
        kept = self.cache.get(key)
        if kept is not None:
            if on_text := params.get("on_text"):
                on_text(kept.text)
            return replace(kept, cached=True, usage=Usage())
        reply = self.inner.complete(messages, **params)
        if reply.finish_reason in ("stop", "tool_calls"):
            self.cache.put(key, reply)
        return reply
