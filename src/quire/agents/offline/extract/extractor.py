"""The likeliest number among what was found, and how often such an answer is right.

    found = extract("How many patients took part?", read_format("int"), units)
    found.value, found.confidence

Boosted trees (`numbers.npz`) judge the candidates; `calibration.json` holds how often a score was right on
papers that the model had not seen. `training/answers/train.py` trains both. Names, reasons, and yes or no are
left to language models: no confidence told the right ones from the wrong (docs/log.d/answering.md).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from quire.agents.answer_format import AnswerFormat
from quire.agents.offline.extract.candidates import Candidate, Unit, candidates
from quire.agents.offline.extract.counted import counts_what_is_asked
from quire.agents.offline.extract.features import features
from quire.index.everything import load_trees

_PACKAGE = "quire.agents.offline.extract"
NUMERIC = ("int", "float")  # the kinds of answers that are taken out


@dataclass(frozen=True, slots=True)
class Extracted:
    """A value with the unit that it was taken from; `confidence` is 0 to 1."""

    value: int | float
    confidence: float
    unit: Unit


def extract(question: str, form: AnswerFormat, units: Sequence[Unit]) -> Extracted | None:
    """The best candidate; None if no number is asked for, or none was found that counts what is asked."""
    found = candidates(units) if form.kind in NUMERIC else []
    if not found:
        return None
    scores = load_trees(_PACKAGE, "numbers.npz").scores(features(question, form, found))
    best, margin = chosen(found, scores)
    knots = _calibration()
    confidence = float(np.interp(scores[best] + margin, knots["score"], knots["rate"]))
    if not counts_what_is_asked(question, found[best]):
        return None
    return Extracted(found[best].value, confidence, found[best].unit)


def chosen(found: Sequence[Candidate], scores: Any) -> tuple[int, float]:
    """The best candidate, and how far it is ahead of the best other value (0 to 1)."""
    best = int(np.argmax(scores))
    same = str(found[best].value).lower()
    others = [s for s, each in zip(scores, found, strict=True) if str(each.value).lower() != same]
    return best, float(min(1.0, scores[best] - max(others))) if others else 1.0


@cache
def _calibration() -> Any:
    return json.loads(resources.files(_PACKAGE).joinpath("calibration.json").read_text(encoding="utf-8"))
