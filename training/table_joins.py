r"""Train the trees that tell which texts of a table column are one cell (`quire.pdf.tables.joins`).

    python -m training.table_joins --facts FACTS.jsonl=PDFS \
        [--icdar DIR] [--renders DIR] --cache FILE [--write]

FACTS.jsonl has one paper per line: {"name", "class", "tables": [{"caption", "grid"}]}, PDFS holds NAME.pdf
(articles: and NAME.xml, for the publisher); DIR holds files of the ICDAR-2013 competition, or what
`table_renders.py` wrote. Prints, for groups of papers left out in turn, the share of pairs that are told
right; `--write` trains on everything and puts the weights into the package.
Needs lightgbm, scikit-learn and rapidfuzz.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz import fuzz

from quire.pdf.floats import scan
from quire.pdf.guard import Guard
from quire.pdf.layout.headers_footers import with_heads, without_line_numbers
from quire.pdf.layout.profile import measure
from quire.pdf.pdfium.reader import open_pdf
from quire.pdf.raw import Edges, RawPage
from quire.pdf.tables.joins import WEIGHTS, Pair, describe, pairs_of
from quire.pdf.tables.reading import head_lines, is_boxed, prepared
from quire.pdf.tables.rules import lines_of
from quire.pdf.tables.tokens import inside, rows_of, tokens_of
from training import wanted
from training.papers import publisher

lightgbm, selection = wanted("lightgbm"), wanted("sklearn.model_selection")

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
DATA = Path(__file__).parents[1] / "src/quire/pdf/data"
PARAMETERS = {
    "objective": "binary", "num_leaves": 12, "max_depth": 5, "learning_rate": 0.08, "min_data_in_leaf": 20,
    "feature_fraction": 0.6, "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 2.0, "verbose": -1,
    "seed": 7, "num_threads": 1, "deterministic": True,
}  # fmt: skip
ROUNDS = 300
RENDERED = 0.3  # weight of a table that a browser laid out, against one of a publisher


@dataclass(frozen=True)
class Sample:
    """The labelled pairs of one table."""

    group: str
    features: np.ndarray
    joined: np.ndarray
    weight: float = 1.0


def bare(text: str) -> str:
    """Letters and digits in lower case; the signs themselves where there are none."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if c.isalnum()) or "".join(folded.split())


def pages_of(pdf: Path) -> list[RawPage]:
    """The pages of a file."""
    with open_pdf(pdf) as file:
        return [without_line_numbers(page) for page in file.pages(limit=400)]


def captioned(
    pages: Sequence[RawPage], tables: Sequence[dict[str, Any]]
) -> Iterator[tuple[RawPage, Edges, list[str]]]:
    """Each table that was found with a known caption: page as read, box, texts of its cells."""
    for view in scan(with_heads(pages), measure(pages), Guard()):
        for table in view.tables:
            if table.caption is None:
                continue
            own = bare(table.caption.text)[:120]
            for known in tables:
                start = bare(known["caption"])[:40]
                if start and fuzz.partial_ratio(start, own) >= 90:
                    yield view.shown, table.box, [cell for row in known["grid"] for cell in row]


def sample(page: RawPage, box: Edges, cells: Iterable[str], group: str) -> Sample | None:
    """The pairs of a table whose cells are known."""
    made = prepared(rows_of(inside(tokens_of(page), box)), lines_of(page).within(box), box)
    if made is None:
        return None
    head, boxed = head_lines(made), is_boxed(made)
    drawn = [bool(cut) for cut in made.drawn][head:]
    lines = made.lines[head:]
    pairs = pairs_of(lines)
    known = {bare(cell) for cell in cells if bare(cell)}
    labels = [_label(pair, known) for pair in pairs]
    kept = [k for k, label in enumerate(labels) if label is not None]
    if not kept:
        return None
    features = describe(lines, drawn, pairs, boxed=boxed)[kept]
    return Sample(group, features, np.asarray([labels[k] for k in kept], dtype=np.float32))


def _label(pair: Pair, cells: set[str]) -> bool | None:
    above, below = bare(pair.above.text), bare(pair.below.text)
    apart = any(c.endswith(above) for c in cells) and any(c.startswith(below) for c in cells)
    if pair.above.numeric and pair.below.numeric:
        together = above + below in cells and not (above in cells and below in cells)
    else:
        together = any(above + below in c for c in cells)
    if together and apart:
        return not (above in cells and below in cells)
    return True if together else False if apart else None


class Told(NamedTuple):
    """A table that stands on a page, the texts of its cells, and its publisher, class or document."""

    page: RawPage
    box: Edges
    cells: list[str]
    group: str


def papers_of(given: Iterable[str]) -> Iterator[tuple[dict[str, Any], Path]]:
    """Papers with facts (FACTS.jsonl=FOLDER) whose PDF is there."""
    for facts, _, folder in (each.partition("=") for each in given):
        for text in Path(facts).read_text(encoding="utf-8").splitlines():
            paper = json.loads(text)
            if (pdf := Path(folder) / f"{paper['name']}.pdf").exists():
                yield paper, pdf


def told(options: argparse.Namespace) -> Iterator[Told]:
    """The tables of articles, typeset papers and the competition."""
    for paper, pdf in papers_of(options.facts):
        if paper["tables"]:
            xml = pdf.with_suffix(".xml")
            group = publisher(xml) if xml.exists() else paper.get("class") or paper["name"]
            for page, box, cells in captioned(pages_of(pdf), paper["tables"]):
                yield Told(page, box, cells, group)
    for folder in options.icdar:
        from icdar2013 import load

        for gold in load(Path(folder)):
            pages = pages_of(gold.pdf)
            for r in gold.regions:
                yield Told(pages[r.page - 1], Edges(*r.box), [c.text for c in r.cells], gold.name)


def rendered(folders: Iterable[str]) -> Iterator[tuple[RawPage, dict[str, Any]]]:
    """The tables that `table_renders.py` wrote: page and facts."""
    for folder in map(Path, folders):
        for text in (folder / "renders.jsonl").read_text(encoding="utf-8").splitlines():
            facts = json.loads(text)
            yield pages_of(folder / f"{facts['name']}.pdf")[0], facts


def collect(options: argparse.Namespace) -> list[Sample]:
    """All samples of the named files."""
    samples = [sample(*table) for table in told(options)]
    for page, facts in rendered(options.renders):
        samples.append(
            sample(page, Edges(*facts["box"]), [c["text"] for c in facts["cells"]], facts["class"])
        )
    return [s for s in samples if s is not None]


def fit(samples: Sequence[Sample]) -> lightgbm.Booster:
    """Trees for these tables; each table weighs as the root of its pairs."""
    weights = np.concatenate([np.full(len(s.joined), s.weight * len(s.joined) ** -0.5) for s in samples])
    data = lightgbm.Dataset(
        np.concatenate([s.features for s in samples]),
        np.concatenate([s.joined for s in samples]),
        weight=weights,
    )
    return lightgbm.train(PARAMETERS, data, ROUNDS)


def report(samples: Sequence[Sample]) -> None:
    """Print how well groups that were left out are told."""
    groups = [s.group for s in samples]
    right: list[np.ndarray] = []
    truth: list[np.ndarray] = []
    for train, test in selection.GroupKFold(min(10, len(set(groups)))).split(groups, groups=groups):
        model = fit([samples[i] for i in train])
        for i in test:
            right.append(model.predict(samples[i].features) > 0.5)
            truth.append(samples[i].joined > 0.5)
    guess, gold = np.concatenate(right), np.concatenate(truth)
    print(f"{len(samples)} tables, {len(gold)} pairs, {gold.mean():.3f} joined")
    found, false = guess[gold].mean(), guess[~gold].mean()
    print(f"accuracy {np.mean(guess == gold):.4f}, found {found:.4f}, false {false:.4f}")
    whole = [np.array_equal(g, t) for g, t in zip(right, truth, strict=True)]
    print(f"tables without a fault {np.mean(whole):.4f}")


def arrays(model: lightgbm.Booster) -> dict[str, np.ndarray]:
    """The trees as the package reads them."""
    nodes: list[tuple[int, float, int, int, float]] = []

    def add(node: dict[str, Any]) -> tuple[int, int]:
        at = len(nodes)
        if "leaf_value" in node and "split_feature" not in node:
            nodes.append((0, 0.0, at, at, node["leaf_value"]))
            return at, 0
        nodes.append((0, 0.0, 0, 0, 0.0))
        left, low = add(node["left_child"])
        right, high = add(node["right_child"])
        nodes[at] = (node["split_feature"], node["threshold"], left, right, 0.0)
        return at, 1 + max(low, high)

    added = [add(tree["tree_structure"]) for tree in model.dump_model()["tree_info"]]
    feature, threshold, left, right, value = (np.asarray(column) for column in zip(*nodes, strict=True))
    return {
        "roots": np.asarray([at for at, _ in added], np.int32),
        "feature": feature.astype(np.int32),
        "threshold": threshold.astype(np.float32),
        "left": left.astype(np.int32),
        "right": right.astype(np.int32),
        "value": value.astype(np.float32),
        "depth": np.asarray(max(depth for _, depth in added)),
    }


def run(
    purpose: str | None,
    collect: Callable[[argparse.Namespace], list[Any]],
    report: Callable[[list[Any]], None],
    weights: str,
) -> None:
    """The command of a trainer: collect the samples (or take them from the cache), report, write."""
    parser = argparse.ArgumentParser(
        description=purpose, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--facts", nargs="*", default=[], help="FACTS.jsonl=FOLDER")
    parser.add_argument("--icdar", nargs="*", default=[], help="folders of the competition's files")
    parser.add_argument("--renders", nargs="*", default=[], help="folders of rendered tables")
    parser.add_argument("--cache", type=Path, help="file that keeps the samples")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    options = parser.parse_args()
    if options.cache and options.cache.exists():
        samples = pickle.loads(options.cache.read_bytes())
    else:
        samples = collect(options)
        if options.cache:
            options.cache.write_bytes(pickle.dumps(samples))
    report(samples)
    if options.write:
        DATA.mkdir(exist_ok=True)
        np.savez_compressed(DATA / weights, **arrays(fit(samples)))


if __name__ == "__main__":
    run(__doc__, collect, report, WEIGHTS)
