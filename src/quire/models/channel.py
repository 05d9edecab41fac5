"""Questions and answers between two processes of quire, over one socket that both had from the beginning.

    here, there = socket.socketpair()
    serving = Serving(here, {"double": lambda given: 2 * given["value"]})     # in the parent
    Channel(there).call("double", value=21)                                   # in the child: 42
    serving.close()

Each message is a JSON object in ASCII behind its length (four bytes, big-endian). Requests carry a number and
replies come in any order, so that threads share the socket. An error of quire crosses with its type.

The child may be hostile: a message of more than 64 MB or more than 64 levels, or what is no message, ends the
connection; 32 requests are worked on at once, others wait in the socket. Nothing is evaluated.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from typing import Any

from quire.errors import ModelUnreachable, QuireError, as_row, of_row

Handler = Callable[[Mapping[str, Any]], Any]

_LENGTH = struct.Struct(">I")
_LONGEST = 64 << 20
_DEEPEST = 64
_AT_ONCE = 32
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_BRACKET = re.compile(rb"[\[\]{}]")


def send(connection: socket.socket, message: Mapping[str, Any]) -> None:
    """Write one message. Raises OSError when nobody listens, ValueError when it is too long."""
    data = json.dumps(message).encode("ascii")
    if len(data) > _LONGEST:
        raise ValueError(f"a message of {len(data)} bytes")
    connection.sendall(_LENGTH.pack(len(data)) + data)


def receive(connection: socket.socket) -> dict[str, Any] | None:
    """Read one message; None at the end. Raises ValueError for what is none, OSError."""
    head = _exactly(connection, _LENGTH.size)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > _LONGEST:
        raise ValueError(f"a message of {length} bytes")
    data = _exactly(connection, length)
    if data is None:
        return None
    if _depth(data) > _DEEPEST:
        raise ValueError("a message too deep")
    message = json.loads(data)
    if not isinstance(message, dict):
        raise ValueError("no object")
    return message


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        piece = connection.recv(min(size - len(data), 1 << 20))
        if not piece:
            return None
        data += piece
    return bytes(data)


def _depth(data: bytes) -> int:
    level = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", data)):
        level += 1 if bracket in b"[{" else -1
        deepest = max(deepest, level)
    return deepest


class Channel:
    """The side that asks. May be used by several threads; makes none itself."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._turn = threading.Condition()
        self._numbers = itertools.count()
        self._replies: dict[int, dict[str, Any]] = {}
        self._reading = self._ended = False

    def call(self, operation: str, **given: Any) -> Any:
        """What the other side's handler gives.

        Raises:
            QuireError: the handler's own.
            ModelUnreachable: the other side has gone.
        """
        number = next(self._numbers)
        try:
            with self._sending:
                send(self._connection, {"id": number, "do": operation, "with": given})
        except OSError as error:
            raise _gone() from error
        reply = self._awaited(number)
        if "error" in reply:
            raise of_row(reply["error"])
        return reply["value"]

    def _awaited(self, number: int) -> dict[str, Any]:
        """Whoever waits first reads for all."""
        with self._turn:
            while number not in self._replies:
                if self._ended:
                    raise _gone()
                if self._reading:
                    self._turn.wait()
                else:
                    self._read()
            return self._replies.pop(number)

    def _read(self) -> None:
        self._reading = True
        self._turn.release()
        reply = None
        try:
            with contextlib.suppress(OSError, ValueError):
                reply = receive(self._connection)
        finally:
            self._turn.acquire()
            self._reading = False
            self._turn.notify_all()
        if reply is None:
            self._ended = True
        else:
            self._replies[reply["id"]] = reply


class Serving:
    """The side that answers, in threads of its own, until `close` or the end of the connection."""

    def __init__(self, connection: socket.socket, handlers: Mapping[str, Handler]) -> None:
        self._connection, self._handlers = connection, handlers
        self._sending = threading.Lock()
        self._slots = threading.Semaphore(_AT_ONCE)
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """Answer no more."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError, RecursionError):
            while (message := receive(self._connection)) is not None:
                self._slots.acquire()
                # Daemons: a request that hangs must not hold up the end of the command.
                threading.Thread(target=self._answer, args=(message,), daemon=True).start()
        self.close()

    def _answer(self, message: dict[str, Any]) -> None:
        reply = {"id": message.get("id")}
        try:
            with contextlib.suppress(OSError):
                reply |= self._outcome(message)
                with self._sending:
                    send(self._connection, reply)
        finally:
            self._slots.release()

    def _outcome(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"value": self._handlers[message["do"]](message["with"])}
        except QuireError as error:
            return {"error": as_row(error)}
        except Exception as error:  # the border to another process: it is told, and this one goes on
            return {"error": ["ModelError", f"{type(error).__name__}: {error}"[:1000], "", None]}


def _gone() -> ModelUnreachable:
    return ModelUnreachable("The process that asks models for this one has gone.")
