"""Which experiences a memory may recall, and whose: small predicates that a method names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from quire.types import Experience


def right(experience: Experience) -> bool:
    """Only what was judged right."""
    return experience.verdict.label == "right"


def wrong(experience: Experience) -> bool:
    """Only what was judged wrong."""
    return experience.verdict.label == "wrong"


def judged(experience: Experience) -> bool:
    """Whatever has a verdict."""
    return experience.verdict.label != "unknown"


def everyone(author: str, reader: str) -> bool:
    """All models share one memory (MAM-StreamICL, Algorithm 2)."""
    return True


def oneself(author: str, reader: str) -> bool:
    """A model sees only what it said itself."""
    return author == reader


ADMISSIONS: Mapping[str, Callable[[Experience], bool]] = {"right": right, "wrong": wrong, "judged": judged}
READERS: Mapping[str, Callable[[str, str], bool]] = {"everyone": everyone, "oneself": oneself}


class Authors:
    """Authors by row, as numbers in an array that grows by doubling."""

    def __init__(self, may_read: Callable[[str, str], bool]) -> None:
        self._may_read = may_read
        self._numbers: dict[str, int] = {}
        self._of_row = np.zeros(256, dtype=np.intp)
        self._rows = 0

    def append(self, author: str) -> None:
        """The author of the next row."""
        if self._rows == len(self._of_row):
            self._of_row = np.concatenate([self._of_row, np.zeros_like(self._of_row)])
        self._of_row[self._rows] = self._numbers.setdefault(author, len(self._numbers))
        self._rows += 1

    def readable(self, reader: str) -> NDArray[np.bool_] | None:
        """A flag per row; None where the reader may see all."""
        allowed = [self._may_read(author, reader) for author in self._numbers]
        return None if all(allowed) else np.array(allowed, dtype=np.bool_)[self._of_row[: self._rows]]
