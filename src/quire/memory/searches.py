"""What right answers teach the search: which kinds of units answer which questions, and what words mean.

    shown = Shown(("number",), "cells.row_content", 1.2, (("sentences.sentence_content", 1.9),))
    teach(store, item_id, shown);  refit(store)
    weights(store)["number", "cells.row_content"]     # added to the score of such units

Contract: everything is made anew from the newest `MOST` items that are right and in use, so that what was
forgotten, retired or judged otherwise leaves no trace. Weights start at 0, where the shipped ranking stands,
and are pulled back to it (logistic regression over pairs, the evidence above every other hit that was shown,
with a Gaussian prior); none is larger than `BOUND`. A word means another once three answers say so.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire import jsontext
from quire.memory.store import MemoryStore
from quire.search.analyzer import words

MOST = 1000  # items that are learned from, the newest
BOUND = 0.5
ANY = "any"  # every question asks for it
_PRIOR = 25.0  # inverse variance of a weight
_STEPS = 12  # of Newton's method
_NOTHING = 1e-6  # a step that is none
_OTHERS = 8
_SEEN = 3  # answers that must agree on what a word means
_LIFT = 2  # times as often as by chance
_SHORTEST = 4  # letters of a word that may mean another


@dataclass(frozen=True, slots=True)
class Shown:
    """A search that showed the evidence of a right answer.

    `asked` is what the question asks for, `kind` and `score` are the evidence's, `others` are other hits'.
    """

    asked: tuple[str, ...]
    kind: str = ""
    score: float = 0.0
    others: tuple[tuple[str, float], ...] = ()


class Alias(NamedTuple):
    """A word of this library's users and what it stands for in their papers, in so many answers."""

    word: str
    means: str
    seen: int


class Weight(NamedTuple):
    """What units of a kind gain where a question asks for something, from so many answers."""

    asked: str
    kind: str
    weight: float
    seen: int


def teach(store: MemoryStore, item: str, shown: Shown) -> None:
    """Keep what a right answer showed; the newest counts. Call `refit` afterwards."""
    with store.transaction() as db:
        values = json.dumps(asdict(shown), ensure_ascii=False)
        db.execute("INSERT OR REPLACE INTO search_evidence VALUES (?, ?)", (item, values))


def teaches(store: MemoryStore, items: Iterable[str]) -> set[str]:
    """Those of some items that may move the search."""
    sql = "SELECT 1 FROM search_evidence WHERE item = ?"
    return {one for one in items if store.read(sql, (one,))}


def reset(store: MemoryStore) -> int:
    """Rank as shipped again; how many answers had taught the search. The items themselves stay."""
    with store.transaction() as db:
        count = int(db.execute("DELETE FROM search_evidence").rowcount)
        refit(store)
    return count


def refit(store: MemoryStore) -> None:
    """Make weights and aliases anew from what is right now."""
    with store.transaction() as db:
        rows = db.execute(
            "SELECT s.shown, i.question, i.evidence FROM items i CROSS JOIN search_evidence s"
            " ON s.item = i.id WHERE i.label = 'right' ORDER BY i.seq DESC LIMIT ?",
            (MOST,),
        ).fetchall()
        shown = [jsontext.of_json(Shown, jsontext.loads(row[0])) for row in rows]
        _replace(db, "search_weights", fitted(shown))
        told = [
            (str(question), " ".join(str(one["quote"]) for one in jsontext.loads(evidence)))
            for _, question, evidence in rows
        ]
        _replace(db, "search_aliases", meant(told))


def weights(store: MemoryStore) -> list[Weight]:
    """All weights, the largest first."""
    rows = store.read("SELECT asked, kind, weight, seen FROM search_weights ORDER BY abs(weight) DESC")
    return [Weight(*row) for row in rows]


def aliases(store: MemoryStore, of: Sequence[str] | None = None) -> list[Alias]:
    """What words stand for, the surest first; of all words for None. Words are stems."""
    where = "" if of is None else f" WHERE word IN ({', '.join('?' * len(of))})"
    sql = f"SELECT word, means, seen FROM search_aliases{where} ORDER BY seen DESC, word, means"
    return [Alias(*row) for row in store.read(sql, tuple(of or ()))]


def fitted(searches: Sequence[Shown]) -> list[Weight]:
    """The weights under which the evidence stands above the other hits most surely."""
    names: dict[tuple[str, str], int] = {}
    pairs: list[tuple[list[int], list[int], float]] = []
    seen: Counter[tuple[str, str]] = Counter()
    for one in searches:
        asks = (ANY, *one.asked)
        seen.update((ask, one.kind) for ask in asks)
        for kind, score in one.others[:_OTHERS]:
            if kind != one.kind:
                up, down = (
                    [names.setdefault((ask, each), len(names)) for ask in asks] for each in (one.kind, kind)
                )
                pairs.append((up, down, one.score - score))
    if not pairs:
        return []
    rows = np.zeros((len(pairs), len(names)))
    for row, (up, down, _) in zip(rows, pairs, strict=True):
        row[up], row[down] = 1.0, -1.0
    ahead = np.clip(np.array([gap for *_, gap in pairs]), -20, 20)
    found = np.zeros(len(names))
    for _ in range(_STEPS):
        wrong = 1 / (1 + np.exp(np.clip(ahead + rows @ found, -30, 30)))
        slope = rows.T @ wrong - _PRIOR * found
        bend = (rows * (wrong * (1 - wrong))[:, None]).T @ rows + _PRIOR * np.eye(len(names))
        step = np.linalg.solve(bend, slope)
        # Where all evidence stands far behind, a whole step leaps beyond the best weights and never returns.
        while _loss(rows, ahead, found + step) > _loss(rows, ahead, found) and np.abs(step).max() > _NOTHING:
            step = step / 2
        found = found + step
    found = np.clip(found, -BOUND, BOUND)
    return [Weight(*name, round(float(found[at]), 4), seen[name]) for name, at in names.items()]


def _loss(rows: NDArray[np.float64], ahead: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    missed = np.logaddexp(0, -(ahead + rows @ weights)).sum()
    return float(missed + _PRIOR / 2 * weights @ weights)


def meant(told: Sequence[tuple[str, str]]) -> list[Alias]:
    """Words of questions and words of what answered them that keep coming together, but not in both."""
    asked: Counter[str] = Counter()
    said: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    known: set[tuple[str, str]] = set()
    for question, evidence in told:
        one, two = stems(question), stems(evidence)
        key = (" ".join(sorted(one)), " ".join(sorted(two)))
        if key in known:  # the same question again teaches nothing new
            continue
        known.add(key)
        asked.update(one)
        said.update(two)
        both.update((word, means) for word in one - two for means in two - one)
    return [
        Alias(word, means, count)
        for (word, means), count in both.items()
        if count >= _SEEN and count * len(known) >= _LIFT * asked[word] * said[means]
    ]


def stems(text: str) -> set[str]:
    """The stems of the longer words of a text."""
    return {word.stem for word in words(text) if len(word.stem) >= _SHORTEST and word.stem.isalpha()}


def _replace(db: sqlite3.Connection, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    db.execute(f"DELETE FROM {table}")
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
