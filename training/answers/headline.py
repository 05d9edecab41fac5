"""Fit how probable a taken value is, and whether the papers speak of a question, with papers left out.

    python -m training.answers.headline QUESTIONS.jsonl.gz LIBRARY --unseen DIR [--cache FILE] [--out FILE]
    python -m training.answers.headline ASKED.jsonl.gz LIBRARY --asked [--cache FILE] [--out FILE]

Questions are those of `training/answers/train.py`, to the papers that ranking and reader did not see: DIR has
what `training/reader/train.py --unseen` kept of both. With `--asked` they are in the layout of
`training/asked_held_out.jsonl.gz`, to papers that ranking and reader in the package did not see. These have
no answers, so the model of numbers stays, and a sentence is right where it is one of those that say it. Nor
are there any that a paper nearly answers, so of silence only the limits from which on it is told are new.

With `--meant` they are the first again, of which those are taken that ask the library which paper it is. The
ranking and the reader in the package have learned from these papers. Only how often the paper is the one that
is meant is fitted then.

`off_topic.txt` beside this file has questions that no paper answers, each asked of the whole library and of
one paper. Five logistic models (a number; that the
first sentence says it, by the question's own evaluator; that nothing speaks of it, twice) over ten folds of
papers (and of off-topic questions); the weights of all go into the package. Printed: answers given and right,
the expected calibration error, and how often "your papers do not seem to speak of this" is said of what.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from training.questions import read_asked, read_questions

from quire import Library
from quire.ask import offline
from quire.ask.answer_format import AnswerFormat, read_format
from quire.ask.offline.extract import extract
from quire.ask.offline.headline import (
    doubt_features,
    probability_features,
    silence_features,
    statement_features,
)
from quire.ask.offline.searched import (
    MOST,
    PAPER,
    cells_of,
    closest,
    is_open,
    readable,
    rows_of_tables,
    shares_of,
    units_of,
)
from quire.eval.scorers.evaluators import read_evaluator
from quire.search import ranking
from quire.search.models import MINILM_SOURCE, require
from quire.search.reader import Reader
from quire.trees import read_trees
from quire.types import Call, Evidence, Question

Floats = NDArray[np.float64]
Case = tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]  # question, hits, cells

FOLDS = 10
TOLD = 0.03  # of answerable questions, the share that may be told that nothing speaks of them
FAR_TOLD = 0.01  # of these, by likeness in meaning
NEAR = 0.2  # weight of a question that its paper nearly answers, beside one that is off topic


def off_topic(papers: list[str]) -> list[dict[str, Any]]:
    draw = random.Random(6)
    lines = Path(__file__).with_name("off_topic.txt").read_text(encoding="utf-8").splitlines()
    return [
        {"question": line, "kind": "off topic", "anchor_pdf": anchor, "source_pdf": f"off topic {number}",
         "answer_format": "", "evaluator": {"eval_func": "abstain"}}
        for number, line in enumerate(lines)
        for anchor in ([], [draw.choice(papers)])
    ]  # fmt: skip


def cases(library: Library, questions: list[dict[str, Any]]) -> list[Case]:
    made = []
    for question in questions:
        papers = [library.paper(f"{name}.pdf").id for name in question["anchor_pdf"]]
        call = Call("Search", {"query": question["question"], "papers": papers, "limit": MOST})
        seen = library.environment.run(call)
        hits = [dict(row) for row in seen.rows] if seen.kind == "rows" else []
        keys = rows_of_tables(hits)
        cells = library.environment.run(cells_of(keys).call).rows if keys else ()
        made.append((question, hits, [dict(cell) for cell in cells]))
    return made


def unseen(library: Library, folder: Path) -> None:
    """Let the library search with the reader and the trees of a folder."""
    minilm = require(MINILM_SOURCE)
    reader = Reader(minilm, weights=folder)
    trees = {name: read_trees((folder / f"ranking_{name}.npz").read_bytes()) for name in ("paper", "library")}
    library._resources.ranker._load = lambda: reader
    ranking.ranking_model = lambda papers: trees["paper" if papers else "library"]


def fit(rows: Floats, labels: Floats, weights: Floats) -> dict[str, list[float]]:
    """Logistic regression by Newton's steps, a little regularised."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    x = np.c_[(rows - mean) / scale, np.ones(len(rows))]
    b, ridge = np.zeros(x.shape[1]), 1e-3 * len(rows)
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ b))
        slope = x.T @ (weights * (p - labels)) + ridge * np.r_[b[:-1], 0]
        b -= np.linalg.solve((x * (weights * p * (1 - p))[:, None]).T @ x + ridge * np.eye(len(b)), slope)
    plain = b[:-1] / scale
    return {"weights": plain.tolist(), "bias": [float(b[-1] - plain @ mean)]}


def told(model: dict[str, list[float]], rows: Floats) -> Floats:
    return 1 / (1 + np.exp(-(rows @ np.asarray(model["weights"]) + model["bias"][0])))


def left_out(rows: Floats, labels: Floats, weights: Floats, papers: list[str]) -> Floats:
    names = sorted(set(papers))
    fold = np.asarray([names.index(paper) % FOLDS for paper in papers])
    found = np.zeros(len(rows))
    for number in range(FOLDS):
        own = fold == number
        found[own] = told(fit(rows[~own], labels[~own], weights[~own]), rows[own])
    return found


def says_it(question: dict[str, Any], first: Evidence, form: AnswerFormat) -> bool:
    """Whether a sentence is right: one of those noted, or by the question's own evaluator."""
    if question["evaluator"]:
        return right(question, form, first.quote)
    said = " ".join(first.quote.split())
    return any(first.page == page and said.endswith(end) for page, end in question["says"])


def right(question: dict[str, Any], form: AnswerFormat, value: Any) -> bool:
    """Whether a value is, by the question's own evaluator."""
    if question["evaluator"]["eval_func"] == "abstain":
        return False
    try:
        return bool(read_evaluator(question["evaluator"]).evaluator(form.coerce(value)).value >= 1)
    except Exception:  # noqa: BLE001 (a value of another form is wrong)
        return False


def judged(rows: Any, labels: Any, papers: list[str], absent: Any, name: str) -> dict[str, list[float]]:
    """The model over all; printed is what models over the other papers say."""
    x, y, none = np.asarray(rows), np.asarray(labels, dtype=float), np.asarray(absent)
    p = left_out(x, y, np.ones(len(y)), papers)
    for least in (0.5, 0.6, 0.7, 0.8):
        given = p >= least
        print(
            f"{name}, probability >= {least}: of {len(y)} given {given.sum()}, right {int(y[given].sum())}; "
            f"unanswerable given {given[none].sum()} of {none.sum()}"
        )
    tenth = np.minimum((p * 10).astype(int), 9)
    error = sum(abs(y[tenth == n].mean() - p[tenth == n].mean()) * (tenth == n).mean() for n in set(tenth))
    print(f"{name}: expected calibration error {error:.3f}")
    return fit(x, y, np.ones(len(y)))


def values(some: list[Case]) -> dict[str, list[float]]:
    rows, labels, papers, absent = [], [], [], []
    for question, hits, cells in some:
        form = read_format(question["answer_format"])
        found = extract(question["question"], form, units_of(hits, cells)) if hits else None
        if found is None or question["kind"] == "off topic":
            continue
        rows.append(probability_features(found, form, hits))
        labels.append(right(question, form, found.told(form)))
        papers.append(question["source_pdf"])
        absent.append(question["evaluator"]["eval_func"] == "abstain")
    return judged(rows, labels, papers, absent, "numbers")


def statements(some: list[Case]) -> dict[str, list[float]]:
    rows, labels, papers, absent = [], [], [], []
    for question, hits, cells in some:
        form = read_format(question["answer_format"])
        if not hits or question["kind"] == "off topic" or not is_open(form):
            continue
        (first, *_) = readable(closest(hits), cells)
        if row := statement_features(first, hits):
            rows.append(row)
            labels.append(says_it(question, first, form))
            papers.append(question["source_pdf"])
            absent.append(question["evaluator"].get("eval_func") == "abstain")
    return judged(rows, labels, papers, absent, "statements")


def papers_meant(some: list[Case]) -> dict[str, list[float]]:
    """Whether the paper with the largest share of the hits is the one that is asked for, by that share."""
    rows, labels, papers = [], [], []
    for question, hits, _ in some:
        form = read_format(question["answer_format"])
        if form.kind != "str":
            continue
        paper, share = next(iter(shares_of(hits).items()))
        title = next(str(hit.get("title") or "") for hit in hits if hit.get("pdf_id") == paper)
        rows.append([share])
        labels.append(right(question, form, title))
        papers.append(question["source_pdf"])
    return judged(rows, labels, papers, np.zeros(len(rows), dtype=bool), "papers")


def silence(some: list[Case], kept: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Two models, of which either may tell that nothing speaks of it: by meaning, and by the reader.

    Those that are `kept` get new limits alone.
    """
    some = [case for case in some if case[1]]
    kinds = np.asarray([question["kind"] for question, *_ in some])
    papers = [question["source_pdf"] for question, *_ in some]
    absent = np.isin(kinds, ("off topic", "unanswerable"))
    rows = {
        "silence": [
            silence_features(Question("", q["question"], anchor_papers=tuple(q["anchor_pdf"])), hits)
            for q, hits, _ in some
        ],
        "doubt": [doubt_features(hits) for _, hits, _ in some],
    }
    models, said = {}, np.zeros(len(some), dtype=bool)
    for name, near, share in (("silence", NEAR, FAR_TOLD), ("doubt", 1.0, TOLD - FAR_TOLD)):
        x, weights = np.asarray(rows[name]), np.where(kinds == "unanswerable", near, 1.0)
        label, left = absent.astype(float), ~absent & ~said
        p = told(kept[name], x) if kept else left_out(x, label, weights, papers)
        least = float(np.quantile(p[left], 1 - share * (~absent).sum() / left.sum()))
        said |= p > least
        models[name] = {**(kept.get(name) or fit(x, label, weights)), "least": [least]}
    for kind in (*sorted(set(kinds)), ""):
        own = (kinds == kind) if kind else ~absent
        print(f"told that nothing speaks of it: {said[own].mean():.2f} of {kind or 'all answerable'}")
    return models


def asked_of(library: Library, given: argparse.Namespace) -> list[dict[str, Any]]:
    """The questions that are asked, and with `--unseen` of which reader and ranking."""
    if given.asked:
        questions = [{"answer_format": "", **each} for each in read_asked(given.questions)]
        papers = sorted({each["source_pdf"] for each in questions})
        return off_topic(papers) + questions
    questions = read_questions(given.questions)
    if given.meant:
        return [each for each in questions if not each["anchor_pdf"] and PAPER.search(each["question"])]
    unseen(library, given.unseen)
    papers = json.loads((given.unseen / "papers.json").read_text("utf-8"))
    return off_topic(papers) + [each for each in questions if each["source_pdf"] in set(papers)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("questions", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--cache", type=Path)
    whose = parser.add_mutually_exclusive_group(required=True)
    whose.add_argument("--unseen", type=Path, help="reader, trees, unseen papers")
    whose.add_argument("--meant", action="store_true", help="questions for a paper")
    whose.add_argument("--asked", action="store_true", help="questions whose answers are places")
    parser.add_argument("--out", type=Path, default=Path(offline.__file__).with_name("headline.json"))
    given = parser.parse_args()
    if given.cache and given.cache.exists():
        some = pickle.loads(given.cache.read_bytes())
    else:
        with Library.open(given.library) as library:
            some = cases(library, asked_of(library, given))
        if given.cache:
            given.cache.write_bytes(pickle.dumps(some))
    models = {} if given.unseen else json.loads(given.out.read_text("utf-8"))
    if given.meant:
        models["meant"] = papers_meant(some)
    else:
        kept = {} if given.unseen else {name: models[name] for name in ("silence", "doubt")}
        models |= {"stated": statements(some), **silence(some, kept)}
    if given.unseen:
        models["probability"] = values(some)
    rounded = {
        name: {part: [round(x, 5) for x in numbers] for part, numbers in model.items()}
        for name, model in models.items()
    }
    given.out.write_text(json.dumps(rounded, indent=1) + "\n")


if __name__ == "__main__":
    main()
