"""Limits that an endpoint sets: requests per minute, and requests that run at once.

    Limited(provider, Gate(per_minute=60, at_once=4))

They hold for all threads and all models of this process that share the gate. They are not shared between
processes.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

from quire.llm.messages import Completion, Message
from quire.llm.protocol import Params, Provider
from quire.llm.retrying import BEAT, pause

_WINDOW = 60.0  # seconds


class Gate:
    """Lets requests begin when the limits allow it; `per_minute=0` for no such limit."""

    def __init__(
        self,
        per_minute: int = 0,
        at_once: int = 4,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._per_minute = per_minute
        self._slots = threading.BoundedSemaphore(at_once)
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._begun: deque[float] = deque(maxlen=per_minute)

    @contextlib.contextmanager
    def passed(self, on_text: Callable[[str], None] | None = None) -> Iterator[None]:
        """Wait for a turn; it ends with the context. Who listens is called meanwhile, and may raise."""
        while not self._slots.acquire(timeout=BEAT if on_text else None):
            if on_text:
                on_text("")
        try:
            if wait := self._book():
                pause(wait, self._sleep, on_text)
            yield
        finally:
            self._slots.release()

    def _book(self) -> float:
        """Book the next free moment; the seconds until then."""
        if not self._per_minute:
            return 0.0
        with self._lock:
            now = self._clock()
            full = len(self._begun) == self._per_minute
            begin = max(now, self._begun[0] + _WINDOW) if full else now
            self._begun.append(begin)
            return begin - now


@functools.cache
def gate_of(endpoint: str, per_minute: int, at_once: int) -> Gate:
    """The one gate of this process for an endpoint, so that all roles share its limits."""
    return Gate(per_minute, at_once)


@dataclass(frozen=True)
class Limited:
    """A provider that waits for its turn."""

    inner: Provider
    gate: Gate

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The inner provider's reply, begun when the limits allow it."""
        with self.gate.passed(params.get("on_text")):
            return self.inner.complete(messages, **params)
