"""What verdicts on evidence are worth to the search: streams of questions that come again in other words.

    python benchmarks/evidence_curve.py --questions FILE --wordings FILE --library DIR [--orders 5]
        [--noise 0 0.1 0.3]

Questions have the fields of AirQA, and `page`, `quote` and `source_pdf` of their answer; wordings give other
words for each (`uuid`, `question`). Candidates are ranked once, then moved by what was learned so far with
the library's own functions, so many orders take seconds (`two_passes.py` asks in full). After each
question its user looks at the first three units and names the one that says it, if there is one; with noise
some name another one. Five arms see the same orders: the shipped ranking (the twin), kinds of units alone,
aliases alone, near questions alone, all. Printed: evidence first and among five units, and the difference to
the twin with its 95% interval (bootstrap over questions, all orders of one together), on the first coming and
on the second.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from natural import bare, papers_of, parts, read_lines, read_wordings
from quire import Library
from quire.ask.personal.memory import Near
from quire.ask.personal.searching import gains
from quire.eval.statistics import paired
from quire.library.indexing import view_of
from quire.memory.items import JudgedAnswer
from quire.memory.searches import ANY, Alias, Shown, fitted, meant, stems
from quire.search.asked import read
from quire.search.cells import Unit
from quire.search.encoders import MINILM
from quire.types import Evidence

ARMS = ("twin", "kinds", "aliases", "near", "all")
_LOOKED, _DEPTH, _EVERY, _FROM = 3, 60, 10, 0.45


@dataclass(frozen=True, eq=False)
class Asked:
    """A question in one wording, with its candidates as shipped."""

    number: int
    text: str
    wants: tuple[str, ...]
    vector: NDArray[np.float32]
    units: tuple[Unit, ...]
    scores: NDArray[np.float64]
    says: NDArray[np.bool_]


@dataclass
class Learned:
    """What one arm learned so far."""

    arm: str
    items: list[JudgedAnswer] = field(default_factory=list)
    vectors: list[NDArray[np.float32]] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    kinds: dict[tuple[str, str], float] = field(default_factory=dict)
    aliases: list[Alias] = field(default_factory=list)

    def order(self, asked: Asked) -> NDArray[np.intp]:
        """The candidates, best first."""
        near: list[Near] = []
        if self.arm in ("near", "all") and self.items:
            cosines = np.stack(self.vectors) @ asked.vector
            best = [int(at) for at in np.argsort(-cosines)[:16] if cosines[at] > _FROM]
            near = [Near(self.items[at], float(cosines[at])) for at in best]
        kinds = self.kinds if self.arm in ("kinds", "all") else {}
        words = stems(asked.text) if self.arm in ("aliases", "all") else set()
        known = [alias for alias in self.aliases if alias.word in words]
        added = [each.score for each in gains(asked.units, near, (ANY, *asked.wants), kinds, known)]
        return np.argsort(-(asked.scores + np.array(added)), kind="stable")

    def learn(self, asked: Asked, order: NDArray[np.intp], named: int) -> None:
        """The user named one of the first candidates."""
        unit = asked.units[named]
        evidence = Evidence(unit.paper_id, unit.page, unit.box, unit.quote, True, key=unit.key)
        self.items.append(
            JudgedAnswer(asked.text, "", (), None, (evidence,), (), {}, "user", "", "", "", label="right")
        )
        self.vectors.append(asked.vector)
        scores = np.sort(asked.scores)[::-1]
        places = {int(at): float(score) for at, score in zip(order[:12], scores, strict=False)}
        others = tuple((_kind(asked.units[at]), score) for at, score in places.items() if at != named)
        self.shown.append(Shown(asked.wants, _kind(unit), places[named], others))
        if len(self.items) % _EVERY == 0:
            self.kinds = {(each.asked, each.kind): each.weight for each in fitted(self.shown)}
            self.aliases = meant([(item.question, item.evidence[0].quote) for item in self.items])


def _kind(unit: Unit) -> str:
    return f"{unit.pair.table}.{unit.pair.column}"


def asked_of(library: Library, rows: list[dict[str, Any]], other: dict[str, str]) -> list[list[Asked]]:
    """Every answerable question in both wordings."""
    made = []
    encoder = library._resources.encoder(MINILM)
    for number, row in enumerate(rows):
        papers = [library.paper(name).id for name in papers_of(row)]
        source = library.paper(f"{row['source_pdf']}.pdf").id
        quoted = parts(row["quote"])
        both = []
        for text in (row["question"], other[row["uuid"]]):
            with library._resources.database.reading() as connection:
                view = view_of(library._resources, connection)
                ranked = library._resources.ranker.rank(view, text, papers=papers)[:_DEPTH]
            units = tuple(each.unit for each in ranked)
            says = [
                (unit.paper_id, unit.page) == (source, row["page"])
                and any(
                    part in bare(unit.text + unit.quote)
                    or (len(bare(unit.quote)) > 20 and bare(unit.quote) in part)
                    for part in quoted
                )
                for unit in units
            ]
            scores = np.array([each.score for each in ranked], dtype=np.float64)
            wants = tuple(sorted(read(text).wants))
            both.append(
                Asked(
                    number, text, wants, encoder.encode_query(text), units, scores, np.array(says, dtype=bool)
                )
            )
        made.append(both)
    return made


def run(arm: str, stream: list[Asked], noise: float, seed: int) -> list[tuple[int, bool, bool, bool]]:
    """(question, second coming, first, among five) of every step."""
    learned, draw = Learned(arm), random.Random(seed)
    seen: set[int] = set()
    steps = []
    for asked in stream:
        order = learned.order(asked)
        said = asked.says[order]
        steps.append((asked.number, asked.number in seen, bool(said[:1].any()), bool(said[:5].any())))
        seen.add(asked.number)
        looked = [int(at) for at in order[:_LOOKED]]
        right = [at for at in looked if asked.says[at]]
        flipped = draw.random() < noise
        named = [at for at in looked if not asked.says[at]] if flipped else right
        if named and arm != "twin":
            learned.learn(asked, order, draw.choice(named) if flipped else named[0])
    return steps


def told(twin: list[Any], other: list[Any], second: bool, column: int) -> str:
    """Mean of an arm, and its difference to the twin."""
    of: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for one, two in zip(twin, other, strict=True):
        if one[1] == second:
            of[one[0]].append((two[column], one[column]))
    means = np.array([np.mean(pairs, axis=0) for pairs in of.values()], dtype=np.float64)
    found = paired(means[:, 0].tolist(), means[:, 1].tolist())
    return f"{means[:, 0].mean():.3f} ({found.difference:+.3f}; {found.low:+.3f} to {found.high:+.3f})"


def main() -> None:
    """Stream every order with every arm, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--wordings", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.0, 0.1, 0.3])
    args = parser.parse_args()
    other = read_wordings(args.wordings)
    asked = [row for row in read_lines(args.questions) if row["quote"] and row["uuid"] in other]
    with Library.open(args.library) as library:
        questions = asked_of(library, asked, other)
    print(f"{len(questions)} questions in two wordings, {args.orders} orders", flush=True)
    for noise in args.noise:
        steps: dict[str, list[Any]] = {arm: [] for arm in ARMS}
        for seed in range(args.orders):
            stream = [asked for both in questions for asked in both]
            random.Random(seed).shuffle(stream)
            for arm in ARMS:
                steps[arm] += run(arm, stream, noise, seed)
        for second in (False, True):
            for name, column in (("first", 2), ("among five", 3)):
                coming = "second" if second else "first"
                print(f"{noise:.0%} named wrongly, {coming} coming, evidence {name}:")
                for arm in ARMS:
                    print(f"  {arm:8} {told(steps['twin'], steps[arm], second, column)}", flush=True)


if __name__ == "__main__":
    main()
