"""The style of a text object: font name, displayed size, weight, slant, direction."""

from __future__ import annotations

import ctypes
import math
import re
from typing import NamedTuple

from quire.documents.pdfium import calls
from quire.documents.pdfium.frame import Frame

_BOLD = re.compile(
    r"bold|black|heavy|demi|[-_,]b(?:d|$)|[-_.]medi$|NimbusRomNo9L-Medi|^CMBX|^CMSSBX|^CMB\d|^SFBX|^EC?BX|-Semibold"
    r"|Extra?Bd|\bBd\b|AdvP?TimesB|\.B(?:\+|$)|BdCn",
    re.IGNORECASE,
)
_ITALIC = re.compile(
    r"ital|obli|[-_]it(?:$|[^a-z])|slant|^(?:CM|SF|EC)(?:TI|SL)|^CMMI|^CMBXTI|-I$|[-_]BdIt|\.I(?:\+|$)",
    re.IGNORECASE,
)
_LIGHT = re.compile(
    r"regu|roman|light|book|^(?:SF|EC)(?:RM|TI|SL|TT)|^CM(?:R|TI|SL|TT|EX|SY)\d", re.IGNORECASE
)
_SYMBOLS = re.compile(r"(?:CM|MS)(?:SY|MI|EX|AM|BM)|LMMath|Symbol|Wingd|ZapfD")
_SUBSET = re.compile(r"^[A-Z]{6}\+")


class Style(NamedTuple):
    """How a run of characters is set."""

    size: float
    angle: int
    bold: bool
    italic: bool
    font: str
    hidden: bool
    symbols: bool  # a font of mathematical signs, whose control codes are not ligatures
    handle: int = 0  # tells fonts of one page apart
    told: bool = False  # the font has no name; this one was told by its widths


class Fonts:
    """Reads styles, remembering the fonts of one page."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._known: dict[int, tuple[str, bool, bool]] = {}
        self._matrix = (ctypes.c_float * 6)()
        self._matrix_at = ctypes.addressof(self._matrix)
        self._name = ctypes.create_string_buffer(128)
        self._name_at = ctypes.addressof(self._name)

    def style(self, text_page: int, index: int, text_object: int) -> Style:
        """The style of the character at `index`, which `text_object` draws."""
        a, b, c, d = 1.0, 0.0, 0.0, 1.0
        if calls.get_text_matrix(text_page, index, self._matrix_at):
            a, b, c, d = self._matrix[0], self._matrix[1], self._matrix[2], self._matrix[3]
        size = calls.get_font_size(text_page, index) * math.hypot(c, d)
        handle = calls.get_font(text_object) or 0
        name, bold, italic = self._font(handle)
        mode = calls.get_render_mode(text_object)
        if not italic and abs(b) < 1e-6 and d and 0.1 < c / d < 0.6:
            italic = True  # slanted by the matrix
        return Style(
            size=abs(size) if 0.05 < abs(size) < 2000 else 1.0,  # hostile files
            angle=self._frame.direction(a, b),
            bold=bold or mode == 2,
            italic=italic,
            font=name,
            hidden=mode == 3,
            symbols=bool(_SYMBOLS.match(name)),
            handle=handle,
        )

    def _font(self, font: int) -> tuple[str, bool, bool]:
        if not font:
            return "", False, False
        if font not in self._known:
            length = calls.get_font_name(font, self._name_at, 128)
            name = self._name.value.decode("utf-8", "replace") if 0 < length <= 128 else ""
            name = _SUBSET.sub("", name)
            flags = calls.get_font_flags(font)
            weight = calls.get_font_weight(font)
            bold = bool(_BOLD.search(name)) or weight >= 650 or bool(flags > 0 and flags & (1 << 18))
            if _LIGHT.search(name) and not _BOLD.search(name):
                bold = False
            italic = bool(_ITALIC.search(name)) or (
                bool(flags > 0 and flags & (1 << 6)) and not re.match(r"CM(SY|EX)", name)
            )
            self._known[font] = name, bold, italic
        return self._known[font]


def named(style: Style, name: str) -> Style:
    """The style with a font that was told by its widths."""
    return style._replace(
        font=name,
        bold=style.bold or bool(_BOLD.search(name)),
        italic=style.italic or bool(_ITALIC.search(name)),
        symbols=bool(_SYMBOLS.match(name)),
        told=True,
    )
