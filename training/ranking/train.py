"""Train the ranking of `Library.search` on natural questions, measured with papers left out.

    python -m training.ranking.train QUESTIONS.jsonl LIBRARY --scope paper [--asked FILE ...]
        [--cache FILE] [--out FOLDER]

`--scope paper` trains `ranking_paper.npz` on questions to one paper, `--scope library` trains
`ranking_library.npz` on those to the whole library; either goes on from the trees that are in the package
(`--anew`: from nothing, with more of them). `--asked` are more questions to one paper
(`training/asked.jsonl.gz`), which teach and do not measure. Questions have the fields of AirQA plus kind,
source_pdf, page and quote; their papers are in the library. A candidate that holds the whole quote on its
page is worth 3, one that holds a part of it 2 or 1. Boosted trees (LambdaMART) are fitted to that; printed
is what five folds of papers, each ranked by trees that never saw them, find: the page first, among five, and
the words of the answer in the five passages.
"""

from __future__ import annotations

import argparse
import collections
import pickle
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from training import wanted
from training.questions import is_one_of, read_asked, read_questions, view_in

from quire import Library
from quire.library.searching import distinct
from quire.search import ranking
from quire.search.asked import read
from quire.search.cells import Unit
from quire.search.features import FEATURES
from quire.trees import Trees, read_trees

lightgbm = wanted("lightgbm")

FOLDS = 5
TREES_MORE, TREES_ANEW = 200, 300
TARGET = Path(ranking.__file__).parent
Scores = list[NDArray[np.float64]]


@dataclass
class Case:
    """A question with its candidates and what each is worth."""

    question: dict[str, Any]
    units: tuple[Unit, ...]
    ids: NDArray[np.int64]
    rows: NDArray[np.float32]
    both: NDArray[np.float32]
    worth: NDArray[np.int64]


def bare(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", (text or "").lower())


def parts(quote: str) -> list[str]:
    return [bare(part) for part in re.split(r"\s…\s|\s\.\.\.\s", quote or "") if bare(part)]


def cases(library: Library, questions: list[dict[str, Any]]) -> list[Case]:
    made = []
    view = view_in(library)
    for question in questions:
        if question["kind"] == "unanswerable":
            continue
        papers = [library.paper(name + ".pdf").id for name in question["anchor_pdf"]]
        source = library.paper(question["source_pdf"] + ".pdf").id
        found = library._resources.ranker.candidates(view, read(question["question"]), papers=papers, part="")
        units = tuple(view.unit(id) for id in found.ids.tolist())
        worths = worth(question, source, units)
        for page, quote in question.get("also", ()):
            other = worth({**question, "page": page, "quote": quote}, source, units)
            worths = np.maximum(worths, np.minimum(other, 2))
        worths = judged(question, units, worths)
        made.append(Case(question, units, found.ids, found.rows, found.both, worths))
    return made


def worth(question: dict[str, Any], source: str, units: Sequence[Unit]) -> NDArray[np.int64]:
    wanted = parts(question["quote"])
    values = np.zeros(len(units), dtype=np.int64)
    for number, unit in enumerate(units):
        if unit.paper_id != source:
            continue
        text, here = bare(unit.text + unit.quote), unit.page == question["page"]
        said = [part for part in wanted if part in text]
        if wanted and len(said) == len(wanted):
            values[number] = 3 if here else 2
        elif here and (sum(map(len, said)) > 6 or (len(text) > 20 and any(text in part for part in wanted))):
            values[number] = 2
        elif here and unit.kind in ("table", "row") and question["kind"] == "cell":
            values[number] = (
                1 if unit.group in {u.group for u, w in zip(units, values, strict=True) if w > 1} else 0
            )
    return values


def judged(question: dict[str, Any], units: Sequence[Unit], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """What the units are worth where somebody read them beside the question: `says`, `partly` or `not`.

    Each of these lists units as `is_one_of` knows them.
    """
    for told, value in (("not", 0), ("partly", 1), ("says", 3)):
        values[[is_one_of(unit, question.get(told, ())) for unit in units]] = value
    return values


def fit(some: list[Case], start: Scores, seed: int = 0, trees: int = TREES_MORE) -> lightgbm.Booster:
    """Trees that go on from the scores of `start`."""
    telling = [n for n, case in enumerate(some) if case.worth.any()]
    some, before = [some[n] for n in telling], np.concatenate([start[n] for n in telling])
    rows = np.concatenate([case.rows for case in some])
    labels = np.concatenate([case.worth for case in some])
    groups = [len(case.worth) for case in some]
    settings = {
        "objective": "lambdarank", "learning_rate": 0.06, "num_leaves": 16, "min_data_in_leaf": 30,
        "bagging_fraction": 0.8, "bagging_freq": 1, "feature_fraction": 0.5, "lambda_l2": 5.0,
        "label_gain": [0, 1, 3, 5], "lambdarank_truncation_level": 20, "seed": seed, "num_threads": 1,
        "verbose": -1, "deterministic": True,
    }  # fmt: skip
    return lightgbm.train(settings, lightgbm.Dataset(rows, labels, group=groups, init_score=before), trees)


def folds(some: list[Case], start: Scores, more: list[Case], trees: int) -> Scores:
    """Scores of every case by trees that saw neither it nor its paper, and all that is asked more."""
    papers = sorted({case.question["source_pdf"] for case in some})
    scores: list[Any] = [None] * len(some)
    for fold in range(FOLDS):
        out = [n for n, c in enumerate(some) if papers.index(c.question["source_pdf"]) % FOLDS == fold]
        hidden = {some[n].question["source_pdf"] for n in out}
        others = [n for n in range(len(some)) if n not in set(out)]
        further = [case for case in more if case.question["source_pdf"] not in hidden]
        begun = [*(start[n] for n in others), *(np.zeros(len(case.rows)) for case in further)]
        model = fit([*(some[n] for n in others), *further], begun, trees=trees)
        for n in out:
            scores[n] = start[n] + model.predict(some[n].rows)
    return scores


def recall(library: Library, some: list[Case], scores: list[Any], title: str) -> None:
    seen = collections.defaultdict(list)
    view = view_in(library)
    model = ranking.ranking_model(())  # explains nothing here
    for case, score in zip(some, scores, strict=True):
        found = ranking.Candidates(view, case.ids, case.rows, case.rows[:, 0], model)
        ranked = found.ordered(np.asarray(score))
        with library._resources.database.reading() as connection:
            hits = distinct(connection, ranked, 5)
        wanted, page = parts(case.question["quote"]), case.question["page"]
        at = [each.unit.page == page for each, _ in hits]
        row = (at[:1] == [True], any(at), any(w in bare(p.text) for _, p in hits for w in wanted))
        for kind in (case.question["kind"], "all"):
            seen[kind].append(row)
    for kind, rows in seen.items():
        first, five, words = (sum(row[n] for row in rows) / len(rows) for n in range(3))
        print(
            f"{title:12s} {kind:10s} page@1 {first:.2f} page@5 {five:.2f} words@5 {words:.2f} of {len(rows)}"
        )


def export(model: lightgbm.Booster, file: Path, before: Trees | None = None, bias: float = 0.0) -> None:
    """Write the trees as arrays, behind those before; every node carries the mean of what lies below it."""
    trees = [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    laid = [*(nodes_of(before) if before else []), *(lay(tree) for tree in trees)]
    nodes = max(len(tree) for tree in laid)
    arrays = {
        name: np.zeros((len(laid), nodes), dtype=kind)
        for name, kind in (
            ("feature", "i2"),
            ("threshold", "f4"),
            ("left", "i2"),
            ("right", "i2"),
            ("value", "f4"),
        )
    }
    for number, tree in enumerate(laid):
        for at, node in enumerate(tree):
            for name, value in zip(arrays, node, strict=True):
                arrays[name][number, at] = value
    depth = max([tree_depth(tree) for tree in trees] + [before.depth if before else 0])
    with file.open("wb") as out:
        np.savez_compressed(out, allow_pickle=False, **arrays, depth=np.int64(depth), bias=np.float64(bias))


def nodes_of(trees: Trees) -> list[list[tuple[int, float, int, int, float]]]:
    """The nodes of trees that were exported."""
    ends = [*trees.roots[1:].tolist(), len(trees.feature)]
    found = []
    for root, end in zip(trees.roots.tolist(), ends, strict=True):
        children = (trees.left[root:end] - root, trees.right[root:end] - root)
        arrays = (trees.feature[root:end], trees.threshold[root:end], *children, trees.value[root:end])
        found.append(list(zip(*(array.tolist() for array in arrays), strict=True)))
    return found


def lay(tree: dict[str, Any]) -> list[tuple[int, float, int, int, float]]:
    """Its nodes from the root: feature, threshold, left, right, value; a leaf leads to itself."""
    queue = [tree]
    laid: list[tuple[int, float, int, int, float]] = []
    while len(laid) < len(queue):
        node, at = queue[len(laid)], len(laid)
        if "leaf_value" in node:
            laid.append((0, 0.0, at, at, node["leaf_value"]))
            continue
        queue += [node["left_child"], node["right_child"]]
        low = below(node["threshold"])
        laid.append((node["split_feature"], low, len(queue) - 2, len(queue) - 1, mean(node)))
    return laid


def below(threshold: float) -> float:
    """The highest float32 that is not above: the same features stay on its low side."""
    near = np.float32(threshold)
    return float(np.nextafter(near, np.float32(-np.inf)) if float(near) > threshold else near)


def best(trees: Trees, case: Case) -> float:
    return float(trees.scores(case.rows).max())


def mean(node: dict[str, Any]) -> float:
    if "leaf_value" in node:
        return float(node["leaf_value"])
    sizes = [
        child.get("internal_count", child.get("leaf_count", 0))
        for child in (node["left_child"], node["right_child"])
    ]
    both = (mean(node["left_child"]), mean(node["right_child"]))
    return float(np.average(both, weights=sizes))


def tree_depth(node: dict[str, Any]) -> int:
    if "leaf_value" in node:
        return 0
    return 1 + max(tree_depth(node["left_child"]), tree_depth(node["right_child"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("questions", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--scope", choices=["paper", "library"], required=True)
    parser.add_argument("--anew", action="store_true", help="do not go on from the trees of the package")
    parser.add_argument(
        "--asked", type=Path, nargs="+", default=(), help="more questions to one paper, with `--anew`"
    )
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--out", type=Path, default=TARGET)
    given = parser.parse_args()
    name = f"ranking_{given.scope}.npz"
    package = read_trees((TARGET / name).read_bytes())
    before, trees = (None, TREES_ANEW) if given.anew else (package, TREES_MORE)
    with Library.open(given.library) as library:
        if given.cache and given.cache.exists():
            some = pickle.loads(given.cache.read_bytes())
        else:
            some = cases(library, read_questions(given.questions))
            if given.cache:
                given.cache.write_bytes(pickle.dumps(some))
        some = [case for case in some if bool(case.question["anchor_pdf"]) == (given.scope == "paper")]
        missed = [case.question["uuid"] for case in some if not case.worth.any()]
        print(f"{len(some)} questions, {len(missed)} without a candidate that holds the quote")
        start = [
            before.scores(case.rows).astype(np.float64) if before else np.zeros(len(case.rows))
            for case in some
        ]
        recall(library, some, [case.both for case in some], "untrained")
        recall(library, some, start, "before")
        more = cases(library, read_asked(*given.asked))
        recall(library, some, folds(some, start, more, trees), "left out")
        model = fit([*some, *more], [*start, *(np.zeros(len(case.rows)) for case in more)], trees=trees)
        gains = sorted(zip(model.feature_importance("gain"), FEATURES, strict=True), reverse=True)
        for gain, feature in gains[:20]:
            print(f"  {gain:8.0f} {feature}")
        rows = np.concatenate([case.rows for case in some])
        told = np.concatenate(start) + model.predict(rows)
        bias = 0.0  # what takes out numbers knows how high the best of the trees before it stood
        if given.anew:
            bias = float(np.mean([best(package, case) - model.predict(case.rows).max() for case in some]))
        export(model, given.out / name, before, bias)
        told += bias
        assert np.allclose(read_trees((given.out / name).read_bytes()).scores(rows), told, atol=1e-3)


if __name__ == "__main__":
    main()
