"""One whole `Library.search` over 100 000 sentences: BM25, MiniLM, ranking, passages, notes.

    python benchmarks/everything_speed.py [--entries 100000] [--queries 100] [--library DIR]

Sentences are synthetic: texts of 20 words with Zipf frequencies and random vectors, 1000 sentences to a
paper, 40 to a page, 8 to a passage. Words are of MiniLM's own vocabulary, so that a query of 12 words has as
many tokens as a question of a reader. Every query is new. Printed: the first search of the library (it makes
the files that later ones map), the first one of a new process, the first one after 300 more sentences, then
the median and the worst tenth of the others, alone and by ten threads at once, with the memory that the
process holds.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from quire.index import MINILM, Cell
from quire.index.encoders.catalogue import MINILM_SOURCE
from quire.index.encoders.folders import find
from quire.index.encoders.tokenizers import tokenizer
from quire.index.postings import analyse
from quire.index.writing import write
from quire.library import Library

DIM, PER_PAPER, PER_PAGE, PER_CHUNK = 384, 1000, 40, 8


def key(kind: str, *numbers: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{kind} {numbers}"))


class Words:
    """Draws texts of MiniLM's words with Zipf frequencies, in an order by chance."""

    def __init__(self) -> None:
        known = tokenizer(find(MINILM_SOURCE) or Path(), None).get_vocab()
        self.draw = np.random.default_rng(7)
        self.words = self.draw.permutation(
            [word for word in sorted(known) if word.isalpha() and len(word) > 2]
        )
        frequency = 1 / np.arange(1, len(self.words) + 1) ** 0.9
        self.cumulative = np.cumsum(frequency / frequency.sum())

    def text(self, count: int) -> str:
        """A text of so many words."""
        return " ".join(self.words[np.searchsorted(self.cumulative, self.draw.random(count))])


def fill(library: Library, entries: int, words: Words, first: int = 0) -> None:
    resources = library._resources
    for paper in range(first // PER_PAPER, (first + entries + PER_PAPER - 1) // PER_PAPER):
        owner = key("paper", paper)
        count = min(PER_PAPER, entries)
        texts = [words.text(20) for _ in range(count)]
        with resources.database.writing() as connection:
            connection.execute(
                "INSERT INTO metadata (paper_id, title, language) VALUES (?, ?, 'en')",
                [owner, f"Paper {paper}"],
            )
            pages = [(key("page", paper, n), n + 1, owner) for n in range(PER_PAPER // PER_PAGE)]
            connection.executemany(
                "INSERT INTO pages (page_id, page_number, ref_paper_id) VALUES (?, ?, ?)", pages
            )
            sentences: dict[str, list[Any]] = {
                "id": [key("sentence", paper, n) for n in range(count)],
                "text": texts,
                "ordinal": [n % PER_PAGE for n in range(count)],
                "chunk": [key("chunk", paper, n // PER_CHUNK) for n in range(count)],
                "page": [pages[n // PER_PAGE][0] for n in range(count)],
            }
            columns = {name: np.asarray(values, dtype=object) for name, values in sentences.items()}
            columns["ordinal"] = columns["ordinal"].astype(np.int32)
            connection.register("_rows", columns)
            connection.execute(
                "INSERT INTO sentences SELECT id, text, ordinal, [50, 60, 200, 12], chunk, "
                f"'{owner}', page FROM _rows"
            )
            connection.unregister("_rows")
            cells = [
                Cell("sentences", "sentence_content", sentences["id"][n], owner, n // PER_PAGE + 1, text)
                for n, text in enumerate(texts)
            ]
            ids = np.asarray(write(connection, analyse(cells)), dtype=np.int64)
            rows = words.draw.standard_normal((len(ids), DIM)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            resources.backend.upsert(connection, MINILM, ids, rows)


def timed(search: Callable[[str], object], query: str) -> float:
    """How many milliseconds a search takes."""
    started = time.perf_counter()
    assert search(query)
    return (time.perf_counter() - started) * 1000


def told(title: str, took: Sequence[float]) -> None:
    worst = sorted(took)[len(took) * 9 // 10]
    print(f"{title}: median {statistics.median(took):.1f} ms, worst tenth {worst:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--library", type=Path, help="where the library is kept; filled if it is not there")
    given = parser.parse_args()
    words = Words()
    with tempfile.TemporaryDirectory() as folder:
        place = given.library or Path(folder) / "library"
        new = not place.exists()
        library = Library.open(place, create=True)
        if new:
            fill(library, given.entries, words)
            library._resources.database.checkpoint()
        print(f"first search of all: {timed(library.search, words.text(12)) / 1000:.2f} s")
        told("first search of a process", [cold(place, words.text(12)) for _ in range(3)])
        queries = [words.text(12) for _ in range(given.queries)]
        used = time.process_time()
        told(f"{given.entries} entries, one at a time", [timed(library.search, query) for query in queries])
        print(f"processor: {(time.process_time() - used) / given.queries * 1000:.1f} ms a search")
        with ThreadPoolExecutor(10) as pool:
            queries = [words.text(12) for _ in range(given.queries)]
            told("ten at once", list(pool.map(lambda query: timed(library.search, query), queries)))
        fill(library, 300, words, first=given.entries)
        print(f"first search after 300 more: {timed(library.search, words.text(12)):.0f} ms")
        print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


def cold(place: Path, query: str) -> float:
    """How many milliseconds a new process takes from its start to its first hit, and what it holds."""
    code = (
        "import sys; from quire.library import Library; "
        "assert Library.open(sys.argv[1]).search(sys.argv[2]); "
        "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    started = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-c", code, place, query], check=True, capture_output=True, text=True
    )
    took = (time.perf_counter() - started) * 1000
    print(f"a process that searches once: {took:.0f} ms, {int(ran.stdout) / 1024:.0f} MB at most")
    return took


if __name__ == "__main__":
    main()
