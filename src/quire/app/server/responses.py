"""How the server answers: values as JSON, errors with type, message, hint and status, events as they come.

{"error": {"type": "PaperNotFound", "message": "No paper is named `x`.", "hint": "Did you mean ...?"}}

From threads that work to readers that wait there is a bell:

    bell.ring()                                   # from any thread
    async with bell.hearing() as wait:            # in the event loop
        await wait(15)                            # rung since the last wait: True; after 15 seconds: False
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from quire import errors, jsontext
from quire.app.arguments import malformed
from quire.app.server.store import NotFound
from quire.errors import QuireError
from quire.jsontext import plain

_log = logging.getLogger(__name__)

# The nearest class that an error is of decides.
_STATUS: dict[type[QuireError], int] = {
    NotFound: 404,
    errors.PaperNotFound: 404,
    errors.RunError: 404,
    errors.MemoryStoreError: 404,
    errors.LibraryLocked: 423,
    errors.LibraryError: 503,
    errors.SqlRefused: 403,
    errors.QueryLimit: 422,
    errors.QueryError: 400,
    errors.UnknownNameError: 400,
    errors.AnswerFormatError: 422,
    errors.DocumentError: 422,
    errors.TaskError: 422,
    errors.SettingsError: 409,
    errors.BudgetExceeded: 402,
    errors.ModelError: 502,
    errors.OfflineError: 502,
    errors.EncoderUnavailable: 503,
}
_RETRY = {423: "2", 429: "5", 503: "5"}  # seconds
_NAMES = {404: "NotFound", 405: "MethodNotAllowed", 413: "TooLarge"}


class ErrorShape(BaseModel):
    """What went wrong: quire's type of error, a sentence, and what to do next (or "")."""

    type: str
    message: str
    hint: str


class ErrorBody(BaseModel):
    """The one form of all errors."""

    error: ErrorShape


class Refused(QuireError, HTTPException):
    """A request that no route is to see, or that a route sends back: status, kind, message, hint.

    FastAPI lets an HTTPException pass that is raised while it reads a body.
    """

    def __init__(self, status: int, kind: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status_code, self.detail, self.headers, self.kind = status, message, None, kind


def refusal(error: QuireError, status: int = 0) -> Response:
    """An error as a response, of its own status or this."""
    status = status or status_of(error)
    headers = {"Retry-After": _RETRY[status]} if status in _RETRY else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Json({"error": errors.as_document(error)}, status, headers)


def status_of(error: QuireError) -> int:
    """The status of one of quire's errors."""
    if isinstance(error, Refused):
        return error.status_code
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 500)


class Json(Response):
    """Any value that quire returns, as JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes of the value."""
        return jsontext.dumps(plain(content)).encode()


def install(app: FastAPI) -> None:
    """Answer every error in the one form."""

    @app.exception_handler(QuireError)
    def ours(request: Request, error: QuireError) -> Response:
        if isinstance(error, Refused):
            return refusal(error)
        # A file that the disk refuses comes as one of our errors, too.
        status = 507 if isinstance(error.__cause__, sqlite3.OperationalError | OSError) else status_of(error)
        if status >= 500:
            _log.warning("%s: %s", error.kind, error)
        return refusal(error, status)

    @app.exception_handler(sqlite3.Error)
    @app.exception_handler(OSError)
    def unwritten(request: Request, error: Exception) -> Response:
        _log.warning("The disk refuses: %s", error)
        hint = "Make room on it, or let it be written."
        return refusal(Refused(507, "LibraryError", "The library's disk refuses.", hint))

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        told = malformed(error.errors()[0])
        return refusal(Refused(422, "RequestError", told, "See /api/v1/openapi.json."))

    @app.exception_handler(HTTPException)
    def plainly(request: Request, error: HTTPException) -> Response:
        kind = _NAMES.get(error.status_code, "RequestError")
        answer = refusal(Refused(error.status_code, kind, str(error.detail)))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> Response:
        told = "Something went wrong in the server; its log tells what."
        return refusal(Refused(500, "InternalError", told))


PING = 15.0  # seconds after which a silent stream shows that it lives
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class Bell:
    """Wakes whoever listens, in whatever event loop. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._ears: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

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
