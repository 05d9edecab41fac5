"""The passages of papers as one text per paper, in which a place leads back to its row.

A sentence that two passages share is found whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from rapidfuzz import fuzz

from quire.ask.evidence import around
from quire.ask.observations import SeenRow
from quire.ask.offline.lexicon import STOP, stem, words_of
from quire.ask.offline.plan import NOTHING, Finding, Seen, found, said_in
from quire.ask.quote_matching import find_quote, fold


@dataclass(frozen=True)
class Passages:
    """The running text of one paper; `starts` are the offsets at which its rows begin."""

    text: str
    starts: tuple[int, ...]
    rows: tuple[SeenRow, ...]

    def sentence(self, start: int, end: int) -> str:
        """The sentence around a place, as far as it stands in the row in which the place begins.

        What the next row says may be printed anywhere, and only what stands together verifies.
        """
        at = self._at(start)
        first = self.starts[at]
        last = self.starts[at + 1] - 1 if at + 1 < len(self.starts) else len(self.text)
        if end > last:
            return self.text[start:end]
        return around(self.text[first:last].replace("\n", " "), (start - first, end - first))

    def row_at(self, offset: int) -> SeenRow:
        """The row in which that offset lies."""
        return self.rows[self._at(offset)]

    def _at(self, offset: int) -> int:
        return max(bisect_right(self.starts, offset) - 1, 0)


class QuotePlace(NamedTuple):
    """Where a quote stands: the row in which it begins, the text there, and how well it fits (0 to 1)."""

    row: SeenRow
    quote: str
    fit: float


@dataclass(frozen=True, slots=True)
class Span:
    """What a text says between `start` and `end`, and how well it fits (0 to 1)."""

    text: str
    fit: float
    start: int
    end: int


def join(rows: Sequence[SeenRow]) -> list[Passages]:
    """One running text per paper of what its rows say."""
    by_paper: dict[str, list[SeenRow]] = {}
    for row in rows:
        by_paper.setdefault(str(row.get("ref_paper_id") or row.get("pdf_id")), []).append(row)
    joined = []
    for each in by_paper.values():
        parts = [said_in(row) for row in each]
        starts = accumulate((len(part) + 1 for part in parts[:-1]), initial=0)
        joined.append(Passages("\n".join(parts), tuple(starts), tuple(each)))
    return joined


def surest(seen: Seen, take: Callable[[str], Span | None]) -> Finding:
    """The best of the spans that are taken out of the texts of what was seen last, with their sentences."""
    best = NOTHING
    *_, rows = seen.values()
    for passages in join(rows):
        span = take(passages.text)
        if span is not None and span.fit > best.confidence:
            quote = passages.sentence(span.start, span.end)
            best = found(span.text, span.fit, passages.row_at(span.start), quote)
    return best


def locate(quote: str, rows: Sequence[SeenRow], *, least: float = 0.8) -> QuotePlace | None:
    """Where the quote stands in these rows: exactly, else the most similar place if similar enough."""
    passages = join(rows)
    for each in passages:
        exact = find_quote(quote, each.text)
        if exact:
            return _place(each, *exact, 1.0)
    best = max(_similar(quote, passages), key=lambda place: place.fit, default=None)
    return best if best and best.fit >= least else None


def _similar(quote: str, passages: Sequence[Passages]) -> Iterator[QuotePlace]:
    wanted = fold(quote).text
    if len(wanted) < 12:
        return
    for each in passages:
        page = fold(each.text)
        near = fuzz.partial_ratio_alignment(wanted, page.text) if len(page.text) > len(wanted) else None
        if near and near.dest_end > near.dest_start:
            start, end = page.places[near.dest_start], page.places[near.dest_end - 1] + 1
            yield _place(each, start, end, near.score / 100)


def _place(passages: Passages, start: int, end: int, fit: float) -> QuotePlace:
    return QuotePlace(passages.row_at(start), passages.text[start:end], fit)


def overlap(sentence: str, topic: Sequence[str]) -> float:
    """The share of the topic's words that the sentence says."""
    roots = {stem(word) for word in topic if word not in STOP}
    if not roots:
        return 0.0
    return len(roots & {stem(word) for word in words_of(sentence)}) / len(roots)
