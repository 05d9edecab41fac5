"""What a candidate is judged by: one row of numbers per unit, in the order of `FEATURES`.

The ranking model (`quire.index.everything.trees`) was trained on these; change both together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quire.index.analyzer import term_numbers, words
from quire.index.everything.asked import Asked
from quire.index.everything.building import prefix_number
from quire.index.everything.entries import NAMES
from quire.index.everything.ragged import Ragged
from quire.index.everything.signals import Floats, Signals, around
from quire.index.everything.snapshot import Snapshot
from quire.index.everything.traits import SECTIONS, TRAITS

_SIGNALS = (
    "words", "bm25", "meaning", "meaning behind the best", "covered", "words around", "words near by",
    "meaning around", "meaning near by", "page's best", "page's sum", "paper's best", "paper's subject",
    "rank by words", "rank by meaning", "page", "kind's best",
)  # fmt: skip
_TEXT = (
    "covered with heading", "neighbouring words", "rarest word", "prefixes", "label", "label's words",
    "length", "numbers of the query",
)  # fmt: skip
_AGREED = (
    "numbers", "number wanted", "unit wanted", "reason given", "truth told", "names", "version", "defines",
)  # fmt: skip
_WANTS = ("number", "reason", "truth", "name", "tool", "statistic", "meaning", "comparison")
_CROSSED = (("row", "number"), ("row", "statistic"), ("row", "reason"), ("table", "number"))
FEATURES: tuple[str, ...] = (
    *_SIGNALS,
    *_TEXT,
    *_AGREED,
    *(f"is a {name}" for name in NAMES),
    *(f"{kind} for a {want}" for kind, want in _CROSSED),
    *(f"in the {name}" for name in SECTIONS),
    *(f"asks for a {want}" for want in _WANTS),
    "words of the query",
)
_SECTIONS_FROM = next(n for n, name in enumerate(TRAITS) if name.startswith("in the "))


def features(asked: Asked, snapshot: Snapshot, signals: Signals, at: NDArray[np.int64]) -> Floats:
    """The features of the entries `at` (numbers in `signals`): float32 (len(at), features)."""
    places = signals.places[at]
    told = snapshot.arrays.traits[places]
    wants = [float(want in asked.wants) for want in _WANTS]
    kind = snapshot.arrays.kind[places]
    crossed = [(kind == NAMES.index(name)) & (want in asked.wants) for name, want in _CROSSED]
    parts = [
        _of_signals(snapshot, signals, at),
        _of_words(asked, snapshot, signals, places),
        _agreed(asked, told),
        kind[:, None] == np.arange(len(NAMES)),
        np.stack(crossed, axis=1),
        told[:, _SECTIONS_FROM:],
        np.tile(np.asarray([*wants, len(asked.terms)]), (len(at), 1)),
    ]
    return np.concatenate([np.asarray(part, dtype=np.float32) for part in parts], axis=1)


def _of_signals(snapshot: Snapshot, signals: Signals, at: NDArray[np.int64]) -> Floats:
    arrays = snapshot.arrays
    places = signals.places[at]
    words_around = around(snapshot, signals, signals.words, at)
    meaning_around = around(snapshot, signals, signals.meaning, at)
    paper, page, kind = arrays.paper[places], arrays.page[places], arrays.kind[places]
    best = np.zeros(len(NAMES), dtype=np.float32)
    np.maximum.at(best, kind, signals.both[at])
    columns = [
        signals.words[at],
        signals.bm25[at],
        signals.meaning[at],
        signals.meaning[at] - signals.meaning.max(initial=0.0),
        signals.covered[at],
        words_around.sum(axis=1),
        words_around.max(axis=1),
        meaning_around.mean(axis=1),
        meaning_around.max(axis=1),
        signals.page_best[at],
        signals.page_sum[at],
        signals.paper_best[at],
        signals.paper_about[paper],
        np.log1p(_ranks(signals.words[at])),
        np.log1p(_ranks(signals.meaning[at])),
        page / np.maximum(snapshot.last_page[paper], 1),
        signals.both[at] - best[kind],
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def _ranks(values: Floats) -> NDArray[np.int64]:
    """0 for the highest."""
    return np.argsort(np.argsort(-values, kind="stable"), kind="stable")


@dataclass(frozen=True, slots=True, eq=False)
class _Weighed:
    """The query's words, ascending, and what each weighs."""

    terms: NDArray[np.int64]
    weights: Floats

    def said(self, lists: Ragged, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the words each of some lists has: (places, words)."""
        flat, owner = lists.some(places)
        found = np.zeros((len(places), len(self.terms)), dtype=bool)
        if len(self.terms):
            number = np.minimum(np.searchsorted(self.terms, flat), len(self.terms) - 1)
            hit = self.terms[number] == flat
            found[owner[hit], number[hit]] = True
        return found

    def share(self, said: NDArray[np.bool_]) -> Floats:
        """The share of the weights that is said."""
        found: Floats = said @ self.weights / np.float32(self.weights.sum() or 1.0)
        return found


def _of_words(asked: Asked, snapshot: Snapshot, signals: Signals, places: NDArray[np.int64]) -> Floats:
    arrays = snapshot.arrays
    terms = sorted(asked.terms)
    weighed = _Weighed(
        np.asarray(terms, dtype=np.int64),
        np.asarray([signals.idf.get(term, 0.0) for term in terms], dtype=np.float32),
    )
    said = weighed.said(arrays.words, places)
    over = said | weighed.said(arrays.heads, places)
    label = weighed.said(arrays.labels, places)
    label_size = arrays.labels.start[places + 1] - arrays.labels.start[places]
    numbers = np.isin(weighed.terms, [n for text in asked.numbers for n in term_numbers(text)])
    heaviest = np.float32(weighed.weights.max(initial=0.0) or 1.0)
    flat, owner = arrays.words.some(places)
    columns = [
        weighed.share(over),
        _pairs(asked, flat, owner, len(places)),
        (said * weighed.weights).max(axis=1, initial=0.0) / heaviest,
        _prefixes(asked, snapshot, flat, owner, len(places)),
        weighed.share(label),
        label.sum(axis=1) / np.maximum(label_size, 1),
        np.minimum(snapshot.lengths[places], 80),
        said[:, numbers].sum(axis=1) / max(1, len(asked.numbers)),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def _pairs(asked: Asked, flat: NDArray[np.int32], owner: NDArray[np.int64], count: int) -> Floats:
    """The share of the query's neighbouring words that are neighbours here, too."""
    pairs = sorted(asked.pairs)
    found = np.zeros((count, len(pairs)), dtype=bool)
    same = owner[1:] == owner[:-1]
    for number, (first, second) in enumerate(pairs):
        here = (flat[:-1] == first) & (flat[1:] == second) & same
        found[owner[1:][here], number] = True
    share: Floats = (found.sum(axis=1) / max(1, len(pairs))).astype(np.float32)
    return share


def _prefixes(
    asked: Asked, snapshot: Snapshot, flat: NDArray[np.int32], owner: NDArray[np.int64], count: int
) -> Floats:
    """The share of the query's words that begin like a word of the text: "Iran" in "Iranian"."""
    wanted = sorted({number for word in words(asked.text) if (number := prefix_number(word.stem))})
    arrays = snapshot.arrays
    found = np.zeros((count, len(wanted)), dtype=bool)
    begins = np.isin(arrays.prefixes, wanted)
    terms, prefixes = arrays.terms[begins], arrays.prefixes[begins]
    if len(terms):
        at = np.minimum(np.searchsorted(terms, flat), len(terms) - 1)
        here = terms[at] == flat
        found[owner[here], np.searchsorted(wanted, prefixes[at[here]])] = True
    share: Floats = (found.sum(axis=1) / max(1, len(wanted))).astype(np.float32)
    return share


def _agreed(asked: Asked, told: NDArray[np.uint8]) -> Floats:
    """Whether a unit holds what is asked for."""
    numbers, names, reason, truth, version, defines = (told[:, n].astype(np.float32) for n in range(6))
    units = [n for n, name in enumerate(TRAITS) if name.removeprefix("unit ") in asked.units]
    wants = asked.wants
    columns = [
        numbers,
        (numbers > 0) * ("number" in wants),
        told[:, units].sum(axis=1) / max(1, len(asked.units)),
        reason * ("reason" in wants),
        truth * ("truth" in wants),
        names * ("name" in wants),
        version * ("tool" in wants),
        defines * ("meaning" in wants),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


__all__ = ["FEATURES", "features"]
