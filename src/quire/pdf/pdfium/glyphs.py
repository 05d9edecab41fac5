"""The ink of the signs that formulas are read from.

Most pages have none, and on the others running text is left out, because each box is a call of its own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from quire.pdf.equations.prose import has_relation, is_prose
from quire.pdf.pdfium import calls
from quire.pdf.pdfium.frame import Frame
from quire.pdf.pdfium.text import Characters, Flags, Floats
from quire.pdf.raw import Glyph, Line

_LEVEL = 0.3  # em: signs nearer to the baseline of running text belong to it
_BLANKS = (0x09, 0x0A, 0x0D, 0x20, 0xA0)
MOST = 6000  # signs of one page; pages with more are drawings made of letters


def read_glyphs(text_page: Any, frame: Frame, found: Characters, lines: Sequence[Line]) -> list[Glyph]:
    """The signs outside running text, if a line of the page may be a formula; upright ones only."""
    if not any(line.angle == 0 and has_relation(line.text) and not is_prose(line) for line in lines):
        return []
    page = calls.address(text_page)
    x, y = frame.point(*calls.origins(page, range(len(found.codes))).T)
    prose = [line for line in lines if line.angle == 0 and is_prose(line)]
    wanted = np.flatnonzero(_outside(found, x, y, prose)).tolist()
    if len(wanted) > MOST:
        return []
    codes = found.codes.tolist()
    box = (ctypes.c_double * 4)()
    at = ctypes.addressof(box)
    out: list[Glyph] = []
    for i in wanted:
        known = not calls.has_no_unicode(page, i)
        if known and codes[i] in _BLANKS:
            continue  # but a sign of an extension font may have such a code
        # PDFium asks for left, right, bottom, top in this order.
        if not calls.get_tight_box(page, i, at, at + 8, at + 16, at + 24):
            continue
        xa, ya = frame.point(box[0], box[2])
        xb, yb = frame.point(box[1], box[3])
        style = found.styles[found.style_of[i]]
        out.append(
            Glyph(
                codes[i], known, min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb),
                float(y[i]), style.size, style.font, style.bold, style.italic,
            )
        )  # fmt: skip
    return out


def _outside(found: Characters, x: Floats, y: Floats, prose: Sequence[Line]) -> Flags:
    """Which signs are upright, visible and on no line of running text."""
    upright = np.array([s.angle == 0 and not s.hidden for s in found.styles] + [False])
    codes = found.codes
    keep: Flags = upright[found.style_of] & (codes != 0x200B)
    keep &= (codes < 0xFE00) | (codes > 0xFE0F)  # second values of a sign, which choose its size
    order = np.argsort(y)
    bases, reach = np.array([p.baseline for p in prose]), np.array([_LEVEL * p.size for p in prose])
    lows, highs = (np.searchsorted(y[order], bases + side).tolist() for side in (-reach, reach))
    for line, low, high in zip(prose, lows, highs, strict=True):
        near = order[low:high]
        keep[near[(x[near] > line.x0 - 1) & (x[near] < line.x1 + 1)]] = False
    return keep
