"""Train the trees that tell tables without captions from what looks like them (`tables.finding`).

    python -m training.table_regions --facts FACTS.jsonl=PDFS [--icdar DIR] [--cache FILE] [--write]

Every candidate of every page is a sample, with or without a caption: a table if it shares half of its cells
(or of its area, where the place is known) with one of the paper's tables, none if it shares under a tenth.
Prints, for groups of papers left out in turn, precision and recall. Options as in `table_joins.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from quire.pdf.captions import find as find_captions
from quire.pdf.geometry import overlap, rotated
from quire.pdf.layout.profile import measure
from quire.pdf.raw import Edges, RawPage
from quire.pdf.tables.finding import WEIGHTS, candidates, describe
from quire.pdf.tables.grid import Grid
from quire.pdf.tables.regions import table_page
from training import wanted
from training.table_joins import Sample, bare, fit, pages_of, papers_of, run

selection = wanted("sklearn.model_selection")

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
Shared = Callable[[RawPage, Grid], float]


def views(pages: Sequence[RawPage]) -> Iterator[RawPage]:
    """Pages as displayed, and rotated where text is sideways."""
    for page in pages:
        yield page
        for angle in (90, 270):
            if sum(line.angle == angle for line in page.lines) >= 6:
                yield rotated(page, angle)


def samples_of(pages: Sequence[RawPage], shared: Shared, group: str) -> Iterator[Sample]:
    """The candidates of a file with their labels."""
    profile = measure(pages)
    for page in views(pages):
        scene = table_page(page, find_captions(page, profile), profile)
        for grid, box in candidates(scene):
            if grid.rows < 2 or grid.columns < 2:
                continue
            share = shared(page, grid)
            if not 0.1 <= share < 0.5:
                features = describe(scene, grid, box)
                yield Sample(group, features, np.asarray([share >= 0.5], dtype=np.float32))


def by_cells(tables: Sequence[list[list[str]]]) -> Shared:
    """The best F1 of a grid's cells against those of known tables."""
    known = [Counter(bare(c) for row in grid for c in row if bare(c)) for grid in tables]

    def shared(page: RawPage, grid: Grid) -> float:
        mine = Counter(bare(c.text) for c in grid.cells if bare(c.text))
        both = [2 * (mine & k).total() / max(1, mine.total() + k.total()) for k in known]
        return max(both, default=0.0)

    return shared


def by_place(regions: Sequence[tuple[int, Edges]]) -> Shared:
    """The share of the area that a grid has in common with a known region."""

    def shared(page: RawPage, grid: Grid) -> float:
        boxes = [box for number, box in regions if number == page.number]
        area = grid.box.width * grid.box.height
        both = [2 * overlap(grid.box, box) / max(1.0, area + box.width * box.height) for box in boxes]
        return max(both, default=0.0)

    return shared


def collect(options: argparse.Namespace) -> list[Sample]:
    """All samples of the named files."""
    samples: list[Sample] = []
    for paper, pdf in papers_of(options.facts):
        group = paper.get("class") or paper.get("journal") or paper["name"]
        shared = by_cells([t["grid"] for t in paper["tables"]])
        samples += samples_of(pages_of(pdf), shared, group)
    for folder in options.icdar:
        from icdar2013 import load

        for gold in load(Path(folder)):
            shared = by_place([(r.page, Edges(*r.box)) for r in gold.regions])
            samples += samples_of(pages_of(gold.pdf), shared, gold.name)
    return samples


def report(samples: Sequence[Sample]) -> None:
    """Print how well candidates of groups that were left out are told."""
    groups = [s.group for s in samples]
    gold = np.asarray([s.joined[0] for s in samples]) > 0.5
    guess = np.zeros(len(samples), dtype=bool)
    for train, test in selection.GroupKFold(min(10, len(set(groups)))).split(groups, groups=groups):
        model = fit([samples[i] for i in train])
        guess[test] = model.predict(np.concatenate([samples[i].features for i in test])) > 0.5
    right = (guess & gold).sum()
    print(f"{len(samples)} candidates, {gold.sum()} tables")
    print(f"precision {right / max(1, guess.sum()):.4f}, recall {right / max(1, gold.sum()):.4f}")


if __name__ == "__main__":
    run(__doc__, collect, report, WEIGHTS)
