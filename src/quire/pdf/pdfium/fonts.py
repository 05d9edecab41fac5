"""The style of a text object: font name, displayed size, weight, slant, direction."""

from __future__ import annotations

import ctypes
import json
import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from quire.pdf.pdfium import calls
from quire.pdf.pdfium.calls import Frame

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
SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789"
WIDTHS = Path(__file__).parent.parent / "data" / "computer_modern.json"
_LETTERS = 5  # different ones that must be met
_NEAR = 0.02  # em by which a font's widths may differ from those of a known one, root of the mean square
_SCALED = 1.5  # times the size that it is made for a font is set at
_PRINTED = 17.0  # points: the largest size that fonts are made for


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
        self._matrix = (ctypes.c_float * 6)()
        self._styles: dict[tuple[float, ...], Style] = {}
        self._name = ctypes.create_string_buffer(128)
        self._name_at = ctypes.addressof(self._name)

    def style(self, text_page: ctypes.c_void_p, index: int, text_object: int) -> Style:
        """The style of the character at `index`, which `text_object` draws."""
        a, b, c, d = 1.0, 0.0, 0.0, 1.0
        if calls.get_text_matrix(text_page, index, self._matrix):
            a, b, c, d, *_ = self._matrix
        set_at = calls.get_font_size(text_page, index)
        key = a, b, c, d, set_at, calls.get_font(text_object) or 0, calls.get_render_mode(text_object)
        found = self._styles.get(key)
        if found is None:
            found = self._styles[key] = self._style(*key)
        return found

    def _style(self, a: float, b: float, c: float, d: float, set_at: float, handle: int, mode: int) -> Style:
        size = set_at * math.hypot(c, d)
        name, bold, italic = self._font(handle)
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
        """Its name, and whether it is bold and slanted."""
        if not font:
            return "", False, False
        length = calls.get_font_name(font, self._name_at, 128)
        name = self._name.value.decode("utf-8", "replace") if 0 < length <= 128 else ""
        name = _SUBSET.sub("", name)
        flags = max(0, calls.get_font_flags(font))
        bold = bool(_BOLD.search(name))
        if not bold and not _LIGHT.search(name):
            bold = calls.get_font_weight(font) >= 650 or bool(flags & (1 << 18))
        slanted = bool(flags & (1 << 6)) and not re.match(r"CM(SY|EX)", name)
        return name, bold, slanted or bool(_ITALIC.search(name))


def named(style: Style, name: str) -> Style:
    """The style with a font that was told by its widths."""
    return style._replace(
        font=name,
        bold=style.bold or bool(_BOLD.search(name)),
        italic=style.italic or bool(_ITALIC.search(name)),
        symbols=bool(_SYMBOLS.match(name)),
        told=True,
    )


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
