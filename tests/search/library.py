"""A small library: entries with known words and vectors in a database, and their index in a folder."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.search import Unit, entries
from quire.search.batch import Batch, analyse
from quire.search.cells import pair
from quire.search.index import Index
from quire.search.vectors import About
from quire.search.view import View
from quire.store.migrate import migrate
from quire.types import Box

DENSE = "text_sentence_transformers_all_minilm_l6_v2"
CLIP = "image_clip_clip_vit_base_patch32"
DIM = 8
WORDS = "model table figure neural graph attention corpus metric loss layer token vector page word".split()
CHUNKS, BOXES = pair("chunks", "text_content"), pair("images", "bounding_box")
SENTENCES = pair("sentences", "sentence_content")


def paper_id(number: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"paper {number}"))


def chunk(paper: int, number: int, text: str, page: int = 1) -> Unit:
    key = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{paper} {number}"))
    return Unit(CHUNKS, paper_id(paper), page, key, text, text)


def units_of(paper: int, count: int = 12) -> list[Unit]:
    """Text and image units; texts repeat, so that scores tie."""
    draw = np.random.default_rng(paper)
    units = []
    for i in range(count):
        text = " ".join(draw.choice(WORDS, size=int(draw.integers(1, 9))))
        units.append(chunk(paper, i, text if i % 4 else "graph model", i % 5 + 1))
        box = Box(*(float(v) for v in draw.integers(0, 120, 4)))
        units.append(Unit(BOXES, paper_id(paper), i % 3 + 1, units[-1].key, "", box=box))
    return units


def vectors_of(ids: NDArray[np.int64]) -> NDArray[np.float32]:
    """Unit vectors; every third id shares its vector, so that scores tie."""
    rows = [np.random.default_rng(int(i) if i % 3 else 0).standard_normal(DIM) for i in ids]
    matrix = np.asarray(rows, dtype=np.float32).reshape(len(ids), DIM)
    unit: NDArray[np.float32] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return unit


class Small:
    """Entries in a database, here in memory, and the index below a folder."""

    def __init__(self, folder: Path, database: Path | str = ":memory:", uri: str = "files") -> None:
        self.connection = duckdb.connect(database)
        migrate(self.connection)
        self.index = Index(folder / "index", uri)

    def enter(self, units: Sequence[Unit]) -> tuple[int, Batch]:
        """The rows alone: ids of entries, and what the index is to be given."""
        batch = analyse(units[0].paper_id, units)
        return entries.write(self.connection, batch), batch

    def put(self, units: Sequence[Unit]) -> NDArray[np.int64]:
        """A paper with its words; gives the ids of its entries."""
        first, batch = self.enter(units)
        with self.index.writing() as writer:
            writer.put([(first, batch)])
        return np.arange(first, first + len(batch), dtype=np.int64)

    def add(self, paper: int) -> NDArray[np.int64]:
        """A paper with words and vectors."""
        ids = self.put(units_of(paper))
        self.encode(ids)
        return ids

    def encode(self, ids: NDArray[np.int64]) -> None:
        """The later stage: the vectors of entries that are there; texts and pictures take turns."""
        for collection, chosen in ((DENSE, ids[::2]), (CLIP, ids[1::2])):
            if self.index.about(collection) is None:
                self.index.files(collection).create(About(DIM))
            self.index.vectors(collection).put(chosen, vectors_of(chosen), self.view())

    def remove(self, *papers: int) -> None:
        """Take papers out, rows first."""
        entries.delete(self.connection, [paper_id(paper) for paper in papers])
        with self.index.writing() as writer:
            writer.remove([paper_id(paper) for paper in papers])

    def view(self, *collections: str) -> View:
        """The index as the rows are now."""
        return self.index.view(self.connection, collections or (DENSE, CLIP))
