"""Papers to learn from: JATS articles, typeset papers with facts, and drawn layouts, as labelled rows.

Raw pages are cached, as reading them takes most of the time.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.errors import QuireError
from quire.pdf.assemble import rows_of
from quire.pdf.layout.profile import measure
from quire.pdf.layout.rows import LABELS, Row
from quire.pdf.line_classifier.features import Matrix, describe
from quire.pdf.parsers.pdfium import checked
from quire.pdf.pdfium.reader import open_pdf
from quire.pdf.raw import FileFacts, RawPage, Word
from quire.settings import Parsing
from training import gold

MANY_TYPESET = 200  # spans that share a run of letters where sentences are made of few phrases
FEWEST = 0.5  # share of an article's texts that must be found on its pages to learn from it
VEILED = 0.25  # of restyled papers whose fonts have no telling names
CROPPED = 3  # pages from which on a paper is also shown as an excerpt
_PUBLISHERS = ("hindawi", "nature", "springer", "biomed central", "mdpi", "wiley", "wolters", "lippincott")


@dataclass(frozen=True)
class Paper:
    """One paper, or an excerpt of it: a line of features and a label (-1: unknown) for each row."""

    name: str
    group: str  # publisher or document class
    features: Matrix
    labels: NDArray[np.int64]
    weight: float = 1.0


def read_raw(path: Path, cache: Path) -> tuple[list[RawPage], FileFacts] | None:
    """The pages of a PDF, from the cache if they are there; None if it cannot be read."""
    kept = cache / f"{path.stem}.pkl"
    if kept.exists() and kept.stat().st_mtime > path.stat().st_mtime:
        with kept.open("rb") as file:
            return pickle.load(file)  # type: ignore[no-any-return]
    try:
        with open_pdf(path) as pdf:
            pages, notes = checked(pdf, path, Parsing())
            raw = pages, FileFacts("pdfium", pdf.info(), pdf.outline(), notes)
    except QuireError as error:
        print(f"{path.name}: {error}", file=sys.stderr)
        return None
    with kept.open("wb") as file:
        pickle.dump(raw, file, 5)
    return raw


def jats_papers(folder: Path, cache: Path) -> Iterator[Paper]:
    """Articles (NAME.pdf beside NAME.xml), each whole and as excerpts."""
    for xml in sorted(folder.glob("*.xml")):
        raw = read_raw(xml.with_suffix(".pdf"), cache)
        if raw is None:
            continue
        rows = rows_of(raw[0])
        spans = gold.read_spans(xml)
        labels, owner = gold.align(rows, spans)
        wanted = {k for k, span in enumerate(spans) if span.label in ("abstract", "para", "ref")}
        if len(wanted & set(owner)) >= FEWEST * len(wanted):
            yield from _shown(xml.stem, publisher(xml), raw, rows, labels, 1.0)


def restyled_papers(folder: Path, xmls: Sequence[Path], cache: Path) -> Iterator[Paper]:
    """The same articles in styles drawn at random, by `training.restyled`: of the group of their article."""
    by_name = {xml.stem: xml for xml in xmls}
    for pdf in sorted(folder.glob("*.pdf")):
        xml = by_name.get(pdf.stem.rpartition("_")[0])
        raw = read_raw(pdf, cache) if xml else None
        if xml is None or raw is None:
            continue
        rng = random.Random(pdf.stem)
        pages = veiled(raw[0], rng) if rng.random() < VEILED else raw[0]
        rows = rows_of(pages)
        labels, _ = gold.align(rows, gold.read_spans(xml))
        yield from _shown(pdf.stem, publisher(xml), (pages, raw[1]), rows, labels, 0.4)


def veiled(pages: Sequence[RawPage], rng: random.Random) -> list[RawPage]:
    """The pages with fonts whose names do not tell that they are bold or slanted, one of these or both."""
    bold, italic = rng.choice(((False, False), (False, True), (True, False)))
    known: dict[str, str] = {}

    def plain(word: Word) -> Word:
        name = known.setdefault(word.font, f"F{len(known)}")
        return word._replace(font=name, bold=word.bold and bold, italic=word.italic and italic)

    return [
        replace(page, lines=tuple(replace(line, words=tuple(map(plain, line.words))) for line in page.lines))
        for page in pages
    ]


def publisher(xml: Path) -> str:
    """The publisher of an article, with the houses that print alike under one name."""
    name = gold.publisher(xml).lower()
    found = next((p for p in _PUBLISHERS if p in name), name)
    return "wolters" if found == "lippincott" else found


def half_of(house: str) -> int:
    """The half of the houses that one is of: rules are written looking at half 0, figures are of half 1."""
    return hashlib.sha256(house.encode()).digest()[0] % 2


def typeset_papers(facts: Path, cache: Path) -> Iterator[Paper]:
    """Papers typeset from known text: `facts` is a file of JSON lines beside the PDFs."""
    for line in facts.read_text(encoding="utf-8").splitlines():
        own = json.loads(line)
        raw = read_raw(facts.parent / f"{own['name']}.pdf", cache)
        if raw is None or not (rows := rows_of(raw[0])):
            continue
        labels, owner = gold.align(rows, gold.facts_spans(own), MANY_TYPESET)
        gold.printed_headings(own, rows, labels, owner)
        yield from _shown(own["name"], own["class"], raw, rows, labels, 0.5)


def drawn_papers(seeds: Sequence[int], folder: Path, cache: Path) -> Iterator[Paper]:
    """Imitations of page layouts, drawn by `benchmarks/layouts.py`."""
    from layouts import EVERY

    for name in sorted(EVERY):
        for seed in seeds:
            path = folder / f"{name}-{seed}.pdf"
            truth = EVERY[name].draw(path, seed)
            raw = read_raw(path, cache)
            if raw is None:
                continue
            facts = truth.facts()
            for table in facts["tables"]:
                del table["grid"]  # its captions alone teach
            rows = rows_of(raw[0])
            labels, owner = gold.align(rows, gold.facts_spans(facts), MANY_TYPESET)
            gold.printed_headings(facts, rows, labels, owner)
            yield from _shown(path.stem, name, raw, rows, labels, 0.4)


def _shown(
    name: str, group: str, raw: tuple[list[RawPage], FileFacts], rows: Sequence[Row], labels: Sequence[str],
    weight: float,
) -> Iterator[Paper]:  # fmt: skip
    """A paper whole, and as excerpts: its first and last page, and one page alone."""
    pages, source = raw
    numbers = np.array([LABELS.index(label) if label in LABELS else -1 for label in labels])
    yield _paper(name, group, pages, source, rows, numbers, weight)
    if len(pages) < CROPPED:
        return
    rng = random.Random(name)
    last = max(
        (row.page for row, label in zip(rows, labels, strict=True) if label == "ref"), default=len(pages)
    )
    for count, chosen in enumerate(({1, last}, {rng.randint(2, len(pages))})):
        at = [i for i, row in enumerate(rows) if row.page in chosen]
        if at:
            kept = [page for page in pages if page.number in chosen]
            yield _paper(
                f"{name}~{count}", group, kept, source, [rows[i] for i in at], numbers[at], 0.5 * weight
            )


def _paper(
    name: str, group: str, pages: Sequence[RawPage], source: FileFacts, rows: Sequence[Row],
    labels: NDArray[np.int64], weight: float,
) -> Paper:  # fmt: skip
    return Paper(name, group, describe(rows, pages, measure(pages), source), labels, weight)
