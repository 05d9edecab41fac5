"""Errors over HTTP: quire's own by type, message and hint, each with its status.

{"error": {"type": "PaperNotFound", "message": "No paper is named `x`.", "hint": "Did you mean ...?"}}
"""

from __future__ import annotations

import logging
import sqlite3
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response

from quire import errors, jsontext
from quire.app.plain import plain
from quire.app.server.store import NotFound
from quire.errors import QuireError

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


class Refused(HTTPException):
    """A request that no route is to see, or that a route sends back: status, type, message, hint."""

    def __init__(self, status: int, kind: str, message: str, hint: str = "") -> None:
        super().__init__(status, message)
        self.status, self.kind, self.message, self.hint = status, kind, message, hint

    def response(self) -> Response:
        """The answer to the request."""
        return refusal(self.status, self.kind, self.message, self.hint)


def refusal(status: int, kind: str, message: str, hint: str = "") -> Response:
    """An error as a response."""
    headers = {"Retry-After": _RETRY[status]} if status in _RETRY else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Json({"error": {"type": kind, "message": message, "hint": hint}}, status, headers)


def status_of(error: QuireError) -> int:
    """The status of one of quire's errors."""
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 500)


class Json(Response):
    """Any value that quire returns, as JSON."""

    media_type = "application/json"

    def __init__(self, content: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        super().__init__(content, status, headers)

    def render(self, content: Any) -> bytes:
        """The bytes of the value."""
        return jsontext.dumps(plain(content)).encode()


def install(app: FastAPI) -> None:
    """Answer every error in the one form."""

    @app.exception_handler(QuireError)
    def ours(request: Request, error: QuireError) -> Response:
        # A file that the disk refuses comes as one of our errors, too.
        status = 507 if isinstance(error.__cause__, sqlite3.OperationalError | OSError) else status_of(error)
        if status >= 500:
            _log.warning("%s: %s", type(error).__name__, error)
        return refusal(status, type(error).__name__, error.message, error.hint)

    @app.exception_handler(sqlite3.Error)
    @app.exception_handler(OSError)
    def unwritten(request: Request, error: Exception) -> Response:
        _log.warning("The disk refuses: %s", error)
        return refusal(
            507, "LibraryError", "The library's disk refuses.", "Make room on it, or let it be written."
        )

    @app.exception_handler(Refused)
    def refused(request: Request, error: Refused) -> Response:
        return error.response()

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["type"] == "unknown_argument":
            return refusal(422, "RequestError", first["msg"], "See /api/v1/openapi.json.")
        where = ".".join(str(part) for part in first["loc"])
        return refusal(422, "RequestError", f"`{where}`: {first['msg']}.", "See /api/v1/openapi.json.")

    @app.exception_handler(HTTPException)
    def plainly(request: Request, error: HTTPException) -> Response:
        answer = refusal(error.status_code, _NAMES.get(error.status_code, "RequestError"), str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> Response:
        return refusal(500, "InternalError", "Something went wrong in the server; its log tells what.")
