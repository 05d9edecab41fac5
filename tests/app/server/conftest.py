"""A server in this process over a library of the example papers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from starlette.testclient import TestClient

from quire import Library
from quire.app.server.access import Access
from quire.app.server.app import create_app
from quire.app.server.keys import Keys
from tests.app.conftest import copied

KEYWORDS: dict[str, Any] = {"index__encoders": ("text_bm25_en",)}

Serve = Callable[..., TestClient]


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    """The keys of the library of `serve`."""
    return Keys(tmp_path / "home", tmp_path / "library")


@pytest.fixture
def serve(filled: Path, tmp_path: Path, keys: Keys) -> Iterator[Serve]:
    """Start a server over a copy of the example papers (or an empty library); gives its client."""
    begun: list[TestClient] = []

    def start(
        *, empty: bool = False, client: str = "127.0.0.1", base: str = "http://localhost:8765", **options: Any
    ) -> TestClient:
        folder = tmp_path / "library"
        if not empty and not folder.exists():
            copied(filled, folder)
        limits, settings = options.pop("limits", None), options.pop("settings", {})
        library = Library.open(folder, create=True, **KEYWORDS, **settings)
        app = create_app(library, access=Access(keys, **options), limits=limits)
        web = TestClient(app, base_url=base, client=(client, 50000), raise_server_exceptions=False)
        web.__enter__()
        begun.append(web)
        return web

    yield start
    for web in begun:
        web.__exit__(None, None, None)


@pytest.fixture
def web(serve: Serve) -> TestClient:
    """A client of this machine's user."""
    return serve()


def five_hundred(folder: Path) -> None:
    """Make five hundred papers of the four of a library: what lists of them are made of."""
    with duckdb.connect(str(folder / "library.duckdb")) as db:
        for table in ("papers", "metadata"):
            names = [row[0] for row in db.execute(f"DESCRIBE {table}").fetchall()]
            told = {
                "paper_id": "md5(paper_id::VARCHAR || i)::UUID",
                "sha256": "sha256 || i",
                "title": "title || ' ' || i",
            }
            columns = ", ".join(told.get(name, name) for name in names)
            db.execute(f"INSERT INTO {table} SELECT {columns} FROM {table}, range(124) t(i)")


def finished(web: TestClient, answer: Any, seconds: float = 120.0) -> dict[str, Any]:
    """The job that an answer names, when it has ended."""
    assert answer.status_code == 202, answer.text
    place = answer.headers["location"]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        job: dict[str, Any] = web.get(place).json()
        if job["state"] in ("done", "failed", "cancelled"):
            return job
        time.sleep(0.02)
    raise AssertionError(f"not finished: {job}")
