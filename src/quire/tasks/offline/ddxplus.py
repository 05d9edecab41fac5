"""Diagnosis without a model: a physician who has read half of the textbook, plus the cases that are recalled.

The textbook is the list of symptoms and antecedents of each condition (public, part of the data set's
description). Each variant knows a different half of the conditions, as people do who trained in different
wards. A recalled case votes for its diagnosis by the findings it shares with the patient; one that was judged
wrong votes against it.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from quire.tasks import reading
from quire.types import Attempt, Instance, Shot

_KNOWN = 0.5  # share of the textbook that a variant has read


class DiagnosisByVote:
    """One physician."""

    def __init__(self, name: str, variant: str, data: Path) -> None:
        self.name = name
        self._book = {
            condition: marks
            for condition, marks in _textbook(data).items()
            if _share(variant, condition) < _KNOWN
        }
        seen = Counter(mark for marks in self._book.values() for mark in marks)
        self._weight = {mark: math.log(1 + len(self._book) / count) for mark, count in seen.items()}

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """The diagnosis with the most support."""
        findings = _findings(instance.key)
        questions = {finding.partition("?")[0] + "?" for finding in findings}
        support: dict[str, float] = defaultdict(float)
        for condition, marks in self._book.items():
            support[condition] += self._match(questions, marks)
        for shot in shots:
            name = shot.experience.output.partition(". ")[2]
            vote = _overlap(findings, _findings(shot.experience.key))
            support[name] += vote if shot.experience.verdict.label == "right" else -vote / 2
        best = min(support, key=lambda name: (-support[name], name))
        number = _numbers(instance.fields["options"]).get(best)
        output = f"{number}. {best}" if number else ""
        return Attempt(output, output, model=self.name, shots=tuple(s.experience.id for s in shots))

    def _match(self, questions: set[str], marks: frozenset[str]) -> float:
        total = sum(self._weight[mark] for mark in marks)
        shared = sum(self._weight[mark] for mark in marks & questions)
        asked = sum(self._weight.get(question, 1.0) for question in questions)
        return 2 * shared / (total + asked) if total + asked else 0.0


def _textbook(data: Path) -> Mapping[str, frozenset[str]]:
    conditions = reading.read_json(reading.need(data, "release_conditions.json"))
    evidences = reading.read_json(reading.need(data, "release_evidences.json"))
    return {
        name: frozenset(
            evidences[code]["question_en"].strip() for code in [*entry["symptoms"], *entry["antecedents"]]
        )
        for name, entry in conditions.items()
    }


def _share(variant: str, condition: str) -> float:
    return zlib.crc32(f"{variant}/{condition}".encode()) / 2**32


def _findings(profile: str) -> frozenset[str]:
    return frozenset(line[2:].strip() for line in profile.splitlines() if line.startswith("- "))


def _numbers(options: str) -> dict[str, str]:
    return {line.partition(". ")[2]: line.partition(". ")[0] for line in options.splitlines()}


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0
