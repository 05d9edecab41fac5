"""Fonts without a name, told by the widths of their letters.

TeX once drew its fonts as bitmaps (Type 3), and PDFium knows nothing of such a font but its widths. They
are those of Computer Modern, or nearly so (the EC fonts): whoever knows them knows what is bold, slanted
or a typewriter's. `training/font_widths.py` wrote the list.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789"
WIDTHS = Path(__file__).parent.parent / "data" / "computer_modern.json"
_LETTERS = 5  # different ones that must be met
_NEAR = 0.02  # em by which a font's widths may differ from those of a known one, root of the mean square
_SCALED = 1.5  # times the size that it is made for a font is set at
_PRINTED = 17.0  # points: the largest size that fonts are made for


def names_of(font: Sequence[int], codes: Sequence[int], widths: Any, sizes: Any) -> dict[int, str]:
    """Names of nameless fonts: those whose widths are nearest, if any are near.

    One entry per character in each: the number of its font, its code, its width and type size in points.
    """
    place = {ord(sign): k for k, sign in enumerate(SIGNS)}
    found: dict[int, str] = {}
    for own in set(font):
        met: dict[int, list[float]] = {}
        size = 0.0
        for i, number in enumerate(font):
            at = place.get(codes[i]) if number == own else None
            if at is not None and sizes[i] > 0 and widths[i] > 0:
                met.setdefault(at, []).append(widths[i] / sizes[i])
                size = max(size, sizes[i])
        if len(met) >= _LETTERS:
            found[own] = _nearest({at: float(np.median(every)) for at, every in met.items()}, size)
    return {own: name for own, name in found.items() if name}


def _nearest(met: dict[int, float], size: float) -> str:
    """The known font whose widths are nearest and that is made for about this size; "" if none is near."""
    best, name = _NEAR, ""
    for known, widths in _known().items():
        made = float("".join(filter(str.isdigit, known)))
        made = made / 100 if made > 100 else made  # "ECRM1440"
        if not 1 / _SCALED < min(size, _PRINTED) / made < _SCALED:
            continue
        apart = float(np.sqrt(np.mean([(width - widths[at]) ** 2 for at, width in met.items()])))
        if apart < best:
            best, name = apart, known
    return name


@cache
def _known() -> dict[str, list[float]]:
    return dict(json.loads(WIDTHS.read_text(encoding="utf-8")))
