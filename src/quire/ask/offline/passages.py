"""The passages of papers as one text per paper, in which a place leads back to its row.

A sentence that two passages share is found whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from quire.ask.evidence import around
from quire.ask.offline.lexicon import STOP, stem, words_of
from quire.ask.offline.plan import Row
from quire.ask.quote_matching import find_quote, fold


@dataclass(frozen=True)
class Passages:
    """The running text of one paper; `starts` are the offsets at which its rows begin."""

    text: str
    starts: tuple[int, ...]
    rows: tuple[Row, ...]

    def row_at(self, offset: int) -> Row:
        """The row in which that offset lies."""
        return self.rows[self._at(offset)]

    def sentence(self, start: int, end: int) -> str:
        """The sentence around a place, as far as it stands in the row in which the place begins.

        What the next row says may be printed anywhere, and only what stands together verifies.
        """
        at = self._at(start)
        first = self.starts[at]
        last = self.starts[at + 1] - 1 if at + 1 < len(self.starts) else len(self.text)
        if end > last:
            return self.text[start:end]
        return around(self.text[first:last], (start - first, end - first))

    def _at(self, offset: int) -> int:
        return max(bisect_right(self.starts, offset) - 1, 0)


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """Where a quote stands: its passages, (start, end) in their text, and how well it fits (0 to 1)."""

    passages: Passages
    start: int
    end: int
    fit: float

    @property
    def row(self) -> Row:
        """The row in which it begins."""
        return self.passages.row_at(self.start)

    @property
    def quote(self) -> str:
        """The text there."""
        return self.passages.text[self.start : self.end]


def join(rows: Sequence[Row], column: str = "text_content") -> list[Passages]:
    """One running text per paper."""
    by_paper: dict[str, list[Row]] = {}
    for row in rows:
        by_paper.setdefault(str(row.get("ref_paper_id") or row.get("pdf_id")), []).append(row)
    return [_joined(each, column) for each in by_paper.values()]


def _joined(rows: Sequence[Row], column: str) -> Passages:
    parts, starts, length = [], [], 0
    for row in rows:
        text = str(row.get(column) or "")
        starts.append(length)
        parts.append(text)
        length += len(text) + 1
    return Passages("\n".join(parts), tuple(starts), tuple(rows))


def locate(quote: str, passages: Sequence[Passages], *, least: float = 0.8) -> QuotePlace | None:
    """Where the quote stands: exactly if it does, else the most similar place if similar enough."""
    for each in passages:
        exact = find_quote(quote, each.text)
        if exact:
            return QuotePlace(each, *exact, 1.0)
    best = max(_similar(quote, passages), key=lambda place: place.fit, default=None)
    return best if best and best.fit >= least else None


def _similar(quote: str, passages: Sequence[Passages]) -> Iterator[QuotePlace]:
    wanted = fold(quote).text
    if len(wanted) < 12:
        return
    for each in passages:
        page = fold(each.text)
        found = fuzz.partial_ratio_alignment(wanted, page.text) if len(page.text) > len(wanted) else None
        if found and found.dest_end > found.dest_start:
            start, end = page.places[found.dest_start], page.places[found.dest_end - 1] + 1
            yield QuotePlace(each, start, end, found.score / 100)


def overlap(sentence: str, topic: Sequence[str]) -> float:
    """The share of the topic's words that the sentence says."""
    roots = {stem(word) for word in topic if word not in STOP}
    if not roots:
        return 0.0
    return len(roots & {stem(word) for word in words_of(sentence)}) / len(roots)
