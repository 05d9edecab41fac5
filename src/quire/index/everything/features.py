"""What a candidate is judged by: one row of numbers per unit, in the order of `FEATURES`.

The ranking model (`quire.index.everything.trees`) was trained on these; change both together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quire.index.everything.asked import NUMBER, UNITS, Asked
from quire.index.everything.entries import NAMES, Entries
from quire.index.everything.signals import Floats, Signals, around
from quire.index.everything.units import Unit
from quire.index.words import term_numbers, words

_SIGNALS = (
    "words", "bm25", "meaning", "meaning behind the best", "covered", "words around", "words near by",
    "meaning around", "meaning near by", "page's best", "page's sum", "paper's best", "paper's subject",
    "rank by words", "rank by meaning", "page", "kind's best",
)  # fmt: skip
_TEXT = (
    "covered with heading", "neighbouring words", "rarest word", "prefixes", "label", "label's words",
    "length", "numbers", "number wanted", "numbers of the query", "unit wanted", "reason given",
    "truth told", "names", "version", "defines",
)  # fmt: skip
_SECTIONS = {
    "abstract": "abstract|summary|highlights",
    "introduction": "intro|background",
    "methods": "method|material|experiment|procedure|setup|design|data|subject|participant|sampl|animal",
    "results": "result|finding|evaluation|analys",
    "discussion": "discuss|conclu|limitation",
    "back": "acknowl|funding|conflict|contribution|reference|appendix|supplement",
}
_WANTS = ("number", "reason", "truth", "name", "tool", "statistic", "meaning", "comparison")
_CROSSED = (("row", "number"), ("row", "statistic"), ("row", "reason"), ("table", "number"))
FEATURES: tuple[str, ...] = (
    *_SIGNALS,
    *_TEXT,
    *(f"is a {name}" for name in NAMES),
    *(f"{kind} for a {want}" for kind, want in _CROSSED),
    *(f"in the {name}" for name in _SECTIONS),
    *(f"asks for a {want}" for want in _WANTS),
    "words of the query",
)
_SECTION_PATTERNS = [re.compile(pattern, re.IGNORECASE) for pattern in _SECTIONS.values()]
_REASON = re.compile(
    r"\b(?:because|due to|since|owing|in order to|so that|thus|therefore|reasons?|explain\w*|"
    r"(?:result\w*|stems?|arises?) from|caused?|attribut\w+|as a result|"
    r"to (?:avoid|ensure|prevent|reduce|neutrali\w+|allow|keep|minimi\w+))",
    re.IGNORECASE,
)
_TRUTH = re.compile(
    r"\b(?:no|not|neither|never|without|fail\w*|lower|higher|more|less|significant\w*|than|both|better|worse|"
    r"largest|increas\w+|decreas\w+|only|outperform\w*|similar|superior|inferior|cannot)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,;:)] )[A-Z][A-Za-z0-9-]+|\b[A-Z]{2,}[A-Za-z0-9-]*\b")
_VERSION = re.compile(
    r"\b(?:version|ver|v|release)\.? ?\d|\b[A-Z]\w+ \d+(?:\.\d+)+|®|™|\b(?:Inc|Ltd|GmbH|USA)\b"
)
_DEFINES = re.compile(r"\([A-Z][A-Za-z-]+\)|\b(?:is|are) (?:defined|an?|the)\b|\brefers? to\b|\bmeans?\b")
_PREFIX = 5
_KEPT = 30_000  # texts whose words are kept, about a kilobyte each


def features(
    asked: Asked, entries: Entries, signals: Signals, at: NDArray[np.int64], units: Sequence[Unit]
) -> Floats:
    """The features of the units that stand at `at` (numbers in `signals`): float32 (len(units), features)."""
    told = _of_signals(entries, signals, at)
    weights = {term: signals.idf.get(term, 0.0) for term in asked.terms}
    stems = [word.stem for word in words(asked.text)]
    said = np.asarray([_of_text(asked, unit, weights, stems) for unit in units], dtype=np.float32)
    return np.concatenate([told, said], axis=1)


def _of_signals(entries: Entries, signals: Signals, at: NDArray[np.int64]) -> Floats:
    places = signals.places[at]
    words_around = around(entries, signals, signals.words, at)
    meaning_around = around(entries, signals, signals.meaning, at)
    paper, page = entries.paper[places], entries.page[places]
    kind = entries.kind[places]
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
        signals.paper_about[at],
        np.log1p(_ranks(signals.words[at])),
        np.log1p(_ranks(signals.meaning[at])),
        page / np.maximum(entries.last_page[paper], 1),
        signals.both[at] - best[kind],
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def _ranks(values: Floats) -> NDArray[np.int64]:
    """0 for the highest."""
    return np.argsort(np.argsort(-values, kind="stable"), kind="stable")


def _of_text(asked: Asked, unit: Unit, weights: dict[int, float], stems: Sequence[str]) -> list[float]:
    text = unit.text
    numbers, said = _words(text)
    over = said | _words(unit.context)[1]
    total = sum(weights.values()) or 1.0
    heaviest = max(weights.values(), default=0.0) or 1.0
    found = NUMBER.findall(unit.quote)
    wants = asked.wants
    label = _words(unit.label)[1]
    row = [
        sum(weights[term] for term in weights if term in over) / total,
        len(asked.pairs.intersection(zip(numbers, numbers[1:], strict=False))) / max(1, len(asked.pairs)),
        max((weight for term, weight in weights.items() if term in said), default=0.0) / heaviest,
        _prefixes(stems, text),
        sum(weights[term] for term in weights if term in label) / total,
        len(label.intersection(weights)) / len(label) if label else 0.0,
        min(len(numbers), 80),
        min(len(found), 20),
        float("number" in wants and bool(found)),
        len(asked.numbers.intersection(found)) / max(1, len(asked.numbers)),
        sum(bool(UNITS[name].search(text)) for name in asked.units) / max(1, len(asked.units)),
        float("reason" in wants and bool(_REASON.search(text))),
        float("truth" in wants and bool(_TRUTH.search(text))),
        min(len(_NAME.findall(text)), 10) if "name" in wants else 0.0,
        float("tool" in wants and bool(_VERSION.search(text))),
        float("meaning" in wants and bool(_DEFINES.search(text))),
    ]
    row += [float(unit.kind == name) for name in NAMES]
    row += [float(unit.kind == kind and want in wants) for kind, want in _CROSSED]
    row += _section(unit.context)
    row += [float(want in wants) for want in _WANTS]
    return [*row, len(asked.terms)]


@lru_cache(maxsize=_KEPT)
def _words(text: str) -> tuple[list[int], frozenset[int]]:
    """The words of a text as numbers, in order and as a set."""
    numbers = term_numbers(text)
    return numbers, frozenset(numbers)


@lru_cache(maxsize=_KEPT)
def _section(heading: str) -> list[float]:
    return [float(bool(pattern.search(heading))) for pattern in _SECTION_PATTERNS]


def _prefixes(stems: Sequence[str], text: str) -> float:
    """The share of the query's words that begin like a word of the text: "Iran" in "Iranian"."""
    long = {stem[:_PREFIX] for stem in stems if len(stem) >= _PREFIX}
    if not long:
        return 0.0
    lowered = text.lower()
    return sum(prefix in lowered for prefix in long) / len(long)


__all__ = ["FEATURES", "features"]
