"""Work of which a few go on at once, in threads of its own: however many wait, other requests do not.

heavy = Heavy(at_once=3)
rows = await heavy.run(request, functools.partial(library.sql, statement))
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import Request

from quire.app.server.http_errors import Refused

Value = TypeVar("Value")
_WAITING = 64
_LOOK = 0.5  # seconds between two looks whether who asked is still there


class Heavy:
    """One kind of such work."""

    def __init__(self, at_once: int) -> None:
        self._limiter = CapacityLimiter(at_once)

    async def run(self, request: Request, work: Callable[[], Value]) -> Value:
        """Do it, unless who asked leaves before its turn comes.

        Raises:
            Refused: too many wait, or nobody wants it any more.
        """
        if self._limiter.statistics().tasks_waiting >= _WAITING:
            raise Refused(
                503, "Busy", "Too many requests of this kind are waiting.", "Ask again in a moment."
            )
        task = asyncio.ensure_future(run_sync(work, limiter=self._limiter))
        try:
            while not (await asyncio.wait({task}, timeout=_LOOK))[0]:
                if await request.is_disconnected():
                    raise Refused(499, "Left", "Whoever asked has left.")
            return task.result()
        finally:
            task.cancel()
