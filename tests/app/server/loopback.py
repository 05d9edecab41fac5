"""A real server on a free port of this machine, for clients of other people's making."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from quire import Library
from quire.app.server.access import Access
from quire.app.server.app import create_app
from quire.app.server.keys import Keys


@contextmanager
def serving(folder: Path, keys: Keys, *, names: Sequence[str] = (), **settings: Any) -> Iterator[str]:
    """Serve a library, also called by `names`; gives the server's address."""
    library = Library.open(folder, **settings)
    app = create_app(library, access=Access(keys, names=names))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=3)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
            assert thread.is_alive()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)
