r"""Tables of publishers, documents and styles that the trees of rows and columns have not seen.

    PYTHONPATH=.:benchmarks python benchmarks/tables_left_out.py --joins CACHE --columns CACHE \
        [--facts FACTS.jsonl=DIR ...] [--renders DIR] [--icdar DIR ...] [--folds 6]

The caches are what `training/table_joins.py` and `training/table_columns.py` keep with `--cache`. Publishers
(and files of the competition) are dealt to the folds, those with most tables first, each to the fold with
fewest; every table is read by trees that saw nothing of its fold. DIR of `--facts` holds NAME.pdf and
NAME.xml. Prints F1 of the cells: means over articles, over publishers and over rendered tables; and
structure and end to end over the competition's documents.
"""

from __future__ import annotations

import argparse
import io
import pickle
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz import fuzz
from training import table_columns, table_joins
from training.papers import publisher
from training.table_joins import Sample, arrays, bare, pages_of, papers_of, rendered
from training.train import parted

from articles import alike
from icdar2013 import load, pair, structure_rates, summary
from quire import trees
from quire.pdf import tables
from quire.pdf.floats import find_floats
from quire.pdf.guard import Guard
from quire.pdf.layout.headers_footers import with_heads
from quire.pdf.layout.profile import measure
from quire.pdf.raw import Edges
from table_tools import grids


class Folds:
    """Trees for each fold, put in the place of those of the package."""

    def __init__(self, caches: dict[str, Path], fold_of: dict[str, int], folds: int) -> None:
        self.fold_of = fold_of
        self.models: list[dict[str, trees.Trees]] = [{} for _ in range(folds)]
        for name, cache in caches.items():
            samples: list[Sample] = pickle.loads(cache.read_bytes())
            for k, models in enumerate(self.models):
                models[name] = _loaded(table_joins.fit([s for s in samples if fold_of.get(s.group) != k]))
        self.now: dict[str, trees.Trees] = {}
        shipped = trees.load_trees
        trees.load_trees = lambda package, name: (  # type: ignore[assignment]
            self.now.get(name.removeprefix("data/")) or shipped(package, name)
        )

    def use(self, group: str) -> None:
        """Read by the trees that saw nothing of this group's fold."""
        self.now = self.models[self.fold_of.get(group, 0)]


def _loaded(model: Any) -> trees.Trees:
    kept = io.BytesIO()
    np.savez(kept, **arrays(model))
    return trees.read_trees(kept.getvalue())


def cells_f1(known: Iterable[str], read: Iterable[str]) -> float:
    """F1 of the texts of cells."""
    return alike(*(Counter(filter(None, map(bare, each))) for each in (known, read)))


def article(pdf: Path, known: Sequence[dict[str, Any]]) -> float:
    """The mean over an article's tables, 0 for one that is not found."""
    pages = pages_of(pdf)
    found = find_floats(with_heads(pages), measure(pages), Guard()).tables
    scores = []
    for table in known:
        start = bare(table["caption"] or table["label"])[:40]
        named = [t for t in found if fuzz.partial_ratio(start, bare(t.caption)[:120]) >= 90]
        cells = [c for row in table["grid"] for c in row]
        scores.append(max((cells_f1(cells, [c.text for c in t.cells]) for t in named), default=0.0))
    return statistics.mean(scores)


def main() -> None:
    """Train without each fold, read, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--joins", type=Path, required=True)
    parser.add_argument("--columns", type=Path, required=True)
    parser.add_argument("--facts", nargs="*", default=[])
    parser.add_argument("--renders", nargs="*", default=[])
    parser.add_argument("--icdar", type=Path, nargs="*", default=[])
    parser.add_argument("--folds", type=int, default=6)
    options = parser.parse_args()
    papers = [(facts, pdf) for facts, pdf in papers_of(options.facts) if facts["tables"]]
    house = {facts["name"]: publisher(pdf.with_suffix(".xml")) for facts, pdf in papers}
    sizes: Counter[str] = Counter()
    for facts, _ in papers:
        sizes[house[facts["name"]]] += len(facts["tables"])
    golds = {folder: load(folder) for folder in options.icdar}
    sizes.update({gold.name: len(gold.regions) for own in golds.values() for gold in own})
    caches = {table_joins.WEIGHTS: options.joins, table_columns.WEIGHTS: options.columns}
    folds = Folds(caches, parted(Counter(dict(sorted(sizes.items()))), options.folds), options.folds)
    by_house: dict[str, list[float]] = defaultdict(list)
    for facts, pdf in papers:
        folds.use(house[facts["name"]])
        by_house[house[facts["name"]]].append(article(pdf, facts["tables"]))
    if by_house:
        every = [score for scores in by_house.values() for score in scores]
        over = statistics.mean(statistics.mean(scores) for scores in by_house.values())
        print(f"{len(every)} articles: cells {statistics.mean(every):.4f}, over publishers {over:.4f}")
    styles = []
    for page, facts in rendered(options.renders):
        folds.use(facts["class"])
        grid = tables.read(page, Edges(*facts["box"]))
        styles.append(
            cells_f1([c["text"] for c in facts["cells"]], [c.text for c in grid.cells] if grid else [])
        )
    if styles:
        print(f"{len(styles)} rendered tables: cells {statistics.mean(styles):.4f}")
    for folder, own in golds.items():
        told, whole = [], []
        for gold in own:
            folds.use(gold.name)
            read = grids(gold.pdf, gold.regions)
            told.append(structure_rates(gold.regions, read, {i: i for i in range(len(read))}))
            found = grids(gold.pdf, None)
            whole.append(structure_rates(gold.regions, found, pair(gold, found)))
        print(f"{folder.name}: structure {summary(told)[2]:.4f}, end to end {summary(whole)[2]:.4f}")


if __name__ == "__main__":
    main()
