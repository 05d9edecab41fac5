"""One extractive reader: reads for every kind of answer, then decides which kind is wanted.

The three variants read alike but know different question forms. Of a form in its specialty a variant knows
nearly all wordings (such as "who is ... or", "what nationality"), of the others very few; where it does not
know the wording it goes by how often answers are of a kind at all, which is sometimes right. What it does not
know it learns from shots.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path

from quire.tasks.offline.hotpotqa.asked import Asked, take_apart
from quire.tasks.offline.hotpotqa.kinds import Kind
from quire.tasks.offline.hotpotqa.knowledge import GUESS, form_of, smoothed
from quire.tasks.offline.hotpotqa.lessons import learn
from quire.tasks.offline.hotpotqa.reading import Finding, read
from quire.types import Attempt, Instance, Shot

SPECIALTIES: Mapping[str, frozenset[str]] = {
    "a": frozenset({"verdict", "person", "people"}),
    "b": frozenset({"choice", "place", "group", "work"}),
    "c": frozenset({"year", "date", "count", "nature"}),
}
_KNOWN, _KNOWN_ELSEWHERE = 0.9, 0.05  # share of the wordings of a form that a variant knows
_FIRM = 3.0  # how many times as firm as a guess knowledge stands against shots
# How often an answer of these kinds is right when its kind is: one of two, against one of hundreds.
_CHANCES: Mapping[Kind, float] = {"verdict": 0.7, "offered": 0.55}


class ExtractiveReader:
    """One reader."""

    def __init__(self, name: str, variant: str, data: Path) -> None:
        self.name = name
        self._variant = variant
        self._specialty = SPECIALTIES[variant]

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """The best candidate of the kinds that are believed in."""
        question = instance.fields["question"]
        asked = take_apart(question)
        shares = learn(asked, self._believed(asked), shots)
        output = decide(read(question, instance.fields["paragraphs"]), shares)
        return Attempt(output, output, model=self.name, shots=tuple(s.experience.id for s in shots))

    def _believed(self, asked: Asked) -> Mapping[Kind, float]:
        form = form_of(asked)
        rate = _KNOWN if form.name in self._specialty else _KNOWN_ELSEWHERE
        if zlib.crc32(f"{self._variant}/{asked.wording}".encode()) / 2**32 >= rate:
            return GUESS
        return {kind: _FIRM * share for kind, share in smoothed(form.shares).items()}


def decide(found: Mapping[Kind, Finding], shares: Mapping[Kind, float]) -> str:
    """The answer that is most likely right.

    A candidate from the text is as likely right as its kind is wanted and as its support stands among that of
    all; yes or no and the things offered are right at a fixed rate when they are wanted.
    """
    read_off = {kind: one for kind, one in found.items() if kind not in _CHANCES}
    rivals = sum(shares.get(kind, 0.0) * one.of_kind for kind, one in read_off.items()) or 1.0
    wanted = 1.0 - sum(shares.get(kind, 0.0) for kind in _CHANCES)
    chances = {kind: wanted * shares.get(kind, 0.0) * one.support / rivals for kind, one in read_off.items()}
    chances |= {kind: rate * shares.get(kind, 0.0) for kind, rate in _CHANCES.items() if kind in found}
    return found[max(chances, key=lambda kind: chances[kind])].text if chances else ""
