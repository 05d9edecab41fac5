"""The typography of a document: what its running text looks like.

Everything that decides by size, weight or spacing (headings, footnotes, paragraphs) compares with this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from quire.documents.raw import Line, RawPage, word_count

_SAMPLE = 60  # pages that are looked at; a book's body does not change


@dataclass(frozen=True, slots=True)
class Profile:
    """Size of body type, distance of its baselines, and whether the body itself is bold or italic."""

    size: float = 10.0
    pitch: float = 12.0
    bold: bool = False
    italic: bool = False
    sizes: tuple[float, ...] = ()  # of type with at least 2% of the characters, largest first
    rtl: bool = False

    def pitch_of(self, size: float) -> float:
        """The usual distance of baselines for type of that size."""
        return self.pitch * size / self.size if self.size else 1.2 * size


def measure(pages: Sequence[RawPage]) -> Profile:
    """The profile of a document; the defaults where it has no text."""
    step = max(1, len(pages) // _SAMPLE)
    chosen = pages[::step]
    sizes: Counter[float] = Counter()
    every: Counter[float] = Counter()
    for page in chosen:
        for line in page.lines:
            if line.angle == 0:
                characters = sum(len(w.text) for w in line.words)
                every[_rounded(line.size)] += characters
                if word_count(line) >= 5:
                    sizes[_rounded(line.size)] += characters
    if not every:
        return Profile()
    counted = sizes or every
    most = max(counted.values())
    # Abstracts, captions and references are set smaller and may outweigh the body of a short paper.
    size = max(s for s, n in counted.items() if n >= 0.5 * most)
    bold = _share(chosen, size, "bold")
    italic = _share(chosen, size, "italic")
    total = sum(every.values())
    common = tuple(sorted((s for s, n in every.items() if n >= 0.02 * total), reverse=True))
    return Profile(size, _pitch(chosen, size), bold > 0.6, italic > 0.6, common, _rtl(chosen))


def _rounded(size: float) -> float:
    return round(size * 4) / 4


def _share(pages: Sequence[RawPage], size: float, what: str) -> float:
    have = total = 0
    for page in pages:
        for line in page.lines:
            if abs(line.size - size) < 0.2:
                total += len(line.words)
                have += sum(1 for w in line.words if getattr(w, what))
    return have / total if total else 0.0


def _pitch(pages: Sequence[RawPage], size: float) -> float:
    steps: Counter[float] = Counter()
    for page in pages:
        lines = [line for line in page.lines if abs(line.size - size) < 0.3 and line.angle == 0]
        for one, other in zip(lines, lines[1:], strict=False):
            step = other.baseline - one.baseline
            if _above(one, other) and 0.9 * size < step < 2.6 * size:
                steps[round(step * 2) / 2] += 1
    return max(steps, key=lambda s: (steps[s], -s)) if steps else 1.2 * size


def _above(one: Line, other: Line) -> bool:
    return min(one.x1, other.x1) - max(one.x0, other.x0) > 0.5 * min(one.x1 - one.x0, other.x1 - other.x0)


def _rtl(pages: Sequence[RawPage]) -> bool:
    arabic = total = 0
    for page in pages:
        for word in page.words:
            total += 1
            arabic += "\u0590" <= word.text[0] <= "\u08ff"
    return arabic > 0.4 * total
