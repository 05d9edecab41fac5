r"""Finding a quote on a page: forgiving how it is set, never what it says.

Hyphens, ligatures, accents written apart, quotation marks, spaces and line breaks may differ; letters and
digits may not.

    find_quote("The first effect is real", "the ﬁrst ef-\nfect  is real, as")   ->  (0, 25)
    find_quote("The second effect is real", "the first effect is real")        ->  None
    Places(pieces).follow("the authors of this work")      # True only where each piece leads to the next

By place, one piece of a line leads to another that stands right behind it on its line, however that is
stretched; to the start of the line below in its column, of the same type; and, from the full last line of a
block to the first of another one of the same type further down or in a column to the right (the text flows
around a figure, or into the next column). What a parser put together from two places has no such way.

Contract: at most `_MOST_STEPS` ways are tried; what takes more is not found.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from quire.types import Piece


class Folded(NamedTuple):
    """A text reduced to its letters, digits and signs, and where each of them stood."""

    text: str
    places: Sequence[int]


# Signs that change what a sentence says; all other punctuation is how it is set.
_SIGNS = {"%": "%", "<": "<", ">": ">", "=": "=", "+": "+", "\u00b1": "\u00b1", "$": "$"}


@lru_cache(maxsize=16)
def fold(text: str) -> Folded:
    """The text as compared."""
    kept: list[str] = []
    places = array("I")
    for place, char in enumerate(text):
        for part in unicodedata.normalize("NFKD", char).casefold():
            if part.isalnum() or part in _SIGNS:
                kept.append(part)
                places.append(place)
    return Folded("".join(kept), places)


def find_quote(quote: str, text: str, *, start: int = 0) -> tuple[int, int] | None:
    """The (start, end) of the quote in the text, or None. A quote without letters or digits is never found.

    A decimal point inside a number counts: "1.5" is not found in "15".
    """
    wanted, page = fold(quote), fold(text)
    if not wanted.text:
        return None
    at = page.text.find(wanted.text)
    while at >= 0:
        first, last = page.places[at], page.places[at + len(wanted.text) - 1]
        inside = at > 0 and page.places[at - 1] == first  # the second half of a ligature
        if (
            first >= start
            and not inside
            and _whole(text, first, last)
            and _points(quote) == _points(text[first : last + 1])
        ):
            return first, last + 1
        at = page.text.find(wanted.text, at + 1)
    return None


def _whole(text: str, first: int, last: int) -> bool:
    """Whether the match begins and ends at a border of words or numbers."""
    before = text[first - 1] if first else " "
    after = text[last + 1] if last + 1 < len(text) else " "
    point = before == "." and first > 1 and text[first - 2].isdigit()
    digits = (before.isdigit() or point) and text[first].isdigit()
    letters = before.isalpha() and text[first].isalpha()
    return not (digits or letters) and not (
        (after.isalpha() and text[last].isalpha()) or (after.isdigit() and text[last].isdigit())
    )


def _points(text: str) -> int:
    """How many decimal points stand inside numbers."""
    return sum(
        text[place - 1].isdigit() and text[place + 1].isdigit()
        for place in range(1, len(text) - 1)
        if text[place] == "."
    )


_LEVEL = 0.6  # em: on the same line
_GAP = 1.1  # em between two pieces of one line
_STRETCHED = 2.5  # em between two words of a line that is stretched to the width of its column
_WORDS = 0.8  # em: what stands nearer on the same line is not of another column
_WORDS_APART = 2  # blanks of a piece of a stretched line, at most
_BACK = 0.9  # em that a script reaches back
_PITCH = 3.0  # em from one baseline to the next, at most: manuscripts are set wide
_NEAR = 1.9  # em: a line of the same block
_OUT = 6.0  # em that a line may begin left of the one above: after an indent, or under a heading's number
_CORNER = 1.5  # em that a page's number may reach under its last line
_RAGGED = 4.0  # em that a full line may end before the one above
_EQUAL = 0.03  # by which sizes of a text that goes on elsewhere differ: a panel is set a little smaller
_SAME = 0.08  # by which sizes of the same type differ
_SIMILAR = 0.2  # by which those of lines that follow each other may
_ROW = 4  # pieces of a row of values, at least
_MOST_STEPS = 3000
_MOST_WAYS = 50


class Places:
    """The pieces of one page, ready to be asked."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self._texts = [fold(each.text).text for each in pieces]
        self._first: defaultdict[str, list[int]] = defaultdict(list)  # sign -> pieces that begin with it
        for number, text in enumerate(self._texts):
            if text:
                self._first[text[0]].append(number)
        self._leads = cache(self._goes_to)
        self._reach = cache(self._reaches)

    def follow(self, quote: str) -> bool:
        """Whether the quote stands there, its words behind each other."""
        return any(self._found(quote))

    def follow_in_order(self, paragraphs: Sequence[str]) -> bool:
        """Whether each stands there, below the one before it in its column or in one to the right."""
        ends: set[int] | None = None
        for each in paragraphs:
            ways = list(islice(self._found(each), _MOST_WAYS))
            ends = {way[-1] for way in ways if ends is None or any(self._after(end, way[0]) for end in ends)}
        return bool(ends)

    def is_row(self, quote: str) -> bool:
        """Whether the quote is a stretch of one line that is set as a row of values, and leaves none out."""
        wanted = fold(quote).text
        for first, text in enumerate(self._texts):
            if not text or not wanted.startswith(text) or not _few(self._pieces[first]):
                continue
            one = self._pieces[first]
            row = sorted((each for each in self._line(one) if each.u0 >= one.u0), key=lambda each: each.u0)
            row = row[: next((n for n, each in enumerate(row) if not _few(each)), len(row))]
            for end in range(_ROW, len(row) + 1):
                values = sum(any(map(str.isdigit, each.text)) for each in row[:end])
                if (
                    values * 2 >= end
                    and fold(said := " ".join(each.text for each in row[:end])).text == wanted
                ):
                    return find_quote(quote, said) is not None
        return False

    def _found(self, quote: str) -> Iterator[tuple[int, ...]]:
        wanted = fold(quote).text
        for way in self._ways(wanted) if wanted else ():
            if find_quote(quote, "\n".join(self._pieces[each].text for each in way)):
                yield way

    def _after(self, here: int, there: int) -> bool:
        one, other = self._pieces[here], self._pieces[there]
        lower = other.v > one.v - _LEVEL * one.size and other.u1 > self._left(one)
        return one.angle == other.angle and (lower or other.u0 >= one.u1)

    def _ways(self, wanted: str) -> Iterator[tuple[int, ...]]:
        """Pieces, each leading to the next, that hold the folded text between them."""
        steps, seen = 0, set()
        for first, text in enumerate(self._texts):
            if wanted in text:
                yield (first,)
            ends = [len(text) - at for at, sign in enumerate(text) if sign == wanted[0]]
            left: list[tuple[int, tuple[int, ...]]]
            left = [(done, (first,)) for done in ends if done < len(wanted) and text.endswith(wanted[:done])]
            while left and steps < _MOST_STEPS:
                done, path = left.pop()
                for onward in self._first[wanted[done]]:
                    text, steps = self._texts[onward], steps + 1
                    rest = wanted[done : done + len(text)]
                    if onward in path or not text.startswith(rest) or not self._leads(path[-1], onward):
                        continue
                    now = done + len(text)
                    if now >= len(wanted):
                        yield (*path, onward)
                    elif (onward, now) not in seen:
                        seen.add((onward, now))
                        left.append((now, (*path, onward)))

    def _goes_to(self, here: int, there: int) -> bool:
        one, other = self._pieces[here], self._pieces[there]
        em, down = max(one.size, other.size), other.v - one.v
        if one.angle != other.angle:
            return False
        if abs(down) <= _LEVEL * em:
            gap = other.u0 - one.u1
            return -_BACK * em <= gap <= _GAP * em or (
                0 < gap <= _STRETCHED * em and self._bridged(one, other)
            )
        if self._goes_on(one, right=True) or self._goes_on(other, right=False):
            return False
        below = other.u0 < one.u1 and (other.u0 >= self._left(one) - _OUT * em or self._under(one, other))
        if below and 0 < down <= _PITCH * em:
            return _alike(one, other, _SIMILAR) and not any(self._between(one, other))
        elsewhere = (other.u0 >= one.u1 or (below and down > 0)) and _alike(one, other, _EQUAL)
        return elsewhere and self._last(one) and not any(self._beside(other, -1))

    def _bridged(self, one: Piece, other: Piece) -> bool:
        """Whether a line right above or below runs over the gap between them: a stretched line, no gutter.

        Such a line falls into words: where both pieces have many, the gap is a margin.
        """
        return (_few(one) or _few(other)) and other.u0 < self._reach(one)

    def _reaches(self, one: Piece) -> float:
        """How far right the lines right above and below run that begin before its end."""
        beside = (each for side in (-1, 1) for each in self._beside(one, side))
        return max((each.u1 for each in beside), default=0.0)

    def _between(self, one: Piece, other: Piece) -> Iterator[Piece]:
        """Lines that stand between two in their column."""
        reach = _LEVEL * min(one.size, other.size)
        return (
            each
            for each in self._pieces
            if one.v + reach < each.v < other.v - reach
            and each.u0 < other.u1
            and each.u1 > other.u0
            and each.angle == one.angle
            and _alike(one, each, _SIMILAR)
        )

    def _line(self, one: Piece) -> Iterator[Piece]:
        """What stands on its line, in every column, and is not of a larger type."""
        reach, largest = _LEVEL * one.size, one.size * (1 + _SIMILAR)
        return (
            each
            for each in self._pieces
            if abs(each.v - one.v) <= reach and each.angle == one.angle and each.size <= largest
        )

    def _under(self, one: Piece, other: Piece) -> bool:
        """Whether a line goes on below what stands left of it (a heading, a picture), to one margin."""
        near = 0 < other.v - one.v <= _NEAR * one.size and _alike(one, other, _SAME)
        if not near or other.u1 <= self._left(one):
            return False
        return abs(self._right(other) - one.u1) <= _RAGGED * one.size

    def _goes_on(self, one: Piece, *, right: bool) -> bool:
        """Whether something of its column stands right, or left, of it on its line."""
        wide = _STRETCHED if _few(one) else _WORDS
        pairs = ((one, each) if right else (each, one) for each in self._line(one))
        return any(self._touch(*pair, _WORDS, wide) for pair in pairs)

    def _touch(self, one: Piece, other: Piece, apart: float = _GAP, stretched: float = _STRETCHED) -> bool:
        """Whether a piece of the same line goes on with the other, that begins and ends right of it."""
        gap, em = other.u0 - one.u1, one.size
        meet = gap <= apart * em or (gap <= stretched * em and self._bridged(one, other))
        return one.u0 < other.u0 and one.u1 < other.u1 and meet

    def _left(self, one: Piece) -> float:
        """Where its line begins in its column."""
        for each in sorted(self._line(one), key=lambda piece: -piece.u1):
            one = each if self._touch(each, one) else one
        return one.u0

    def _right(self, one: Piece) -> float:
        """Where its line ends in its column."""
        for each in sorted(self._line(one), key=lambda piece: piece.u0):
            one = each if self._touch(one, each) else one
        return one.u1

    def _last(self, one: Piece) -> bool:
        """Whether it is the end of the last line of a block, and that line is full."""
        above = list(self._beside(one, -1))
        full = bool(above) and one.u1 >= max(each.u1 for each in above) - _RAGGED * one.size
        corner = one.u1 if _few(one) else one.u1 - _CORNER * one.size
        return full and all(each.u0 >= corner and each.u1 > one.u1 for each in self._beside(one, 1))

    def _beside(self, one: Piece, side: int) -> Iterator[Piece]:
        """Lines of the same type right below (1) or above (-1)."""
        return (
            each
            for each in self._pieces
            if _LEVEL * one.size < side * (each.v - one.v) <= _NEAR * one.size
            and each.u0 < one.u1
            and each.u1 > one.u0
            and each.angle == one.angle
            and _alike(one, each, _SAME)
        )


def _few(one: Piece) -> bool:
    return one.text.count(" ") <= _WORDS_APART


def _alike(one: Piece, other: Piece, apart: float) -> bool:
    return abs(one.size - other.size) <= apart * max(one.size, other.size)
