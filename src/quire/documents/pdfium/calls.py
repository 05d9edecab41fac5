"""PDFium's functions with plain integer pointers, because they are called once per character.

pypdfium2's own bindings build a ctypes object per pointer; a page has thousands of characters, and
addresses as integers make the same calls about three times as fast (see docs/log.md).
"""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_int, c_uint, c_ulong, c_void_p
from typing import Any

import pypdfium2.raw as pdfium


def _plain(name: str, result: Any, *arguments: Any) -> Any:
    address = ctypes.cast(getattr(pdfium, name), c_void_p).value
    if address is None:  # pragma: no cover - a PDFium build without this function
        raise ImportError(f"PDFium has no {name}")
    return ctypes.CFUNCTYPE(result, *arguments)(address)


get_unicode = _plain("FPDFText_GetUnicode", c_uint, c_void_p, c_int)
get_text_object = _plain("FPDFText_GetTextObject", c_void_p, c_void_p, c_int)
get_loose_box = _plain("FPDFText_GetLooseCharBox", c_int, c_void_p, c_int, c_void_p)
get_tight_box = _plain("FPDFText_GetCharBox", c_int, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p)
has_no_unicode = _plain("FPDFText_HasUnicodeMapError", c_int, c_void_p, c_int)
get_origin = _plain("FPDFText_GetCharOrigin", c_int, c_void_p, c_int, c_void_p, c_void_p)
get_text_matrix = _plain("FPDFText_GetMatrix", c_int, c_void_p, c_int, c_void_p)
get_font_size = _plain("FPDFText_GetFontSize", c_double, c_void_p, c_int)
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
