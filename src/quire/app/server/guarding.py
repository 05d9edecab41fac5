"""The door in front of all routes: who may come in, how much they may bring, what every answer carries."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections import Counter
from urllib.parse import urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.app.server.access import UPLOADS, Access, Caller, allowed
from quire.app.server.responses import Refused, refusal
from quire.errors import QuireError

_BOUNDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, math.inf)  # seconds


class Meters:
    """What was counted since the start. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._took: dict[str, tuple[Counter[float], float]] = {}  # of each route: how many within, seconds

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request. `route` is the route's pattern, never what somebody sent."""
        with self._guard:
            self._requests[method, route, status] += 1
            within, total = self._took.get(route, (Counter(), 0.0))
            within.update(bound for bound in _BOUNDS if seconds <= bound)
            self._took[route] = within, total + seconds

    def lines(self) -> list[str]:
        """The figures in Prometheus' text form."""
        lines = ["# TYPE quire_requests_total counter"]
        with self._guard:
            for (method, route, status), count in sorted(self._requests.items()):
                told = f'method="{method}",route="{route}",status="{status}"'
                lines.append(f"quire_requests_total{{{told}}} {count}")
            lines.append("# TYPE quire_request_seconds histogram")
            for route, (within, total) in sorted(self._took.items()):
                of = f'route="{route}"'
                for bound in _BOUNDS:
                    name = "+Inf" if math.isinf(bound) else f"{bound:g}"
                    lines.append(f'quire_request_seconds_bucket{{{of},le="{name}"}} {within[bound]}')
                lines.append(f"quire_request_seconds_sum{{{of}}} {total:.6f}")
                lines.append(f"quire_request_seconds_count{{{of}}} {within[math.inf]}")
        return lines


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
_JSON_BYTES = 1 << 20
_SILENCE = 30.0  # seconds for a small body, or to take a part of an answer
_SLOWEST = 20_000  # bytes a second, beyond that time
_STRANGERS_BYTES = 4 << 10  # of who has shown no key, and has nothing to send but one
_STRANGERS_SILENCE = 3.0
_AT_ONCE = 100  # requests of one key; of this machine's user as many as there are connections
_STRANGERS_AT_ONCE = 200  # of all who have shown no key
_log = logging.getLogger("quire.serve")


class HttpGuard:
    """ASGI middleware; see the module."""

    def __init__(self, app: ASGIApp, access: Access, upload_bytes: int, meters: Meters) -> None:
        self._app, self._access, self._upload_bytes, self._meters = app, access, upload_bytes, meters
        self._running: Counter[str | None] = Counter()  # requests of each key, None for all strangers

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
            body = _Body(receive, self._limit(connection, caller), _SILENCE if caller else _STRANGERS_SILENCE)
            self._room(caller)
        except QuireError as error:
            await _told(error, connection)(scope, receive, answer)
            return
        scope.setdefault("state", {})["caller"] = caller
        who = caller.name if caller else None
        self._running[who] += 1
        try:
            await self._app(scope, body, answer)
        except Refused as error:
            if not answer.begun:
                await refusal(error)(scope, receive, answer)
        except Exception:  # what a response raises when nobody takes it
            if not answer.left:
                raise
        finally:
            self._running[who] -= 1
            if not self._running[who]:
                del self._running[who]

    def _room(self, caller: Caller | None) -> None:
        """Refuse who has too many requests under way: others come in, too."""
        who = caller.name if caller else None
        if self._running[who] >= (_AT_ONCE if caller else _STRANGERS_AT_ONCE) and who != "":
            raise Refused(429, "TooMany", "Too many requests are under way.", "Wait until some have ended.")

    def _limit(self, connection: HTTPConnection, caller: Caller | None) -> int:
        """How long the body may be, by the head alone; files are for those who may add papers."""
        limit = _JSON_BYTES if caller else _STRANGERS_BYTES
        if (connection.scope["method"], connection.scope["path"]) == ("POST", UPLOADS):
            allowed(caller, "write")
            limit = self._upload_bytes
        told = connection.headers.get("content-length", "0")
        if not (told.isascii() and told.isdigit() and len(told) < 20) or int(told) > limit:
            raise _too_large(limit)
        return limit


def _told(error: QuireError, connection: HTTPConnection) -> Response:
    """The refusal; a browser without a key is shown where to bring one. Other errors are not the caller's."""
    status = error.status_code if isinstance(error, Refused) else 503
    wants_page = "text/html" in connection.headers.get("accept", "")
    if status != 401 or connection.scope["method"] != "GET" or not wants_page:
        return refusal(error, status)
    query = connection.scope.get("query_string", b"").decode("latin-1")
    asked = connection.scope["path"] + (f"?{query}" if query else "")
    return RedirectResponse(f"/keys-help?{urlencode({'to': asked})}", 303)


class _Body:
    """A request's body, within its limits of size and patience."""

    def __init__(self, receive: Receive, limit: int, patience: float) -> None:
        self._receive, self._limit, self._patience = receive, limit, patience
        self._got, self._whole = 0, False
        self._begun = time.monotonic()

    async def __call__(self) -> Message:
        if self._whole:  # what comes now is that the reader has gone, whenever that is
            return await self._receive()
        try:
            left = self._begun + self._patience + self._got / _SLOWEST - time.monotonic()
            async with asyncio.timeout(min(left, self._patience)):
                message = await self._receive()
        except TimeoutError as error:
            raise Refused(408, "TooSlow", "The body did not come in time.") from error
        self._got += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._got > self._limit:
            raise _too_large(self._limit)
        return message


def _too_large(limit: int) -> Refused:
    shown = f"{limit >> 20} MB" if limit >> 20 else f"{limit} bytes"
    return Refused(413, "TooLarge", f"The body has more than {shown}.")


class _Answer:
    """A response on its way: with the headers that every one carries, and a line for the log."""

    def __init__(self, send: Send, scope: Scope, log_queries: bool, meters: Meters) -> None:
        self._send, self._scope, self._log_queries, self._meters = send, scope, log_queries, meters
        self._started = time.perf_counter()
        self.begun = False
        self.left = False  # the reader takes nothing any more

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            self._note(message["status"])
        try:
            async with asyncio.timeout(_SILENCE):
                await self._send(message)
        except TimeoutError as error:
            self.left = True
            raise OSError("The reader takes nothing.") from error

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
