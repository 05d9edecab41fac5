"""Formulas set by hand for tests: signs with the ink that a mathematical font gives them."""

from __future__ import annotations

from quire.pdf.raw import Edges, Glyph

WIDTH = 0.5  # em, of every sign
_LOW = frozenset("acemnorsuvwxz∈−+=≤→")
_DEEP = frozenset("gpqy")
_SIGNS = frozenset("+=−≤→∈")


def sign(
    text: str, x: float, base: float, size: float = 10, *, font: str = "CMMI10", known: bool = True
) -> Glyph:
    """One sign at a place on a baseline; brackets and large operators reach around the axis."""
    top, foot = base - (0.45 if text in _LOW else 0.7) * size, base + (0.2 if text in _DEEP else 0.0) * size
    if text in _SIGNS:
        top, foot = base - 0.45 * size, base - 0.05 * size
    if text in "()[]{}|":
        top, foot = base - 0.75 * size, base + 0.25 * size
    if text in "∑∏∫":
        top, foot = base - 0.95 * size, base + 0.45 * size
    italic = text.isalpha() and text.isascii() and font == "CMMI10"
    code = ord(text) if len(text) == 1 else 0
    return Glyph(code, known, x, top, x + WIDTH * size, foot, base, size, font, False, italic)


def row(text: str, x: float, base: float, size: float = 10, *, font: str = "CMMI10") -> list[Glyph]:
    """Signs beside each other; a blank moves on."""
    out = []
    for letter in text:
        if letter != " ":
            out.append(sign(letter, x, base, size, font=font))
        x += (WIDTH + 0.02) * size
    return out


def tall(text: str, x: float, top: float, foot: float, size: float = 10) -> Glyph:
    """A stretched bracket."""
    return Glyph(ord(text), True, x, top, x + 4, foot, top, size, "CMEX10", False, False)


def rule(x0: float, x1: float, y: float) -> Edges:
    """A fraction's rule."""
    return Edges(x0, y, x1, y + 0.4)
