"""The ink of the signs that formulas are read from.

Most pages have none, and on the others running text is left out, because each box is a call of its own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from quire.documents.equations.prose import has_relation, is_prose
from quire.documents.pdfium import calls
from quire.documents.pdfium.frame import Frame
from quire.documents.pdfium.text import Characters
from quire.documents.raw import Glyph, Line

_LEVEL = 0.3  # em: signs nearer to the baseline of running text belong to it
_BLANKS = (0x09, 0x0A, 0x0D, 0x20, 0xA0)
MOST = 6000  # signs of one page; pages with more are drawings made of letters


def read_glyphs(text_page: Any, frame: Frame, found: Characters, lines: Sequence[Line]) -> list[Glyph]:
    """The signs outside running text, if a line of the page may be a formula; upright ones only."""
    if not any(line.angle == 0 and has_relation(line.text) and not is_prose(line) for line in lines):
        return []
    wanted = _outside(found, [line for line in lines if line.angle == 0 and is_prose(line)])
    if len(wanted) > MOST:
        return []
    page = calls.address(text_page)
    box = (ctypes.c_double * 4)()
    at = ctypes.addressof(box)
    out: list[Glyph] = []
    for i in wanted:
        known = not calls.has_no_unicode(page, i)
        if known and found.codes[i] in _BLANKS:
            continue  # but a sign of an extension font may have such a code
        # PDFium asks for left, right, bottom, top in this order.
        if not calls.get_tight_box(page, i, at, at + 8, at + 16, at + 24):
            continue
        xa, ya = frame.point(box[0], box[2])
        xb, yb = frame.point(box[1], box[3])
        style = found.styles[found.style_of[i]]
        out.append(
            Glyph(
                found.codes[i], known, min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb),
                float(found.origins[i][1]), style.size, style.font, style.bold, style.italic,
            )
        )  # fmt: skip
    return out


def _outside(found: Characters, prose: Sequence[Line]) -> list[int]:
    """Indices of upright visible signs that stand on no line of running text."""
    style_of = np.asarray(found.style_of)
    codes = np.asarray(found.codes)
    upright = np.array([s.angle == 0 and not s.hidden for s in found.styles] + [False])
    keep = upright[style_of] & (codes != 0x200B)
    keep &= (codes < 0xFE00) | (codes > 0xFE0F)  # second values of a sign, which choose its size
    x, y = found.origins[:, 0], found.origins[:, 1]
    for line in prose:
        near = np.abs(y - line.baseline) < _LEVEL * line.size
        keep &= ~(near & (x > line.x0 - 1) & (x < line.x1 + 1))
    return [int(i) for i in np.flatnonzero(keep)]
