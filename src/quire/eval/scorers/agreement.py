"""How well a judge agrees with people: accuracy, and Cohen's kappa, which takes off what chance agrees on.

Contract: pairs of a person's verdict and the judge's; where the judge could not say, the pair is counted as
unknown and left out of the figures. Kappa (Cohen 1960) is 1 for full agreement, 0 for what two people who
toss coins of the same bias reach, and NaN where everybody always says the same.

    >>> agreement([(True, True), (False, True), (False, False), (True, None)]).accuracy
    0.6666666666666666
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of (person, judge) and the figures made of them."""

    both_right: int
    both_wrong: int
    only_judge_right: int
    only_person_right: int
    unknown: int

    @property
    def judged(self) -> int:
        """Pairs where the judge said something."""
        return self.both_right + self.both_wrong + self.only_judge_right + self.only_person_right

    @property
    def accuracy(self) -> float:
        """Share of the judged pairs on which both agree."""
        return (self.both_right + self.both_wrong) / self.judged if self.judged else math.nan

    @property
    def kappa(self) -> float:
        """Agreement beyond chance."""
        if not self.judged:
            return math.nan
        person = (self.both_right + self.only_person_right) / self.judged
        judge = (self.both_right + self.only_judge_right) / self.judged
        chance = person * judge + (1 - person) * (1 - judge)
        return (self.accuracy - chance) / (1 - chance) if chance < 1 else math.nan


def agreement(pairs: Iterable[tuple[bool, bool | None]]) -> Agreement:
    """Count pairs of (person says right, judge says right or None)."""
    counted = list(pairs)
    return Agreement(
        both_right=sum(person and judge is True for person, judge in counted),
        both_wrong=sum(not person and judge is False for person, judge in counted),
        only_judge_right=sum(not person and judge is True for person, judge in counted),
        only_person_right=sum(person and judge is False for person, judge in counted),
        unknown=sum(judge is None for _, judge in counted),
    )
