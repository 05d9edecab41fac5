"""Running the application: the socket, the one server of a library, an orderly end."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import math
import os
import resource
import socket
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from quire.app.server.access import Access, is_loopback
from quire.app.server.app import create_app
from quire.app.server.keys import Keys
from quire.build import Library
from quire.errors import LibraryError, LibraryLocked, SettingsError
from quire.settings import home
from quire.worker import ChildDied

_HEAD_SECONDS = 15.0  # that a connection has until its request's head is there, the first or the next
_LINGER = 2.0  # seconds after an answer to what is still being sent
_CONNECTIONS = 4000
_SILENT = 300  # of them that owe something; above that some are dropped
_PATIENCE = 0.05  # seconds between two looks whether there are too many


def run(
    library: Library,
    host: str,
    port: int,
    *,
    names: tuple[str, ...] = (),
    open_page: bool = False,
    log_questions: bool = False,
) -> None:
    """Serve until a signal ends it. `names` are what else the server is called.

    Raises:
        SettingsError: the address would let anybody in, as there are no keys.
        LibraryLocked: another server has this library.
        LibraryError: the address is in use or not this machine's.
    """
    keys = Keys(home(), library.folder)
    if not is_loopback(host) and not keys.listed():
        told = f"On {host} others can reach the library, and there are no keys."
        raise SettingsError(told, hint="Make one: `quire serve key add NAME`.")
    access = Access(keys, host, names, log_questions)
    with only_server(library.folder), _bound(host, port) as listening:
        name = f"[{host}]" if ":" in host else host
        address = f"http://{name}:{listening.getsockname()[1]}/"
        app = create_app(library, access=access)
        _log_to_stderr()
        _many_files()
        print(f"quire serves {library.folder} on {address} (Ctrl-C ends it).", flush=True)
        threading.Thread(target=_warm, args=[library], daemon=True).start()
        if open_page:
            threading.Timer(0.7, webbrowser.open, [address]).start()
        server(app).run(sockets=[listening])
        if not app.state.context.jobs.stop(0.0):
            os._exit(0)  # in the middle of a file: nothing is lost by that, and it may take minutes


def _warm(library: Library) -> None:
    """Warm a library; a server that ends meanwhile ends that, too."""
    with suppress(RuntimeError, ChildDied, ImportError):  # no thread, child or module starts any more
        library.warm()


def server(app: FastAPI) -> uvicorn.Server:
    """The server of an application, with its limits."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=type("Protocol", (_Protocol,), {"silent": _Silent()}),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_CONNECTIONS,
            timeout_graceful_shutdown=3,
        )
    )


@contextmanager
def only_server(folder: Path) -> Iterator[None]:
    """The right to be the one server of a library, which takes up its jobs; ends with the process.

    Raises:
        LibraryLocked: another process has it.
        LibraryError: its file cannot be used.
    """
    try:
        handle = os.open(folder / "serve.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        told = f"Cannot use {folder / 'serve.lock'}: {error.strerror}."
        raise LibraryError(told, hint="It must be a file, no link.") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            told = f"Another `quire serve` has the library {folder}."
            raise LibraryLocked(told, hint="Use that one, or end it.") from error
        yield
    finally:
        os.close(handle)


class _Silent(dict["_Protocol", float]):
    """The connections of a server that owe something, and since when.

    Where they are too many, those go that were answered before, then the longest silent, but only such as
    were there two looks ago: what the others sent may lie unread, and they would be reset, not answered.
    """

    _looks = (-math.inf, -math.inf)
    _looking = False

    def note(self, one: _Protocol) -> None:
        """From now on it owes something, if it did not before."""
        self.setdefault(one, one.loop.time())
        if not self._looking and len(self) > _SILENT:
            self._looking = bool(one.loop.call_later(_PATIENCE, self._make_room, one.loop))

    def _make_room(self, loop: asyncio.AbstractEventLoop) -> None:
        # Timers are called after what has come in was read; a new connection is read from the next round on.
        heard = sorted(
            (one for one, since in self.items() if since <= self._looks[0]), key=lambda one: one.cycle is None
        )
        for one in heard[: max(0, len(self) - _SILENT)]:
            del self[one]
            one.transport.close()
        self._looks = self._looks[1], loop.time()
        self._looking = len(self) > _SILENT and bool(loop.call_later(_PATIENCE, self._make_room, loop))


class _Protocol(H11Protocol):
    """HTTP/1.1 that does not wait without end for a request that never comes, or for the rest of one."""

    silent: _Silent  # of all connections of a server

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._look()
        self._look_again()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()
        if self.cycle.more_body:  # it was refused: let the answer be read, then end
            self.loop.call_later(_LINGER, self._end)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.silent.pop(self, None)

    def _look(self) -> None:
        """Note since when this end waits for a head, or for the body of what is answered already."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.silent.pop(self, None)
        elif self in self.connections:
            self.silent.note(self)

    def _end(self) -> None:
        if self in self.silent:
            self.transport.close()

    def _look_again(self) -> None:
        if self not in self.connections:
            return
        if self.transport.is_closing():  # with something left that nobody takes
            self.transport.abort()
        elif self.silent.get(self, math.inf) <= self.loop.time() - _HEAD_SECONDS:
            self.transport.close()
        self.loop.call_later(_HEAD_SECONDS, self._look_again)


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
            listening.listen(512)  # who comes before the application is ready waits for it
        except OSError as error:
            told = f"Cannot listen on {host}, port {port}: {error.strerror or error}."
            raise LibraryError(told, hint="Choose another with --port; 0 takes any free one.") from error
        yield listening


def _many_files() -> None:
    """Let the process have as many files open as it has connections, if the system does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _CONNECTIONS + 1000
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if 0 <= soft < wanted else soft, hard))


def _log_to_stderr() -> None:
    """A line for each request, and what goes wrong; other packages' loggers are left alone."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    for name, level in (("quire", logging.INFO), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
