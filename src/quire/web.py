"""The one way into the network: HTTP whose every exchange ends, in time and in size.

    with opened("POST", url, headers, body, seconds=120, most=50_000_000) as reply:
        reply.status, reply.headers["Content-Type"]
        b"".join(reply.pieces())

`seconds` hold for all of it together: connecting, sending, a head however it drips, the body. `most` are the
bytes of its body; a head has its own limit. Nothing compressed is asked for, and what is
compressed all the same is refused. Redirects are not followed: whoever asks decides. The environment's
proxies are used, except for this machine itself.

`idle` is called a few times a second while nothing comes; what it raises ends the exchange.

`public` refuses every address that is not of the open internet (loopback, private, link-local), by the very
address that is connected to; behind a proxy, by the one that the name has here.

Limit: looking a name up takes as long as the system's resolver lets it.
"""

from __future__ import annotations

import base64
import contextlib
import ipaddress
import socket
import ssl
import string
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

if TYPE_CHECKING:
    _Base = socket.socket
else:
    _Base = object

_HEAD = 256 << 10  # bytes before the body: heads of 100 Continue among them
_PIECE = 64 << 10
_CONNECTING = 10.0  # seconds for one address
_BEAT = 0.2  # seconds between two calls of `idle`
_HERE = ("localhost", "127.0.0.1", "::1")


class WebError(Exception):
    """An exchange that did not come to its end. `sent`: the other side had the request."""

    sent = True


class NotConnected(WebError):
    """Nobody there, or no address of the web."""

    sent = False


class NotPublic(WebError):
    """The address is not of the open internet."""

    sent = False


class TooSlow(WebError):
    """It took longer than it may."""


class TooLarge(WebError):
    """More came than may come."""


class BrokenOff(WebError):
    """It ended before its end, or is no HTTP."""


@dataclass
class _Limits:
    deadline: float
    left: int  # bytes that may still come
    idle: Callable[[], None] | None = None

    def wait(self) -> float:
        seconds = self.deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds

    def took(self, size: int) -> int:
        self.left -= size
        if self.left < 0:
            raise TooLarge("more came than may come")
        return size


class _Bounded(_Base):
    """A socket whose time and bytes are counted over all that is read from and written to it."""

    limits: _Limits

    def recv_into(self, *given: Any) -> int:
        idle = self.limits.idle
        while True:
            wait = self.limits.wait()
            self.settimeout(min(wait, _BEAT) if idle else wait)
            try:
                return self.limits.took(super().recv_into(*given))
            except TimeoutError:
                if idle is None:
                    raise
                idle()

    def send(self, *given: Any) -> int:
        self.settimeout(self.limits.wait())
        return super().send(*given)

    def sendall(self, *given: Any) -> None:
        self.settimeout(self.limits.wait())
        super().sendall(*given)


class _Plain(_Bounded, socket.socket):
    pass


class _Tls(_Bounded, ssl.SSLSocket):
    pass


@dataclass(frozen=True)
class HttpReply:
    """The head of what came; the body comes by `pieces`."""

    status: int
    reason: str
    headers: Message  # names in any case
    _most: int
    _response: HTTPResponse

    def pieces(self) -> Iterator[bytes]:
        """The body as it comes.

        Raises:
            WebError: it is compressed, or did not come to its end.
        """
        coding = self.headers.get("Content-Encoding", "identity").strip().lower()
        if coding not in ("", "identity"):
            raise BrokenOff("it comes compressed, which was not asked for")
        size = 0
        with _told():
            while piece := self._response.read1(_PIECE):
                size += len(piece)
                if size > self._most:
                    raise TooLarge("more came than may come")
                yield piece
        if self._response.length:
            raise BrokenOff("it ended early")

    def start(self, most: int) -> bytes:
        """The first bytes of the body; what cannot be had of it is left out."""
        data = b""
        with contextlib.suppress(WebError):
            for piece in self.pieces():
                data += piece
                if len(data) >= most:
                    break
        return data[:most]


@contextlib.contextmanager
def opened(
    method: str,
    address: str,
    headers: Mapping[str, str],
    body: bytes | None = None,
    *,
    seconds: float,
    most: int,
    public: bool = False,
    idle: Callable[[], None] | None = None,
) -> Iterator[HttpReply]:
    """Ask, and give the head of the reply; the connection ends with the block.

    Raises:
        WebError: there is no reply, or it passed a limit; of `pieces` too.
    """
    limits = _Limits(time.monotonic() + seconds, _HEAD, idle)
    connection, target, more = _connection(address, limits, public)
    response = None
    try:
        with _told(sent=False):
            connection.connect()
        with _told():
            if isinstance(connection.sock, _Tls):
                connection.sock.limits = limits
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may have said why
                connection.request(method, target, body, {**headers, **more})
            response = connection.getresponse()
        limits.left += 2 * most  # what frames the pieces of the body counts too, generously
        yield HttpReply(response.status, response.reason, response.headers, most, response)
    finally:
        if response:
            response.close()
        connection.close()


def origin(address: str) -> tuple[str, str, int]:
    """Scheme, host and port of an address.

    Raises:
        NotConnected: it is none of the web.
    """
    parts = _parts(address)
    return parts.scheme, parts.hostname or "", _port(parts)


def _parts(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") and parts.hostname and _port(parts):
            return parts
    except ValueError:
        pass
    raise NotConnected("it is no address of the web")


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _connection(address: str, limits: _Limits, public: bool) -> tuple[HTTPConnection, str, Mapping[str, str]]:
    """A connection not yet open, what to ask it for, and heads besides."""
    parts = _parts(address)
    host, port, secure = parts.hostname or "", _port(parts), parts.scheme == "https"
    target = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe=string.punctuation)
    more = {"Accept-Encoding": "identity", "Connection": "close"}
    proxy = _proxy(parts.scheme, host)
    if proxy and public:
        with contextlib.suppress(OSError, UnicodeError):  # unknown here: the proxy may know it
            _addresses(host, port, public)
    at = (proxy.hostname or "", proxy.port or 80) if proxy else (host, port)
    connection = HTTPSConnection(*at, context=_context()) if secure else HTTPConnection(*at)
    connection._create_connection = lambda *_: _connected(*at, limits, public and not proxy)  # type: ignore[attr-defined]
    if proxy:
        known = _credentials(proxy)
        if secure:
            connection.set_tunnel(host, port, known)
        else:
            target, more = f"http://{parts.netloc.rpartition('@')[2]}{target}", more | known
            more["Host"] = parts.netloc.rpartition("@")[2]
    return connection, target, more


def _proxy(scheme: str, host: str) -> SplitResult | None:
    told = urllib.request.getproxies().get(scheme, "")
    if not told or host in _HERE or urllib.request.proxy_bypass(host):
        return None
    return _parts(told if "://" in told else f"http://{told}")


def _credentials(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair.encode()).decode("ascii")}


def _connected(host: str, port: int, limits: _Limits, public: bool) -> socket.socket:
    failed = OSError("it has no address")
    for family, kind, protocol, address in _addresses(host, port, public):
        connection = _Plain(family, kind, protocol)
        connection.limits = limits
        try:
            connection.settimeout(min(limits.wait(), _CONNECTING))
            connection.connect(address)
            connection.settimeout(limits.wait())  # of the handshake of TLS, all of it
            return connection
        except OSError as error:
            connection.close()
            failed = error
    raise failed


def _addresses(host: str, port: int, public: bool) -> list[tuple[int, int, int, Any]]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if public and not all(_literal(str(address[0])) for *_, address in found):
        raise NotPublic("it is not an address of the open internet")
    return [(family, kind, protocol, address) for family, kind, protocol, _, address in found]


def _literal(host: str) -> bool | None:
    """Whether an address in digits is of the open internet; None for a name."""
    try:
        known = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    if isinstance(known, ipaddress.IPv6Address):
        known = known.ipv4_mapped or known.sixtofour or known
    return known.is_global and not known.is_multicast


@cache
def _context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.sslsocket_class = _Tls
    return context


@contextlib.contextmanager
def _told(*, sent: bool = True) -> Iterator[None]:
    """What the sockets raise, as errors of the exchange."""
    try:
        yield
    except WebError:
        raise
    except TimeoutError as error:
        slow = TooSlow("it took too long")
        slow.sent = sent
        raise slow from error
    except (OSError, HTTPException, ValueError) as error:
        kind = BrokenOff if sent else NotConnected
        raise kind(str(error) or type(error).__name__) from error
