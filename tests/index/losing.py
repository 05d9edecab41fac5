"""A Milvus that loses calls: for tests of what the library makes of it."""

from __future__ import annotations

from typing import Any

from pymilvus.exceptions import MilvusException

from quire.index.backends.milvus import MilvusBackend, connect


class LosingClient:
    """A client of Milvus whose calls get lost while told to: in silence, or with an error.

    `loses` names the calls that end as if they had been done: every `nth` one of them. `fails` names those
    that raise.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self.loses: set[str] = set()
        self.fails: set[str] = set()
        self.nth = 1
        self.lost = 0
        self._calls = 0

    def __getattr__(self, name: str) -> Any:
        if name in self.fails:
            raise MilvusException(message=f"{name}: the network is gone")
        if name in self.loses:
            self._calls += 1
            if self._calls % self.nth == 0:
                self.lost += 1
                return lambda *_, **__: {}
        return getattr(self._client, name)


def losing(uri: str) -> tuple[MilvusBackend, LosingClient]:
    """A backend over such a client."""
    client = LosingClient(connect(uri))
    return MilvusBackend(client), client
