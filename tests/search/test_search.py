"""Search over a small library: collections, fusion, scopes and their errors."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import EncoderUnavailable, FilterError, QueryError, UnknownNameError
from quire.search import BM25, MINILM
from quire.search.dense import encode_waiting
from quire.search.search import Request, Scored, best, column_search, fuse, move_up
from quire.search.vectors import About
from tests.search.library import Small, chunk, paper_id
from tests.search.test_dense import Letters

TEXTS = ["a b a graph", "b b model", "c c c graph", "d and nothing else", "abcd graph model"]


def filled(folder: Path, papers: Sequence[Sequence[str]]) -> Small:
    """Papers of passages, a page each, with vectors."""
    made = Small(folder)
    made.index.files(MINILM).create(About(4))
    pages = itertools.count(1)
    for paper, texts in enumerate(papers):
        units = [chunk(paper, n, text, next(pages)) for n, text in enumerate(texts)]
        for unit in units:
            made.connection.execute(
                "INSERT INTO chunks (chunk_id, text_content) VALUES (?, ?)", [unit.key, unit.text]
            )
        made.put(units)
    encode_waiting(made.view(MINILM), Letters(MINILM), made.index.vectors(MINILM))
    return made


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    made = filled(tmp_path_factory.mktemp("search"), [TEXTS[:3], TEXTS[3:]])
    yield made
    made.connection.close()


def search(small: Small, request: Request, *, dense: bool = True) -> list[Scored]:
    encoders = {MINILM: Letters(MINILM)} if dense else {}
    return column_search(small.view(MINILM), small.connection, request, encoders)


def pages(small: Small, request: Request, *, dense: bool = True) -> list[int]:
    found = search(small, request, dense=dense)
    units = [small.view(MINILM).unit(hit.id) for hit in found]
    assert all((unit.pair.table, unit.pair.column) == (request.table, request.column) for unit in units)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    return [unit.page for unit in units]


def test_each_collection_and_both(small: Small) -> None:
    assert pages(small, Request("graph", BM25)) == [1, 5, 3]
    assert pages(small, Request("c", MINILM, limit=2)) == [3, 5]
    fused = pages(small, Request("graph c"))
    assert fused[0] == 3, "it is found by both"
    assert set(fused) == {1, 2, 3, 4, 5}


def test_without_a_dense_encoder_both_is_bm25(small: Small) -> None:
    assert pages(small, Request("graph"), dense=False) == [1, 5, 3]
    with pytest.raises(EncoderUnavailable, match=BM25):
        pages(small, Request("graph", MINILM), dense=False)


def test_scopes(small: Small) -> None:
    assert pages(small, Request("graph", papers=(paper_id(1),))) == [5, 4]
    assert pages(small, Request("graph", BM25, filter="page_number < 5 and page_number % 2 == 1")) == [
        1,
        3,
    ]
    assert pages(small, Request("the of", BM25)) == []
    assert pages(small, Request("graph", table="tables", column="table_caption")) == []


@pytest.mark.parametrize(
    ("request_", "error", "message"),
    [
        (Request(" "), QueryError, "empty"),
        (Request("x", limit=0), QueryError, "from 1 to 10000"),
        (Request("x", "text_bm25"), UnknownNameError, "Did you mean `text_bm25_en`"),
        (Request("x", table="papers"), QueryError, "Choose from: cells, chunks, equations, images"),
        (Request("x", column="title"), QueryError, "Choose from: text_content"),
        (Request("x", table="images", column="bounding_box"), QueryError, "image_clip"),
        (Request("x", "image_clip_clip_vit_base_patch32"), QueryError, "holds texts"),
        (Request("x", filter="page == 1"), FilterError, "page_number"),
        (Request("x", filter="bbox[0] < 1"), FilterError, "field of images"),
    ],
)
def test_wrong_requests_say_what_to_do(
    small: Small, request_: Request, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pages(small, request_)


def test_fusion_prefers_what_both_found() -> None:
    words = [Scored(1, 9.0), Scored(2, 8.0), Scored(3, 1.0)]
    meaning = [Scored(2, 0.9), Scored(4, 0.5), Scored(1, 0.1)]
    assert [hit.id for hit in fuse(words, meaning)] == [2, 1, 4, 3]
    assert [hit.id for hit in fuse(words, [])] == [1, 2, 3]
    assert [hit.id for hit in fuse([], meaning)] == [2, 4, 1]
    assert fuse([], []) == []


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("graph models", 2),
        ('a model "of the graph"', 3),
        ("the work numbered [12]", 4),
        ("\u201cno such thing\u201d", 1),
    ],
)
def test_texts_that_follow_the_query_move_up(query: str, first: int) -> None:
    texts = {1: "models, a graph 12", 2: "Graph models", 3: "A model (of the  Graph)", 4: "[12] Graphs"}
    level = [Scored(i, 0.5) for i in texts]
    assert move_up(level, texts, query)[0].id == first
    assert len(move_up(level, {}, query)) == 4


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    """300 passages of few letters: most scores tie, or nearly."""
    draw = random.Random(7)
    words = ["a", "b", "ab", "cd", "graph", "model"]
    texts = [" ".join(draw.choices(words, k=draw.randint(1, 9))) for _ in range(300)]
    made = filled(tmp_path_factory.mktemp("many"), [texts[n : n + 30] for n in range(0, 300, 30)])
    yield made
    made.connection.close()


@pytest.mark.parametrize("collection", [None, BM25, MINILM])
def test_a_larger_limit_only_adds(many: Small, collection: str | None) -> None:
    def found(limit: int) -> list[tuple[int, float]]:
        return [
            (hit.id, hit.score) for hit in search(many, Request("graph models ab", collection, limit=limit))
        ]

    everything = found(10_000)
    assert len(everything) > 150
    scores = [round(score, 5) for _, score in everything]
    assert scores == sorted(scores, reverse=True)
    for limit in (1, 2, 5, 20, 49, 50, 51, 60, 99, 100, 101, 150, 299):
        assert found(limit) == everything[:limit]


@given(
    st.lists(st.integers(0, 40).map(lambda n: 0.5 + n * 2.5e-6), min_size=1, max_size=60),
    st.integers(1, 60),
)
def test_ties_are_cut_where_they_are_ordered(scores: list[float], limit: int) -> None:
    ids = np.arange(len(scores), dtype=np.int64)
    rows = np.asarray(scores, dtype=np.float32)
    assert best(ids, rows, limit) == best(ids, rows, len(scores))[:limit]
