"""A small web server that behaves as download places do: ranges, broken connections, pages for files."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Place:
    """What is published, by path, and how each path behaves. `asked` are the ranges that were asked for."""

    files: dict[str, bytes] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)  # content types
    cuts: dict[str, list[int]] = field(default_factory=dict)  # bytes after which the next answers break
    codes: dict[str, int] = field(default_factory=dict)
    ranges: bool = True
    lengths: bool = True
    asked: list[str] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving() -> Iterator[Place]:
    """A running server."""
    place = Place()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _answer(self, place)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    place.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield place
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _answer(handler: BaseHTTPRequestHandler, place: Place) -> None:
    path = handler.path.split("?")[0]
    if path in place.codes or path not in place.files:
        handler.send_error(place.codes.get(path, 404))
        return
    body = place.files[path]
    etag = f'"{hashlib.sha256(body).hexdigest()[:12]}"'
    wanted = handler.headers.get("Range", "")
    place.asked.append(wanted)
    start = 0
    if place.ranges and wanted and handler.headers.get("If-Range") == etag:
        start = int(wanted.removeprefix("bytes=").rstrip("-"))
        if start >= len(body):
            handler.send_error(416)
            return
    handler.send_response(206 if start else 200)
    handler.send_header("ETag", etag)
    handler.send_header("Content-Type", place.kinds.get(path, "application/octet-stream"))
    if place.lengths:
        handler.send_header("Content-Length", str(len(body) - start))
    handler.end_headers()
    cuts = place.cuts.get(path, [])
    end = start + cuts.pop(0) if cuts else len(body)
    handler.wfile.write(body[start:end])
