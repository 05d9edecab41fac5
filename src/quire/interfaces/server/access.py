"""Who may come in, checked before any route sees a request.

1. The `Host` must be a name that this server goes by: a page elsewhere whose name was pointed at this address
   (DNS rebinding) is refused.
2. What changes something must come from a page of this server (`Origin`), or from a program, which sends no
   `Origin`; its body must be JSON or multipart. So no page elsewhere can act in the user's name (CSRF).
3. Without a key one comes in from this machine only, to a server that is bound to it and called by its own
   names. Everybody else shows a key (`Authorization: Bearer ...`, or the cookie of `/api/v1/session`).

What a caller may do is in `request.state.caller`; routes say what they need by `needs("ask")`.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, cookie_parser

from quire.interfaces.server.http_errors import Refused
from quire.interfaces.server.keys import Keys, Scope, allows
from quire.interfaces.server.rates import Rates

COOKIE = "quire_key"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SAFE = ("GET", "HEAD", "OPTIONS")
_BODIES = ("application/json", "multipart/form-data")
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")
# What a browser needs in order to tell its user to bring a key.
_OPEN = ("/api/v1/health", "/api/v1/session", "/keys-help")
_OPEN_UNDER = ("/static/",)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: the name of a key, or "" for the user of this machine."""

    name: str
    scope: Scope


@dataclass(frozen=True)
class Access:
    """The rules of one server. `bound` is the address that it listens on, `names` what else it is called."""

    keys: Keys
    bound: str = "127.0.0.1"
    names: Sequence[str] = ()
    log_questions: bool = False
    requests: Rates = field(default_factory=lambda: Rates(burst=300, per_second=50))  # of each key
    guesses: Rates = field(default_factory=lambda: Rates(burst=20, per_second=0.2))  # of each address

    @property
    def local(self) -> bool:
        """Whether it listens to this machine only."""
        return is_loopback(self.bound)

    def admit(self, connection: HTTPConnection, method: str) -> Caller | None:
        """Who is asking; None for an open path without a key.

        Raises:
            Refused: by one of the three rules.
        """
        headers = connection.headers
        host = self._host(headers)
        key = _shown_key(headers)
        if method not in _SAFE:
            self._not_forged(headers, with_cookie="cookie" in headers)
            self._body(headers)
        path = connection.url.path
        here = self._from_here(connection, host)
        if key and (holder := self._holder(connection, key, counted=not here)):
            return holder
        if here:  # also with some made-up key, which chat programs insist on
            return Caller("", "write")
        if key:
            raise Refused(401, "KeyRefused", "This key is not known here.", "Ask for another.")
        if path in _OPEN or path.startswith(_OPEN_UNDER):
            return None
        raise Refused(401, "KeyNeeded", "This server wants a key.", "Send it as `Authorization: Bearer KEY`.")

    def holder(self, connection: HTTPConnection, secret: str) -> Caller | None:
        """Whose key that is, or None. Who guesses soon has to wait.

        Raises:
            Refused: too many guesses of that address, or too many requests with that key.
        """
        return self._holder(connection, secret, counted=True)

    def _holder(self, connection: HTTPConnection, secret: str, *, counted: bool) -> Caller | None:
        address = connection.client.host if connection.client else ""
        if counted and self.guesses.empty(address):
            raise Refused(429, "TooMany", "Too many wrong keys came from your address.", "Wait a minute.")
        key = self.keys.holder(secret)
        if key is None:
            if counted:
                self.guesses.take(address)
            return None
        if not self.requests.take(key.digest):
            raise Refused(429, "TooMany", "Too many requests came with your key.", "Wait some seconds.")
        return Caller(key.name, key.scope)

    def _host(self, headers: Headers) -> str:
        hosts = headers.getlist("host")
        host = host_name(hosts[0]) if len(hosts) == 1 else ""
        known = host in LOOPBACK or host in self.names or host == self.bound
        if not known and (self.local or not _is_address(host)):
            raise Refused(
                421, "HostRefused", "This server does not go by that name.", "Allow it with --host-name NAME."
            )
        return host

    def _not_forged(self, headers: Headers, *, with_cookie: bool) -> None:
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site", "none")
        if site not in ("same-origin", "none"):
            raise Refused(403, "OriginRefused", "Another site's page may not change anything here.")
        if origin is None:
            if with_cookie and "authorization" not in headers:
                raise Refused(403, "OriginRefused", "A request with a cookie must name its origin.")
            return
        if urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
            raise Refused(403, "OriginRefused", "Another site's page may not change anything here.")

    def _body(self, headers: Headers) -> None:
        if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
            return
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in _BODIES:
            raise Refused(415, "ContentRefused", "The body must be JSON (uploads: multipart/form-data).")

    def _from_here(self, connection: HTTPConnection, host: str) -> bool:
        """Whether the request is of this machine's user, and not passed on by a proxy."""
        client = connection.client
        passed_on = any(name in connection.headers for name in _FORWARDED)
        here = client is not None and is_loopback(client.host)
        return self.local and here and host in LOOPBACK and not passed_on


def needs(scope: Scope) -> Callable[[Request], Caller]:
    """A dependency of a route: the caller, who may do that.

    Raises:
        Refused: the caller's key is not good for it.
    """

    def check(request: Request) -> Caller:
        caller: Caller | None = request.state.caller
        if caller is None or not allows(caller.scope, scope):
            held = caller.scope if caller else "nothing"
            raise Refused(403, "ScopeRefused", f"This needs a key for `{scope}`; yours is for `{held}`.")
        return caller

    return check


def host_name(header: str) -> str:
    """The name in a `Host` header, without its port."""
    try:
        return (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_loopback(address: str) -> bool:
    """Whether an address or name is of this machine alone."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _shown_key(headers: Headers) -> str:
    kind, _, key = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and key.strip():
        return key.strip()
    return cookie_parser(headers.get("cookie", "")).get(COOKIE, "")


__all__ = ["COOKIE", "Access", "Caller", "host_name", "is_loopback", "needs"]
