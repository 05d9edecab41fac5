"""The door in front of all routes: who may come in, how much they may bring, what every answer carries."""

from __future__ import annotations

import asyncio
import logging
import time
from urllib.parse import urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.errors import QuireError
from quire.interfaces.server.access import Access
from quire.interfaces.server.http_errors import Refused, refusal
from quire.interfaces.server.meters import Meters

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_JSON_BYTES = 2 << 20
_SILENCE = 30.0  # seconds that a sender may let pass between two parts of a body
_log = logging.getLogger("quire.serve")


class Guard:
    """ASGI middleware; see the module."""

    def __init__(self, app: ASGIApp, access: Access, upload_bytes: int, meters: Meters) -> None:
        self._app, self._access, self._upload_bytes, self._meters = app, access, upload_bytes, meters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # no other protocol is spoken here
        connection = HTTPConnection(scope)
        answer = _Answer(send, scope, self._access.log_questions, self._meters)
        try:
            caller = self._access.admit(connection, scope["method"])
            limit = self._limit(connection.headers)
        except Refused as error:
            await _told(error, connection)(scope, receive, answer)
            return
        except QuireError as error:
            await refusal(503, type(error).__name__, error.message, error.hint)(scope, receive, answer)
            return
        scope.setdefault("state", {})["caller"] = caller
        body = _Body(receive, limit)
        try:
            await self._app(scope, body, answer)
        except Refused as error:
            if not answer.begun:
                await error.response()(scope, receive, answer)

    def _limit(self, headers: Headers) -> int:
        multipart = headers.get("content-type", "").lower().startswith("multipart/")
        limit = self._upload_bytes if multipart else _JSON_BYTES
        told = headers.get("content-length", "0")
        if not told.isdigit() or int(told) > limit:
            raise Refused(413, "TooLarge", f"The body has more than {limit >> 20} MB.")
        return limit


def _told(error: Refused, connection: HTTPConnection) -> Response:
    """The refusal; a browser without a key is shown where to bring one."""
    wants_page = "text/html" in connection.headers.get("accept", "")
    if error.status != 401 or connection.scope["method"] != "GET" or not wants_page:
        return error.response()
    asked = connection.url.path + (f"?{connection.url.query}" if connection.url.query else "")
    return RedirectResponse(f"/keys-help?{urlencode({'to': asked})}", 303)


class _Body:
    """A request's body, within its limits of size and patience."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._limit = receive, limit
        self._got, self._whole = 0, False

    async def __call__(self) -> Message:
        if self._whole:  # what comes now is that the reader has gone, whenever that is
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), _SILENCE)
        except TimeoutError as error:
            raise Refused(408, "TooSlow", "The body did not come in time.") from error
        self._got += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._got > self._limit:
            raise Refused(413, "TooLarge", f"The body has more than {self._limit >> 20} MB.")
        return message


class _Answer:
    """A response on its way: with the headers that every one carries, and a line for the log."""

    def __init__(self, send: Send, scope: Scope, log_queries: bool, meters: Meters) -> None:
        self._send, self._scope, self._log_queries, self._meters = send, scope, log_queries, meters
        self._started = time.perf_counter()
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            self._note(message["status"])
        await self._send(message)

    def _note(self, status: int) -> None:
        caller = self._scope.get("state", {}).get("caller")
        took = time.perf_counter() - self._started
        self._meters.note(self._scope["method"], _pattern(self._scope), status, took)
        path = self._scope["path"]
        if self._log_queries and (query := self._scope.get("query_string")):
            path = f"{path}?{query.decode('latin-1')}"
        who = caller.name if caller and caller.name else "-"
        _log.info("%s %r %d %.0f ms %s", self._scope["method"], path, status, took * 1000, who)


def _pattern(scope: Scope) -> str:
    """The pattern of the route that was taken; "other" where there was none: no text of a request is kept."""
    pattern = getattr(scope.get("route"), "path", "")
    if not pattern or ":path" in pattern or len(pattern.split("/")) > len(scope["path"].split("/")):
        return pattern or "other"
    own = pattern.count("/")
    return "/".join(scope["path"].split("/")[:-own]) + pattern  # with the prefix of its router
