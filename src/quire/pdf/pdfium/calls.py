"""PDFium's functions with plain integer pointers, as they are called thousands of times a page; its frame.

pypdfium2's own bindings build a ctypes object per pointer; addresses as integers make the same calls about
three times as fast. Those for every character or its style check no arguments at all, which halves
their time again: they take the page as `c_void_p`, numbers, and ctypes arrays to write into, never an address
as a number. The interpreter's lock is kept: none of these calls takes long.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Sequence
from ctypes import c_double, c_float, c_int, c_ssize_t, c_uint, c_ulong, c_void_p
from functools import cache
from itertools import repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

_AT_ONCE = 2048  # characters
Number = TypeVar("Number", float, NDArray[np.float64])


def _plain(name: str, result: Any, *arguments: Any) -> Any:
    address = ctypes.cast(getattr(pdfium, name), c_void_p).value
    if address is None:  # pragma: no cover - a PDFium build without this function
        raise ImportError(f"PDFium has no {name}")
    return ctypes.PYFUNCTYPE(result, *arguments)(address)


get_unicode = _plain("FPDFText_GetUnicode", c_uint, c_void_p, c_int)
get_text = _plain("FPDFText_GetText", c_int, c_void_p, c_int, c_int, c_void_p)
get_text_object = _plain("FPDFText_GetTextObject", c_ssize_t)  # (page, index), unchecked
get_loose_box = _plain("FPDFText_GetLooseCharBox", c_int)  # (page, index, four floats), unchecked
get_tight_box = _plain("FPDFText_GetCharBox", c_int, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p)
has_no_unicode = _plain("FPDFText_HasUnicodeMapError", c_int, c_void_p, c_int)
get_origin = _plain("FPDFText_GetCharOrigin", c_int)  # (page, index, double, double), unchecked
get_text_matrix = _plain("FPDFText_GetMatrix", c_int)  # (page, index, six floats), unchecked
get_font_size = _plain("FPDFText_GetFontSize", c_double)  # (page, index), unchecked
get_font = _plain("FPDFTextObj_GetFont", c_void_p, c_void_p)
get_render_mode = _plain("FPDFTextObj_GetTextRenderMode", c_int, c_void_p)
get_font_name = _plain("FPDFFont_GetBaseFontName", c_ulong, c_void_p, c_void_p, c_ulong)
get_font_weight = _plain("FPDFFont_GetWeight", c_int, c_void_p)
get_font_flags = _plain("FPDFFont_GetFlags", c_int, c_void_p)

get_bounds = _plain("FPDFPageObj_GetBounds", c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
get_type = _plain("FPDFPageObj_GetType", c_int, c_void_p)
get_object_matrix = _plain("FPDFPageObj_GetMatrix", c_int, c_void_p, c_void_p)
get_fill_color = _plain("FPDFPageObj_GetFillColor", c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
get_stroke_color = _plain(
    "FPDFPageObj_GetStrokeColor", c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p
)
get_draw_mode = _plain("FPDFPath_GetDrawMode", c_int, c_void_p, c_void_p, c_void_p)
count_segments = _plain("FPDFPath_CountSegments", c_int, c_void_p)
get_segment = _plain("FPDFPath_GetPathSegment", c_void_p, c_void_p, c_int)
get_point = _plain("FPDFPathSegment_GetPoint", c_int, c_void_p, c_void_p, c_void_p)
get_segment_type = _plain("FPDFPathSegment_GetType", c_int, c_void_p)
get_segment_close = _plain("FPDFPathSegment_GetClose", c_int, c_void_p)
count_objects = _plain("FPDFPage_CountObjects", c_int, c_void_p)
get_object = _plain("FPDFPage_GetObject", c_void_p, c_void_p, c_int)
count_form_objects = _plain("FPDFFormObj_CountObjects", c_int, c_void_p)
get_clip = _plain("FPDFPageObj_GetClipPath", c_void_p, c_void_p)
count_clips = _plain("FPDFClipPath_CountPaths", c_int, c_void_p)
count_clip_segments = _plain("FPDFClipPath_CountPathSegments", c_int, c_void_p, c_int)
get_clip_segment = _plain("FPDFClipPath_GetPathSegment", c_void_p, c_void_p, c_int, c_int)
get_form_object = _plain("FPDFFormObj_GetObject", c_void_p, c_void_p, c_ulong)


def address(handle: Any) -> int:
    """The integer address behind a pypdfium2 handle."""
    value = ctypes.cast(handle, c_void_p).value
    return value or 0


def objects(page: int, count: int) -> NDArray[np.int64]:
    """The addresses of the text objects that draw the characters; 0 for blanks that PDFium guessed."""
    drawn = map(get_text_object, repeat(c_void_p(page)), range(count))
    return np.fromiter(drawn, np.int64, count)


def boxes(page: int, count: int) -> NDArray[np.float64]:
    """Left, bottom, right and top of each character's width and type."""
    return _asked(get_loose_box, page, range(count), (_slots(c_float, 4, 0),))


def origins(page: int, indices: Sequence[int]) -> NDArray[np.float64]:
    """The points (x, y) on their baselines at which the characters at `indices` begin."""
    return _asked(get_origin, page, indices, (_slots(c_double, 1, 0), _slots(c_double, 1, 1)))


def _asked(function: Any, page: int, indices: Sequence[int], slots: Sequence[Any]) -> NDArray[np.float64]:
    """One row for each index: what the function writes into the slots given to it."""
    parts = [np.zeros((0, sum(values.shape[1] for _, values in slots)))]
    for low in range(0, len(indices), _AT_ONCE):
        own = indices[low : low + _AT_ONCE]
        deque(map(function, repeat(c_void_p(page)), own, *(places for places, _ in slots)), 0)
        parts.append(np.hstack([values[: len(own)].astype(np.float64) for _, values in slots]))
    return np.vstack(parts)


@cache
def _slots(kind: Any, width: int, number: int) -> tuple[list[Any], NDArray[Any]]:
    """Places for so many values of a kind each, and an array of what is written there."""
    places = (kind * width * _AT_ONCE)()
    return list(places), np.ctypeslib.as_array(places)


class Frame(NamedTuple):
    """From PDF user space (origin bottom left, before /Rotate) to the page as it is displayed.

    The crop box in user space and the quarter turns (clockwise) at which it is shown.
    """

    left: float
    bottom: float
    right: float
    top: float
    turns: int

    @property
    def width(self) -> float:
        """As displayed."""
        return self.top - self.bottom if self.turns % 2 else self.right - self.left

    @property
    def height(self) -> float:
        """As displayed."""
        return self.right - self.left if self.turns % 2 else self.top - self.bottom

    def point(self, x: Number, y: Number) -> tuple[Number, Number]:
        """A point, or many, displayed."""
        if self.turns == 0:
            return x - self.left, self.top - y
        if self.turns == 1:
            return y - self.bottom, x - self.left
        if self.turns == 2:
            return self.right - x, y - self.bottom
        return self.top - y, self.right - x

    def direction(self, x: float, y: float) -> int:
        """The angle (0, 90 up, 180, 270 down) at which a vector of user space is displayed."""
        x0, y0 = self.point(0.0, 0.0)
        x1, y1 = self.point(x, y)
        across, down = x1 - x0, y1 - y0
        if abs(across) >= abs(down):
            return 0 if across >= 0 else 180
        return 270 if down > 0 else 90


def frame_of(page: Any) -> Frame:
    """The frame of an open page."""
    left, bottom, right, top = page.get_bbox()
    if right > left:
        return Frame(left, bottom, right, top, page.get_rotation() // 90)
    width, height = page.get_size()
    return Frame(0.0, 0.0, width, height, 0)
