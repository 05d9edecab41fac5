"""Diagnosis without a model: a physician who remembers parts of the textbook, and recalled cases.

The textbook is the list of symptoms and antecedents of each condition (public, part of the data set's
description). Each variant has a specialty, a third of the conditions, of which it knows most signs; of the
rest it knows few. A recalled case speaks for its diagnosis as far as it is more like the patient than the
cases of other diagnoses are (else what is in memory would outbid whatever is not there yet); one that was
judged wrong speaks against it.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from quire.eval import files
from quire.types import Attempt, Instance, Shot
from quire_streams.tasks.offline import usual

_SPECIALTY = 1 / 3  # share of the conditions
_KNOWN, _KNOWN_ELSEWHERE = 0.8, 0.25  # share of a condition's signs that a variant remembers
_DOUBT = 0.3  # weight of a wrong case against its diagnosis
_AGAIN = 0.1  # what each further case of the same diagnosis adds, as a share of its similarity


@dataclass(frozen=True, slots=True)
class _RecalledCase:
    """A recalled case and how much it is like the patient."""

    diagnosis: str
    right: bool
    likeness: float


class DiagnosisByVote:
    """One physician."""

    def __init__(self, name: str, variant: str, data: Path) -> None:
        self.name = name
        textbook = _textbook(data)
        seen = Counter(sign for signs in textbook.values() for sign in signs)
        self._weight = {sign: math.log(1 + len(textbook) / count) for sign, count in seen.items()}
        self._book = {name: _remembered(variant, name, signs) for name, signs in textbook.items()}
        self._lengths: dict[frozenset[str], float] = {}

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """The diagnosis with the most support."""
        signs = _signs(instance.key)
        support = {condition: self._alike(signs, known) for condition, known in self._book.items()}
        for condition, extra in self._from_cases(signs, shots).items():
            support[condition] = max(support.get(condition, 0.0), 0.0) + extra
        best = min(support, key=lambda name: (-support[name], name))
        listed = instance.fields["options"].splitlines()
        output = next((line for line in listed if line.partition(". ")[2] == best), "")
        return Attempt(output, output, model=self.name)

    def _from_cases(self, signs: frozenset[str], shots: tuple[Shot, ...]) -> dict[str, float]:
        cases = [
            _RecalledCase(
                past.output.partition(". ")[2],
                past.verdict.label == "right",
                self._alike(signs, _signs(past.key)),
            )
            for past in (shot.experience for shot in shots)
        ]
        alike: dict[str, list[float]] = defaultdict(list)
        against: dict[str, float] = defaultdict(float)
        for case in cases:
            if case.right:
                others = [other.likeness for other in cases if other.diagnosis != case.diagnosis]
                alike[case.diagnosis].append(max(case.likeness - usual(others), 0.0))
            else:
                against[case.diagnosis] = max(against[case.diagnosis], _DOUBT * case.likeness)
        spoken = {name: max(values) + _AGAIN * (sum(values) - max(values)) for name, values in alike.items()}
        return {name: spoken.get(name, 0.0) - against.get(name, 0.0) for name in {*spoken, *against}}

    def _alike(self, one: frozenset[str], other: frozenset[str]) -> float:
        shared = sum(self._weight.get(sign, 0.0) ** 2 for sign in one & other)
        return shared / (self._length(one) * self._length(other)) if shared else 0.0

    def _length(self, signs: frozenset[str]) -> float:
        length = self._lengths.get(signs)
        if length is None:
            length = math.sqrt(sum(self._weight.get(sign, 0.0) ** 2 for sign in signs))
            self._lengths[signs] = length
        return length


def _textbook(data: Path) -> Mapping[str, frozenset[str]]:
    conditions = files.read_json(files.need(data, "release_conditions.json"))
    evidences = files.read_json(files.need(data, "release_evidences.json"))
    return {
        name: frozenset(
            evidences[code]["question_en"].strip() for code in [*entry["symptoms"], *entry["antecedents"]]
        )
        for name, entry in conditions.items()
    }


def _remembered(variant: str, condition: str, signs: frozenset[str]) -> frozenset[str]:
    specialist = _draw(f"{variant}/{condition}") < _SPECIALTY
    rate = _KNOWN if specialist else _KNOWN_ELSEWHERE
    return frozenset(sign for sign in signs if _draw(f"{variant}/{condition}/{sign}") < rate)


def _draw(text: str) -> float:
    return zlib.crc32(text.encode()) / 2**32


@lru_cache(maxsize=4096)
def _signs(profile: str) -> frozenset[str]:
    findings = (line[2:] for line in profile.splitlines() if line.startswith("- "))
    return frozenset(finding[: finding.find("?") + 1] or finding for finding in findings)
