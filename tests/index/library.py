"""A small library in memory or in a file: entries with known words and vectors, for both backends."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index import Cell
from quire.index.backends import Backend
from quire.index.dense import send_pending
from quire.index.postings import analyse
from quire.index.writing import write
from quire.store.migrate import migrate
from quire.types import Box

DENSE = "text_sentence_transformers_all_minilm_l6_v2"
CLIP = "image_clip_clip_vit_base_patch32"
DIM = 8
WORDS = "model table figure neural graph attention corpus metric loss layer token vector page word".split()


def paper_id(number: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"paper {number}"))


def cells_of(paper: int, count: int = 12) -> list[Cell]:
    """Text and image cells; texts repeat, so that scores tie."""
    draw = np.random.default_rng(paper)
    owner = paper_id(paper)
    cells = []
    for i in range(count):
        text = " ".join(draw.choice(WORDS, size=int(draw.integers(1, 9))))
        key = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{paper} {i}"))
        cells.append(Cell("chunks", "text_content", key, owner, i % 5 + 1, text if i % 4 else "graph model"))
        box = Box(*(float(v) for v in draw.integers(0, 120, 4)))
        cells.append(Cell("images", "bounding_box", key, owner, i % 3 + 1, "", box))
    return cells


def vectors_of(ids: NDArray[np.int64]) -> NDArray[np.float32]:
    """Unit vectors; every third id shares its vector, so that scores tie."""
    rows = [np.random.default_rng(int(i) if i % 3 else 0).standard_normal(DIM) for i in ids]
    matrix = np.asarray(rows, dtype=np.float32)
    unit: NDArray[np.float32] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return unit


def create(path: Path | str = ":memory:") -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(path)
    migrate(connection)
    return connection


def always(
    connection: duckdb.DuckDBPyConnection,
) -> Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]:
    @contextmanager
    def same() -> Iterator[duckdb.DuckDBPyConnection]:
        yield connection

    return same


def add(connection: duckdb.DuckDBPyConnection, backend: Backend, paper: int) -> NDArray[np.int64]:
    """Add a paper with all its vectors; gives the ids of its entries."""
    ids = np.asarray(write(connection, analyse(cells_of(paper))), dtype=np.int64)
    add_vectors(connection, backend, ids)
    return ids


def add_vectors(connection: duckdb.DuckDBPyConnection, backend: Backend, ids: NDArray[np.int64]) -> None:
    """The later stage: the vectors of entries that are already there."""
    for collection, chosen in ((DENSE, ids[::2]), (CLIP, ids[1::2])):
        backend.upsert(connection, collection, chosen, vectors_of(chosen))
    send_pending(always(connection), always(connection), backend)
