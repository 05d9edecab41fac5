"""The later stage: every entry gets its vector once, also when it is interrupted."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import duckdb
import numpy as np
import pytest
from numpy.typing import NDArray

from quire.index import Cell
from quire.index.backends.duckdb import DuckDbBackend
from quire.index.dense import encode_pending
from quire.index.pending import waiting
from quire.index.postings import analyse
from quire.index.writing import delete, write
from quire.types import Box
from tests.index.library import CLIP, DENSE, always, create

PAPER = str(uuid.UUID(int=1))
PAGE, SHORT = str(uuid.UUID(int=2)), str(uuid.UUID(int=3))


class Letters:
    """An encoder that counts a, b, c and d; it notes what it was given."""

    def __init__(self, name: str = DENSE) -> None:
        self.name = name
        self.dim = 4
        self.max_tokens = 100
        self.seen: list[str | bytes] = []

    def encode(self, items: Sequence[str | bytes]) -> NDArray[np.float32]:
        self.seen += items
        texts = [item if isinstance(item, str) else item.decode() for item in items]
        rows = np.asarray([[text.count(c) for c in "abcd"] for text in texts], dtype=np.float32)
        unit: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return unit

    def encode_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.encode([text])[0]
        return row


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with create() as made:
        yield made


def fill(connection: duckdb.DuckDBPyConnection, passages: Sequence[str]) -> None:
    """A page of several passages, a page of one, and a figure."""
    cells = [
        Cell("pages", "page_content", PAGE, PAPER, 1, "aaaa and what follows"),
        Cell("pages", "page_content", SHORT, PAPER, 2, "d only"),
        Cell("images", "bounding_box", SHORT, PAPER, 2, "", Box(1, 2, 3, 4)),
    ]
    for key, text in ((PAGE, "aaaa and what follows"), (SHORT, "d only")):
        connection.execute("INSERT INTO pages (page_id, page_content) VALUES (?, ?)", [key, text])
    for i, text in enumerate(passages):
        key = str(uuid.uuid5(uuid.NAMESPACE_OID, str(i)))
        connection.execute(
            "INSERT INTO chunks (chunk_id, text_content, ordinal, ref_page_id) VALUES (?, ?, ?, ?)",
            [key, text, i, PAGE],
        )
        cells.append(Cell("chunks", "text_content", key, PAPER, 1, text))
    write(connection, analyse(cells))


def test_a_page_of_several_passages_is_their_mean(connection: duckdb.DuckDBPyConnection) -> None:
    fill(connection, ["a", "b"])
    encoder, backend = Letters(), DuckDbBackend()
    told: list[tuple[int, int]] = []
    done = encode_pending(
        always(connection), always(connection), backend, encoder, progress=lambda *x: told.append(x)
    )
    assert done == 4, "two pages and two passages; the figure is not text"
    assert told == [(4, 4)]
    assert "aaaa and what follows" not in encoder.seen
    rows = connection.execute("SELECT ids, matrix FROM vectors ORDER BY ids[1]").fetchall()
    vectors = {
        i: row for ids, m in rows for i, row in zip(ids, np.frombuffer(m, "<f4").reshape(-1, 4), strict=True)
    }
    assert vectors[1] == pytest.approx([0.5**0.5, 0.5**0.5, 0, 0])
    assert vectors[2] == pytest.approx([0, 0, 0, 1])
    assert not len(waiting(connection, DENSE, remote=False))
    assert encode_pending(always(connection), always(connection), backend, encoder) == 0


def test_an_interrupted_stage_goes_on_where_it_stopped(connection: duckdb.DuckDBPyConnection) -> None:
    fill(connection, ["a", "b", "c", "d", "ab"])
    encoder, backend = Letters(), DuckDbBackend()
    left = iter([True, True, False])

    @contextmanager
    def killed_at_third() -> Iterator[duckdb.DuckDBPyConnection]:
        if not next(left):
            raise KeyboardInterrupt
        yield connection

    with pytest.raises(KeyboardInterrupt):
        encode_pending(always(connection), killed_at_third, backend, encoder, batch=2)
    assert len(backend.held(connection, DENSE).ids) == 4
    assert len(waiting(connection, DENSE, remote=False)) == 3
    assert encode_pending(always(connection), always(connection), backend, encoder, batch=2) == 3
    assert len(backend.held(connection, DENSE).ids) == 7


def test_a_paper_removed_meanwhile_gets_no_vectors(connection: duckdb.DuckDBPyConnection) -> None:
    fill(connection, ["a", "b"])
    encoder, backend = Letters(), DuckDbBackend()

    @contextmanager
    def after_removal() -> Iterator[duckdb.DuckDBPyConnection]:
        delete(connection, [PAPER])
        yield connection

    encode_pending(always(connection), after_removal, backend, encoder)
    assert len(backend.held(connection, DENSE).ids) == 0
    assert not len(waiting(connection, DENSE, remote=False))


def test_figures_are_rendered_for_image_encoders(connection: duckdb.DuckDBPyConnection) -> None:
    fill(connection, [])
    encoder, backend = Letters(CLIP), DuckDbBackend()
    assert encode_pending(always(connection), always(connection), backend, encoder) == 0, "nobody renders"
    done = encode_pending(
        always(connection), always(connection), backend, encoder, render=lambda e: str(e.bbox).encode()
    )
    assert done == 1
    assert encoder.seen == [str(Box(1, 2, 3, 4)).encode()]
