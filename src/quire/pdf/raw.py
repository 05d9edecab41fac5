"""What stands on a page before anybody interprets it: words, lines, rules, pictures, drawings.

Coordinates are PDF points with the origin at the top left of the page as it is displayed (after /Rotate,
relative to the crop box), y growing downwards. Every reader (`pdfium/`, `parsers/ocr.py`) makes
`RawPage`s; everything else in this room reads them and knows nothing of the library behind.

    page = next(iter(open_pdf(path)))
    page.lines[0].text        # 'Attention Is All You Need'

A superscript or subscript is a `Word` of its own with `script` +1 or -1; `glued` tells that no space
stands before it. `joined()` writes words as readable text ("10^9", "H2O").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import NamedTuple


class Edges(NamedTuple):
    """A rectangle by its edges, in points, origin top left."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Horizontal extent."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Vertical extent."""
        return self.y1 - self.y0

    @property
    def horizontal(self) -> bool:
        """Wider than high, as a rule that runs from left to right."""
        return self.width >= self.height


ASCENT, DESCENT = 0.75, 0.22  # em that the box of type reaches over its baseline, and below it
MIDDLE = 0.3  # em over its baseline that the middle of small letters stands


class Word(NamedTuple):
    """Characters without space between them, in one style and on one baseline.

    `y0` and `y1` are `ASCENT` above and `DESCENT` below the baseline, so that words of one line and size have
    the same edges. `angle` is 0 for upright text, 90 for text that runs upwards, 270 downwards.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float  # y of the baseline (x of it for angles 90 and 270)
    size: float  # font size as displayed, points
    bold: bool
    italic: bool
    font: str
    script: int = 0  # +1 superscript, -1 subscript
    glued: bool = False  # no space before it
    angle: int = 0


@dataclass(frozen=True)
class Line:
    """Words that follow each other on one baseline, without a gap as wide as a column gutter."""

    words: tuple[Word, ...]
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float  # of most of its characters
    angle: int
    text: str  # its words as readable text

    @cached_property
    def unspaced(self) -> int:
        """Signs of Chinese, Japanese and Korean, whose lines have few spaces or none."""
        return 0 if self.text.isascii() else len(_UNSPACED.findall(self.text))


class Glyph(NamedTuple):
    """One drawn sign with the box of its ink, as formulas need it."""

    code: int  # Unicode, or the code in its font where that has no Unicode
    known: bool  # it has a Unicode value
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float
    font: str
    bold: bool
    italic: bool


@dataclass(frozen=True)
class RawPage:
    """One page as it was drawn. `lines` stand in the order of the file; layout puts them in reading order.

    `rules` are thin lines from left to right or down: drawn, thin filled rectangles, edges of stroked boxes;
    `drawings` the boxes of all other paths, `shades` those of them that are filled.
    """

    number: int
    width: float
    height: float
    label: str = ""
    lines: tuple[Line, ...] = ()
    rules: tuple[Edges, ...] = ()
    pictures: tuple[Edges, ...] = ()
    drawings: tuple[Edges, ...] = ()
    shades: tuple[Edges, ...] = ()
    broken: float = 0.0  # share of characters that have no Unicode value
    glyphs: tuple[Glyph, ...] = ()  # of lines that may be formulas; empty on pages without any
    notes: tuple[str, ...] = ()
    heads: frozenset[int] = frozenset()  # indices of lines that are headers, footers, stamps

    @cached_property
    def upright(self) -> tuple[Line, ...]:
        """The lines that are not turned."""
        return tuple(line for line in self.lines if line.angle == 0)

    @cached_property
    def gutters(self) -> tuple[float, ...]:
        """The xs between its columns: two, one or none."""
        lines = [(line, count) for line in self.upright if (count := word_count(line)) >= 3]
        if len(lines) >= 18:
            low = sorted([line.x0 for line, _ in lines])[len(lines) // 20]
            high = sorted([line.x1 for line, _ in lines])[-1 - len(lines) // 20]
            thirds = (low + (high - low) / 3, low + 2 * (high - low) / 3)
            if _parted([line for line, _ in lines], thirds, 6, 0.35):
                return thirds
        middle = self.width / 2
        return (middle,) if _parted([line for line, count in lines if count >= 5], (middle,), 4, 0.7) else ()


def _parted(lines: Sequence[Line], cuts: Sequence[float], least: int, crossing: float) -> bool:
    """Whether few lines cross the cuts, and each column has some."""
    edges = [(low - 8, high + 8) for low, high in pairwise((-1e6, *cuts, 1e6))]
    counts = [0] * len(edges)
    crossed = 0
    for line in lines:
        for k, (low, high) in enumerate(edges):
            if low < line.x0 and line.x1 < high:
                counts[k] += 1
                break
        else:
            crossed += 1
    return min(counts) >= least and crossed < crossing * sum(counts)


_TYPEWRITER = re.compile(
    r"Cour|Mono(?!type)|NimbusMon|(?:CM|SF|EC|LM)(?:SL|I|IT|V)?TT|T1XB?TT|SF[SI]T\d|txtt|Typewriter|Consol|Menlo"
    r"|LetterGoth|BookMaster|Andale|SourceCode|FiraCode",
    re.IGNORECASE,
)  # also slanted, as TeX sets what is typed in


@cache
def typewriter(font: str) -> bool:
    """Whether a font of this name gives every sign the same width."""
    return bool(_TYPEWRITER.search(font))


def typed(words: Sequence[Word]) -> float:
    """Share of the characters that are in typewriter type."""
    if not any([typewriter(font) for font in {word.font for word in words}]):
        return 0.0
    own = sum(len(word.text) for word in words if typewriter(word.font))
    return own / max(1, sum(len(word.text) for word in words))


_UNSPACED = re.compile(r"[\u3001-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uff60]")
_RINGS = frozenset("∘◦⚬○")  # degrees, as TeX sets them


def joined(words: Iterable[Word]) -> str:
    """Words as readable text: spaces between them, a caret before a superscript that follows a character."""
    words = tuple(words)
    if not any([word.glued or word.script for word in words]):
        return " ".join([word.text for word in words])
    parts: list[str] = []
    script = 0
    for word in words:
        if parts and not word.glued:
            parts.append(" ")
            script = 0
        text = word.text
        if word.script == 1 and script != 1 and parts and parts[-1] != " ":
            if text in _RINGS:
                text = "°"
            elif any(c.isalnum() for c in text):
                parts.append("^")
        parts.append(text)
        script = word.script
    return "".join(parts)


def word_count(line: Line) -> int:
    """The words of a line; without spaces, two signs are taken for a word."""
    return len(line.words) if line.text.isascii() else max(len(line.words), line.unspaced // 2)


def make_line(words: Sequence[Word], size: float, baseline: float) -> Line:
    """A line around words that stand in reading order."""
    line = object.__new__(Line)  # twice as fast as Line(...)
    line.__dict__.update(
        words=tuple(words),
        x0=min([w.x0 for w in words]),
        y0=min([w.y0 for w in words]),
        x1=max([w.x1 for w in words]),
        y1=max([w.y1 for w in words]),
        baseline=baseline,
        size=size,
        angle=words[0].angle,
        text=joined(words),
    )
    return line


class OutlineEntry(NamedTuple):
    """A bookmark of the file: page from 1 (0 if it points nowhere)."""

    title: str
    page: int


@dataclass(frozen=True)
class FileFacts:
    """What a reader knows of a file besides its pages."""

    parser: str
    info: dict[str, str]
    outline: Sequence[OutlineEntry] = ()
    notes: tuple[str, ...] = ()
