"""Reading without a model: the sentence that shares most words with the question, the best name in it.

The kind of answer (yes or no, a number, a date, a name) comes from the question's words and from the answers
of recalled questions: each votes for its kind by its similarity, a wrong one against. The variants read
differently: (a) sentences by rare shared words, (b) sentences, with a bonus for titles in the question, (c)
whole paragraphs, preferring titles as answers.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quire.types import Attempt, Instance, Shot

_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"\b[A-Z0-9][\w'.&-]*(?: (?:of |the |and |de |von )?[A-Z0-9][\w'.&-]*)*")
_DATE = re.compile(
    r"\b(?:\d{1,2} )?"
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{1,2},)? \d{4}\b|\b1\d{3}\b|\b20\d\d\b"
)
_COUNT = re.compile(r"\b\d[\d,.]*(?: (?:million|billion|thousand))?\b")
_COMMON = frozenset(
    "the a an of in on at to for and or is was were are by with from that which who what as".split()
)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a variant reads: weights of a title in the question and as answer; whole paragraphs or not."""

    title_bonus: float
    title_answer: float
    paragraphs: bool


_READINGS = {"a": _Reading(0.0, 0.0, False), "b": _Reading(1.0, 0.5, False), "c": _Reading(0.5, 2.0, True)}


class ExtractiveReader:
    """One reader."""

    def __init__(self, name: str, variant: str, data: Path) -> None:
        self.name = name
        self._reading = _READINGS[variant]

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """The best candidate of the likeliest kind."""
        question = instance.fields["question"]
        kind = _kind(question, shots)
        output = self._answer(question, instance.fields["paragraphs"], kind)
        return Attempt(output, output, model=self.name, shots=tuple(s.experience.id for s in shots))

    def _answer(self, question: str, paragraphs: str, kind: str) -> str:
        if kind in ("yes", "no"):
            return kind
        passages = _passages(paragraphs, self._reading.paragraphs)
        ranked = self._ranked(question, passages)
        scores: dict[str, float] = defaultdict(float)
        asked = question.lower()
        for rank, (title, text) in enumerate(ranked[:4]):
            for candidate in _candidates(kind, text):
                if candidate.lower() not in asked:
                    scores[candidate] += 1.0 / (1 + rank)
            if kind == "name" and title.lower() not in asked:
                scores[title] += self._reading.title_answer / (1 + rank)
        if kind == "choice":
            offered = [
                name for name in _NAME.findall(question[question.find(",") + 1 :]) if " " in name or name
            ]
            return offered[-1] if offered else ""
        return min(scores, key=lambda name: (-scores[name], name)) if scores else _fallback(ranked)

    def _ranked(self, question: str, passages: list[tuple[str, str]]) -> list[tuple[str, str]]:
        seen = Counter(word for _, text in passages for word in set(_words(text)))
        asked = set(_words(question))
        weight = {word: math.log(1 + len(passages) / (1 + seen[word])) for word in asked}

        def score(passage: tuple[str, str]) -> float:
            title, text = passage
            shared = sum(weight[word] for word in asked & set(_words(text)))
            named = title.split(" (")[0].lower() in question.lower()
            return shared + self._reading.title_bonus * named * sum(weight.values()) / 3

        return sorted(passages, key=lambda passage: -score(passage))


def _kind(question: str, shots: tuple[Shot, ...]) -> str:
    votes: dict[str, float] = defaultdict(float)
    votes[_asked_kind(question)] += 1.0
    for shot in shots:
        sign = 1.0 if shot.experience.verdict.label == "right" else -0.5
        votes[_kind_of(shot.experience.output, shot.experience.key)] += sign * max(shot.similarity, 0.0)
    return max(votes, key=lambda kind: (votes[kind], kind))


def _asked_kind(question: str) -> str:
    lowered = question.lower()
    first = lowered.split(" ", 1)[0]
    if first in ("is", "are", "was", "were", "do", "does", "did", "has", "have", "can"):
        return "yes"
    if re.search(r"\bhow (many|much|long|old|large|tall|far)\b", lowered):
        return "count"
    if re.search(r"\b(when|what year|which year|what date)\b", lowered):
        return "date"
    if re.search(r"\b\w+ or \w+[^,]*\?\s*$", lowered) and "," in question:
        return "choice"
    return "name"


def _kind_of(answer: str, question: str) -> str:
    if answer.lower() in ("yes", "no"):
        return answer.lower()
    if _DATE.fullmatch(answer):
        return "date"
    if _COUNT.fullmatch(answer):
        return "count"
    return "choice" if answer.lower() in question.lower() else "name"


def _candidates(kind: str, text: str) -> list[str]:
    patterns: Mapping[str, re.Pattern[str]] = {"date": _DATE, "count": _COUNT}
    return [found.strip(" .,") for found in patterns.get(kind, _NAME).findall(text)]


def _passages(paragraphs: str, whole: bool) -> list[tuple[str, str]]:
    found = []
    for block in paragraphs.split("## ")[1:]:
        title, _, text = block.partition("\n")
        parts = [text] if whole else re.split(r"(?<=[.!?])\s+(?=[A-Z\"])", text)
        found += [(title.strip(), part.strip()) for part in parts if part.strip()]
    return found


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in _COMMON]


def _fallback(ranked: list[tuple[str, str]]) -> str:
    return ranked[0][0] if ranked else ""
