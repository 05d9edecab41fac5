"""Search at 100 000 entries: the default backend against Milvus Lite, same entries, same run.

    python benchmarks/search_speed.py [--entries 100000] [--queries 200] [--no-milvus]

Entries are synthetic: unit vectors of 384 dimensions in 2000 clusters and texts of 60 words with Zipf
frequencies, 1000 entries to a paper, whose vectors are NOT near each other. Every query is new. Recall@10 is
against a plain computation (float64 for dense, a dictionary per text for BM25); hits that tie with the tenth
count. "first" is the first search after opening the file, reading vectors or postings included.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index import BM25, MINILM, Cell
from quire.index.analyzer import term_numbers
from quire.index.backends import BACKENDS, Backend, Query
from quire.index.bm25 import K1, B
from quire.index.cells import pair
from quire.index.dense import send_pending
from quire.index.postings import analyse
from quire.index.scope import Scope
from quire.index.writing import write
from quire.store.migrate import migrate

DIM, PER_PAPER, LIMIT = 384, 1000, 10
CHUNKS = pair("chunks", "text_content")


@dataclass(frozen=True)
class Data:
    """What is stored and what is asked."""

    texts: list[str]
    vectors: NDArray[np.float32]
    papers: list[str]
    text_queries: list[str]
    vector_queries: NDArray[np.float32]


def make(entries: int, queries: int) -> Data:
    draw = np.random.default_rng(7)
    frequency = 1 / np.arange(1, 50_001) ** 0.9
    cumulative = np.cumsum(frequency / frequency.sum())

    def text(words: int) -> str:
        return " ".join(f"w{n}x" for n in np.searchsorted(cumulative, draw.random(words)))

    def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    centres = draw.standard_normal((2000, DIM))
    near = centres[draw.integers(0, 2000, entries)] + 0.7 * draw.standard_normal((entries, DIM))
    asked = centres[draw.integers(0, 2000, queries)] + 0.7 * draw.standard_normal((queries, DIM))
    papers = [str(uuid.UUID(int=n)) for n in range(math.ceil(entries / PER_PAPER))]
    return Data(
        [text(60) for _ in range(entries)], unit(near), papers, [text(6) for _ in range(queries)], unit(asked)
    )


def fill(path: Path, data: Data, backends: dict[str, Backend]) -> None:
    with duckdb.connect(path) as connection:
        migrate(connection)

        @contextmanager
        def same() -> Iterator[duckdb.DuckDBPyConnection]:
            yield connection

        took = dict.fromkeys(backends, 0.0)
        for number, paper in enumerate(data.papers):
            texts = data.texts[number * PER_PAPER : (number + 1) * PER_PAPER]
            batch = analyse(
                Cell("chunks", "text_content", str(i), paper, i % 20 + 1, t) for i, t in enumerate(texts)
            )
            connection.begin()
            ids = np.asarray(write(connection, batch), dtype=np.int64)
            connection.commit()
            for name, backend in backends.items():
                start = time.perf_counter()
                backend.upsert(connection, MINILM, ids, data.vectors[ids - 1])
                took[name] += time.perf_counter() - start
        connection.execute("CHECKPOINT")
        for name, backend in backends.items():
            start = time.perf_counter()
            if name == "milvus":
                send_pending(same, same, backend)
            took[name] += time.perf_counter() - start
            print(f"filled {name}: {took[name]:.1f} s")


def exact_dense(data: Data, scope: Scope) -> list[NDArray[np.float64]]:
    rows = rows_of(data, scope)
    vectors = data.vectors[rows].astype(np.float64)
    scores = []
    for query in data.vector_queries:
        padded = np.full(len(data.vectors) + 1, -np.inf)
        padded[rows + 1] = vectors @ query
        scores.append(padded)
    return scores


def exact_bm25(data: Data, scope: Scope) -> list[NDArray[np.float64]]:
    counted = [Counter(term_numbers(text)) for text in data.texts]
    lengths = np.asarray([count.total() for count in counted])
    # The average is frozen at the last doubling of the number of entries, papers being added one by one.
    papers, frozen = 1, 1
    while papers < len(data.papers):
        papers += 1
        frozen = papers if papers >= 2 * frozen else frozen
    average = float(lengths[: frozen * PER_PAPER].mean())
    postings: dict[int, list[tuple[int, int]]] = {}
    for entry, count in enumerate(counted):
        for term, tf in count.items():
            postings.setdefault(term, []).append((entry, tf))
    inside = np.zeros(len(data.texts), dtype=bool)
    inside[rows_of(data, scope)] = True
    scores = []
    for text in data.text_queries:
        sums = np.full(len(data.texts) + 1, 0.0)
        for term, times in Counter(term_numbers(text)).items():
            found = postings.get(term, [])
            idf = math.log(1 + (len(counted) - len(found) + 0.5) / (len(found) + 0.5))
            for entry, tf in found:
                norm = K1 * (1 - B + B * lengths[entry] / average)
                sums[entry + 1] += times * idf * tf / (tf + norm)
        sums[1:][~inside] = 0.0
        scores.append(sums)
    return scores


def rows_of(data: Data, scope: Scope) -> NDArray[np.int64]:
    if not scope.papers:
        return np.arange(len(data.texts))
    first = data.papers.index(scope.papers[0]) * PER_PAPER
    return np.arange(first, min(first + PER_PAPER, len(data.texts)))


def recall(found: list[int], scores: NDArray[np.float64]) -> float:
    floor = np.partition(scores, -LIMIT)[-LIMIT] - 1e-5
    wanted = min(LIMIT, int((scores > max(floor, 0) - 1e-5).sum()))
    return sum(scores[i] >= floor for i in found) / max(wanted, 1) if found or wanted else 1.0


def measure(
    connection: duckdb.DuckDBPyConnection,
    backend: Backend,
    collection: str,
    queries: list[Query],
    scope: Scope,
    exact: list[NDArray[np.float64]],
) -> tuple[float, float, float]:
    """Median milliseconds, mean milliseconds of processor time, mean recall."""
    times, recalls, used = [], [], time.process_time()
    for query, scores in zip(queries, exact, strict=True):
        start = time.perf_counter()
        hits = backend.search(connection, collection, query, scope, LIMIT)
        times.append(time.perf_counter() - start)
        recalls.append(min(1.0, recall([hit.id for hit in hits], scores)))
    used = (time.process_time() - used) / len(queries)
    return statistics.median(times) * 1000, used * 1000, statistics.fmean(recalls)


def run(entries: int, queries: int, milvus: bool, folder: Path) -> None:
    data = make(entries, queries)
    names = ["duckdb", *(["milvus"] if milvus else [])]
    backends = {name: BACKENDS.load(name)(f"{name}:{folder / 'vectors.db'}") for name in names}
    fill(folder / "library.duckdb", data, backends)
    one_paper = Scope(CHUNKS, papers=(data.papers[len(data.papers) // 2],))
    asked: dict[str, list[Query]] = {
        MINILM: list(data.vector_queries),
        BM25: [dict(Counter(term_numbers(text))) for text in data.text_queries],
    }
    exact = {
        (collection, scope): (exact_dense if collection == MINILM else exact_bm25)(data, scope)
        for collection in asked
        for scope in (Scope(CHUNKS), one_paper)
    }
    print(
        f"{'':<42}{'first ms':>10}"
        + "".join(f"{name + ' ms':>12}{'cpu ms':>9}{'recall':>8}" for name in names)
        + "   ratio"
    )
    for (collection, scope), scores in exact.items():
        fresh = BACKENDS.load("duckdb")("")
        start = time.perf_counter()
        with duckdb.connect(folder / "library.duckdb", read_only=True) as connection:
            fresh.search(connection, collection, asked[collection][0], scope, LIMIT)
            first = (time.perf_counter() - start) * 1000
            results = [
                measure(connection, backends[name], collection, asked[collection], scope, scores)
                for name in names
            ]
        kind = "one paper" if scope.papers else "all"
        line = "".join(f"{ms:>12.2f}{cpu:>9.2f}{found:>8.3f}" for ms, cpu, found in results)
        ratio = f"{results[-1][0] / results[0][0]:>7.1f}x" if milvus else ""
        print(f"{('BM25' if collection == BM25 else 'dense') + ', ' + kind:<42}{first:>10.0f}{line}{ratio}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--no-milvus", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(given.entries, given.queries, not given.no_milvus, Path(folder))


if __name__ == "__main__":
    main()
