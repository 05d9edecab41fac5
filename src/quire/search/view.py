"""The index as a search sees it: one state of slots, words and vectors, and which entries are alive in it.

    view.scope(pairs, papers).ids        # the entries to look through, ascending
    view.paper(id)                       # whose entry it is

Which papers are alive, and their runs of ids, is told by the rows of the database: what the index still has
of a paper that went is never found.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quire.search.batch import WORDS
from quire.search.cells import ENCODABLE, KINDS, EncodableColumn, Unit
from quire.search.slots import Ids, Slots
from quire.search.vectors import Vectors, distinct
from quire.search.words import WordIndex

RANKED: tuple[EncodableColumn, ...] = tuple(KINDS.values())


@dataclass(frozen=True, eq=False)
class Live:
    """The papers of a state, in the order of their ids: `first` to `last` (not included)."""

    papers: tuple[str, ...]
    first: Ids
    last: Ids

    @classmethod
    def of(cls, rows: Sequence[tuple[str, int, int]], end: int) -> Live:
        """From rows (paper, first, last), ascending; those from `end` on are not there yet."""
        there = [row for row in rows if row[2] <= end]
        numbers = np.asarray([row[1:] for row in there], dtype=np.int64).reshape(len(there), 2)
        return cls(tuple(row[0] for row in there), numbers[:, 0], numbers[:, 1])

    def owners(self, ids: Ids) -> NDArray[np.int64]:
        """The number of each entry's paper; -1 where it is not alive."""
        if not len(self.papers):
            return np.full(len(ids), -1, dtype=np.int64)
        at = np.searchsorted(self.first, ids, side="right") - 1
        return np.where((at >= 0) & (ids < self.last[at]), at, -1)

    def owner(self, id: int) -> int:
        """The number of the paper of an entry that is alive."""
        return bisect_right(self._firsts, id) - 1

    @cached_property
    def _firsts(self) -> list[int]:
        firsts: list[int] = self.first.tolist()
        return firsts

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each paper."""
        return {paper: number for number, paper in enumerate(self.papers)}


@dataclass(eq=False)
class View:
    """One state of the index. Thread-safe; kept as long as the library does not change."""

    generation: int
    slots: Slots
    words: WordIndex
    vectors: Mapping[str, Vectors]
    live: Live
    lacks: int = 0  # papers that are not in it yet
    labels: dict[str, dict[int, str]] = field(default_factory=dict)  # of pages, by paper, as they are read
    _alive: dict[tuple[int, ...], NDArray[np.bool_]] = field(default_factory=dict)
    _last_pages: dict[int, int] = field(default_factory=dict)
    _averages: dict[int, float] = field(default_factory=dict)

    def paper(self, id: int) -> str:
        """Whose entry it is."""
        return self.live.papers[self.live.owner(id)]

    def unit(self, id: int) -> Unit:
        """The unit of an entry that is alive."""
        return self.slots.unit(id, self.paper(id))

    def said(self, number: int, kind: str) -> str:
        """The text of the first unit of a kind ("title") in the paper of that number; "" if it has none."""
        first, last = int(self.live.first[number]), int(self.live.last[number])
        there = np.flatnonzero(self.slots.pairs[first:last] == KINDS[kind].number)
        return self.slots.unit(first + int(there[0]), self.live.papers[number]).text if len(there) else ""

    def selected(self, pairs: Sequence[EncodableColumn]) -> NDArray[np.bool_]:
        """By id, whether an entry is alive and of one of these pairs."""
        key = tuple(pair.number for pair in pairs)
        if key not in self._alive:
            wanted = np.zeros(256, dtype=np.bool_)
            wanted[list(key)] = True
            edges = np.zeros(len(self.slots) + 1, dtype=np.int8)
            edges[self.live.first] += 1
            np.add.at(edges, self.live.last, -1)
            self._alive[key] = wanted[self.slots.pairs] & (np.cumsum(edges[:-1], dtype=np.int8) > 0)
        return self._alive[key]

    def scope(
        self, pairs: Sequence[EncodableColumn], papers: Iterable[str] = (), ids: Ids | None = None
    ) -> Scope:
        """The entries of some pairs: of these papers (all if none), with these ids (all if None)."""
        return Scope(self, tuple(pairs), tuple(papers), ids)

    def last_pages(self, owners: NDArray[np.int64]) -> NDArray[np.int32]:
        """The last page of the papers of those numbers."""
        for number in set(owners.tolist()) - self._last_pages.keys():
            run = slice(int(self.live.first[number]), int(self.live.last[number]))
            self._last_pages[number] = max(1, int(self.slots.records["page"][run].max(initial=1)))
        return np.asarray([self._last_pages[number] for number in owners.tolist()], dtype=np.int32)

    def of_page(self, id: int, kind: str) -> Ids:
        """The entries of a kind on the page of an entry, in order."""
        number = self.live.owner(id)
        run = np.arange(self.live.first[number], self.live.last[number])
        page = max(1, int(self.slots.records["page"][id]))
        there = (self.slots.pages(run) == page) & (self.slots.pairs[run] == KINDS[kind].number)
        found: Ids = run[there]
        return found

    def words_expected(self) -> int:
        """How many documents the index of words must have: entries, or kinds of a paper, and spellings."""
        counted, there = self.words.counted, self.live.first[self.live.first < self.live.last]
        alive = np.flatnonzero(self.selected(RANKED if counted else ENCODABLE))
        said = alive[self.slots.records["sizes"][alive, WORDS] > 0]
        if counted:
            said, spelt = distinct(self.live.owners(said) * 256 + self.slots.pairs[said]), len(there)
        else:
            spelt = int(np.count_nonzero(self.slots.records["spelt"][there]))
        return len(said) + spelt

    def average(self, pair: EncodableColumn | None = None) -> float:
        """How many words a unit of this pair, or a ranked one, has in the mean."""
        if pair is None:
            return max(1.0, self.slots.state.words / max(1, self.slots.state.units))
        if pair.number not in self._averages:
            lengths = self.slots.lengths(np.flatnonzero(self.selected((pair,))))
            self._averages[pair.number] = max(1.0, float(lengths.mean())) if len(lengths) else 1.0
        return self._averages[pair.number]


@dataclass(eq=False)
class Scope:
    """Entries that are alive: of pairs, of papers (all if none), with the ids `named` (all if None)."""

    view: View
    pairs: tuple[EncodableColumn, ...]
    papers: tuple[str, ...]
    named: Ids | None

    @cached_property
    def narrowed(self) -> bool:
        """Whether it names papers or entries."""
        return bool(self.papers) or self.named is not None

    @cached_property
    def size(self) -> int:
        """How many entries it has."""
        return len(self.ids) if self.narrowed else int(np.count_nonzero(self.selected))

    @cached_property
    def selected(self) -> NDArray[np.bool_]:
        """By id, whether an entry is in it."""
        everywhere = self.view.selected(self.pairs)
        if not self.narrowed:
            return everywhere
        found = np.zeros(len(everywhere), dtype=np.bool_)
        found[self.ids] = True
        return found

    @cached_property
    def ids(self) -> Ids:
        """The entries, ascending."""
        everywhere = self.view.selected(self.pairs)
        if not self.narrowed:
            return np.flatnonzero(everywhere)
        if self.named is not None:
            named = self.named[self.named < len(everywhere)]
        else:
            live = self.view.live
            numbers = sorted({live.numbers[paper] for paper in self.papers if paper in live.numbers})
            runs = [np.arange(live.first[n], live.last[n]) for n in numbers]
            named = np.concatenate(runs) if runs else np.empty(0, dtype=np.int64)
        return named[everywhere[named]]
