"""The characters of a page as words and lines.

PDFium gives characters in the order of the file, with spaces that it guessed. Its order is kept; words
break at its spaces and at gaps; lines break where the baseline changes, where x jumps back, or at a gap
as wide as a column gutter. Pieces of one line that the file draws apart (a formula inside a sentence, a
superscript) are put together afterwards in `lines.py`.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from quire.documents.pdfium import calls
from quire.documents.pdfium.fonts import Fonts, Style, named
from quire.documents.pdfium.frame import Frame
from quire.documents.pdfium.nameless import names_of
from quire.documents.raw import Edges, typewriter

# TeX's fonts without a ToUnicode map show their ligatures as control codes: in its old encoding (OT1) ...
_OT1 = {0x0B: "ff", 0x0C: "fi", 0x0D: "fl", 0x0E: "ffi", 0x0F: "ffl"}
_MARKS_OT1 = {0x22: "”", 0x3C: "¡", 0x3E: "¿", 0x5C: "“", 0x7B: "–", 0x7C: "—"}
# ... and in the new one (T1), which has quotation marks and dashes there too.
_T1 = {0x10: "“", 0x11: "”", 0x12: "„", 0x13: "«", 0x14: "»", 0x15: "–", 0x16: "—", 0x19: "ı",
       0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl"}  # fmt: skip
_LIGATURES_T1 = frozenset(range(0x1B, 0x20))
_DROPPED = {0x00AD, 0x200B, 0x200C, 0x200D, 0xFEFF, 0x200E, 0x200F, 0x2060}


class Char(NamedTuple):
    """A visible character in the frame of its own text direction (u along, v down)."""

    text: str
    u0: float
    u1: float
    v: float
    style: int
    space: bool  # white space stands before it


class Characters(NamedTuple):
    """All visible characters of a page and their styles.

    `codes`, `style_of` and `origins` are those of all of PDFium's characters, in its order.
    """

    chars: list[Char]
    styles: list[Style]
    broken: float
    hidden: float
    codes: Sequence[int] = ()
    style_of: Sequence[int] = ()
    origins: Any = ()  # n x 2, as displayed


def read_characters(text_page: Any, frame: Frame, clips: Mapping[int, Edges] | None = None) -> Characters:
    """The visible characters of a PDFium text page, in the order of the file.

    `clips` are the boxes to which text objects are cut, by their addresses.
    """
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFText_CountChars(text_page)
    if count <= 0:
        return Characters([], [], 0.0, 0.0)
    page = calls.address(text_page)
    boxes = (ctypes.c_float * (4 * count))()
    origins = (ctypes.c_double * (2 * count))()
    box_at, origin_at = ctypes.addressof(boxes), ctypes.addressof(origins)
    codes: list[int] = []
    style_of: list[int] = []
    styles: list[Style] = []
    known: dict[int, int] = {}
    fonts = Fonts(frame)
    unicode, text_object, loose, origin = (
        calls.get_unicode, calls.get_text_object, calls.get_loose_box, calls.get_origin,
    )  # fmt: skip
    for i in range(count):
        codes.append(unicode(page, i))
        drawn_by = text_object(page, i)
        if drawn_by is None:
            style_of.append(-1)
            continue
        if drawn_by not in known:
            known[drawn_by] = len(styles)
            styles.append(fonts.style(page, i, drawn_by))
        style_of.append(known[drawn_by])
        loose(page, i, box_at + 16 * i)
        origin(page, i, origin_at + 16 * i, origin_at + 16 * i + 8)
    _pair_surrogates(codes)
    edges = np.frombuffer(boxes, dtype=np.float32).reshape(count, 4).astype(np.float64)
    dots = np.frombuffer(origins, dtype=np.float64).reshape(count, 2)
    styles = _with_names(styles, codes, style_of, edges[:, 2] - edges[:, 0], dots)
    shown = {known[handle]: box for handle, box in (clips or {}).items() if handle in known}
    return _visible(codes, style_of, styles, edges, dots, frame, shown)


def _with_names(
    styles: list[Style], codes: Sequence[int], style_of: Sequence[int], widths: Any, dots: Any
) -> list[Style]:
    """Styles whose fonts have no name with those that the widths of their letters tell."""
    nameless = {k for k, style in enumerate(styles) if not style.font and not style.angle}
    own = [i for i, k in enumerate(style_of) if k in nameless]
    if not own:
        return styles
    # a sign's box holds its ink, which may stand out; the next sign begins where its width ends
    steps = np.append(np.diff(dots[:, 0]), 0.0)
    widths = np.where((steps > 0.5 * widths) & (steps < widths), steps, widths)
    drawn = [styles[style_of[i]] for i in own]
    names = names_of([s.handle for s in drawn], [codes[i] for i in own], widths[own], [s.size for s in drawn])
    return [
        named(style, names[style.handle]) if not style.font and style.handle in names else style
        for style in styles
    ]


def _pair_surrogates(codes: list[int]) -> None:
    """PDFium gives a sign beyond U+FFFF (mathematical italics) as two codes: keep it in the second."""
    for i in range(len(codes) - 1):
        if 0xD800 <= codes[i] <= 0xDBFF and 0xDC00 <= codes[i + 1] <= 0xDFFF:
            codes[i + 1] = 0x10000 + ((codes[i] - 0xD800) << 10) + (codes[i + 1] - 0xDC00)
            codes[i] = 0x200B


def _visible(
    codes: list[int], style_of: list[int], styles: list[Style], edges: Any, dots: Any, frame: Frame,
    clips: Mapping[int, Edges],
) -> Characters:  # fmt: skip
    xa, ya = frame.point(edges[:, 0], edges[:, 1])
    xb, yb = frame.point(edges[:, 2], edges[:, 3])
    ox, oy = frame.point(dots[:, 0], dots[:, 1])
    angles = np.array([styles[s].angle if s >= 0 else 0 for s in style_of])
    along_a, along_b, down = _turned(angles, xa, ya, xb, yb, ox, oy)
    u0 = np.minimum(along_a, along_b).tolist()
    u1 = np.maximum(along_a, along_b).tolist()
    v = down.tolist()
    seen = ((xa + xb) / 2 >= -1) & ((xa + xb) / 2 <= frame.width + 1)
    seen &= ((ya + yb) / 2 >= -1) & ((ya + yb) / 2 <= frame.height + 1)
    code_at, style_at = np.asarray(codes), np.asarray(style_of)
    cut = np.zeros(len(codes), dtype=bool)
    for k, box in clips.items():
        own = np.flatnonzero(style_at == k)
        x, y = (xa[own] + xb[own]) / 2, (ya[own] + yb[own]) / 2
        cut[own] = (x < box.x0 - 1) | (x > box.x1 + 1) | (y < box.y0 - 1) | (y > box.y1 + 1)
    seen &= ~cut
    blank = (style_at < 0) | np.isin(code_at, (0x20, 0xA0, 0x09, 0x0A))
    # PDFium sets a blank of its own between what it takes for two lines: not where one of them is cut away
    made = (style_at < 0) & (np.roll(cut, 1) | np.roll(cut, -1))
    blanks = np.cumsum(blank & (code_at != 0) & ~made & ~cut).tolist()
    texts: dict[tuple[str, bool], dict[int, str]] = {}  # of codes, by fonts
    # codes of formulas mean something else: Greek letters stand where OT1 has its ligatures
    prose = [k >= 0 and not styles[k].symbols for k in style_of]
    encoding = _encoding({code for code, own in zip(codes, prose, strict=True) if own and code < 0x20})
    chars: list[Char] = []
    broken, hidden, before = 0, 0, -1
    # printers' marks and line numbers outside the crop box are not shown
    for i in np.flatnonzero(seen & ~blank).tolist():
        code, style = codes[i], styles[style_of[i]]
        known = texts.setdefault((style.font, style.told), {})
        text = known.get(code)
        if text is None:
            text = known[code] = _text(code, style, encoding)
        if not text:
            broken += code in (0, 0xFFFD)
            continue
        broken += text == "\ufffd"
        hidden += style.hidden
        chars.append(Char(text, u0[i], u1[i], v[i], style_of[i], blanks[i] != before))
        before = blanks[i]
    total = max(1, len(chars) + broken)
    origins = np.stack([ox, oy], axis=1)
    return Characters(chars, styles, broken / total, hidden / total, codes, style_of, origins)


def _turned(angles: Any, xa: Any, ya: Any, xb: Any, yb: Any, ox: Any, oy: Any) -> tuple[Any, Any, Any]:
    """Coordinates along and below the text direction of each character."""
    if not angles.any():
        return xa, xb, oy
    up, back, down = angles == 90, angles == 180, angles == 270
    along_a = np.select([up, back, down], [-ya, -xa, ya], xa)
    along_b = np.select([up, back, down], [-yb, -xb, yb], xb)
    below = np.select([up, back, down], [ox, -oy, -ox], oy)
    return along_a, along_b, below


class _Encoding(NamedTuple):
    """What codes stand for in TeX's fonts without a map: below 32 in all of them, others in those of text."""

    controls: Mapping[int, str]
    marks: Mapping[int, str]


def _encoding(codes: Set[int]) -> _Encoding:
    """The encoding of a page that has these control codes."""
    if codes & _OT1.keys():
        return _Encoding(_OT1, _MARKS_OT1)
    return _Encoding(_T1, {}) if codes & _LIGATURES_T1 else _Encoding(_OT1, {})


def _text(code: int, style: Style, encoding: _Encoding) -> str:
    if code == 0x02:
        return "-"
    if code < 0x20:
        return "" if style.symbols else encoding.controls.get(code, "")
    if style.told and code in encoding.marks and not (style.symbols or typewriter(style.font)):
        return encoding.marks[code]
    if code in _DROPPED or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return ""
    if code >= 0xFB00 and any(low <= code <= high for low, high in _COMPATIBLE):
        return unicodedata.normalize("NFKC", chr(code))
    if 0xF000 <= code <= 0xF0FF:  # symbol fonts put their characters there
        return _SYMBOLS.get(code, "")
    return chr(code)


# Ligatures, Arabic presentation forms, mathematical letters: written as the plain letters they stand for.
_COMPATIBLE = ((0xFB00, 0xFB06), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC), (0x1D400, 0x1D7FF))
_SYMBOLS = {0xF0B7: "•", 0xF0A7: "▪", 0xF0B1: "±", 0xF0A3: "≤", 0xF0B3: "≥", 0xF0B4: "×", 0xF06D: "μ",
            0xF061: "α", 0xF062: "β", 0xF067: "γ", 0xF064: "δ", 0xF0B0: "°", 0xF02D: "−", 0xF03D: "=",
            0xF02B: "+", 0xF03C: "<", 0xF03E: ">", 0xF0AE: "→", 0xF044: "Δ", 0xF06C: "λ"}  # fmt: skip
