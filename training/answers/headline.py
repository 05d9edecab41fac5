"""Fit how probable a taken value is, and whether the papers speak of a question, with papers left out.

    python -m training.answers.headline QUESTIONS.jsonl.gz LIBRARY [--cache FILE] [--most N] [--out FOLDER]

Questions are those of `training/answers/train.py`; `off_topic.txt` beside this file holds questions that no
paper answers, each asked of the whole library and of one paper. Two logistic models over ten folds of papers
(and of off-topic questions); the weights of all go into the package. Printed: answers given and right, the
expected calibration error, and how often "your papers do not seem to speak of this" is said of what.
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
from training.questions import read_questions

from quire import Library
from quire.ask import offline
from quire.ask.answer_format import read_format
from quire.ask.offline.evidence import MOST, cells_of, rows_of_tables, units_of
from quire.ask.offline.extract import extract
from quire.ask.offline.headline import probability_features, silence_features
from quire.eval.scorers.evaluators import read_evaluator
from quire.types import Call, Question

Floats = NDArray[np.float64]
Case = tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]  # question, hits, cells

FOLDS = 10
TOLD = 0.03  # of answerable questions, the share that may be told that nothing speaks of them
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


def values(some: list[Case]) -> dict[str, list[float]]:
    rows, labels, papers, unanswerable, numeric = [], [], [], [], []
    for question, hits, cells in some:
        form = read_format(question["answer_format"])
        found = extract(question["question"], form, units_of(hits, cells)) if hits else None
        if found is None or question["kind"] == "off topic":
            continue
        unanswerable.append(question["evaluator"]["eval_func"] == "abstain")
        right = False
        if not unanswerable[-1]:
            try:
                judge = read_evaluator(question["evaluator"]).evaluator
                right = judge(form.coerce(found.told(form))).value >= 1
            except Exception:  # noqa: BLE001 (a value of another form is wrong)
                right = False
        rows.append(probability_features(found, form, hits))
        labels.append(float(right))
        papers.append(question["source_pdf"])
        numeric.append(form.kind in ("int", "float"))
    x, y = np.asarray(rows), np.asarray(labels)
    p, absent = left_out(x, y, np.ones(len(y)), papers), np.asarray(unanswerable)
    for least in (0.5, 0.6, 0.7, 0.8):
        given = p >= least
        print(
            f"probability >= {least}: of {len(y)} that want a number ({sum(numeric)} say so) "
            f"given {given.sum()}, right {int(y[given].sum())}; "
            f"unanswerable given {given[absent].sum()} of {absent.sum()}"
        )
    tenth = np.minimum((p * 10).astype(int), 9)
    error = sum(abs(y[tenth == n].mean() - p[tenth == n].mean()) * (tenth == n).mean() for n in set(tenth))
    print(f"expected calibration error {error:.3f}")
    return fit(x, y, np.ones(len(y)))


def silence(some: list[Case]) -> dict[str, list[float]]:
    some = [case for case in some if case[1]]
    kinds = np.asarray([question["kind"] for question, _, _ in some])
    rows = np.asarray([
        silence_features(
            Question("", question["question"], anchor_papers=tuple(question["anchor_pdf"])), hits
        )
        for question, hits, _ in some
    ])  # fmt: skip
    absent = np.isin(kinds, ("off topic", "unanswerable"))
    weights = np.where(kinds == "unanswerable", NEAR, 1.0)
    p = left_out(rows, absent.astype(float), weights, [question["source_pdf"] for question, _, _ in some])
    least = float(np.quantile(p[~absent], 1 - TOLD))
    for kind in (*sorted(set(kinds)), ""):
        own = (kinds == kind) if kind else ~absent
        print(f"told that nothing speaks of it: {(p[own] > least).mean():.2f} of {kind or 'all answerable'}")
    return {**fit(rows, absent.astype(float), weights), "least": [least]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("questions", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--most", type=int, default=2500, help="questions, unanswerable ones first")
    parser.add_argument("--out", type=Path, default=Path(offline.__file__).with_name("headline.json"))
    given = parser.parse_args()
    if given.cache and given.cache.exists():
        some = pickle.loads(given.cache.read_bytes())
    else:
        questions = read_questions(given.questions)
        random.Random(5).shuffle(questions)
        questions.sort(key=lambda each: each["kind"] != "unanswerable")
        asked = off_topic(sorted({each["source_pdf"] for each in questions})) + questions
        with Library.open(given.library) as library:
            some = cases(library, asked[: given.most])
        if given.cache:
            given.cache.write_bytes(pickle.dumps(some))
    models = {"probability": values(some), "silence": silence(some)}
    rounded = {
        name: {part: [round(x, 5) for x in numbers] for part, numbers in model.items()}
        for name, model in models.items()
    }
    given.out.write_text(json.dumps(rounded, indent=1) + "\n")


if __name__ == "__main__":
    main()
