"""Train what takes answers out of passages, on natural questions, measured with papers left out.

    python -m training.answers.train QUESTIONS.jsonl LIBRARY [--cache FILE] [--out FOLDER]

Questions have the fields of AirQA plus kind and source_pdf. Each is searched as the offline policy searches;
a candidate is right if the question's own evaluator says so; of a question that the paper does not answer,
none is. Ten folds of papers; confidence is the rate of right answers among scores of left-out papers, made
monotone (isotonic regression). Printed: answers given and right above each confidence, and the calibration.
What is told to people is the probability of `training/answers/headline.py`, which is fitted afterwards.
"""

from __future__ import annotations

import argparse
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from training import wanted
from training.questions import read_questions
from training.ranking.train import export

from quire import Library
from quire.ask.answer_format import read_format
from quire.ask.offline import extract as package
from quire.ask.offline.extract import NUMERIC, chosen
from quire.ask.offline.extract.candidates import Candidate, candidates, features
from quire.ask.offline.searched import MOST, cells_of, rows_of_tables, units_of
from quire.eval.scorers.evaluators import read_evaluator
from quire.types import Call

lightgbm, isotonic = wanted("lightgbm"), wanted("sklearn.isotonic")

FOLDS = 10
MOST_SURE = 0.95  # a few right answers in a row make none certain


@dataclass
class Case:
    """A question, its candidates, their features, and which are right."""

    question: dict[str, Any]
    found: list[Candidate]
    rows: NDArray[np.float32]
    right: NDArray[np.bool_]


def cases(library: Library, questions: list[dict[str, Any]]) -> list[Case]:
    made = []
    for question in questions:
        form = read_format(question["answer_format"])
        if form.kind not in NUMERIC:
            continue
        papers = tuple(library.paper(name + ".pdf").id for name in question["anchor_pdf"])
        environment = library.environment
        call = Call("Search", {"query": question["question"], "papers": list(papers), "limit": MOST})
        seen = environment.run(call)
        keys = rows_of_tables(seen.rows)
        cells = environment.run(cells_of(keys).call).rows if keys else ()
        found = candidates(units_of(seen.rows, cells))
        rows = features(question["question"], form, found)
        made.append(Case(question, found, rows, right(question, found)))
    return made


def right(question: dict[str, Any], found: list[Candidate]) -> NDArray[np.bool_]:
    if question["evaluator"]["eval_func"] == "abstain":
        return np.zeros(len(found), dtype=bool)
    evaluator = read_evaluator(question["evaluator"]).evaluator
    form = read_format(question["answer_format"])
    known: dict[str, bool] = {}
    for each in found:
        text = str(each.value)
        if text not in known:
            try:
                known[text] = evaluator(form.coerce(each.value)).value >= 1
            except Exception:  # noqa: BLE001 (a value of another form is wrong)
                known[text] = False
    return np.asarray([known[str(each.value)] for each in found], dtype=bool)


def fit(some: list[Case], seed: int = 0) -> lightgbm.Booster:
    rows = np.concatenate([case.rows for case in some])
    labels = np.concatenate([case.right for case in some])
    settings = {
        "objective": "binary", "learning_rate": 0.06, "num_leaves": 8, "min_data_in_leaf": 25,
        "bagging_fraction": 0.8, "bagging_freq": 1, "feature_fraction": 0.5, "lambda_l2": 5.0, "seed": seed,
        "num_threads": 1, "verbose": -1, "deterministic": True,
    }  # fmt: skip
    weights = np.concatenate([np.full(len(c.rows), 1 / np.sqrt(max(1, len(c.rows)))) for c in some])
    return lightgbm.train(settings, lightgbm.Dataset(rows, labels, weight=weights), 120)


def folds(some: list[Case]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The score of each question's answer by a model that never saw its paper, and whether it is right."""
    papers = sorted({case.question["source_pdf"] for case in some})
    scores, rights = np.full(len(some), -99.0), np.zeros(len(some), dtype=bool)
    for fold in range(FOLDS):
        out = [n for n, c in enumerate(some) if papers.index(c.question["source_pdf"]) % FOLDS == fold]
        model = fit([case for n, case in enumerate(some) if n not in set(out) and len(case.rows)])
        for n in out:
            if len(some[n].rows):
                raw = model.predict(some[n].rows, raw_score=True)
                best, margin = chosen(some[n].found, raw)
                scores[n], rights[n] = raw[best] + margin, some[n].right[best]
    return scores, rights


def report(some: list[Case], rate: NDArray[np.float64], rights: NDArray[np.bool_]) -> None:
    answerable = np.asarray([case.question["kind"] != "unanswerable" for case in some])
    reachable = np.asarray([case.right.any() for case in some])
    print(f"{len(some)} questions, {answerable.sum()} answerable, {reachable.sum()} reachable")
    print(f"  best candidate right: {rights[answerable].mean():.2f} of the answerable")
    for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        given = rate >= least
        print(
            f"  confidence >= {least}: given {given.sum()}, right {rights[given].sum()} "
            f"({rights[given].sum() / max(1, given.sum()):.0%}), "
            f"{rights[given].sum() / answerable.sum():.0%} of the answerable; "
            f"unanswerable answered {given[~answerable].sum()} of {(~answerable).sum()}"
        )
    for low in np.arange(0, 1, 0.2):
        inside = (rate >= low) & (rate < low + 0.2)
        if inside.any():
            rate_said = f"said {low:.1f} to {low + 0.2:.1f}"
            print(f"  {rate_said}: {inside.sum()} answers, right {rights[inside].mean():.2f}")


def plot(rate: NDArray[np.float64], rights: NDArray[np.bool_], file: Path) -> None:
    """Confidence against the rate of right answers, in tenths; the size of a dot is how many answers."""
    dots = []
    for low in np.arange(0, 1, 0.1):
        inside = (rate >= low) & (rate < low + 0.1 + 1e-9 * (low > 0.85))
        if inside.any():
            x, y = 40 + 300 * rate[inside].mean(), 340 - 300 * rights[inside].mean()
            dots.append(
                f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{2 + inside.sum() ** 0.5:.1f}" fill="#3366aa"/>'
            )
    file.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="360" height="380" font-family="sans-serif" '
        'font-size="12"><rect x="40" y="40" width="300" height="300" fill="none" stroke="#888"/>'
        '<line x1="40" y1="340" x2="340" y2="40" stroke="#bbb"/>'
        '<text x="130" y="365">confidence told</text>'
        '<text x="20" y="250" transform="rotate(-90 20 250)">rate of right answers</text>'
        f"{''.join(dots)}</svg>\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("questions", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--plot", type=Path, help="SVG to draw the calibration into")
    parser.add_argument("--out", type=Path, default=Path(package.__file__).parent)
    given = parser.parse_args()
    if given.cache and given.cache.exists():
        some = pickle.loads(given.cache.read_bytes())
    else:
        with Library.open(given.library) as library:
            some = cases(library, read_questions(given.questions))
        if given.cache:
            given.cache.write_bytes(pickle.dumps(some))
    scores, rights = folds(some)
    papers = sorted({case.question["source_pdf"] for case in some})
    # The rate of each fold is read off the other folds, so that the table is honest too.
    fold = np.asarray([papers.index(case.question["source_pdf"]) % FOLDS for case in some])
    rate = np.zeros(len(some))
    for number in range(FOLDS):
        curve = isotonic.IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=MOST_SURE)
        curve.fit(scores[fold != number], rights[fold != number])
        rate[fold == number] = curve.predict(scores[fold == number])
    report(some, rate, rights)
    if given.plot:
        plot(rate, rights, given.plot)
    export(fit([case for case in some if len(case.rows)]), given.out / "numbers.npz")


if __name__ == "__main__":
    main()
