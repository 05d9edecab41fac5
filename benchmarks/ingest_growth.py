"""What one more PDF costs in a library of 100, 1000 and 5000 of them.

    python benchmarks/ingest_growth.py [--sizes 100 1000 5000] [--probe 20] [--library DIR]

Synthetic papers (4 pages, 9 sections, 60 references; every text different). To grow the library in reasonable
time, 25 of them are parsed and then stored again and again under new ids, through the same transactions. At
each size `--probe` new PDFs go through the whole of `add` and are timed: milliseconds per paper, the part of
it that is spent in transactions, the slowest of these, and the processor time of the process that adds (its
children only parse, whatever the library holds), which other work on the machine blurs least. Only
words are indexed here: the vectors of a text cost the same wherever they go.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from quire.index import writing
from quire.index.postings import Batch
from quire.library import Library, citations, intake
from quire.library.parse_child import Parsed
from quire.library.parsing import Job, Readers
from quire.library.records import Source, Taken, parsed_row
from quire.store import rows

WORDS = [
    f"{a}{b}{c}"
    for a in ("bo", "ka", "ri", "te", "mu", "so")
    for b in "lmnprst"
    for c in ("an", "el", "io", "um")
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1000, 5000])
    parser.add_argument("--probe", type=int, default=20)
    parser.add_argument("--library", type=Path)
    options = parser.parse_args()
    first = None
    print("papers   ms/paper  own CPU ms/paper  writing ms/paper  slowest commit ms   file MB   CPU ratio")
    with tempfile.TemporaryDirectory() as scratch:
        library = Library.open(
            options.library or Path(scratch) / "library", create=True, index__encoders=("text_bm25_en",)
        )
        papers = Papers(Path(scratch) / "pdfs")
        moulds = parsed(library, papers.take(25))
        have = 0
        for size in options.sizes:
            fill(library, moulds, range(have, size - options.probe))
            have = size
            probe = papers.take(options.probe)
            with timed_commits(library) as commits:
                started, used = time.perf_counter(), time.process_time()
                report = library.add(probe)
                passed = (time.perf_counter() - started) * 1000 / len(probe)
                used = (time.process_time() - used) * 1000 / len(probe)
            assert len(report.added) == len(probe), report.failed[:1]
            first = first or used
            print(
                f"{size:6} {passed:10.1f} {used:17.1f} "
                f"{sum(commits) / len(probe):17.1f} {max(commits):18.1f} "
                f"{library._resources.database.path.stat().st_size / 1e6:9.0f} "
                f"{used / first:11.2f}",
                flush=True,
            )
        library.close()


def parsed(library: Library, paths: list[Path]) -> list[Parsed]:
    """The papers as the children of `add` hand them over."""
    jobs = [Job(path, str(uuid.uuid5(uuid.NAMESPACE_DNS, path.name)), path.name, None) for path in paths]
    with Readers(library.settings.parsing) as readers:
        return [result for _, result in readers.run(jobs) if isinstance(result, Parsed)]


def fill(library: Library, moulds: list[Parsed], numbers: range) -> None:
    """Store moulds under new ids, 50 papers at once."""
    resources = library._resources
    resources.papers.mkdir(exist_ok=True)
    for begin in range(numbers.start, numbers.stop, 50):
        stored: list[rows.Row] = []
        batches = []
        for number in range(begin, min(begin + 50, numbers.stop)):
            mould = moulds[number % len(moulds)]
            new = Renamer(number)
            own = [new.row(row) for row in mould.rows]
            cells = tuple(replace(c, key=new(c.key), paper_id=new(c.paper_id)) for c in mould.batch.cells)
            paper = new(mould.batch.cells[0].paper_id)
            source = Source(Path(f"/filler/{number}.pdf"), f"{number}.pdf", f"/filler/{number}.pdf")
            taken = Taken(source, f"{number:064x}", 1, Path())
            entry = replace(parsed_row(taken, mould, 256), paper_id=paper, state="encoded")
            stored += [*own, *citations.key_rows(own), entry]
            batches.append(replace(mould.batch, cells=cells))
            intake.copy_of(resources.papers, paper).touch()
        with resources.database.writing() as connection:
            rows.insert(connection, stored)
            writing.write(connection, joined(batches))
    resources.database.checkpoint()


def joined(batches: list[Batch]) -> Batch:
    """The batches of several papers as one."""
    firsts = np.cumsum([0, *(len(batch.cells) for batch in batches)])
    owners = [batch.owner + first for batch, first in zip(batches, firsts, strict=False)]
    return Batch(
        cells=tuple(cell for batch in batches for cell in batch.cells),
        pairs=np.concatenate([batch.pairs for batch in batches]),
        lengths=np.concatenate([batch.lengths for batch in batches]),
        owner=np.concatenate(owners).astype(np.int32),
        term=np.concatenate([batch.term for batch in batches]),
        tf=np.concatenate([batch.tf for batch in batches]),
    )


class Renamer:
    """Other ids for the rows of a paper, the same for the same id."""

    def __init__(self, number: int) -> None:
        self.space = uuid.uuid5(uuid.NAMESPACE_DNS, str(number))

    def __call__(self, old: str) -> str:
        """The new id for an old one."""
        return str(uuid.uuid5(self.space, old))

    def row(self, row: rows.Row) -> rows.Row:
        """The row with all its ids renamed."""
        names = [f.name for f in fields(row) if f.name.endswith("_id") and f.name != "arxiv_id"]
        changed: dict[str, Any] = {name: self(old) for name in names if (old := getattr(row, name))}
        return replace(row, **changed)


class Papers:
    """Makes PDFs, each once; the parsed ones are deleted to keep the disk free."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made = 0
        folder.mkdir()

    def take(self, count: int) -> list[Path]:
        """The next so many PDFs."""
        for old in self.folder.iterdir():
            old.unlink()
        paths = []
        for _ in range(count):
            self.made += 1
            paths.append(write_paper(self.folder / f"paper-{self.made:05}.pdf", self.made))
        return paths


def write_paper(path: Path, number: int) -> Path:
    """One synthetic paper, set by the number."""
    chance = random.Random(number)
    canvas = Canvas(str(path), pagesize=A4)
    lines = [("Helvetica-Bold", 17, sentence(chance, 8))] + [
        ("Helvetica", 10, "Ada Example and Ben Specimen")
    ]
    for section in range(1, 10):
        lines.append(("Helvetica-Bold", 12, f"{section} {sentence(chance, 3)}"))
        lines += [("Helvetica", 10, sentence(chance, 13) + ".") for _ in range(12)]
    lines.append(("Helvetica-Bold", 12, "References"))
    lines += [
        (
            "Helvetica",
            9,
            f"[{n}] B. Specimen. {sentence(chance, 7)}. Journal of {sentence(chance, 2)}, 20{n % 25:02}.",
        )
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


def sentence(chance: random.Random, words: int) -> str:
    """Words without meaning."""
    return " ".join(chance.choices(WORDS, k=words)).capitalize()


@contextmanager
def timed_commits(library: Library) -> Iterator[list[float]]:
    """Milliseconds of every transaction of `library` inside the block."""
    database = library._resources.database
    times: list[float] = []
    original = database.writing

    @contextmanager
    def timed() -> Iterator[Any]:
        started = time.perf_counter()
        with original() as connection:
            yield connection
        times.append((time.perf_counter() - started) * 1000)

    database.writing = timed  # type: ignore[method-assign]
    try:
        yield times
    finally:
        del database.writing


if __name__ == "__main__":
    main()
