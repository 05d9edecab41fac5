"""Running the application: the socket, the one server of a library, an orderly end."""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from quire.build import Library
from quire.errors import LibraryError, LibraryLocked, SettingsError
from quire.interfaces.server.access import Access, is_loopback
from quire.interfaces.server.app import create_app
from quire.interfaces.server.keys import Keys
from quire.settings import home

_HEAD_SECONDS = 15.0  # that a connection has until its request's head is there
_CONNECTIONS = 1500


@dataclass(frozen=True, slots=True)
class Serving:
    """Where and how to serve. `names` are what else the server is called."""

    host: str = "127.0.0.1"
    port: int = 8765
    names: tuple[str, ...] = ()
    open_page: bool = False
    log_questions: bool = False


def run(library: Library, serving: Serving) -> None:
    """Serve until a signal ends it.

    Raises:
        SettingsError: the address would let anybody in, as there are no keys.
        LibraryLocked: another server has this library.
        LibraryError: the address is in use or not this machine's.
    """
    keys = Keys(home(), library.folder)
    if not is_loopback(serving.host) and not keys.listed():
        raise SettingsError(
            f"On {serving.host} others can reach the library, and there are no keys.",
            hint="Make one: `quire serve key add NAME`.",
        )
    access = Access(keys, serving.host, serving.names, serving.log_questions)
    with only_server(library.folder), _bound(serving) as listening:
        address = _address(serving, listening)
        app = create_app(library, access=access)
        _log_to_stderr()
        print(f"quire serves {library.folder} on {address} (Ctrl-C ends it).", flush=True)
        threading.Thread(target=library.warm, daemon=True).start()
        if serving.open_page:
            threading.Timer(0.7, webbrowser.open, [address]).start()
        server(app).run(sockets=[listening])
        if not app.state.context.jobs.stop(0.0):
            os._exit(0)  # in the middle of a file: nothing is lost by that, and it may take minutes


def server(app: FastAPI) -> uvicorn.Server:
    """The server of an application, with its limits."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=_Protocol,
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
    """
    handle = os.open(folder / "serve.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise LibraryLocked(
            f"Another `quire serve` has the library {folder}.", hint="Use that one, or end it."
        ) from error
    try:
        yield
    finally:
        os.close(handle)


class _Protocol(H11Protocol):
    """HTTP/1.1 that does not wait without end for a request that never comes."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.loop.call_later(_HEAD_SECONDS, self._hurry)

    def _hurry(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()


@contextmanager
def _bound(serving: Serving) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in serving.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((serving.host, serving.port))
            listening.listen(512)  # who comes before the application is ready waits for it
        except OSError as error:
            raise LibraryError(
                f"Cannot listen on {serving.host}, port {serving.port}: {error.strerror or error}.",
                hint="Choose another with --port; 0 takes any free one.",
            ) from error
        yield listening
    finally:
        listening.close()


def _address(serving: Serving, listening: socket.socket) -> str:
    port = listening.getsockname()[1]
    host = f"[{serving.host}]" if ":" in serving.host else serving.host
    return f"http://{host}:{port}/"


def _log_to_stderr() -> None:
    """A line for each request, and what goes wrong; other packages' loggers are left alone."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    for name, level in (("quire", logging.INFO), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)


__all__ = ["Serving", "only_server", "run", "server"]
