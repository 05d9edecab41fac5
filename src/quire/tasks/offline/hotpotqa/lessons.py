"""What recalled questions teach: the kind of answer that questions of a form want.

A right answer speaks for its kind, a wrong one against, each as far as its question has the form of the one
asked (its question word, the noun asked for, "both", "or", ...) and, less so, as the memory found it similar.
Nothing else is known of a shot: it has no paragraphs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from quire.tasks.offline.hotpotqa.asked import Asked, take_apart
from quire.tasks.offline.hotpotqa.kinds import KINDS, Kind, kind_of
from quire.types import Shot

_PULL = 3.0  # what a right answer to a question of the same form adds to its kind
_DOUBT = 0.6  # what a wrong one takes of its kind, as a share
_LEAST = 0.02  # weight below which nothing is learnt
_STEEP = 1.5  # forms only half alike teach about a third
_SIMILARITY = 0.2  # how much of the weight hangs on the memory's similarity
_WEIGHTS = {"head": 2.0, "word": 1.5, "has": 1.5, "first": 0.5, "before": 0.5}
_MAY_BE: Mapping[Kind, Mapping[Kind, float]] = {
    # Without its paragraph a work, or a person or place of a rare name, is just a name.
    "name": {"name": 0.55, "work": 0.2, "person": 0.15, "place": 0.05, "group": 0.05},
    "person": {"person": 0.9, "name": 0.1},
    "place": {"place": 0.9, "name": 0.1},
}


def learn(asked: Asked, believed: Mapping[Kind, float], shots: Sequence[Shot]) -> dict[Kind, float]:
    """Shares of kinds after hearing the shots, adding up to 1.

    Args:
        asked: The question.
        believed: How firmly each kind was believed in before, not normalised.
        shots: What the memory recalled, with or without verdicts.
    """
    after, doubt = dict(believed), dict.fromkeys(KINDS, 1.0)
    for shot in shots:
        weight = _weight(asked, shot)
        if weight < _LEAST:
            continue
        kind = kind_of(shot.experience.output, shot.experience.key)
        for one, part in _MAY_BE.get(kind, {kind: 1.0}).items():
            if shot.experience.verdict.label == "right":
                after[one] = after.get(one, 0.0) + _PULL * weight * part
            elif shot.experience.verdict.label == "wrong":
                doubt[one] *= 1.0 - _DOUBT * weight * part
    after = {kind: share * doubt[kind] for kind, share in after.items()}
    total = sum(after.values()) or 1.0
    return {kind: share / total for kind, share in after.items()}


def _weight(asked: Asked, shot: Shot) -> float:
    similar = min(max(shot.similarity, 0.0), 1.0)
    alike = math.pow(likeness(asked.form, take_apart(shot.experience.key).form), _STEEP)
    return alike * (1.0 - _SIMILARITY + _SIMILARITY * similar)


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """How alike two forms are, from 0 to 1: the weight of shared features in that of all."""
    everything = _total(one | other)
    return _total(one & other) / everything if everything else 0.0


def _total(features: frozenset[str]) -> float:
    return sum(_WEIGHTS[feature.partition(":")[0]] for feature in features)
