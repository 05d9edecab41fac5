"""Rows that belong together: a paragraph, a heading, an entry, over columns and pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from quire.pdf.equations import inline
from quire.pdf.geometry import around, rounded
from quire.pdf.joining import DROPPED, KEPT, join_marked, word_end
from quire.pdf.layout.rows import Row
from quire.pdf.raw import RawPage, make_line
from quire.pdf.vocabulary import lists
from quire.types import Box, InlineSpan, TextLine

_EDGE = re.compile(r"^[^\w]+|[^\w]+$")
_TAIL = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,})[-‐]$")
_STEM = 7  # letters by which another form of a word is known
_HEAD = re.compile(r"^([^\W\d_]{2,})")


@dataclass(frozen=True)
class Block:
    """Rows that belong together, in one style."""

    rows: tuple[Row, ...]

    @property
    def page(self) -> int:
        """Where it begins."""
        return self.rows[0].page

    @cached_property
    def text(self) -> str:
        """Its rows as one text, without the hyphens of line ends."""
        return self._marked[0]

    @cached_property
    def _marked(self) -> tuple[str, list[int]]:
        return join_marked([row.line.text for row in self.rows])

    @property
    def lines(self) -> tuple[TextLine, ...]:
        """Where each of its rows stands; a word broken over two pages is on the first."""
        text, starts = self._marked
        before = (self.rows[0], *self.rows)
        return tuple(
            TextLine(row.page, row.box, start if row.page == above.page else word_end(text, start))
            for row, above, start in zip(self.rows, before, starts, strict=False)
        )

    @property
    def spans(self) -> tuple[InlineSpan, ...]:
        """The formulas and scripts in it."""
        text, starts = self._marked
        return inline.spans(text, starts, [row.line for row in self.rows])

    @property
    def box(self) -> Box:
        """On the page where it begins."""
        return box_of(self.rows)


def beginning(rows: Sequence[Row]) -> list[Row]:
    """The rows that stand in the column of the first."""
    return [row for row in rows if row.in_column_of(rows[0])]


def box_of(rows: Sequence[Row]) -> Box:
    """The box around the rows that stand in the column of the first."""
    return rounded(around(row.line for row in beginning(rows)))


def sure(rows: Sequence[Row], labels: Sequence[str]) -> float | None:
    """The mean probability of the labels; None where there are no rows."""
    told = [min(1.0, sum(row.score(label) for label in labels)) for row in rows]
    return round(sum(told) / len(told), 3) if told else None


def sure_of_own(rows: Sequence[Row], labels: Sequence[str]) -> float | None:
    """The same of those rows in the column of the first that have one of the labels."""
    return sure([row for row in beginning(rows) if row.label in labels], labels)


def settled(rows: Sequence[Row], known: Counter[str]) -> list[Row]:
    """The rows, with hyphens at their ends marked as kept or dropped where the vocabulary `known` tells."""
    out = list(rows)
    for i in range(len(out) - 1):
        word = out[i].line.words[-1]
        if word.text[-1] not in "-‐" or word.script:
            continue
        tail, head = _TAIL.search(out[i].text), _HEAD.match(out[i + 1].text)
        if tail and head:
            mark = _mark(tail.group(1), head.group(1), known)
            out[i] = _ending(out[i], mark) if mark else out[i]
    return out


def vocabulary(pages: Iterable[RawPage]) -> Counter[str]:
    """Words and compounds that stand within lines."""
    met = Counter([word for page in pages for line in page.lines for word in line.text.split()])
    known: Counter[str] = Counter()
    for word, count in met.items():
        if len(word) > 2 and word[-1] != "-":
            known[_EDGE.sub("", word).lower()] += count
    return known


def _mark(tail: str, head: str, known: Counter[str]) -> str:
    """How to mark the hyphen between two halves; "" where nothing is known."""
    one, other = tail.lower(), head.lower()
    whole, compound = known[one + other], known[f"{one}-{other}"]
    if whole or compound:
        return KEPT if compound > whole else DROPPED
    if head[0].isupper():
        return ""
    if one + other in lists()["closed"] or (one in lists()["prefix"] and not _is_word(other, known)):
        return DROPPED
    long = len(tail) >= 4 and len(head) >= 4
    return KEPT if long and known[one] > 1 and known[other] > 1 else ""


def _is_word(half: str, known: Counter[str]) -> bool:
    """Whether the second half of a word is one by itself, or the beginning of one is."""
    return bool(known[half]) or (len(half) >= _STEM and any(word.startswith(half[:_STEM]) for word in known))


def _ending(row: Row, mark: str) -> Row:
    *others, last = row.line.words
    words = [*others, last._replace(text=last.text[:-1] + mark)]
    return replace(row, line=make_line(words, row.line.size, row.line.baseline))
