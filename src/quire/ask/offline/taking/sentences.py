"""How well a sentence answers a question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quire.ask.offline.question.lexicon import STOP
from quire.ask.offline.question.likeness import stem, words_of


def overlap(sentence: str, topic: Sequence[str], weights: dict[str, float] | None = None) -> float:
    """The share of the topic's words that the sentence says; weights make rarer words count more."""
    roots = {stem(word) for word in topic if word not in STOP}
    if not roots:
        return 0.0
    said = {stem(word) for word in words_of(sentence)}
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
        for each in {stem(word) for word in words_of(text)}:
            seen[each] = seen.get(each, 0) + 1
    return {each: log(1 + count / times) for each, times in seen.items()}
