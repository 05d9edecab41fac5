"""What a library costs as it grows: adding, searching, memory, bytes, files, from 1000 entries on.

    python benchmarks/growth.py [--entries 1000000] [--library DIR] [--queries 50]

Synthetic papers (4 pages, 9 sections, 60 references, words of MiniLM's vocabulary by Zipf's law). 25 of
them are parsed and then stored again and again under new ids through the same code as `add`, a paper a
transaction; their vectors are drawn at random, not encoded. At 1k, 10k, 100k, 1M entries and at the end it
prints the milliseconds of one more paper (median of the last 20), its processor time (their mean), the
bytes that it wrote to the disk, the size and the files of the index, the memory at most so far, and
searches over everything: the first after a new paper, the median and the worst tenth of those that follow,
and a process that searches once. The last line says it all; what a paper costs it compares with a hundred
papers (22 000 entries).
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from quire.library import Library, intake
from quire.library.adding import Adding, Ready
from quire.library.intake import Source, Taken
from quire.library.parse_child import Parsed
from quire.library.parsing import ParseJob, Readers
from quire.library.report import StageMeter
from quire.search import MINILM
from quire.search.batch import Batch
from quire.search.index import IndexWriter
from quire.search.models import MINILM_SOURCE, find
from quire.search.vectors import About
from quire.store import WriterLock, rows

DIM = 384
MARKS = (1_000, 10_000, 22_000, 100_000, 300_000, 1_000_000, 2_000_000)


class Words:
    """Words of MiniLM's vocabulary with Zipf frequencies."""

    def __init__(self, seed: int = 7) -> None:
        folder = find(MINILM_SOURCE)
        assert folder, "needs the MiniLM weights"
        known = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
        self.words = sorted(word for word in known if word.isalpha() and word.isascii() and len(word) > 3)
        self.draw = np.random.default_rng(seed)
        weights = 1.0 / np.arange(1, len(self.words) + 1) ** 0.9
        self.weights = weights / weights.sum()
        self.draw.shuffle(self.words)

    def text(self, count: int) -> str:
        """So many words."""
        return " ".join(self.draw.choice(self.words, size=count, p=self.weights))


def write_paper(path: Path, words: Words) -> Path:
    """One synthetic paper."""
    canvas = Canvas(str(path), pagesize=A4)
    lines = [("Helvetica-Bold", 17, words.text(8)), ("Helvetica", 10, "Ada Example and Ben Specimen")]
    for section in range(1, 10):
        lines.append(("Helvetica-Bold", 12, f"{section} {words.text(3)}".title()))
        lines += [("Helvetica", 10, words.text(11).capitalize() + ".") for _ in range(12)]
    lines.append(("Helvetica-Bold", 12, "References"))
    lines += [
        ("Helvetica", 9, f"[{n}] B. Specimen. {words.text(7)}. Journal of {words.text(2)}, 20{n % 25:02}.")
        for n in range(1, 61)
    ]
    y = 790.0
    for font, size, text in lines:
        if y < 60:
            canvas.showPage()
            y = 790.0
        canvas.setFont(font, size)
        canvas.drawString(56, y, text)
        y -= size * 1.35 + (6 if size > 11 else 0)
    canvas.save()
    return path


def parsed(library: Library, paths: Sequence[Path]) -> list[Parsed]:
    """The papers as the children of `add` hand them over."""
    jobs = [ParseJob(path, str(uuid.uuid5(uuid.NAMESPACE_DNS, path.name)), path.name, None) for path in paths]
    with Readers(library.settings.parsing) as readers:
        return [result for _, result in readers.run(jobs) if isinstance(result, Parsed)]


class Renamer:
    """Other ids for the rows of a paper, the same for the same id."""

    def __init__(self, number: int) -> None:
        self.space = uuid.uuid5(uuid.NAMESPACE_DNS, str(number))
        self.known: dict[str, str] = {}

    def __call__(self, old: str) -> str:
        """The new id for an old one."""
        if old not in self.known:
            self.known[old] = str(uuid.uuid5(self.space, old))
        return self.known[old]

    def row(self, row: rows.StoredRow) -> rows.StoredRow:
        """The row with all its ids renamed."""
        names = [f.name for f in fields(row) if f.name.endswith("_id") and f.name != "arxiv_id"]
        changed: dict[str, Any] = {name: self(old) for name in names if (old := getattr(row, name))}
        return replace(row, **changed)

    def batch(self, batch: Batch, paper: str) -> Batch:
        """The units with all their ids renamed."""
        packed = []
        for each in batch.packed:
            told = json.loads(each)
            told[0], told[5] = self(told[0]), self(told[5]) if told[5] else ""
            packed.append(json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode())
        keys = tuple(map(self, batch.keys))
        return replace(batch, paper_id=paper, keys=keys, packed=tuple(packed))


class Filler:
    """Stores moulds as papers of their own."""

    def __init__(
        self, library: Library, moulds: Sequence[Parsed], writer: IndexWriter, vectors: bool = True
    ) -> None:
        self.library, self.moulds = library, moulds
        self.adding = Adding(library._resources, StageMeter("parse", 0, None), writer)
        self.vectors = library._resources.index.files(MINILM) if vectors else None
        self.draw = np.random.default_rng(1)
        self.entries = self.papers = 0

    def add(self, copy: Path | None = None) -> tuple[float, float, int]:
        """One more paper: milliseconds, of which the processor's, and bytes written.

        With the PDF of its mould it has a copy.
        """
        mould = self.moulds[self.papers % len(self.moulds)]
        sha = f"{self.papers:064x}"
        source = Source(
            Path(f"/filler/{self.papers}.pdf"), f"{self.papers}.pdf", f"/filler/{self.papers}.pdf"
        )
        taken = Taken(source, sha, 1, Path("/filler/none"))
        new = Renamer(self.papers)
        new.known[mould.batch.paper_id] = taken.paper_id
        ready = replace(
            mould,
            rows=tuple(new.row(row) for row in mould.rows),
            batch=new.batch(mould.batch, taken.paper_id),
        )
        vectors = self.draw.standard_normal((len(mould.batch), DIM), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        first = self.adding.writer.state.end or 1
        before, started, used = written(), time.perf_counter(), time.process_time()
        self.adding._ready.append(Ready(taken, ready))
        self.adding._commit()
        if self.vectors:
            self.vectors.put(np.arange(first, first + len(mould.batch)), vectors)
        if copy:
            shutil.copyfile(copy, intake.copy_of(self.library._resources.papers, taken.paper_id))
        self.papers, self.entries = self.papers + 1, self.entries + len(mould.batch)
        took = (time.perf_counter() - started) * 1000
        return took, (time.process_time() - used) * 1000, written() - before


@contextmanager
def filling(place: Path, count: int, words: Words) -> Iterator[Filler]:
    """A library at that place that can be filled with copies of so many papers, which are parsed."""
    with tempfile.TemporaryDirectory() as folder:
        library = Library.open(place, create=True)
        moulds = parsed(library, [write_paper(Path(folder) / f"{n}.pdf", words) for n in range(count)])
        resources = library._resources
        resources.index.files(MINILM).create(About(DIM, "float32", pooled=True))
        with WriterLock(library.folder), resources.index.writing() as writer:
            yield Filler(library, moulds, writer)


def written() -> int:
    """Bytes that this process has sent to the disk so far."""
    told = Path("/proc/self/io").read_text()
    return int(told.partition("write_bytes: ")[2].partition("\n")[0])


def memory() -> tuple[float, float]:
    """MB of memory in use at most so far: with and without the mapped files."""
    told = dict(
        line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line
    )
    anonymous = float(told["RssAnon"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, anonymous


def timed(library: Library, query: str) -> float:
    """How many milliseconds a search takes."""
    started = time.perf_counter()
    assert library.search(query)
    return (time.perf_counter() - started) * 1000


_COLD = "import sys; from quire import Library; assert Library.open(sys.argv[1]).search(sys.argv[2])"


def cold(place: Path, query: str) -> float:
    """Seconds of a process that searches once."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", _COLD, str(place), query], check=True)
    return time.perf_counter() - started


def measured(filler: Filler, words: Words, queries: int, last: list[Any]) -> dict[str, Any]:
    """One line of the table."""
    library = filler.library
    index = library._resources.index.folder
    sizes = [file.stat().st_size for file in index.rglob("*") if file.is_file()]
    first = timed(library, words.text(10))
    took = sorted(timed(library, words.text(10)) for _ in range(queries))
    process = statistics.median(cold(library.folder, words.text(10)) for _ in range(min(queries, 3)))
    most, anonymous = memory()
    return {
        "entries": filler.entries,
        "papers": filler.papers,
        "add_ms": round(statistics.median(row[0] for row in last), 1),
        "add_cpu_ms": round(statistics.mean(row[1] for row in last), 1),
        "written_kb": round(sum(row[2] for row in last) / len(last) / 1024),
        "index_mb": round(sum(sizes) / 1e6),
        "files": len(sizes),
        "database_mb": round((library.folder / "library.duckdb").stat().st_size / 1e6),
        "first_ms": round(first, 1),
        "search_ms": round(statistics.median(took), 1),
        "worst_tenth_ms": round(took[len(took) * 9 // 10], 1),
        "process_s": round(process, 2),
        "most_mb": round(most),
        "own_mb": round(anonymous),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--parsed", type=int, default=25, help="papers that are written and parsed")
    parser.add_argument("--library", type=Path, help="where the library is kept; a new folder")
    given = parser.parse_args()
    words, found = Words(), []
    random.seed(1)
    last: list[Any] = []
    marks = [mark for mark in MARKS if mark < given.entries] + [given.entries]
    with tempfile.TemporaryDirectory() as folder:
        place = given.library or Path(folder) / "library"
        with filling(place, given.parsed, words) as filler:
            for mark in marks:
                while filler.entries < mark:
                    last = [*last[-19:], filler.add()]
                filler.library._resources.database.checkpoint()
                found.append(measured(filler, words, given.queries, last))
                print(json.dumps(found[-1]), flush=True)
    # From a hundred papers on, merges of the index and folds of the log have their usual share.
    least, most = next((line for line in found if line["papers"] >= 99), found[0]), found[-1]
    ratio = most["add_cpu_ms"] / least["add_cpu_ms"]
    print(
        f"{most['entries']} entries: one more paper costs (CPU) {ratio:.2f} of that at {least['entries']},"
        f" a search {most['search_ms']} ms, a process that searches once"
        f" {most['process_s']} s, {most['most_mb']} MB at most ({most['own_mb']} without mapped files)"
    )


if __name__ == "__main__":
    main()
