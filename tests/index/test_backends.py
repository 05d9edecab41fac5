"""One suite for every backend: the same hits, in the same order, with the same scores."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest
from numpy.typing import NDArray

from quire.errors import LibraryError, LibraryLocked
from quire.index import BM25, outbox
from quire.index.analyzer import term_numbers
from quire.index.backends import BACKENDS, Backend, Query
from quire.index.bm25 import K1, B
from quire.index.cells import pair
from quire.index.dense import encode_pending
from quire.index.filters import parse
from quire.index.moving import move
from quire.index.postings import analyse
from quire.index.scope import Scope
from quire.index.writing import delete, merge, write
from tests.index import library
from tests.index.evaluator import holds
from tests.index.library import CLIP, DENSE, DIM, add, cells_of, paper_id, vectors_of
from tests.index.test_dense import Letters

CHUNKS, BOXES = pair("chunks", "text_content"), pair("images", "bounding_box")
QUERY = np.asarray(vectors_of(np.asarray([1]))[0] + 0.1, dtype=np.float32)
QUERY /= np.linalg.norm(QUERY)
PAPERS = 6

FILTERS = [
    "",
    f"pdf_id == '{paper_id(2)}'",
    f"pdf_id in ['{paper_id(1)}', '{paper_id(3)}'] and page_number == 1",
    "page_number not in [1, 2]",
    "not (page_number == 1)",
    "!(page_number > 2) && id > 10",
    "page_number < 2 or page_number >= 5",
    "page_number <= 3 and page_number != 2",
    "1 < page_number < 4",
    "page_number + 1 == 3",
    "page_number - 1 == 3",
    "page_number * 2 > 5",
    "page_number / 2 == 1.5",
    "page_number % 2 == 1",
    "page_number ** 2 == 9",
    "-page_number < -2",
    "2 == page_number",
    "table_name == 'chunks'",
    "primary_key like 'a%'",
    "primary_key not like '%1'",
    "pdf_id == 'it\\'s'",
    "page_number in []",
    "column_name > 'a'",
    "id % 7 == 3 or primary_key < '8'",
]
BOX_FILTERS = [
    "bbox[0] < 50",
    "bbox[0] + bbox[2] <= 100 and bbox[1] + bbox[3] <= 200",
    "bbox[2] / bbox[3] > 1",
    "bbox[1] % 2 == 0",
    "array_contains(bbox, 100)",
    "array_contains_any(bbox, [1, 2, 3, 4, 5, 6, 7, 8])",
    "array_contains_all(bbox, [1])",
    "array_length(bbox) == 4",
    "bbox[0] >= 20 and not (bbox[3] > 60)",
    "bbox == [1, 2, 3, 4]",
    "bbox[7] == 1",
]


class Filled:
    """A filled library with one backend."""

    def __init__(self, name: str, folder: Path) -> None:
        self.uri = f"{name}:{folder / 'vectors.db'}"
        self.connection = library.create()
        self.backend: Backend = BACKENDS.load(name)(self.uri)
        for number in range(PAPERS):
            add(self.connection, self.backend, number)

    def hits(self, collection: str, query: Query, scope: Scope, limit: int = 10) -> list[tuple[int, float]]:
        found = self.backend.search(self.connection, collection, query, scope, limit)
        return [(hit.id, hit.score) for hit in found]


@pytest.fixture(scope="module", params=["duckdb", "milvus"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    made = Filled(request.param, tmp_path_factory.mktemp(request.param))
    yield made
    made.connection.close()
    close(made.backend)


def close(backend: Backend) -> None:
    if hasattr(backend, "close"):
        backend.close()


def expected(
    connection: duckdb.DuckDBPyConnection, query: Query, scope: Scope, text: str, limit: int = 10
) -> list[tuple[int, float]]:
    """What any backend must find, computed one entry after the other."""
    cursor = connection.execute("SELECT * FROM entries WHERE pair = ?", [scope.pair.number])
    names = [column[0] for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    tree = parse(text) if text else None
    inside = [
        row["id"]
        for row in rows
        if (not scope.papers or row["pdf_id"] in scope.papers) and (tree is None or holds(tree, row))
    ]
    scores = cosines(inside, query) if isinstance(query, np.ndarray) else bm25(connection, rows, query)
    ranked = sorted(inside, key=lambda i: (-round(scores.get(i, 0.0), 5), i))
    return [(i, scores[i]) for i in ranked if i in scores][:limit]


def count(backend: Backend, connection: duckdb.DuckDBPyConnection, collection: str) -> int:
    held = backend.held(connection, collection)
    assert not len(held.strays)
    return len(held.ids)


def cosines(ids: list[int], query: NDArray[np.float32]) -> dict[int, float]:
    return dict(zip(ids, (vectors_of(np.asarray(ids)) @ query).tolist(), strict=True)) if ids else {}


def bm25(
    connection: duckdb.DuckDBPyConnection, rows: list[dict[str, object]], query: Query
) -> dict[int, float]:
    assert isinstance(query, dict)
    words = {cell.key: term_numbers(cell.text) for n in range(20) for cell in cells_of(n) if cell.text}
    texts = {int(str(row["id"])): Counter(words[str(row["primary_key"])]) for row in rows}
    ((frozen_words, frozen),) = connection.execute(
        "SELECT frozen_words, frozen_entries FROM pair_sizes WHERE pair = ?", [CHUNKS.number]
    ).fetchall()
    scores: dict[int, float] = {}
    for term, count in query.items():
        df = sum(term in text for text in texts.values())
        idf = np.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
        for entry, text in texts.items():
            if tf := text[term]:
                norm = K1 * (1 - B + B * text.total() / (frozen_words / frozen))
                scores[entry] = scores.get(entry, 0.0) + count * idf * tf / (tf + norm)
    return scores


def same(found: list[tuple[int, float]], wanted: list[tuple[int, float]]) -> None:
    assert [key for key, _ in found] == [key for key, _ in wanted]
    assert [score for _, score in found] == pytest.approx([score for _, score in wanted], abs=2e-5)


def words(text: str) -> dict[int, int]:
    return dict(Counter(term_numbers(text)))


@pytest.mark.parametrize("text", FILTERS)
def test_dense_search_under_every_filter(filled: Filled, text: str) -> None:
    scope = Scope(CHUNKS, filter=parse(text) if text else None)
    same(filled.hits(DENSE, QUERY, scope), expected(filled.connection, QUERY, scope, text))


@pytest.mark.parametrize("text", BOX_FILTERS)
def test_image_search_under_every_array_filter(filled: Filled, text: str) -> None:
    scope = Scope(BOXES, filter=parse(text))
    same(filled.hits(CLIP, QUERY, scope), expected(filled.connection, QUERY, scope, text))


@pytest.mark.parametrize("text", FILTERS)
def test_bm25_search_under_every_filter(filled: Filled, text: str) -> None:
    query = words("graph attention loss, graph of a corpus, unheardof")
    scope = Scope(CHUNKS, filter=parse(text) if text else None)
    same(filled.hits(BM25, query, scope), expected(filled.connection, query, scope, text))


@pytest.mark.parametrize("limit", [1, 3, 40, 1000])
def test_limits_and_papers(filled: Filled, limit: int) -> None:
    scope = Scope(CHUNKS, papers=(paper_id(1), paper_id(4)))
    for collection, query in ((DENSE, QUERY), (BM25, words("graph model"))):
        wanted = expected(filled.connection, query, scope, "", limit)
        same(filled.hits(collection, query, scope, limit), wanted)


def test_nothing_to_find(filled: Filled) -> None:
    assert filled.hits(BM25, words("unheardof"), Scope(CHUNKS)) == []
    assert filled.hits(BM25, words("graph"), Scope(CHUNKS, papers=("nobody",))) == []
    assert filled.hits(DENSE, QUERY, Scope(pair("tables", "table_caption"))) == []
    assert filled.hits("text_sentence_transformers_bge_large_en_v1_5", QUERY, Scope(CHUNKS)) == []


@pytest.fixture(params=["duckdb", "milvus"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Filled]:
    made = Filled(request.param, tmp_path)
    yield made
    made.connection.close()
    close(made.backend)


def test_counts_follow_upsert_and_delete(fresh: Filled) -> None:
    assert count(fresh.backend, fresh.connection, DENSE) == 12 * PAPERS
    ids = np.asarray([1, 3, 5], dtype=np.int64)
    turned = -vectors_of(ids)
    fresh.backend.upsert(fresh.connection, DENSE, ids, turned)
    assert count(fresh.backend, fresh.connection, DENSE) == 12 * PAPERS
    found = fresh.hits(DENSE, turned[0], Scope(CHUNKS), 1)
    assert found[0][0] == 1
    assert found[0][1] == pytest.approx(1)

    gone = [paper_id(0), paper_id(2)]
    delete(fresh.connection, gone)
    outbox.send(library.always(fresh.connection), library.always(fresh.connection), fresh.backend)
    assert count(fresh.backend, fresh.connection, DENSE) == 12 * (PAPERS - 2)
    assert count(fresh.backend, fresh.connection, CLIP) == 12 * (PAPERS - 2)
    for collection, query in ((DENSE, QUERY), (BM25, words("graph layer"))):
        same(
            fresh.hits(collection, query, Scope(CHUNKS)), expected(fresh.connection, query, Scope(CHUNKS), "")
        )


def test_scores_stay_equal_while_the_average_moves(fresh: Filled) -> None:
    query = words("graph layer word")
    for number in range(PAPERS, PAPERS + 8):
        add(fresh.connection, fresh.backend, number)
        same(fresh.hits(BM25, query, Scope(CHUNKS)), expected(fresh.connection, query, Scope(CHUNKS), ""))
    merge(fresh.connection)
    same(fresh.hits(BM25, query, Scope(CHUNKS)), expected(fresh.connection, query, Scope(CHUNKS), ""))


def test_vectors_move_there_and_back(tmp_path: Path) -> None:
    connection, here = library.create(), BACKENDS.load("duckdb")("")
    there = BACKENDS.load("milvus")(f"milvus:{tmp_path / 'vectors.db'}")
    encoded = Letters()
    for number in range(3):
        write(connection, analyse(c for c in cells_of(number) if c.text))
    connection.execute(
        "INSERT INTO chunks (chunk_id, text_content) SELECT primary_key, 'abcd'[id % 4 + 1:] FROM entries"
    )
    same_ = library.always(connection)
    encode_pending(same_, same_, here, encoded)
    queries: list[tuple[str, Query]] = [(DENSE, encoded.encode_query("abbd")), (BM25, words("graph layer"))]
    wanted = [here.search(connection, name, query, Scope(CHUNKS), 9) for name, query in queries]
    try:
        for source, target in ((here, there), (there, here)):
            assert move(same_, same_, source, target) == 36
            assert (count(source, connection, DENSE), count(target, connection, DENSE)) == (0, 36)
            found = [target.search(connection, name, query, Scope(CHUNKS), 9) for name, query in queries]
            for hits, before in zip(found, wanted, strict=True):
                same([(h.id, h.score) for h in hits], [(h.id, h.score) for h in before])
    finally:
        close(there)
        connection.close()


_CRASH = """
import os, signal, sys
import numpy as np
from quire.index.backends import BACKENDS
from quire.index.postings import analyse
from quire.index.writing import write
from tests.index import library
name, uri, path = sys.argv[1:]
connection = library.create(path)
backend = BACKENDS.load(name)(uri)
for number in range(3):
    connection.begin()
    library.add(connection, backend, number)
    connection.commit()
ids = np.asarray(write(connection, analyse(library.cells_of(3))))
connection.begin()
library.add_vectors(connection, backend, ids)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("name", ["duckdb", "milvus"])
def test_reopened_after_a_kill(name: str, tmp_path: Path) -> None:
    uri, path = f"{name}:{tmp_path / 'vectors.db'}", tmp_path / "library.duckdb"
    script = [sys.executable, "-c", _CRASH, name, uri, str(path)]
    subprocess.run(script, check=False, cwd=Path(__file__).parents[2], capture_output=True, timeout=60)
    connection, backend = duckdb.connect(path), BACKENDS.load(name)(uri)
    try:
        ids = [row[0] for row in connection.execute("SELECT id FROM entries ORDER BY id").fetchall()]
        assert len(ids) == 4 * 24, "what was committed is there"
        library.add_vectors(connection, backend, np.asarray(ids[3 * 24 :]))
        for collection, query in ((DENSE, QUERY), (BM25, words("graph layer"))):
            found = backend.search(connection, collection, query, Scope(CHUNKS), 10)
            wanted = expected(connection, query, Scope(CHUNKS), "")
            same([(hit.id, hit.score) for hit in found], wanted)
        assert count(backend, connection, DENSE) == 4 * 12
    finally:
        connection.close()
        close(backend)


def test_milvus_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="No Milvus answers"):
        BACKENDS.load("milvus")("milvus+http://127.0.0.1:9")
    held = BACKENDS.load("milvus")(f"milvus:{tmp_path / 'v.db'}")
    code = f"from quire.index.backends.milvus import connect; connect('milvus:{tmp_path / 'v.db'}')"
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert LibraryLocked.__name__ in done.stderr
    finally:
        held.close()
    assert DIM == vectors_of(np.asarray([1])).shape[1]
