"""Do vectors of eight bits find what those of float32 find? Paired, on papers that the ranking never saw.

    python -m benchmarks.precision --questions training/questions.jsonl.gz --library DIR --work EMPTY_DIR
        [--check DATA/qa/natural/dev.jsonl] [--every N]

DIR holds the papers of all questions; its vectors do not count. It is copied twice and encoded anew in each
precision; questions are encoded like their library. Printed are, for MiniLM alone (sentences), for half words
and half meaning, and ranked: page first, page among five and words of the answer in the five passages, in
either precision, and the difference with its 95% interval (papers drawn again 2000 times). Trees are trained
from nothing on the features of each precision, in five folds of papers; those for `--check` (questions to
other papers) on all others. Needs `lightgbm`; an hour on one core, most of it encoding. `--every` takes each
Nth question only: a third takes 7 minutes of processor time.
"""

from __future__ import annotations

import argparse
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from training.questions import read_questions
from training.ranking.train import Case, Scores, bare, cases, fit, folds, parts, view_in

from quire.library import Library
from quire.library.encoding import encode
from quire.library.searching import distinct
from quire.search import MINILM, ranking
from quire.search.ranking import Ranked
from quire.search.search import Request, column_search
from quire.store import WriterLock

PRECISIONS = ("float32", "int8")
FIGURES = ("page first", "among five", "words")
Row = tuple[bool, bool, bool]
Found = dict[str, dict[str, Row]]  # by way of searching, then by question


def encoded(source: Path, place: Path, precision: str) -> Library:
    """A copy of a library with vectors of this precision."""
    if not place.exists():
        shutil.copytree(source, place, ignore=shutil.ignore_patterns("vectors", "runs", "cache"))
    library = Library.open(place, index__precision=precision)
    with WriterLock(library.folder):
        made, notes = encode(library._resources)
    print(f"{precision}: {made} vectors made. {' '.join(notes)}", flush=True)
    return library


class Measured:
    """What one library finds."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.view = view_in(library)
        self.papers = {Path(paper.file_name).stem: paper.id for paper in library.papers()}
        self.found: Found = defaultdict(dict)

    def alone(self, some: Iterable[Case]) -> None:
        """By the vectors of sentences alone."""
        encoders = self.library._resources.available()[0]
        with self.library._resources.database.reading() as connection:
            for case in some:
                asked = case.question
                where = tuple(self.papers[stem] for stem in asked["anchor_pdf"])
                request = Request(asked["question"], MINILM, "sentences", "sentence_content", where)
                units = [
                    self.view.unit(hit.id) for hit in column_search(self.view, connection, request, encoders)
                ]
                places = [(unit.paper_id, unit.page) for unit in units]
                self._note("MiniLM alone", case, places, [unit.text for unit in units])

    def ranked(self, way: str, some: Sequence[Case], scores: Scores) -> None:
        """By candidates in the order of these scores."""
        model = ranking.ranking_model(())  # explains nothing here
        with self.library._resources.database.reading() as connection:
            for case, score in zip(some, scores, strict=True):
                ids = case.ids[np.argsort(-np.asarray(score), kind="stable")].tolist()
                ordered = [Ranked(self.view, id, 0.0, case.rows[0], model, self.view.page(id)) for id in ids]
                hits = distinct(connection, ordered, 5)
                places = [(each.unit.paper_id, each.unit.page) for each, _ in hits]
                self._note(way, case, places, [passage.text for _, passage in hits])

    def _note(self, way: str, case: Case, places: Sequence[tuple[str, int]], texts: Sequence[str]) -> None:
        asked = case.question
        right = [place == (self.papers[asked["source_pdf"]], asked["page"]) for place in places]
        said = any(part in bare(text) for part in parts(asked["quote"]) for text in texts)
        self.found[way][asked["uuid"]] = (right[:1] == [True], any(right), said)


def measured(library: Library, asked: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> Found:
    """What a library finds for questions, by trees that saw none of their papers."""
    found = Measured(library)
    for scope in (True, False):
        own = [question for question in asked if bool(question["anchor_pdf"]) == scope]
        some = cases(library, own)
        checks = cases(library, [question for question in others if bool(question["anchor_pdf"]) == scope])
        start: Scores = [np.zeros(len(case.rows)) for case in some]
        found.alone([*some, *checks])
        found.ranked("half and half", [*some, *checks], [case.both for case in (*some, *checks)])  # type: ignore[misc]
        found.ranked("ranked", some, folds(some, start))
        if checks:
            model = fit(some, start)
            found.ranked("ranked", checks, [np.asarray(model.predict(case.rows)) for case in checks])
    return found.found


def told(rows: Mapping[str, Found], asked: Sequence[dict[str, Any]], title: str) -> Iterator[str]:
    """The lines of the table."""
    draw = np.random.default_rng(0)
    for way in rows["float32"]:
        there = [question for question in asked if question["uuid"] in rows["float32"][way]]
        papers = sorted({question["source_pdf"] for question in there})
        number = np.asarray([papers.index(question["source_pdf"]) for question in there])
        drawn = draw.multinomial(len(papers), [1 / len(papers)] * len(papers), 2000)[:, number]
        both = {
            kind: np.asarray([rows[kind][way][q["uuid"]] for q in there], dtype=float) for kind in PRECISIONS
        }
        for at, figure in enumerate(FIGURES):
            before, after = both["float32"][:, at], both["int8"][:, at]
            again = (drawn * (after - before)).sum(axis=1) / drawn.sum(axis=1)
            low, high = np.quantile(again, [0.025, 0.975])
            yield (
                f"{title:8} {way:14} {figure:11} {before.mean():.4f} {after.mean():.4f}"
                f"  {after.mean() - before.mean():+.4f} [{low:+.4f}, {high:+.4f}]  of {len(there)}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--check", type=Path)
    parser.add_argument("--every", type=int, default=1)
    given = parser.parse_args()
    asked = read_questions(given.questions)[:: given.every]
    others = read_questions(given.check) if given.check else []
    rows: dict[str, Found] = {}
    for precision in PRECISIONS:
        with encoded(given.library, given.work / precision, precision) as library:
            rows[precision] = measured(library, asked, others)
    print(f"{'':8} {'':14} {'':11} float32 int8     difference, 95% interval")
    for title, some in (("left out", asked), ("check", others)):
        if some:
            print("\n".join(told(rows, some, title)))


if __name__ == "__main__":
    main()
