"""The likeliest answer among what was found, and how often such an answer is right.

    found = extract("How many patients took part?", read_format("int"), units)
    found.value, found.confidence

Two models (boosted trees, `numbers.npz` and `texts.npz`) judge the candidates; `calibration.json` holds, for
each, how often a score was right on papers that the model had not seen. `training/answers/train.py` trains.
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
from quire.agents.offline.extract.features import features
from quire.index.everything import load_trees

_PACKAGE = "quire.agents.offline.extract"


@dataclass(frozen=True, slots=True)
class Extracted:
    """A value with the unit that it was taken from; `confidence` is 0 to 1."""

    value: Any
    confidence: float
    unit: Unit


def extract(question: str, form: AnswerFormat, units: Sequence[Unit]) -> Extracted | None:
    """The best candidate; None if nothing of the asked kind was found."""
    wanted = wanted_kind(form)
    found = candidates(wanted, units) if wanted else []
    if not found:
        return None
    scores = load_trees(_PACKAGE, f"{wanted}s.npz").scores(features(question, form, wanted, found))
    best, margin = chosen(found, scores)
    knots = _calibration()[wanted]
    confidence = float(np.interp(scores[best] + margin, knots["score"], knots["rate"]))
    return Extracted(found[best].value, confidence, found[best].unit)


def wanted_kind(form: AnswerFormat) -> str:
    """Number or text, "" for what cannot be taken out of a sentence."""
    return {"int": "number", "float": "number", "str": "text", "any": "text"}.get(form.kind, "")


def chosen(found: Sequence[Candidate], scores: Any) -> tuple[int, float]:
    """The best candidate, and how far it is ahead of the best other value (0 to 1)."""
    best = int(np.argmax(scores))
    same = str(found[best].value).lower()
    others = [s for s, each in zip(scores, found, strict=True) if str(each.value).lower() != same]
    return best, float(min(1.0, scores[best] - max(others))) if others else 1.0


@cache
def _calibration() -> Any:
    return json.loads(resources.files(_PACKAGE).joinpath("calibration.json").read_text(encoding="utf-8"))
