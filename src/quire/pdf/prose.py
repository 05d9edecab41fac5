"""Which words of a line are ordinary ones, and which lines are running text: among formulas, in figures.

Rows of cells are told apart from running text by `tables.tokens.prose_row`, which knows the cells.
"""

from __future__ import annotations

import re
from functools import cache

from quire.pdf.geometry import PROSE, SENTENCE
from quire.pdf.raw import Line, Word, typed, typewriter

RELATION = re.compile(r"[=<>≤≥≈≡∼≃≅≠∝∈⊂⊆→⇒⇔←↔↦≔≜⩽⩾≪≫]")
MATH_FONT = re.compile(
    r"CMMI|CMSY|CMEX|MSBM|MSAM|Math|Symbol|MTMI|MTSY|RMTMI|EUFM|EURM|txmia|txsy", re.IGNORECASE
)
_FUNCTIONS = frozenset(
    "sin cos tan log exp max min arg argmax argmin lim sup inf det dim ker mod softmax tanh relu sign var "
    "cov tr rank diag st if otherwise for all where with and or then such that subject to when else is of "
    "the".split()
)
MOST_WORDS = 0.34  # share of ordinary words in a formula
MOST_TYPED = 0.5  # share of characters in typewriter type, in a formula
MOST_UNSPACED = 6  # signs of scripts with few spaces, in a formula
_SMALL = 0.86  # of the size of running text: what is smaller labels a figure


@cache
def mathematical(font: str) -> bool:
    """Whether a font of this name holds signs of mathematics."""
    return bool(MATH_FONT.search(font))


def has_relation(text: str) -> bool:
    """A sign that relates two sides stands in it."""
    return bool(RELATION.search(text))


def is_ordinary(word: Word) -> bool:
    """A word of a language, not a name of mathematics."""
    bare = word.text.strip(".,;:()[]{}|")
    return (
        len(bare) >= 3
        and bare.isalpha()
        and bare.lower() not in _FUNCTIONS
        and not word.script
        and not mathematical(word.font)
    )


def ordinary_words(line: Line) -> int:
    """How many words of a line are ordinary ones."""
    return sum(1 for w in line.words if is_ordinary(w))


def is_prose(line: Line) -> bool:
    """Beside formulas: too many ordinary words for one, most of its signs in words, or a program."""
    if typed(line.words) > MOST_TYPED:
        return True
    if ordinary_words(line) > max(2, MOST_WORDS * len(line.words)) or line.unspaced > MOST_UNSPACED:
        return True
    words = [w.text for w in line.words if _spelt(w)]
    return len(words) >= SENTENCE and sum(map(len, words)) > 0.5 * sum(len(w.text) for w in line.words)


def is_text_beside_figures(line: Line, size: float) -> bool:
    """Beside figures: enough words, upright, about as large as running text, which is of this size."""
    words = sum(1 for w in line.words if len(w.text) > 1 and w.text[:1].isalpha())
    upright = line.angle == 0 and not typewriter(line.words[0].font)
    return upright and words >= PROSE and line.size > _SMALL * size


def _spelt(word: Word) -> bool:
    """Letters that spell something, functions and small words included."""
    bare = word.text.strip(".,;:()[]").replace("-", "")
    return len(bare) >= 3 and bare.isalpha() and not mathematical(word.font)
