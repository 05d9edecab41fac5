"""Where the answer may stand: paragraphs ranked over two hops, and how each sentence meets the question.

A paragraph counts as far as it shares rare words with the question (its title above all), and as far as it
is tied to such a paragraph: one names the other's title (the bridge). Two hops, as in Yang et al. 2018,
section 2. Limits: a bridge by another name than the title is not seen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.tasks.offline.hotpotqa.asked import Asked
from quire.tasks.offline.hotpotqa.passages import Paragraph

_TITLE = 0.6  # what a title in the question adds to the share of the question's words
_BRIDGE = 0.5  # share of a neighbour's score that a bridge carries over
_READ = 5  # paragraphs in which an answer is looked for


@dataclass(frozen=True, slots=True)
class Evidence:
    """The paragraphs worth reading, the best first, each with scores from 0 to about 2.

    `score`: by the question's words and by bridges; `named`: its title stands in the question; `bridged`: a
    named paragraph and this one know each other. `weights`: rarity of each question stem.
    """

    paragraphs: tuple[Paragraph, ...]
    score: tuple[float, ...]
    named: tuple[bool, ...]
    bridged: tuple[bool, ...]
    weights: Mapping[str, float]


def gather(asked: Asked, paragraphs: Sequence[Paragraph], limit: int = _READ) -> Evidence:
    """The `limit` best paragraphs for a question."""
    weights = _weights(asked, paragraphs)
    lowered = asked.text.lower()
    named = [_stands_in(one.name.lower(), lowered) for one in paragraphs]
    direct = [_direct(weights, one, is_named) for one, is_named in zip(paragraphs, named, strict=True)]
    ties = _ties(paragraphs)
    score = [
        mine + max((_BRIDGE * direct[other] for other in ties[n]), default=0.0)
        for n, mine in enumerate(direct)
    ]
    best = sorted(range(len(paragraphs)), key=lambda n: (-score[n], n))[:limit]
    return Evidence(
        paragraphs=tuple(paragraphs[n] for n in best),
        score=tuple(score[n] for n in best),
        named=tuple(named[n] for n in best),
        bridged=tuple(any(named[other] for other in ties[n]) for n in best),
        weights=weights,
    )


def _weights(asked: Asked, paragraphs: Sequence[Paragraph]) -> dict[str, float]:
    seen = Counter(stem for one in paragraphs for stem in one.stems & asked.stems)
    raw = {stem: math.log(1 + (len(paragraphs) + 1) / (seen[stem] + 0.5)) for stem in asked.stems}
    total = sum(raw.values()) or 1.0
    return {stem: weight / total for stem, weight in raw.items()}


def _direct(weights: Mapping[str, float], paragraph: Paragraph, named: bool) -> float:
    body = sum(weight for stem, weight in weights.items() if stem in paragraph.stems)
    title = paragraph.name_stems
    asked_for = sum(1 for stem in title if stem in weights) / len(title) if title else 0.0
    return body + _TITLE * (asked_for if named else asked_for / 2)


def _ties(paragraphs: Sequence[Paragraph]) -> list[list[int]]:
    texts = [one.text.lower() for one in paragraphs]
    names = [one.name.lower() for one in paragraphs]
    return [
        [
            other
            for other in range(len(paragraphs))
            if other != n
            and names[other] != names[n]
            and (_stands_in(names[other], texts[n]) or _stands_in(names[n], texts[other]))
        ]
        for n in range(len(paragraphs))
    ]


def _stands_in(name: str, text: str) -> bool:
    at = text.find(name)
    while at >= 0 and name:
        end = at + len(name)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            return True
        at = text.find(name, at + 1)
    return False
