"""What a candidate is judged by: one row of numbers per unit, in the order of `FEATURES`.

The ranking model (`quire.trees`) was trained on these; change both together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quire.search.analyzer import term_numbers, words
from quire.search.asked import Asked
from quire.search.batch import HEADS, LABELS, PREFIXES, SECTIONS, SIZE_OF, TRAITS, WORDS, prefix_number
from quire.search.cells import NAMES
from quire.search.signals import Floats, Signals, around, occurrences
from quire.search.slots import Ids

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


def features(asked: Asked, signals: Signals, at: Ids) -> Floats:
    """The features of the entries `at` (numbers in `signals.ids`): float32 (len(at), features)."""
    ids = signals.ids[at]
    told = signals.view.slots.records["traits"][ids]
    wants = [float(want in asked.wants) for want in _WANTS]
    kind = signals.view.slots.kinds(ids)
    crossed = [(kind == NAMES.index(name)) & (want in asked.wants) for name, want in _CROSSED]
    parts = [
        _of_signals(signals, kind, at),
        _of_words(asked, signals, ids),
        _agreed(asked, told),
        kind[:, None] == np.arange(len(NAMES)),
        np.stack(crossed, axis=1),
        told[:, _SECTIONS_FROM:],
        np.tile(np.asarray([*wants, len(asked.terms)]), (len(at), 1)),
    ]
    return np.concatenate([np.asarray(part, dtype=np.float32) for part in parts], axis=1)


def _of_signals(signals: Signals, kind: NDArray[np.int8], at: Ids) -> Floats:
    view, ids = signals.view, signals.ids[at]
    near_by = around(signals, at)
    best = np.zeros(len(NAMES), dtype=np.float32)
    np.maximum.at(best, kind, signals.both[at])
    columns = [
        signals.words[at],
        signals.bm25[at],
        signals.meaning[at],
        signals.meaning[at] - signals.meaning.max(initial=0.0),
        signals.covered[at],
        near_by.words.sum(axis=1),
        near_by.words.max(axis=1, initial=0.0),
        near_by.meaning.mean(axis=1),
        near_by.meaning.max(axis=1, initial=0.0),
        signals.page_best[at],
        signals.page_sum[at],
        signals.paper_best[at],
        near_by.about,
        np.log1p(_ranks(signals.words[at])),
        np.log1p(_ranks(signals.meaning[at])),
        view.slots.pages(ids) / view.last_pages(signals.owners[at]),
        signals.both[at] - best[kind],
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def _ranks(values: Floats) -> NDArray[np.int64]:
    """0 for the highest."""
    return np.argsort(np.argsort(-values, kind="stable"), kind="stable")


def _of_words(asked: Asked, signals: Signals, ids: Ids) -> Floats:
    slots, weights, count = signals.view.slots, signals.weights, len(ids)
    flat, owner = slots.lists(ids, WORDS)
    said = weights.said((flat, owner), count) > 0
    over = said | (weights.said(slots.lists(ids, HEADS), count) > 0)
    label = weights.said(slots.lists(ids, LABELS), count) > 0
    label_size = slots.records["sizes"][ids, SIZE_OF[LABELS]]
    numbers = np.isin(weights.terms, [n for text in asked.numbers for n in term_numbers(text)])
    heaviest = np.float32(weights.idf.max(initial=0.0) or 1.0)
    columns = [
        weights.share(over),
        _pairs(asked, flat, owner, count),
        (said * weights.idf).max(axis=1, initial=0.0) / heaviest,
        _prefixes(asked, *slots.lists(ids, PREFIXES), count),
        weights.share(label),
        label.sum(axis=1) / np.maximum(label_size, 1),
        np.minimum(slots.lengths(ids), 80),
        said[:, numbers].sum(axis=1) / max(1, len(asked.numbers)),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def _pairs(asked: Asked, flat: NDArray[np.int32], owner: Ids, count: int) -> Floats:
    """The share of the query's neighbouring words that are neighbours here, too."""
    pairs = sorted(asked.pairs)
    found = np.zeros((count, len(pairs)), dtype=bool)
    same = owner[1:] == owner[:-1]
    for at, (first, second) in enumerate(pairs):
        here = (flat[:-1] == first) & (flat[1:] == second) & same
        found[owner[1:][here], at] = True
    share: Floats = (found.sum(axis=1) / max(1, len(pairs))).astype(np.float32)
    return share


def _prefixes(asked: Asked, flat: NDArray[np.int32], owner: Ids, count: int) -> Floats:
    """The share of the query's words that begin like a word of the text: "Iran" in "Iranian"."""
    wanted = np.asarray(
        sorted({number for word in words(asked.text) if (number := prefix_number(word.stem))}), dtype=np.int64
    )
    found = occurrences(wanted, flat, owner, count) > 0
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
