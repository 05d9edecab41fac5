"""A sentence as seen from a question: which of the question's words it has, where, and what they weigh.

Made once per sentence; candidates in it then only look up their distances.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set

from quire.tasks.offline.hotpotqa.candidates import Spot
from quire.tasks.offline.hotpotqa.passages import Paragraph, Sentence
from quire.tasks.offline.hotpotqa.words import FUNCTION

_FADE = 6.0  # words over which nearness falls to a third
_PREPOSITIONS = frozenset("by in at from as with for to on of under".split())


class Surroundings:
    """What stands around a place in one sentence.

    Args:
        paragraph: The sentence's paragraph, whose title is taken as said in every sentence.
        sentence: The sentence.
        weights: Rarity of the question's stems, adding up to 1.
        left: The same for the stems that no named title covers.
    """

    def __init__(
        self,
        paragraph: Paragraph,
        sentence: Sentence,
        weights: Mapping[str, float],
        left: Mapping[str, float],
    ) -> None:
        self.sentence = sentence
        self._weights = weights
        self._hits = [(n, one, weights[one]) for n, one in enumerate(sentence.stem_at) if one in weights]
        said = sentence.stems | paragraph.name_stems
        self._told = {one: weight for one, weight in weights.items() if one in said}
        self._left = {one: weight for one, weight in left.items() if one in sentence.stems}
        self._told_in_all, self.left_in_all = sum(self._told.values()), sum(self._left.values())

    def told(self, own: Set[str]) -> float:
        """Share of the question in the sentence and the title, but for a candidate's own words."""
        return self._told_in_all - sum([self._told.get(one, 0.0) for one in own])

    def left(self, own: Set[str]) -> float:
        """Share of what is left of the question in the sentence, but for a candidate's own words."""
        return self.left_in_all - sum([self._left.get(one, 0.0) for one in own])

    def near(self, spot: Spot) -> float:
        """Share of the question around a place, fading with distance."""
        seen: dict[str, float] = {}
        for place, one, weight in self._hits:
            if not spot.first <= place < spot.last:
                distance = spot.first - place if place < spot.first else place - spot.last + 1
                seen[one] = max(seen.get(one, 0.0), weight * math.exp(-distance / _FADE))
        return sum(seen.values())

    def beside(self, spot: Spot) -> float:
        """Share of the question in the two words on either side."""
        stems = self.sentence.stem_at
        around = {*stems[max(0, spot.first - 2) : spot.first], *stems[spot.last : spot.last + 2]}
        return sum([self._weights.get(one, 0.0) for one in around])

    def before_preposition(self, spot: Spot) -> float:
        """Weight of the word before the preposition before a place: "directed by", "born in"."""
        if spot.first < 2 or self.previous(spot) not in _PREPOSITIONS:
            return 0.0
        return self._weights.get(self.sentence.stem_at[spot.first - 2], 0.0)

    def previous(self, spot: Spot) -> str:
        """The word or mark before a place, in small letters."""
        return self.sentence.tokens[spot.first - 1].text.lower() if spot.first else ""

    def is_cut(self, spot: Spot) -> bool:
        """Whether a longer name goes on before or after."""
        words = self.sentence.tokens
        if spot.last < len(words) and words[spot.last].capital:
            return True
        before = words[spot.first - 1] if spot.first else None
        return before is not None and before.capital and before.text.lower() not in FUNCTION

    def bracketed(self, spot: Spot) -> str:
        """The text from an open bracket to a place; empty if it is not in brackets."""
        before = self.sentence.text[: self.sentence.tokens[spot.first].start]
        return before[before.rfind("(") :] if before.count("(") > before.count(")") else ""
