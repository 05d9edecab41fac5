"""Lists of different lengths, one after the other in one array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """List i is `flat[start[i] : start[i + 1]]`."""

    flat: NDArray[Any]
    start: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, number: int) -> NDArray[Any]:
        """List `number`."""
        return self.flat[self.start[number] : self.start[number + 1]]

    def sizes(self) -> NDArray[np.int64]:
        """How long each list is."""
        return np.diff(self.start)

    def some(self, numbers: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The values of those lists, one after the other, and for each value its place in `numbers`."""
        begin = self.start[numbers]
        sizes = self.start[numbers + 1] - begin
        owner = np.repeat(np.arange(len(numbers)), sizes)
        shift = begin - (np.cumsum(sizes) - sizes)
        return self.flat[np.arange(len(owner)) + shift[owner]], owner

    def pick(self, numbers: NDArray[np.int64]) -> Ragged:
        """Those lists alone; quick where most follow each other."""
        cuts = np.flatnonzero(np.diff(numbers) != 1) + 1
        runs = np.split(numbers, cuts) if len(numbers) else []
        parts = [self.flat[self.start[run[0]] : self.start[run[-1] + 1]] for run in runs]
        return Ragged(np.concatenate([self.flat[:0], *parts]), starts(self.sizes()[numbers]))


def starts(sizes: Iterable[int] | NDArray[Any]) -> NDArray[np.int64]:
    """Where lists of these sizes begin, and where the last one ends."""
    listed = np.asarray(sizes if isinstance(sizes, np.ndarray) else list(sizes), dtype=np.int64)
    found: NDArray[np.int64] = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(listed)])
    return found


def ragged(lists: Sequence[Sequence[int] | bytes], kind: str) -> Ragged:
    """Lists of numbers (or bytes, as uint8) as one."""
    if kind == "u1":
        flat = np.frombuffer(b"".join(each for each in lists if isinstance(each, bytes)), dtype=np.uint8)
    else:
        flat = np.asarray([value for each in lists for value in each], dtype=kind)
    return Ragged(flat, starts(len(each) for each in lists))


def joined(some: Sequence[Ragged]) -> Ragged:
    """All lists of the first, then all of the second, and so on."""
    sizes = np.concatenate([each.sizes() for each in some])
    return Ragged(np.concatenate([each.flat for each in some]), starts(sizes))
