"""Who may come in, checked before any route sees a request.

1. The `Host` must be a name that this server goes by: a page elsewhere whose name was pointed at this address
   (DNS rebinding) is refused.
2. What changes something must come from a page of this server (`Origin`), or from a program, which sends no
   `Origin`; its body must be JSON or multipart. So no page elsewhere can act in the user's name (CSRF).
3. A page of another site may open pages here, but start nothing that costs: no search, no REST.
4. Without a key one comes in from this machine only, to a server that is bound to it and called by its own
   names, and that has no keys and no other name: who gave either serves to others, maybe through a proxy, and
   a proxy makes everybody look like this machine's user. Everybody else shows a key (`Authorization: Bearer
   ...`, or the cookie of `/api/v1/session`).
5. How much a body may have is settled by the head, too: whoever may not send it is told before it is read.

What a caller may do is in `request.state.caller`; routes say what they need by their `context.ToAsk`.
"""

from __future__ import annotations

import ipaddress
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, cookie_parser

from quire.app.server.keys import Keys, Scope, allows
from quire.app.server.responses import Refused

_MOST_NAMES = 10_000  # names that are remembered; who is forgotten begins with a full bucket


class Rates:
    """Buckets by name. Thread-safe, bounded in memory."""

    def __init__(self, burst: float, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst, self._per_second, self._clock = burst, per_second, clock
        self._guard = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what was left, and when

    def take(self, name: str) -> bool:
        """Take one from a bucket; False, and nothing taken, if there is less in it."""
        with self._guard:
            now = self._clock()
            left, since = self._buckets.get(name, (self._burst, now))
            left = min(self._burst, left + (now - since) * self._per_second)
            if left < 1.0:
                return False
            self._buckets[name] = (left - 1.0, now)
            self._buckets.move_to_end(name)
            while len(self._buckets) > _MOST_NAMES:
                self._buckets.popitem(last=False)
            return True


COOKIE = "quire_key"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SAFE = ("GET", "HEAD", "OPTIONS")
_FORWARDED = ("forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip")
# That links elsewhere lead to.
_PAGES = re.compile(r"/|/(?:ask|papers|read|runs)(?:/.*)?|/keys-help|/static/.*")
UPLOADS = "/api/v1/papers"  # the only place that takes files
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
            Refused: by one of the rules.
        """
        headers, path = connection.headers, connection.scope["path"]
        host = self._host(headers)
        key = _shown_key(headers)
        self._not_from_elsewhere(headers, path, method)
        if method not in _SAFE:
            if "origin" not in headers and "cookie" in headers and "authorization" not in headers:
                raise Refused(403, "OriginRefused", "A request with a cookie must name its origin.")
            self._body(headers, upload=(method, path) == ("POST", UPLOADS))
        if self._from_here(connection, host):  # also with some made-up key, which chat programs insist on
            return Caller("", "write")
        if key and (holder := self.holder(connection, key)):
            return holder
        if key:
            raise Refused(401, "KeyRefused", "This key is not known here.", "Ask for another.")
        if path in _OPEN or path.startswith(_OPEN_UNDER):
            return None
        hint = "Send it as `Authorization: Bearer KEY`; `quire serve key add` makes one."
        raise Refused(401, "KeyNeeded", "This server wants a key.", hint)

    def holder(self, connection: HTTPConnection, secret: str) -> Caller | None:
        """Whose key that is, or None. Who guesses soon has to wait; a right key never does.

        Raises:
            Refused: too many guesses of that address, or too many requests with that key.
        """
        address = connection.client.host if connection.client else ""
        key = self.keys.holder(secret)
        if key is None:
            if not self.guesses.take(address):
                raise Refused(429, "TooMany", "Too many wrong keys came from your address.", "Wait a minute.")
            return None
        if not self.requests.take(key.digest):
            raise Refused(429, "TooMany", "Too many requests came with your key.", "Wait some seconds.")
        return Caller(key.name, key.scope)

    def _host(self, headers: Headers) -> str:
        hosts = headers.getlist("host")
        host = host_name(hosts[0]) if len(hosts) == 1 else ""
        known = host in LOOPBACK or host in self.names or host == self.bound
        if not known and (self.local or not _is_address(host)):
            told = "This server does not go by that name."
            raise Refused(421, "HostRefused", told, "Allow it with --host-name NAME.")
        return host

    def _not_from_elsewhere(self, headers: Headers, path: str, method: str) -> None:
        """Refuse what another site's page begins, but for a link that leads to a page."""
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site", "none")
        same = origin is None or _network_place(origin) == headers.get("host", "").lower()
        if same and site in ("same-origin", "none"):
            return
        led_here = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        if not (same and led_here and method in _SAFE and _PAGES.fullmatch(path)):
            raise Refused(403, "OriginRefused", "Another site's page may not do anything here.")

    def _body(self, headers: Headers, *, upload: bool) -> None:
        if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
            return
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != ("multipart/form-data" if upload else "application/json"):
            told = f"The body must be JSON (files: multipart/form-data to {UPLOADS})."
            raise Refused(415, "ContentRefused", told)

    def _from_here(self, connection: HTTPConnection, host: str) -> bool:
        """Whether the request is of this machine's user, and not passed on by a proxy.

        A proxy that tells nothing of itself, as nginx does by default, speaks HTTP/1.0; programs do not.
        """
        client = connection.client
        passed_on = (
            connection.scope.get("http_version") == "1.0"
            or any(name in connection.headers for name in _FORWARDED)
            or any(name.startswith("x-forwarded-") for name in connection.headers)
        )
        here = client is not None and is_loopback(client.host)
        plain = self.local and host in LOOPBACK and not self.names
        return here and plain and not passed_on and not self.keys.listed()


def allowed(caller: Caller | None, scope: Scope) -> None:
    """Refuse a caller who may not do that.

    Raises:
        Refused: the caller's key is not good for it.
    """
    if caller is None or not allows(caller.scope, scope):
        held = caller.scope if caller else "nothing"
        raise Refused(403, "ScopeRefused", f"This needs a key for `{scope}`; yours is for `{held}`.")


def address(request: HTTPConnection) -> str:
    """How the caller reaches this server: behind a proxy that speaks TLS it begins with https."""
    told = request.headers.get("x-forwarded-proto", "")
    secure = request.url.scheme == "https" or told == "https"
    secure = secure or request.headers.get("origin", "").startswith("https://")
    return f"{'https' if secure else 'http'}://{request.headers.get('host', '')}"


def host_name(header: str) -> str:
    """The name in a `Host` header, without its port."""
    try:
        return (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_loopback(address: str) -> bool:
    """Whether an address or name is of this machine alone."""
    return address == "localhost" or (_is_address(address) and ipaddress.ip_address(address).is_loopback)


def _network_place(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:  # half an IPv6 address
        return "?"


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
