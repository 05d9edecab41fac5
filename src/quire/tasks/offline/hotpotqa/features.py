"""What speaks for a candidate at one of its places, as numbers: its paragraph, sentence, neighbours, title.

Most features are 0 or 1, the rest shares of the question's words by rarity. What kind of answer is wanted is
no feature: that is known (`knowledge`) or learnt (`lessons`). The weights are those of a log-linear model
that sums over places (as the attention sum of Kadlec et al. 2016, "Text Understanding with the Attention Sum
Reader Network", without its network), fitted on 342 development questions and rounded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set

from quire.tasks.offline.hotpotqa.asked import Asked
from quire.tasks.offline.hotpotqa.candidates import Candidate, Spot
from quire.tasks.offline.hotpotqa.evidence import Evidence
from quire.tasks.offline.hotpotqa.surroundings import Surroundings
from quire.tasks.offline.hotpotqa.words import content, stem

WEIGHTS: Mapping[str, float] = {
    "paragraph": 3.0,  # its score against the best paragraph's
    "bridged": 0.6,  # tied to a paragraph that the question names
    "opening": 0.4,  # in the first sentence
    "told": 0.4,  # share of the question in the sentence and the title
    "second_hop": 0.6,  # share of what is left of the question without the titles it names
    "second_hop_best": 1.9,  # the same against the best sentence of all
    "near": 1.2,  # share of the question around it, fading with distance
    "beside": 1.2,  # share of the question in the two words on either side
    "same_preposition": 3.0,  # share of the word before the preposition: "directed by", "born in"
    "head_before": 1.7,
    "head_after": 0.8,
    "after_by": 0.7,
    "after_in": 0.9,
    "after_as": -0.5,
    "after_article": -0.9,
    "after_comma": 0.3,
    "cut": -1.1,  # torn out of a longer name
    "life_date": 1.4,  # a birth or death date where that is asked
    "own_paragraph": -0.2,
    "elsewhere": 0.7,  # in another of the paragraphs too
    "in_question": -1.6,
    "title": 0.8,
    "title_in_question": -0.9,
    "title_second_hop": 0.6,  # share of what is left of the question in its own article
    "nature_is_head": 0.9,  # its article says that it is what the question asks for
    "nature_in_phrase": 1.2,
    "ends_in_head": 1.6,  # "Duval County" for "which county"
    "single": -0.5,
}


class Witness:
    """Features of candidates for one question and its evidence."""

    def __init__(self, asked: Asked, evidence: Evidence) -> None:
        self._asked = asked
        self._evidence = evidence
        self._lowered = asked.text.lower()
        self._left = _left_over(evidence)
        self._views = [
            [Surroundings(paragraph, one, evidence.weights, self._left) for one in paragraph.sentences]
            for paragraph in evidence.paragraphs
        ]
        self._best = max((one.left_in_all for views in self._views for one in views), default=0.0) or 1.0
        self._articles: dict[str, int] = {}
        for number, paragraph in enumerate(evidence.paragraphs):
            self._articles.setdefault(paragraph.name.lower(), number)
            self._articles.setdefault(paragraph.subject.lower(), number)

    def support(self, candidate: Candidate) -> float:
        """How much speaks for it: a positive number, the sum over its places."""
        own = frozenset(content(candidate.text))
        article = self._articles.get(candidate.text.lower())
        always = _weighed(self._by_itself(candidate))
        if article is not None:
            always += _weighed(self._as_title(article, own))
        places = (self._in_place(candidate, spot, own, article) for spot in candidate.spots)
        return sum(math.exp(always + _weighed(features)) for features in places)

    def _by_itself(self, candidate: Candidate) -> dict[str, float]:
        words, head = candidate.text.split(), self._asked.head
        ends = candidate.kind != "count" and bool(head and words) and stem(words[-1]) == head
        return {
            "in_question": float(candidate.text.lower() in self._lowered),
            "ends_in_head": float(ends),
            "single": float(len(words) == 1),
            "elsewhere": float(len({spot.paragraph for spot in candidate.spots}) > 1),
        }

    def _as_title(self, article: int, own: Set[str]) -> dict[str, float]:
        paragraph, asked = self._evidence.paragraphs[article], self._asked
        nature = frozenset(content(paragraph.nature))
        return {
            "title": 1.0,
            "title_in_question": float(self._evidence.named[article]),
            "title_second_hop": sum(self._left.get(one, 0.0) for one in paragraph.stems - own),
            "nature_is_head": float(bool(asked.head) and asked.head in nature),
            "nature_in_phrase": len(nature.intersection(asked.phrase)) / (len(asked.phrase) or 1),
        }

    def _in_place(
        self, candidate: Candidate, spot: Spot, own: Set[str], article: int | None
    ) -> dict[str, float]:
        evidence, number = self._evidence, spot.paragraph
        found = {
            "paragraph": evidence.score[number] / (evidence.score[0] or 1.0),
            "bridged": float(evidence.bridged[number]),
            "opening": float(spot.sentence == 0),
            "own_paragraph": float(article == number),
        }
        if spot.sentence < len(self._views[number]):
            view = self._views[number][spot.sentence]
            found["told"] = view.told(own)
            found["second_hop"] = view.left(own)
            found["second_hop_best"] = view.left_in_all / self._best
            if spot.last:
                found |= self._neighbours(view, spot)
                found["life_date"] = self._life_date(candidate, spot, view)
        return found

    def _neighbours(self, view: Surroundings, spot: Spot) -> dict[str, float]:
        stems, head = view.sentence.stem_at, self._asked.head
        previous = view.previous(spot)
        return {
            "near": view.near(spot),
            "beside": view.beside(spot),
            "same_preposition": view.before_preposition(spot),
            "head_before": float(bool(head) and head in stems[max(0, spot.first - 4) : spot.first]),
            "head_after": float(bool(head) and head in stems[spot.last : spot.last + 3]),
            "after_by": float(previous == "by"),
            "after_in": float(previous in ("in", "at", "near")),
            "after_as": float(previous == "as"),
            "after_article": float(previous in ("a", "an")),
            "after_comma": float(previous == ","),
            "cut": float(view.is_cut(spot)),
        }

    def _life_date(self, candidate: Candidate, spot: Spot, view: Surroundings) -> float:
        """1 for a date in the first sentence's bracket that is on the asked side of the dash."""
        if spot.sentence or candidate.kind not in ("date", "year"):
            return 0.0
        bracketed = view.bracketed(spot)
        asked_for = "die" if "–" in bracketed or " - " in bracketed else "born"
        return float(bool(bracketed) and asked_for in self._asked.stems)


def _left_over(evidence: Evidence) -> dict[str, float]:
    """Weights of the question's words that no named title covers, adding up to 1."""
    named: set[str] = set()
    for paragraph, is_named in zip(evidence.paragraphs, evidence.named, strict=True):
        if is_named:
            named |= paragraph.name_stems
    left = {one: weight for one, weight in evidence.weights.items() if one not in named}
    total = sum(left.values()) or 1.0
    return {one: weight / total for one, weight in left.items()}


def _weighed(found: Mapping[str, float]) -> float:
    return sum([WEIGHTS[name] * value for name, value in found.items() if value])
