"""The typography of a document: what its running text looks like.

Everything that decides by size, weight or spacing (headings, footnotes, paragraphs) compares with this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from quire.pdf.geometry import SENTENCE, are_stacked
from quire.pdf.raw import RawPage, word_count

_SAMPLE = 60  # pages that are looked at; a book's body does not change


@dataclass(frozen=True, slots=True)
class Profile:
    """Size of body type, distance of its baselines, and whether the body itself is bold or italic."""

    size: float = 10.0
    pitch: float = 12.0
    bold: bool = False
    italic: bool = False
    rtl: bool = False

    def pitch_of(self, size: float) -> float:
        """The usual distance of baselines for type of that size."""
        return self.pitch * size / self.size if self.size else 1.2 * size


def measure(pages: Sequence[RawPage]) -> Profile:
    """The profile of a document; the defaults where it has no text."""
    step = max(1, len(pages) // _SAMPLE)
    chosen = pages[::step]
    lines = [line for page in chosen for line in page.upright]
    running = [line for line in lines if word_count(line) >= SENTENCE] or lines
    if not running:
        return Profile()
    sizes: Counter[float] = Counter()
    for line in running:
        sizes[round(line.size * 4) / 4] += sum(len(w.text) for w in line.words)
    most = max(sizes.values())
    # Abstracts, captions and references are set smaller and may outweigh the body of a short paper.
    size = max(s for s, n in sizes.items() if n >= 0.5 * most)
    bold = _share(chosen, size, "bold")
    italic = _share(chosen, size, "italic")
    return Profile(size, _pitch(chosen, size), bold > 0.6, italic > 0.6, _rtl(chosen))


def _share(pages: Sequence[RawPage], size: float, what: str) -> float:
    own = [line.words for page in pages for line in page.lines if abs(line.size - size) < 0.2]
    marked = attrgetter(what)
    total = sum(map(len, own))
    return sum(sum(map(marked, words)) for words in own) / total if total else 0.0


def _pitch(pages: Sequence[RawPage], size: float) -> float:
    steps: Counter[float] = Counter()
    for page in pages:
        lines = [line for line in page.upright if abs(line.size - size) < 0.3]
        for one, other in pairwise(lines):
            step = other.baseline - one.baseline
            if are_stacked(one, other) and 0.9 * size < step < 2.6 * size:
                steps[round(step * 2) / 2] += 1
    return max(steps, key=lambda s: (steps[s], -s)) if steps else 1.2 * size


def _rtl(pages: Sequence[RawPage]) -> bool:
    lines = [line for page in pages for line in page.lines]
    words = (word for line in lines if not line.text.isascii() for word in line.words)
    arabic = sum("\u0590" <= word.text[0] <= "\u08ff" for word in words)
    return arabic > 0.4 * sum(len(line.words) for line in lines)
