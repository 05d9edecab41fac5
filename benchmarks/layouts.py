"""How faithfully drawn imitations of page layouts are parsed: scores per layout and their mean.

    python benchmarks/layouts.py [--seeds 0 1 2 3] [--only ieee acm] [--keep DIR] [--verbose]

Each layout of `drawn_layouts.py` and `drawn_more.py` is drawn once per seed and parsed. The measures are
those of `articles.py`, with the truth known instead of read from a publisher's XML; `clean` is new: the
share of the text in sections that belongs to the paper's own paragraphs (running heads, notes and side
columns in the text lower it). Seeds below 8 were looked at while the parser was mended; those from 8 on
only measure.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rapidfuzz import fuzz

from drawn_layouts import LAYOUTS
from drawn_more import MORE
from drawn_papers import Content, Grid
from quire.pdf import parse
from quire.types import Document

EVERY = {**LAYOUTS, **MORE}
MEASURES = (
    "title authors abstract headings paragraphs placed clean references tables cells captions".split()
)  # fmt: skip


def bare(text: str) -> str:
    """Letters and digits only."""
    return re.sub(r"[\W_]+", "", text.lower())


def f1(hits: float, found: int, wanted: int) -> float:
    """Harmonic mean of precision and recall."""
    return 2 * hits / (found + wanted) if found + wanted else 1.0


def score(truth: Content, parsed: Document) -> dict[str, float]:
    """All measures of one paper, 0 to 1."""
    meta = parsed.metadata
    names = bare(" ".join(meta.authors))
    lasts = [bare(last) for _, last in truth.authors]
    wanted = {bare(p.title): p for p in truth.parts}
    extra = {"", "abstract", "references", "bibliography", "acknowledgements", "appendix"}
    shown = Counter(h for s in parsed.sections if (h := bare(s.title)) not in extra or h in wanted)
    hits = (Counter(list(wanted)) & shown).total()
    return {
        "title": float(fuzz.ratio(bare(meta.title), bare(truth.title)) >= 90),
        "authors": f1(sum(n in names for n in lasts), max(len(meta.authors), len(lasts)), len(lasts)),
        "abstract": fuzz.ratio(bare(meta.abstract), bare(truth.abstract)) / 100,
        "headings": f1(hits, shown.total(), len(wanted)),
        **_body(truth, parsed),
        "references": _references(truth, parsed),
        **_tables(truth.tables, parsed),
        "captions": _captions(truth.figures, parsed),
    }


def _body(truth: Content, parsed: Document) -> dict[str, float]:
    sections = [(bare(s.title), bare(s.text)) for s in parsed.sections]
    found = placed = total = 0
    for part in truth.parts:
        for text in part.texts:
            total += 1
            gold = bare(text)
            hits = [
                t
                for t, body in sections
                if len(body) >= 0.8 * len(gold) and fuzz.partial_ratio(gold, body) >= 95
            ]
            found += bool(hits)
            placed += bare(part.title) in hits
    own = bare(" ".join(t for p in truth.parts for t in p.texts) + truth.thanks)
    written = foreign = 0
    for section in parsed.sections:
        for paragraph in section.paragraphs if section.title != "Abstract" else ():
            text = bare(paragraph.text)
            written += len(text)
            foreign += len(text) if len(text) > 3 and fuzz.partial_ratio(text, own) < 85 else 0
    return {
        "paragraphs": found / total, "placed": placed / max(1, found), "clean": 1 - foreign / max(1, written),
    }  # fmt: skip


def _references(truth: Content, parsed: Document) -> float:
    left = [bare(r.text) for r in parsed.references]
    hits = 0
    for cited in truth.cited:
        gold = bare(cited.title)
        best = next((r for r in left if gold in r and len(r) < len(gold) + 220), None)
        if best is not None:
            hits += 1
            left.remove(best)
    return f1(hits, len(parsed.references), len(truth.cited))


def _starts(caption: str, gold: str) -> bool:
    return fuzz.partial_ratio(bare(gold)[:40], bare(caption)[:120]) >= 90


def _tables(grids: Sequence[Grid], parsed: Document) -> dict[str, float]:
    found, cells = [], []
    for grid in grids:
        mine = [t for t in parsed.tables if _starts(t.caption, grid.caption)]
        found.append(float(bool(mine)))
        gold = Counter(bare(c) for c in grid.cells)
        best = 0.0
        for table in mine:
            own = Counter(b for c in table.cells if (b := bare(c.text)))
            best = max(best, f1((gold & own).total(), own.total(), gold.total()))
        cells.append(best)
    spare = max(0, len(parsed.tables) - len(grids)) / (len(grids) + len(parsed.tables) or 1)
    return {"tables": statistics.mean(found) * (1 - spare), "cells": statistics.mean(cells)}


def _captions(wanted: Sequence[str], parsed: Document) -> float:
    left = [image.caption for image in parsed.images]
    hits = sum(any(_starts(c, w) for c in left) for w in wanted)
    return f1(hits, len(left), len(wanted))


def _row(name: str, scores: Sequence[dict[str, float]]) -> str:
    return f"{name:12s}" + "".join(f"{statistics.mean(s[m] for s in scores):9.3f}" for m in MEASURES)


def main() -> None:
    """Draw, parse, score, print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2, 3])
    arguments.add_argument(
        "--only", nargs="*", default=[*sorted(LAYOUTS), *sorted(MORE)], choices=sorted(EVERY)
    )
    arguments.add_argument("--keep", type=Path, help="write the PDFs here")
    arguments.add_argument("--verbose", action="store_true", help="also print each file")
    options = arguments.parse_args()
    print(f"{'':12s}" + "".join(f"{m[:8]:>9s}" for m in MEASURES))
    every: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.only:
            own = []
            for seed in options.seeds:
                path = folder / f"{name}-{seed}.pdf"
                truth = EVERY[name].draw(path, seed)
                own.append(score(truth, parse(path)))
                if options.verbose:
                    print(_row(f" {name}-{seed}", own[-1:]), flush=True)
            print(_row(name, own), flush=True)
            every += own
    print(_row(f"mean of {len(every)}", every))


if __name__ == "__main__":
    main()
