"""Sentences of a text, and how well one answers a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from quire.agents.offline.question.lexicon import STOP
from quire.agents.offline.question.likeness import stem, words_of

_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])")
_NO_END = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|vs|cf|Fig|Figs|Tab|Eq|Eqs|Sec|Dr|Mr|Ms|Prof|No|approx|ca|resp)|\b[A-Z])\.$"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text; an abbreviation's dot ends none."""
    parts: list[str] = []
    for part in _END.split(" ".join(text.split())):
        if parts and _NO_END.search(parts[-1]):
            parts[-1] += " " + part
        elif part:
            parts.append(part)
    return parts


def root(word: str) -> str:
    """A word without the endings that verbs and plurals take."""
    bare = stem(word)
    for ending in ("ing", "ed", "e"):
        if len(bare) > len(ending) + 3 and bare.endswith(ending):
            return bare[: -len(ending)]
    return bare


def overlap(sentence: str, topic: Sequence[str], weights: dict[str, float] | None = None) -> float:
    """The share of the topic's words that the sentence says; weights make rarer words count more."""
    roots = {root(word) for word in topic if word not in STOP}
    if not roots:
        return 0.0
    said = {root(word) for word in words_of(sentence)}
    weigh = weights or {}
    unknown = max(weigh.values(), default=1.0)  # a word that no text has is the rarest of all
    total = sum(weigh.get(each, unknown) for each in roots)
    return sum(weigh.get(each, unknown) for each in roots & said) / total


def rarity(texts: Iterable[str]) -> dict[str, float]:
    """Inverse document frequency of every stem over the texts."""
    from math import log

    count, seen = 0, dict[str, int]()
    for text in texts:
        count += 1
        for each in {root(word) for word in words_of(text)}:
            seen[each] = seen.get(each, 0) + 1
    return {each: log(1 + count / times) for each, times in seen.items()}
