"""A server of this machine that answers with whatever bytes it likes, for as long as somebody takes them.

    with hostile(forever(b"HTTP/1.1 100 Continue\\r\\n\\r\\n")) as server:
        ...
    server.asked        # the first line and body of each request

An act gets the connection after the request was read; it ends when the other side has gone.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Act = Callable[[Any], None]  # takes the connection

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


@dataclass
class Hostile:
    """What came in."""

    port: int = 0
    asked: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextlib.contextmanager
def hostile(*acts: Act) -> Iterator[Hostile]:
    """A running server; each request gets the next act, the last one again and again."""
    told = Hostile()
    left = list(acts)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError):
                first = self.rfile.readline(65536).decode("latin-1").strip()
                size = 0
                while (line := self.rfile.readline(65536).strip()) != b"":
                    name, _, value = line.partition(b":")
                    size = int(value) if name.lower() == b"content-length" else size
                told.asked.append((first, self.rfile.read(size)))
                (left.pop(0) if len(left) > 1 else left[0])(self.connection)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Handler) as server:
        told.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield told
        finally:
            server.shutdown()


def sent(*parts: bytes) -> Act:
    """These bytes, and the end."""
    return lambda connection: connection.sendall(b"".join(parts))


def body(status: str, data: bytes, *heads: str) -> Act:
    """A whole reply."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(data)}", *heads, "", ""]
    return sent("\r\n".join(lines).encode(), data)


def said(value: Any) -> Act:
    """A whole reply of JSON."""
    return body("200 OK", json.dumps(value).encode(), "Content-Type: application/json")


def forever(piece: bytes, start: bytes = b"", pause: float = 0.0) -> Act:
    """A beginning, then the same piece without end."""

    def act(connection: Any) -> None:
        connection.sendall(start)
        while True:
            connection.sendall(piece)
            time.sleep(pause)

    return act


def silent(connection: Any) -> None:
    """Nothing at all."""
    connection.recv(1)


def bomb(megabytes: int = 200) -> Act:
    """A reply that is small as it comes and large when it is unpacked."""
    return body("200 OK", gzip.compress(b" " * (megabytes << 20), 9), "Content-Encoding: gzip")


MANY = b"x" * 65536
ENDLESS: dict[str, Act] = {
    "a body without end": forever(MANY, OK + b"Content-Length: 10000000000\r\n\r\n"),
    "a body that does not say its end": forever(MANY, OK + b"\r\n"),
    "chunks without end": forever(
        b"10000\r\n" + MANY + b"\r\n", OK + b"Transfer-Encoding: chunked\r\n\r\n"
    ),
    "the body of an error without end": forever(MANY, b"HTTP/1.1 500 Oops\r\n\r\n"),
    "a dripped body of an error": forever(b"x", b"HTTP/1.1 500 Oops\r\n\r\n", 0.02),
    "a redirect whose body never ends": forever(MANY, b"HTTP/1.1 307 Go\r\nLocation: /x\r\n\r\n"),
    "100 Continue without end": forever(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "100 Continue, slowly": forever(b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.02),
    "a dripped head": forever(b"X", b"HTTP/1.1 200 OK\r\n", 0.02),
    "heads without end": forever(b"X-More: 1\r\n", b"HTTP/1.1 200 OK\r\n"),
    "a status line without end": forever(MANY, b"HTTP/1.1 200 "),
    "a dripped body": forever(b" ", OK + b"Content-Length: 1000000\r\n\r\n", 0.02),
    "no answer": silent,
    "a bomb of gzip": bomb(),
    "a stream of one line": forever(MANY, STREAM + b"data: "),
    "a stream of comments": forever(b": still here\n\n", STREAM),
    "a stream of words": forever(b'data: {"choices": [{"delta": {"content": "word "}}]}\n\n', STREAM),
    "a stream that drips": forever(
        b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n', STREAM, 0.02
    ),
    "a trailer without end": forever(
        b"X-More: 1\r\n", OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
    ),
}  # fmt: skip
