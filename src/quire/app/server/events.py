"""From threads that work to readers that wait: a bell, and server-sent events.

bell = Bell()
bell.ring()                                   # from any thread
async with bell.hearing() as wait:            # in the event loop
    await wait(15)                            # rung since the last wait: True; after 15 seconds: False
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from quire import jsontext
from quire.app.plain import plain

PING = 15.0  # seconds after which a silent stream shows that it lives
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class Bell:
    """Wakes whoever listens, in whatever event loop. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._ears: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    @property
    def listeners(self) -> int:
        """How many listen now."""
        return len(self._ears)

    def ring(self) -> None:
        """Wake all that listen."""
        with self._guard:
            for ear, loop in self._ears.items():
                with contextlib.suppress(RuntimeError):  # a loop that has ended hears nothing
                    loop.call_soon_threadsafe(ear.set)

    @contextlib.asynccontextmanager
    async def hearing(self) -> AsyncIterator[Callable[[float], Awaitable[bool]]]:
        """Listen until the block ends; gives a function that waits for the bell."""
        ear = asyncio.Event()
        with self._guard:
            self._ears[ear] = asyncio.get_running_loop()

        async def wait(seconds: float) -> bool:
            try:
                await asyncio.wait_for(ear.wait(), seconds)
            except TimeoutError:
                return False
            ear.clear()
            return True

        try:
            yield wait
        finally:
            with self._guard:
                del self._ears[ear]


def event(kind: str, data: Any, number: int | None = None) -> bytes:
    """One server-sent event; its data is JSON in one line."""
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {kind}\ndata: {jsontext.dumps(plain(data))}\n\n".encode()


PING_LINE = b": still here\n\n"


class _EventStream(StreamingResponse):
    """A stream whose source ends with it, however it ends: it may have work to stop."""

    def __init__(self, events: AsyncGenerator[bytes]) -> None:
        super().__init__(events, media_type="text/event-stream", headers=_HEADERS)
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._events.aclose()


def stream(events: AsyncGenerator[bytes]) -> StreamingResponse:
    """The response that sends them."""
    return _EventStream(events)
