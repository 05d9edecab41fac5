"""One whole `Library.search` over 100 000 sentences: BM25, MiniLM, ranking, passages, notes.

    python benchmarks/everything_speed.py [--entries 100000] [--queries 100]

Sentences are synthetic: texts of 20 words with Zipf frequencies and random vectors, 1000 sentences to a
paper, 40 to a page, 8 to a passage. Every query is new. Printed: the first search (it reads vectors), then
the median and the worst tenth of the others, with the memory that the process holds.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
import uuid
from pathlib import Path

import numpy as np

from quire.index import MINILM, Cell
from quire.index.postings import analyse
from quire.index.writing import write
from quire.library import Library

DIM, PER_PAPER, PER_PAGE, PER_CHUNK = 384, 1000, 40, 8


def key(kind: str, *numbers: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{kind} {numbers}"))


class Words:
    """Draws texts of words with Zipf frequencies."""

    def __init__(self) -> None:
        self.draw = np.random.default_rng(7)
        frequency = 1 / np.arange(1, 50_001) ** 0.9
        self.cumulative = np.cumsum(frequency / frequency.sum())

    def text(self, count: int) -> str:
        """A text of so many words."""
        places = np.searchsorted(self.cumulative, self.draw.random(count))
        return " ".join(f"w{'abcdefghij'[n % 10]}{n}x" for n in places)


def fill(library: Library, entries: int, words: Words) -> None:
    shelf = library._shelf
    for paper in range(entries // PER_PAPER):
        owner = key("paper", paper)
        texts = [words.text(20) for _ in range(PER_PAPER)]
        with shelf.database.writing() as connection:
            connection.execute(
                "INSERT INTO metadata (paper_id, title, language) VALUES (?, ?, 'en')",
                [owner, f"Paper {paper}"],
            )
            pages = [(key("page", paper, n), n + 1, owner) for n in range(PER_PAPER // PER_PAGE)]
            connection.executemany(
                "INSERT INTO pages (page_id, page_number, ref_paper_id) VALUES (?, ?, ?)", pages
            )
            sentences = {
                "id": [key("sentence", paper, n) for n in range(PER_PAPER)],
                "text": texts,
                "ordinal": [n % PER_PAGE for n in range(PER_PAPER)],
                "chunk": [key("chunk", paper, n // PER_CHUNK) for n in range(PER_PAPER)],
                "page": [pages[n // PER_PAGE][0] for n in range(PER_PAPER)],
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
            shelf.backend.upsert(connection, MINILM, ids, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=100)
    given = parser.parse_args()
    words = Words()
    with (
        tempfile.TemporaryDirectory() as folder,
        Library.open(Path(folder) / "library", create=True) as library,
    ):
        fill(library, given.entries, words)
        library._shelf.database.checkpoint()
        started = time.perf_counter()
        assert library.search(words.text(8))
        print(f"first search {time.perf_counter() - started:.2f} s")
        took, used = [], time.process_time()
        for _ in range(given.queries):
            started = time.perf_counter()
            library.search(words.text(8))
            took.append((time.perf_counter() - started) * 1000)
        used = (time.process_time() - used) / given.queries * 1000
        print(
            f"{given.entries} entries: median {statistics.median(took):.1f} ms, worst tenth "
            f"{sorted(took)[int(0.9 * len(took))]:.1f} ms, processor {used:.1f} ms; "
            f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most"
        )


if __name__ == "__main__":
    main()
