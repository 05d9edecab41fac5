"""Questions and answers between two processes of quire, over one wire that both had from the beginning.

    here, there = Pipe()
    serving = ChannelServer(here, {"double": lambda given: 2 * given["value"]})     # in the parent
    Channel(there).call("double", value=21)                                   # in the child: 42
    serving.close()

Each message is a JSON object on a wire of `quire.worker`. Requests carry a number and replies come in any
order, so that threads share the wire. An error of quire crosses with its type.

The child may be hostile: a message of more than 64 MB or more than 64 levels, or what is no message, ends the
connection; 32 requests are worked on at once, others wait in the wire. Nothing is evaluated.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from quire.errors import ModelUnreachable, QuireError, as_row, of_row
from quire.worker import hang_up, receive_json, send_json

Handler = Callable[[Mapping[str, Any]], Any]

_AT_ONCE = 32


class Channel:
    """The side that asks. May be used by several threads; makes none itself."""

    def __init__(self, connection: Connection) -> None:
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
                send_json(self._connection, {"id": number, "do": operation, "with": given})
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
                    self._read_reply()
            return self._replies.pop(number)

    def _read_reply(self) -> None:
        self._reading = True
        self._turn.release()
        reply = None
        try:
            with contextlib.suppress(OSError, EOFError, ValueError):
                reply = _object(receive_json(self._connection))
        finally:
            self._turn.acquire()
            self._reading = False
            self._turn.notify_all()
        if reply is None:
            self._ended = True
        else:
            self._replies[reply["id"]] = reply


class ChannelServer:
    """The side that answers, in threads of its own, until `close` or the end of the connection."""

    def __init__(self, connection: Connection, handlers: Mapping[str, Handler]) -> None:
        self._connection, self._handlers = connection, handlers
        self._sending, self._ending = threading.Lock(), threading.Lock()
        self._slots = threading.Semaphore(_AT_ONCE)
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """Answer no more. The wire is closed by the thread that reads it."""
        with self._ending:
            hang_up(self._connection)

    def _listen(self) -> None:
        with contextlib.suppress(OSError, EOFError, ValueError, RecursionError):
            while True:
                message = _object(receive_json(self._connection))
                self._slots.acquire()
                # Daemons: a request that hangs must not hold up the end of the command.
                threading.Thread(target=self._answer_request, args=(message,), daemon=True).start()
        self.close()  # which also wakes a reply that nobody takes
        with self._sending, self._ending:
            self._connection.close()

    def _answer_request(self, message: dict[str, Any]) -> None:
        reply: dict[str, Any] = {"id": message.get("id")}
        try:
            reply["value"] = self._handlers[message["do"]](message["with"])
        except QuireError as error:
            reply["error"] = as_row(error)
        except Exception as error:  # the border to another process: it is told, and this one goes on
            reply["error"] = ["ModelError", f"{type(error).__name__}: {error}"[:1000], "", None]
        try:
            with contextlib.suppress(OSError), self._sending:
                send_json(self._connection, reply)
        finally:
            self._slots.release()


def _object(message: Any) -> dict[str, Any]:
    if not isinstance(message, dict):
        raise ValueError("no object")
    return message


def _gone() -> ModelUnreachable:
    return ModelUnreachable("The process that asks models for this one has gone.")
