"""What stands between a model and its endpoint: turns, retries, the offline switch.

    Retrying(Limited(provider, Gate(per_minute=60, at_once=4)), retries=5)

A retry waits what `Retry-After` says, else 0.5, 1, 2, 4, 8, 8 ... seconds, each shortened at random by up
to a quarter so that parallel requests spread. A wait of more than two minutes is not waited for. A time-out
is tried again only once: each costs the whole time limit. Each try goes through whatever counts money, and
what failed tries cost is part of the reply's usage.

Limits hold for all threads and all models of this process that share the gate. They are not shared between
processes.
"""

from __future__ import annotations

import contextlib
import functools
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, Unpack

from quire.errors import ModelError, ModelUnreachable, OfflineError
from quire.llm.messages import Completion, Message
from quire.llm.protocol import Params, Provider
from quire.types import Usage

_Error = TypeVar("_Error", bound=ModelUnreachable)

_FIRST_WAIT = 0.5
_LONGEST_BACKOFF = 8.0
_LONGEST_WAIT = 120.0
_TIMEOUT_RETRIES = 1
BEAT = 0.2  # seconds between two calls of who listens


class Transient(ModelUnreachable):
    """A failure that may pass. `retry_after` are the seconds that the endpoint asks for, if it does."""

    retry_after: float | None = None


class TimedOut(Transient):
    """The time limit of the request passed."""


def lost(error: _Error) -> _Error:
    """The same error, marked: the endpoint took the request and may bill it."""
    error.lost = True
    return error


@dataclass(frozen=True)
class Retrying:
    """A provider that tries again."""

    inner: Provider
    retries: int = 5
    sleep: Callable[[float], None] = time.sleep

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The inner provider's reply, after as many tries as it takes.

        Raises:
            ModelUnreachable: it failed each time; says how often it was tried.
        """
        timeouts, spent = 0, Usage()
        for tried in range(self.retries + 1):
            try:
                reply = self.inner.complete(messages, **params)
                return replace(reply, usage=spent + reply.usage)
            except ModelError as error:
                spent += error.usage or Usage()
                error.usage = spent
                if not isinstance(error, Transient):
                    raise
                timeouts += isinstance(error, TimedOut)
                backoff = min(_FIRST_WAIT * 2**tried, _LONGEST_BACKOFF) * random.uniform(0.75, 1.0)
                wait = backoff if error.retry_after is None else max(error.retry_after, 0.0)
                if tried == self.retries or timeouts > _TIMEOUT_RETRIES or wait > _LONGEST_WAIT:
                    raise _given_up(error, tried + 1, wait) from error
                pause(wait, self.sleep, params.get("on_text"))
        raise AssertionError("unreachable: the last try returns or raises")


def pause(
    seconds: float, sleep: Callable[[float], None], on_text: Callable[[str], None] | None = None
) -> None:
    """Wait; who listens is called meanwhile, and ends it by what it raises."""
    while on_text and seconds > BEAT:
        on_text("")
        sleep(BEAT)
        seconds -= BEAT
    sleep(seconds)


def _given_up(error: Transient, tries: int, wait: float) -> ModelUnreachable:
    often = "" if tries == 1 else f" (tried {tries} times)"
    asked = f" It asks to wait {wait:.0f} seconds." if wait > _LONGEST_WAIT else ""
    end = ModelUnreachable(f"{error.message.rstrip('.')}{often}.{asked}", hint=error.hint)
    end.usage = error.usage
    return end


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


@dataclass(frozen=True)
class Refusing:
    """Refuses every request. `target` names what would have been asked, e.g. "gpt-4o at https://..."."""

    target: str

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """Never returns.

        Raises:
            OfflineError: always; names the request.
        """
        raise OfflineError(
            f"A request of {len(messages)} messages to {self.target} was refused: quire runs offline.",
            hint="Run without --offline (QUIRE_OFFLINE), or without a model.",
        )
