"""What verdicts are worth without a language model: streams of questions that come again in other words.

    python benchmarks/learning_curve.py --questions FILE --library DIR [--wordings FILE] [--limit N]
        [--orders 5] [--noise 0 0.1 0.3] [--corrections] [--out FILE.jsonl]

Questions have the fields of AirQA, and where it is known `page`, `quote` and `source_pdf` of the answer; the
library, which is not written to, holds their papers. Every question comes twice, in its own words and in
those of the wordings (`uuid`, `question`; without a file, by a fixed rule), in an order drawn anew each time.
After each answer its user says one word: right or wrong of an answer, or, where only evidence was shown,
which piece says it; with `--corrections` they tell the right answer where it was wrong or missing. With
noise some users say the opposite, name another piece, or tell the answer of another question. Four arms see
the same orders: nothing learned (the twin), right answers remembered, the search taught, both.

Offline rules cannot profit from worked examples: what they can use of past answers is that of the same
question, and, beside an abstention, the suggestion of one that may be the same.
Printed, with 95% intervals of the difference to the twin (bootstrap over questions within orders): right
answers, and evidence first and among five of the questions that are searched, on the first coming and the
second.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from natural import gained, papers_of, read_lines, read_wordings, right, says, unanswerable
from quire import Library
from quire.ask import loop
from quire.ask.offline import OfflinePolicy
from quire.ask.personal.judging import Claim, judge
from quire.ask.personal.memory import PersonalMemory
from quire.ask.personal.searching import LearnedSearch
from quire.memory import MemoryStore
from quire.memory.verdicts import Ruling
from quire.search.encoders import MINILM
from quire.types import Question, Trajectory

ARMS = {"twin": (False, False), "remembered": (True, False), "search": (False, True), "both": (True, True)}
_SHOWN = 3  # pieces of evidence that a user looks at
_WORDS = (("How many ", "What number of "), ("What is the ", "Tell me the "), ("Which ", "Name which "))


@dataclass
class Step:
    """One coming of a question: right or not, its evidence first and among five (None: not searched).

    `offered` is true where the right answer was given or suggested, `misled` where a wrong one was suggested.
    """

    question: int
    second: bool
    right: bool
    first: bool | None
    five: bool | None
    offered: bool = False
    misled: bool = False


def reworded(text: str) -> str:
    """Other words by a fixed rule."""
    for one, other in _WORDS:
        if text.startswith(one):
            return other + text.removeprefix(one)
    return f"Please say: {text}"


class Stream:
    """The questions of one library, asked in any order with any arm; what cannot differ is computed once."""

    def __init__(
        self, library: Library, questions: list[dict[str, Any]], other: dict[str, str], corrections: bool
    ) -> None:
        self.library, self.rows, self._corrections = library, questions, corrections
        self._stems = {paper.id: Path(paper.file_name).stem for paper in library.papers()}
        self._present = library.learning.present()
        self._base: dict[str, Trajectory] = {}
        self._known: dict[tuple[str, ...], Trajectory] = {}
        self.asked = [
            [
                self._question(row, text)
                for text in (row["question"], other.get(row["uuid"]) or reworded(row["question"]))
            ]
            for row in questions
        ]
        rank = library._resources.ranker.rank
        ranked: dict[Any, Any] = {}

        def once(connection: Any, query: str, **options: Any) -> Any:
            key = (query, tuple(options.get("papers", ())), options.get("part", ""))
            if key not in ranked:
                ranked[key] = rank(connection, query, **options)
            return list(ranked[key])

        library._resources.ranker.rank = once  # type: ignore[method-assign]
        encoder = library._resources.encoder(MINILM)
        rows: dict[str, NDArray[np.float32]] = {}
        encode = encoder.encode

        def known(text: str) -> NDArray[np.float32]:
            if text not in rows:
                rows[text] = encode([text])[0]
            return rows[text]

        encoder.encode_query = known  # type: ignore[method-assign]
        encoder.encode = lambda texts: np.stack([known(text) for text in texts])  # type: ignore[method-assign]
        self._encoder = encoder

    def _question(self, row: dict[str, Any], text: str) -> Question:
        return self.library.question(text, papers_of(row), row["answer_format"])

    def run(self, arm: str, order: Sequence[tuple[int, int]], noise: float, seed: int) -> list[Step]:
        """All steps of one arm in one order."""
        remembers, ranks = ARMS[arm]
        memory = PersonalMemory(MemoryStore(None), self.library, lambda: self._present, lambda: self._encoder)
        self.library._resources.learner = SimpleNamespace(
            adjustment=lambda: LearnedSearch(memory, print) if ranks else None, revive=lambda: None
        )
        draw = random.Random(seed)
        seen: set[int] = set()
        steps = []
        for number, wording in order:
            question, row = self.asked[number][wording], self.rows[number]
            recalled = memory.remembered(question) if remembers else None
            run = recalled.run(question, {}) if recalled else self._answer(question, ranks)
            run = replace(run, run_id=f"{arm}-{len(steps)}")
            step = self._scored(row, run, number, number in seen, recalled is not None)
            steps.append(
                self._hinted(step, row, run, memory) if remembers else replace(step, offered=step.right)
            )
            seen.add(number)
            if arm != "twin":
                self._teach(memory, row, run, draw, noise)
        return steps

    def _hinted(self, step: Step, row: dict[str, Any], run: Trajectory, memory: PersonalMemory) -> Step:
        """The step with what is suggested beside an abstention."""
        item = memory.suggested(run.question) if run.answer.status == "abstained" else None
        if item is None or item.absent or unanswerable(row):
            return replace(step, offered=step.right, misled=item is not None and not item.absent)
        told = right(row, item.answer)
        return replace(step, offered=told, misled=not told)

    def _answer(self, question: Question, ranks: bool) -> Trajectory:
        key = (question.text, *question.only)
        if key not in self._known:
            self._known[key] = self._ask(question, False)
        base = self._known[key]
        if not ranks or not (hits := _hits(base)):
            return base
        papers = list(question.only)
        found = self.library.search(question.text, papers=papers, limit=12, words=75)
        keys = (*key, *(hit.key for hit in found))
        if [hit.key for hit in found] == [str(row["primary_key"]) for row in hits]:
            return base
        if keys not in self._known:
            self._known[keys] = self._ask(question, True)
        return self._known[keys]

    def _ask(self, question: Question, memory: bool) -> Trajectory:
        environment = replace(self.library.environment, memory=memory)
        done = loop.run(OfflinePolicy(), environment, question, max_turns=20)
        if done.answer.status == "failed":
            raise SystemExit(f"{question.text}: {done.answer.note}")
        return done

    def _scored(self, row: dict[str, Any], run: Trajectory, number: int, second: bool, known: bool) -> Step:
        good = self._right(row, run)
        if not row.get("quote"):
            return Step(number, second, good, None, None)
        if known:
            told = any(self._says(row, e.paper_id, e.page, e.quote) for e in run.answer.evidence)
            return Step(number, second, good, told, told)
        said = [
            self._says(row, str(hit["pdf_id"]), int(hit["page_number"]), str(hit["text"]))
            for hit in _hits(run)[:5]
        ]
        if not said:
            return Step(number, second, good, None, None)
        return Step(number, second, good, said[0], any(said))

    def _right(self, row: dict[str, Any], run: Trajectory) -> bool:
        if unanswerable(row):
            return run.answer.status == "abstained"
        return run.answer.status == "answered" and right(row, run.answer.value)

    def _says(self, row: dict[str, Any], paper: str, page: int, text: str) -> bool:
        place = row["source_pdf"], row["page"]
        return (self._stems.get(paper), page) == place and says(text, row["quote"])

    def _teach(
        self, memory: PersonalMemory, row: dict[str, Any], run: Trajectory, draw: random.Random, noise: float
    ) -> None:
        flipped = draw.random() < noise
        said = self._right(row, run) if run.answer.status == "answered" else False
        if self._corrections and said == flipped and (told := self._told(row, draw, flipped)) is not None:
            ruling = Ruling("user", "wrong")
            judge(memory.verdicts, run, ruling, self.library, self._present, Claim(answer=told))
        elif run.answer.status == "answered":
            label = "right" if self._right(row, run) != flipped else "wrong"
            judge(memory.verdicts, run, Ruling("user", label), self.library, self._present)  # type: ignore[arg-type]
        elif run.answer.evidence and row.get("quote"):
            shown = run.answer.evidence[:_SHOWN]
            said = [self._says(row, each.paper_id, each.page, each.quote) for each in shown]
            named = [n for n, one in enumerate(said, 1) if one != flipped]
            if not named or (flipped and not any(said)):
                return
            piece = draw.choice(named) if flipped else named[0]
            ruling = Ruling("user", "right")
            judge(memory.verdicts, run, ruling, self.library, self._present, Claim(evidence=piece))
        memory.encode()

    def _told(self, row: dict[str, Any], draw: random.Random, flipped: bool) -> Any:
        """The answer that a user tells, that of another question where it is flipped; None: knows none."""
        form = row["answer_format"]
        of = draw.choice([each for each in self.rows if each["answer_format"] == form]) if flipped else row
        return of["evaluator"]["eval_kwargs"].get("gold")


def _hits(run: Trajectory) -> Sequence[Any]:
    for step in run.steps:
        if step.call and step.call.name == "Search" and step.observation and step.observation.rows:
            return step.observation.rows
    return ()


def table(noise: float, runs: dict[str, list[list[Step]]]) -> Iterator[str]:
    """The lines of one noise."""
    for second in (False, True):
        for field in ("right", "offered", "misled", "first", "five"):
            told = "; ".join(
                f"{arm} {gained(_pairs(runs['twin'], runs[arm], field, second))}" for arm in ARMS
            )
            yield f"{noise:.0%} flipped, {'second' if second else 'first'} coming, {field:7}: {told}"


def _pairs(
    twin: list[list[Step]], other: list[list[Step]], field: str, second: bool
) -> Iterator[tuple[int, float, float]]:
    for one, two in zip(twin, other, strict=True):
        for a, b in zip(one, two, strict=True):
            if a.second == second and getattr(a, field) is not None and getattr(b, field) is not None:
                yield a.question, float(getattr(a, field)), float(getattr(b, field))


def main() -> None:
    """Ask in every order with every arm, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--wordings", type=Path)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.0, 0.1, 0.3])
    parser.add_argument("--corrections", action="store_true")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    questions, other = read_lines(args.questions), read_wordings(args.wordings)
    if args.limit:
        questions = random.Random(5).sample(questions, min(args.limit, len(questions)))
    with Library.open(args.library) as library:
        stream = Stream(library, questions, other, args.corrections)
        twins: list[list[Step]] = []
        for noise in args.noise:
            runs: dict[str, list[list[Step]]] = {arm: [] for arm in ARMS}
            for seed in range(args.orders):
                order = [(number, wording) for number in range(len(questions)) for wording in (0, 1)]
                random.Random(seed).shuffle(order)
                for arm in ARMS:
                    if arm == "twin" and len(twins) == args.orders:
                        runs[arm].append(twins[seed])
                        continue
                    runs[arm].append(stream.run(arm, order, noise, seed))
                    print(f"{noise:.0%}, order {seed}, {arm}: done", file=sys.stderr, flush=True)
                twins = runs["twin"] if noise == args.noise[0] else twins
            print("\n".join(table(noise, runs)), flush=True)
            if args.out:
                with args.out.open("a", encoding="utf-8") as file:
                    for arm, each in runs.items():
                        for seed, steps in enumerate(each):
                            told = {"noise": noise, "arm": arm, "order": seed}
                            told["right"] = [int(step.right) for step in steps]
                            told["first"] = [step.first for step in steps]
                            file.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
