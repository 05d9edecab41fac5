"""How probable a value is that was taken out of a passage, or that a sentence says what is asked; and whether
the papers speak of a question at all.

Five logistic models over what a search tells of its own hits (likeness in meaning, the share of the words
that are said, what the reader says); `training/answers/headline.py` fits them, `headline.json` holds their
weights: all but that of the paper that is meant on papers that neither ranking nor reader saw.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from quire.ask.answer_format import AnswerFormat
from quire.ask.observations import SeenRow
from quire.ask.offline.extract import NUMERIC, Extracted
from quire.ask.offline.plan import Finding, left_over
from quire.ask.offline.question import QuestionFeatures, read
from quire.types import Evidence, Question

PROBABLE = 0.5  # from which on a value is told as a tentative answer
_LOOKED = 6  # hits that must leave words of the question unsaid
_FAR = 6.0  # beyond that a score of the trees or the reader says no more


def probability(found: Extracted, form: AnswerFormat, hits: Sequence[SeenRow]) -> float:
    """How often such a value is right."""
    return _judged("probability", probability_features(found, form, hits))


def probability_features(found: Extracted, form: AnswerFormat, hits: Sequence[SeenRow]) -> list[float]:
    """What a value is judged by."""
    first = found.unit.rank == 0
    return [
        max(-_FAR, min(_FAR, found.score)),
        float(first),
        float(first and found.rivals == 1),
        1.0 / max(1, found.rivals),
        float(form.kind not in NUMERIC),
        float(found.unit.is_cell),
        max(_numbers(hits, "meaning")),
        max(_numbers(hits, "covered")),
        found.share,
        _said_of(found, hits),
    ]


def _said_of(found: Extracted, hits: Sequence[SeenRow]) -> float:
    """What the reader says of the unit of a value; the least where it did not read it."""
    says = {str(hit.get("quote") or hit.get("text") or ""): hit.get("says") for hit in hits}
    least = min((float(each) for each in says.values() if each is not None), default=-_FAR)
    own = says.get(found.unit.whole or found.unit.quote)
    return max(-_FAR, least if own is None else float(own))


def stated(first: Evidence, hits: Sequence[SeenRow]) -> float:
    """How often the sentence that stands first says what is asked; 0 for rows, and for what was not read."""
    row = statement_features(first, hits)
    return _judged("stated", row) if row else 0.0


def statement_features(first: Evidence, hits: Sequence[SeenRow]) -> list[float]:
    """What the reader says of a sentence, and how far that is ahead of other hits; nothing if it is none."""
    own = next((hit for hit in hits if str(hit.get("primary_key") or "") == first.key), None)
    if own is None or own.get("says") is None or first.table != "sentences":
        return []
    said = float(own["says"])
    others = [float(hit["says"]) for hit in hits if hit is not own and hit.get("says") is not None]
    others = sorted(others, reverse=True) or [said]
    every = [said, *others]
    mean = sum(every) / len(every)
    spread = math.sqrt(sum((each - mean) ** 2 for each in every) / len(every))
    return [
        said - others[0],
        said - others[min(2, len(others) - 1)],
        said - mean,
        spread,
        float(own.get("meaning") or 0.0),
    ]


def meant(share: float) -> float:
    """How often the paper with the largest share of the hits is the one that is asked for."""
    return _judged("meant", [share])


def speaks_not(question: Question, hits: Sequence[SeenRow], *, of_it: bool = True) -> bool:
    """Whether the papers do not seem to speak of what is asked; never said where nothing tells meanings.

    Whose subject alone counts, not what they say `of_it` (as where papers are asked for), is not judged by
    what the reader says.
    """
    if not any(_numbers(hits, "meaning")):
        return False
    judged = {"silence": silence_features(question, hits), "doubt": doubt_features(hits) if of_it else []}
    return any(row and _judged(name, row) > _models()[name]["least"][0] for name, row in judged.items())


def doubt_features(hits: Sequence[SeenRow]) -> list[float]:
    """What the reader says of the hits that it read; nothing where it read none.

    It tells questions that a paper nearly answers, which likeness in meaning does not.
    """
    says = sorted((float(hit["says"]) for hit in hits if hit.get("says") is not None), reverse=True)
    if not says:
        return []
    mean = sum(says) / len(says)
    spread = math.sqrt(sum((each - mean) ** 2 for each in says) / len(says))
    return [says[0], sum(says[:3]) / len(says[:3]), mean, says[0] - says[min(3, len(says) - 1)], spread]


def silence_features(question: Question, hits: Sequence[SeenRow]) -> list[float]:
    """What the hits of a question are judged by."""
    reading, meaning, covered = read(question), _numbers(hits, "meaning"), _numbers(hits, "covered")
    best, topic = sorted(meaning, reverse=True), max(1, len(reading.topic))
    return [
        best[0],
        sum(best[:3]) / len(best[:3]),
        sum(best) / len(best),
        max(covered),
        max(one + other for one, other in zip(meaning, covered, strict=True)),
        min(_unsaid(reading, [hit]) for hit in hits[:_LOOKED]) / topic,
        _unsaid(reading, hits[:_LOOKED]) / topic,
        float(min(topic, 8)),
        float(not question.anchor_papers),
    ]


def _unsaid(reading: QuestionFeatures, hits: Sequence[SeenRow]) -> int:
    """How many words of the question these hits leave out, with what stands around them."""
    said = " ".join(str(hit.get(name) or "") for hit in hits for name in ("title", "text", "quote"))
    return len(left_over(Finding(None, why=said), reading))


def _numbers(hits: Sequence[SeenRow], name: str) -> list[float]:
    return [float(hit.get(name) or 0.0) for hit in hits] or [0.0]


def _judged(name: str, row: Sequence[float]) -> float:
    model = _models()[name]
    value = sum(weight * x for weight, x in zip(model["weights"], row, strict=True)) + model["bias"][0]
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, value))))


@cache
def _models() -> Any:
    text = resources.files("quire.ask.offline").joinpath("headline.json").read_text(encoding="utf-8")
    return json.loads(text)
