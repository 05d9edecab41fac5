"""Boxes and lengths as rows hold them: whole points of 16 bits, whatever the file says."""

from __future__ import annotations

import math

from quire.store.schema import IntBox
from quire.types import Box

_FARTHEST = 32_767  # points; pages end at 14 400, damaged files do not


def int_box(box: Box) -> IntBox:
    """A box in whole points that is never empty and never beyond 16 bits."""
    return (whole(box.x0), whole(box.y0), max(1, whole(box.width)), max(1, whole(box.height)))


def whole(length: float) -> int:
    """A length in whole points."""
    if not math.isfinite(length):
        return 0
    return max(-_FARTHEST, min(_FARTHEST, round(length)))
