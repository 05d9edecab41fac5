"""The likeliest number among what was found.

    found = extract("How many patients took part?", read_format("int"), units)
    found.value, found.phrase       # 2866, "2,866 patients"

Boosted trees (`numbers.npz`, trained by `training/answers/train.py`) judge the candidates; how often such a
number is right is told by `quire.ask.offline.headline`. Names, reasons, and yes or no are left to language
models: no confidence told the right ones from the wrong (docs/log.d/answering.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire.ask.answer_format import AnswerFormat
from quire.ask.offline.extract.candidates import (
    Candidate,
    FoundUnit,
    as_count,
    behind,
    candidates,
    counted_in,
    counts_what_is_asked,
    features,
)
from quire.ask.offline.lexicon import stem
from quire.search.asked import read
from quire.trees import load_trees

_BEHIND = 60  # characters
# What belongs to a number: its spread, a sign, and the word behind it, up to a unit by another.
_MEASURED = re.compile(
    r"(?:\s?(?:\u00b1|\+/-)\s?\d{1,12}(?:\.\d{1,12})?)?(?:\s?%|\s?\u00b0\s?[CFK]?\b|[\s-]?[^\W\d_]{1,20}"
    r"(?:/[^\W\d_]{1,10})?)?"
)
_WORDS = re.compile(r"(?:\s[^\W\d_]{1,30}(?:-[^\W\d_]{1,30}){0,3}){1,5}")
_PACKAGE = "quire.ask.offline.extract"
NUMERIC = ("int", "float")  # the kinds of answers that are taken out


@dataclass(frozen=True, slots=True)
class Extracted:
    """A value with the unit that it was taken from; `score` is what the trees say.

    `share` is the part of all that was found that says the same, weighed by the trees (0 to 1); `phrase` the
    number with what it counts or is measured in, as it stands there; `rivals` are the different numbers of
    the first unit that could count what is asked.
    """

    value: int | float
    unit: FoundUnit
    score: float
    share: float
    phrase: str
    rivals: int

    def told(self, form: AnswerFormat) -> int | float | str:
        """The value where a number is wanted, else the phrase."""
        return self.value if form.kind in NUMERIC else self.phrase


def extract(question: str, form: AnswerFormat, units: Sequence[FoundUnit]) -> Extracted | None:
    """The best candidate; None if no number is asked for, or none was found that counts what is asked."""
    found = candidates(units) if _wanted(question, form) else []
    if not found:
        return None
    scores = load_trees(_PACKAGE, "numbers.npz").scores(features(question, form, found))
    best, margin = chosen(found, scores)
    if not counts_what_is_asked(question, found[best]):
        return None
    told = as_count(question, found[best], found)
    unit, score = told.unit, float(scores[best] + margin)
    weights = np.exp(scores - scores.max())
    share = float(weights[[each.value == found[best].value for each in found]].sum() / weights.sum())
    counting = (each for each in found if each.unit.rank == 0 and counts_what_is_asked(question, each))
    first = {as_count(question, each, found).value for each in counting}
    return Extracted(told.value, unit, score, share, _phrase(question, told), len(first))


def _wanted(question: str, form: AnswerFormat) -> bool:
    """Whether a number is asked for: the form says so, or leaves it to the question."""
    wants = read(question).wants
    told = "number" in wants and not wants & {"reason", "truth"}
    return form.kind in NUMERIC or (form.kind in ("any", "str") and told)


def _phrase(question: str, candidate: Candidate) -> str:
    unit, following = candidate.unit, behind(candidate, _BEHIND)
    if unit.is_cell:
        said = unit.quote.strip()
        whole = said if said.endswith(unit.unit) else f"{said} {unit.unit}"
        return whole if len(unit.quote) <= _BEHIND else str(candidate.value)
    thing, words = counted_in(question), _WORDS.match(following)
    match = _MEASURED.match(following)
    end = match.end() if match else 0
    # "24 independent clinical studies": up to the thing that is counted, all words of it.
    named = False
    for word in re.finditer(r"\w+", words[0] if words else ""):
        if stem(word[0].lower()) in thing:
            named, end = True, word.end()
        elif named:
            break
    return f"{unit.quote[candidate.start : candidate.end]}{following[:end]}".rstrip()


def chosen(found: Sequence[Candidate], scores: Any) -> tuple[int, float]:
    """The best candidate, and how far it is ahead of the best other value (0 to 1)."""
    best = int(np.argmax(scores))
    same = str(found[best].value).lower()
    others = [s for s, each in zip(scores, found, strict=True) if str(each.value).lower() != same]
    return best, float(min(1.0, scores[best] - max(others))) if others else 1.0
