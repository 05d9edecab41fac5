"""One suite for every place where vectors may lie: files, Milvus Lite, and a server where there is one.

The server's are marked slow: `QUIRE_MILVUS=http://127.0.0.1:19530 pytest -m slow tests/search/test_milvus.py`
runs them over one that is up; those that stop and start it need `QUIRE_MILVUS_SERVER`, the Python of an
environment with the wheel `milvus` 2.3.5 (and `setuptools<81`).
"""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from numpy.typing import NDArray

from quire.errors import VectorsAway
from quire.search import MINILM, entries
from quire.search.asked import read
from quire.search.batch import analyse
from quire.search.cells import Unit, pair
from quire.search.filters import parse
from quire.search.index import Index
from quire.search.search import Request, column_search
from quire.search.signals import said_in
from quire.search.vectors import About
from quire.search.view import RANKED, View
from quire.store.migrate import migrate

SERVER = os.environ.get("QUIRE_MILVUS", "")
SENTENCE, CHUNK, TITLE = (
    pair("sentences", "sentence_content"),
    pair("chunks", "text_content"),
    pair("metadata", "title"),
)
DIM, PAPERS, EACH = 16, 6, 30
PLACES = [
    "files",
    "milvus",
    "milvus?words",
    *(
        pytest.param(place, marks=[pytest.mark.slow, pytest.mark.skipif(not SERVER, reason="no server")])
        for place in ("server", "server?words")
    ),
]


def paper_id(number: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"paper {number}"))


def units_of(number: int) -> list[Unit]:
    owner = paper_id(number)
    key = [str(uuid.uuid5(uuid.NAMESPACE_OID, f"{number} {at}")) for at in range(EACH)]
    pairs = [TITLE, *([SENTENCE, CHUNK] * EACH)][:EACH]
    return [
        Unit(of, owner, at % 5 + 1, key[at], f"word{at} of paper{number} says graph")
        for at, of in enumerate(pairs)
    ]


def vectors_of(ids: NDArray[np.int64]) -> NDArray[np.float32]:
    """A vector of length 1 for every id, the same each time."""
    rows = np.zeros((len(ids), DIM), dtype=np.float32)
    for at, number in enumerate(ids):
        rows[at] = np.random.default_rng(int(number)).standard_normal(DIM)
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


QUERY = vectors_of(np.asarray([10_000]))[0]


class Asks:
    """An encoder that knows one question."""

    name, dim, max_tokens, precision = MINILM, DIM, 100, "float32"

    def encode(self, items: Sequence[str | bytes]) -> NDArray[np.float32]:
        rows: NDArray[np.float32] = np.tile(QUERY, (len(items), 1))
        return rows

    def encode_query(self, text: str) -> NDArray[np.float32]:
        asked: NDArray[np.float32] = QUERY
        return asked


class Filled:
    """An index with the vectors of some papers, somewhere."""

    def __init__(self, folder: Path, place: str) -> None:
        where, mark, words = place.partition("?")
        places = {"files": "files", "milvus": f"milvus:{folder / 'v.db'}", "server": f"milvus+{SERVER}"}
        self.uri = places[where] + mark + words
        self.folder = folder
        self.exact = place != "files"  # eight bits are some hundredths off
        self.worded = bool(words)
        self.connection = duckdb.connect(folder / "library.duckdb")
        migrate(self.connection)
        self.index = Index(folder / "index", self.uri)

    @property
    def view(self) -> View:
        return self.index.view(self.connection, [MINILM])

    def enter(self, number: int) -> NDArray[np.int64]:
        """Add a paper without vectors; gives the ids of its entries."""
        batch = analyse(paper_id(number), units_of(number))
        first = entries.write(self.connection, batch)
        with self.index.writing() as writer:
            writer.put([(first, batch)])
        return np.arange(first, first + len(batch))

    def add(self, number: int) -> NDArray[np.int64]:
        """Add a paper with all its vectors; gives the ids of its entries."""
        ids = self.enter(number)
        if self.index.about(MINILM) is None:
            self.index.files(MINILM).create(About(DIM))
        self.index.vectors(MINILM).put(ids, vectors_of(ids), self.view)
        return ids

    def remove(self, number: int) -> None:
        entries.delete(self.connection, [paper_id(number)])
        with self.index.writing() as writer:
            writer.remove([paper_id(number)])

    def close(self) -> None:
        self.connection.close()
        self.index.close()


@pytest.fixture(scope="module", params=PLACES)
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    made = Filled(tmp_path_factory.mktemp("filled"), request.param)
    for number in range(PAPERS):
        made.add(number)
    made.index.vectors(MINILM).settle(made.view)
    yield made
    made.index.vectors(MINILM).drop()
    made.close()


@pytest.fixture(params=PLACES)
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Filled]:
    made = Filled(tmp_path, request.param)
    yield made
    made.index.vectors(MINILM).drop()
    made.close()


def same(
    made: Filled, scope_ids: NDArray[np.int64], found: tuple[NDArray[np.int64], NDArray[np.float32]]
) -> None:
    """What was found is what looking at each entry of the scope finds."""
    ids, near = found
    truth = vectors_of(scope_ids) @ QUERY
    wanted = scope_ids[np.argsort(-truth)][: len(ids)]
    off = 1e-5 if made.exact else 0.03
    assert np.allclose(near, vectors_of(ids) @ QUERY, atol=off)
    assert list(near) == sorted(near, reverse=True)
    assert np.allclose(np.sort(near), np.sort(vectors_of(wanted) @ QUERY), atol=off)
    if made.exact:
        assert ids.tolist() == wanted.tolist()


@pytest.mark.parametrize("limit", [1, 7, 1000])
@pytest.mark.parametrize("papers", [(), (1,), (0, 4), (9,)])
@pytest.mark.parametrize("pairs", [(SENTENCE,), (SENTENCE, TITLE), (pair("tables", "table_caption"),)])
def test_the_nearest_under_every_mask(
    filled: Filled, pairs: tuple[object, ...], papers: tuple[int, ...], limit: int
) -> None:
    view = filled.view
    scope = view.scope(pairs, [paper_id(n) for n in papers])  # type: ignore[arg-type]
    found = view.vectors[MINILM].search(QUERY, scope, limit)
    assert len(found[0]) == min(limit, scope.size)
    same(filled, scope.ids, found)


def test_the_nearest_of_named_entries(filled: Filled) -> None:
    view = filled.view
    for named in ([], [3], range(0, 150, 7), range(10_000)):
        scope = view.scope((SENTENCE,), ids=np.asarray(named, dtype=np.int64))
        found = view.vectors[MINILM].search(QUERY, scope, 50)
        assert len(found[0]) == min(50, scope.size)
        same(filled, scope.ids, found)


def test_cosines_and_rows_come_in_the_order_that_was_asked(filled: Filled) -> None:
    vectors = filled.index.vectors(MINILM)
    ids = np.asarray([5, 170, 5, 0, 999, 12])  # one twice, two that nobody has
    truth = vectors_of(ids)
    truth[[3, 4]] = 0
    off = 1e-5 if filled.exact else 0.03
    assert np.allclose(vectors.rows(ids), truth, atol=off)
    assert np.allclose(vectors.cosines(QUERY, ids), truth @ QUERY, atol=off)
    assert vectors.held(200).tolist() == [False] + [True] * 180 + [False] * 19


@pytest.mark.parametrize(
    "text",
    [
        f"pdf_id == '{paper_id(2)}'",
        "page_number not in [1, 2]",
        "not (page_number == 1)",
        "1 < page_number < 4 or id > 100",
        "page_number % 2 == 1 and primary_key like 'a%'",
        "page_number in []",
    ],
)
def test_a_column_under_filters(filled: Filled, text: str) -> None:
    asked = Request("graph", MINILM, "sentences", "sentence_content", filter=text, limit=20)
    found = column_search(filled.view, filled.connection, asked, {MINILM: Asks()})
    inside = entries.filtered(filled.connection, SENTENCE.number, parse(text))
    assert len(found) == min(20, len(inside))
    same(
        filled,
        inside,
        (np.asarray([f.id for f in found], dtype=np.int64), np.asarray([f.score for f in found])),
    )


def test_what_is_removed_is_not_found_and_is_forgotten_there(fresh: Filled) -> None:
    for number in range(3):
        fresh.add(number)
    vectors = fresh.index.vectors(MINILM)
    vectors.settle(fresh.view)
    fresh.remove(1)
    view = fresh.view
    found, _ = view.vectors[MINILM].search(QUERY, view.scope((SENTENCE, CHUNK)), 1000)
    assert set(view.live.owners(found).tolist()) == {0, 1}, "before anybody told the place"
    vectors.settle(view)
    if fresh.exact:
        assert vectors.held(91)[1:].tolist() == [True] * 30 + [False] * 30 + [True] * 30
    vectors.remove(np.arange(1, 10))
    assert not vectors.held(90)[:10].any()
    assert not vectors.cosines(QUERY, np.arange(10)).any()


def test_a_paper_that_comes_again_has_its_new_vectors_alone(fresh: Filled) -> None:
    fresh.add(0)
    fresh.add(1)
    fresh.remove(0)
    again = fresh.add(0)
    view = fresh.view
    view.vectors[MINILM].settle(view)
    scope = view.scope((SENTENCE,), [paper_id(0)])
    found = view.vectors[MINILM].search(QUERY, scope, 1000)
    assert set(found[0].tolist()) == {i for i in again.tolist() if view.slots.pairs[i] == SENTENCE.number}
    same(fresh, scope.ids, found)


def test_words_are_found_where_they_are_and_what_is_not_there_is_looked_through(fresh: Filled) -> None:
    firsts = [int(fresh.add(number)[0]) for number in range(3)]
    vectors, words = fresh.index.vectors(MINILM), fresh.index.words
    told = vectors.settle(fresh.view)
    assert words.counted == (fresh.worded and vectors.takes_words())
    assert bool(told) == (fresh.worded and not words.counted)
    if not fresh.uri.startswith("milvus+"):
        assert words.counted == fresh.worded
    asked = read("a graph of paper1 that says word3, word4 or nothing")
    for pairs in ((SENTENCE,), (CHUNK,), RANKED, (SENTENCE, TITLE)):
        for papers in ((), (paper_id(1), paper_id(2)), (paper_id(9),)):
            scope = fresh.view.scope(pairs, papers)
            assert said_in(scope, asked, 1000).tolist() == scope.ids.tolist(), "all say `graph`"
            counted = fresh.view.scope(RANKED, papers) if words.counted and pairs == (CHUNK,) else scope
            texts = [set(fresh.view.unit(id).text.split()) for id in counted.ids.tolist()]
            told_of = words.frequencies(("graph", "paper1", "word3"), counted.pairs, counted.papers)
            assert told_of == {word: sum(word in text for text in texts) for word in told_of}
            assert len(words.search(("graph",), scope.pairs, scope.papers, 9)) == (
                0 if words.counted else min(9, scope.size)
            )
    scope = fresh.view.scope((SENTENCE,))
    (best,) = said_in(scope, asked, 1)
    assert fresh.view.unit(int(best)).text.startswith("word3 of paper1")
    assert len(words) == fresh.view.words_expected()
    assert words.said("word2")
    assert not words.said("word33")
    assert words.alike("grahp", 1) == ["graph"]
    for _ in range(2):  # to the other place, and back
        with fresh.index.writing() as writer:
            writer.move_words((first, analyse(paper_id(n), units_of(n))) for n, first in enumerate(firsts))
        assert said_in(scope, asked, 1000).tolist() == scope.ids.tolist(), "by a view of before, too"
        assert len(words) == fresh.view.words_expected()
    if words.counted:
        weights = {number: 1.0 for number in asked.terms}
        assert len(vectors.said(weights, scope, 2)[1]) == 0
        vectors.remove(np.arange(40, 50))
        assert vectors.said(weights, scope, 2)[1].tolist() == [40, 42, 44, 46, 48]
        away = Index(fresh.folder / "index", "milvus+http://127.0.0.1:9?words")
        scope = away.view(fresh.connection, [MINILM]).scope((SENTENCE,))
        assert said_in(scope, asked, 1000).tolist() == scope.ids.tolist(), "all is looked through"
        assert said_in(scope, asked, 1) == best
        fresh.enter(3)
        assert len(said_in(fresh.view.scope((SENTENCE,)), asked, 1000)) == fresh.view.scope((SENTENCE,)).size


def test_words_of_a_paper_that_comes_again_are_looked_through_until_they_are_there(fresh: Filled) -> None:
    for number in range(2):
        fresh.add(number)
    fresh.index.vectors(MINILM).settle(fresh.view)
    fresh.remove(1)
    fresh.enter(1)  # as many as have gone
    scope = fresh.view.scope((SENTENCE,))
    assert said_in(scope, read("a graph of paper1"), 1000).tolist() == scope.ids.tolist()
    assert len(fresh.index.words) == fresh.view.words_expected()


def test_who_wants_words_no_more_goes_on_with_the_collection_that_has_them(fresh: Filled) -> None:
    fresh.add(0)
    fresh.index.close()
    fresh.index = Index(fresh.folder / "index", fresh.uri.removesuffix("?words"))
    fresh.add(1)
    scope = fresh.view.scope((SENTENCE,))
    same(fresh, scope.ids, fresh.view.vectors[MINILM].search(QUERY, scope, 9))


def test_a_change_of_the_index_that_was_cut_off_is_made_up_for(fresh: Filled) -> None:
    if fresh.uri == "files":
        pytest.skip("no index")
    fresh.add(0)
    vectors: Any = fresh.index.vectors(MINILM)
    with vectors._talking() as client:
        client.release_collection(vectors._name)
        client.drop_index(vectors._name, "vector")
    vectors.close()
    fresh.add(1)
    vectors.settle(fresh.view)
    scope = fresh.view.scope((SENTENCE,))
    same(fresh, scope.ids, vectors.search(QUERY, scope, 9))


def test_what_milvus_lite_builds_it_builds_in_silence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    made = Filled(tmp_path, "milvus")
    for number in range(2):
        made.add(number)
    made.index.vectors(MINILM).settle(made.view)
    scope = made.view.scope((SENTENCE,))
    same(made, scope.ids, made.index.vectors(MINILM).search(QUERY, scope, 9))
    made.close()
    assert "centroids" not in capfd.readouterr().err


def test_vectors_are_replaced_in_place(fresh: Filled) -> None:
    ids = fresh.add(0)
    vectors = fresh.index.vectors(MINILM)
    vectors.put(ids[:5], -vectors_of(ids[:5]), fresh.view)
    assert int(vectors.held(100).sum()) == len(ids)
    assert np.allclose(vectors.cosines(QUERY, ids[:5]), -vectors_of(ids[:5]) @ QUERY, atol=0.03)


_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.search.test_milvus import Filled
made = Filled(Path(sys.argv[1]), sys.argv[2])
made.add(0)
made.add(1)
print("there", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("place", PLACES)
def test_reopened_after_a_kill(place: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(tmp_path), place],
        cwd=Path(__file__).parents[2], capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert b"there" in done.stdout, done.stderr
    made = Filled(tmp_path, place)
    try:
        assert made.view.vectors[MINILM].held(61)[1:].all(), "what was acknowledged is there"
        made.add(2)
        scope = made.view.scope((SENTENCE,))
        same(made, scope.ids, made.view.vectors[MINILM].search(QUERY, scope, 1000))
    finally:
        made.index.vectors(MINILM).drop()
        made.close()


@pytest.mark.slow
@pytest.mark.skipif(not SERVER, reason="no server")
def test_two_libraries_share_a_server(tmp_path: Path) -> None:
    both = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        both.append(Filled(tmp_path / name, "server"))
    one, other = both
    try:
        one.add(0)
        other.add(1)
        other.add(2)
        assert [int(made.index.vectors(MINILM).held(91).sum()) for made in both] == [30, 60]
    finally:
        for made in both:
            made.index.vectors(MINILM).drop()
            made.close()


def test_a_server_that_is_not_there_is_told_at_once_and_a_file_in_use_too(tmp_path: Path) -> None:
    nobody = Index(tmp_path / "index", "milvus+http://127.0.0.1:9").vectors(MINILM)
    with pytest.raises(VectorsAway, match="See that it runs"):
        nobody.held(1)
    first, second = (tmp_path / name for name in ("first", "second"))
    first.mkdir()
    second.mkdir()
    made = Filled(first, "milvus")
    made.add(0)
    code = f"""
from pathlib import Path
import tests.search.test_milvus as suite
made = suite.Filled(Path({str(second)!r}), "files")
made.index.uri = {made.uri!r}
made.add(1)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    made.close()
    assert "VectorsAway" in done.stderr
    assert "one process at a time" in done.stderr
