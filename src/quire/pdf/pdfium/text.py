"""The visible characters of a page with their style, and the ink of the signs that formulas are read from.

PDFium gives characters in the order of the file, with spaces that it guessed. Its order is kept; `lines.py`
makes words and lines of them. The ink of a sign is a call of its own: pages without formulas ask for none,
and on the others running text is left out.
"""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence, Set
from ctypes import addressof, c_double, c_void_p
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.pdf.pdfium import calls
from quire.pdf.pdfium.calls import Frame
from quire.pdf.pdfium.fonts import Fonts, Style, named, names_of
from quire.pdf.prose import has_relation, is_prose
from quire.pdf.raw import Edges, Glyph, Line, typewriter

_DATA: dict[str, dict[str, str]] = json.loads(
    resources.files("quire.pdf").joinpath("data/encodings.json").read_text("utf-8")
)
_CODES = {name: {int(code, 16): text for code, text in row.items()} for name, row in _DATA.items()}
# TeX's fonts without a ToUnicode map show their ligatures as control codes: in its old encoding (OT1) and in
# the new one (T1), which has quotation marks and dashes there too.
_OT1, _T1 = _CODES["OT1"], _CODES["T1"]
_LIGATURES_T1 = frozenset(code for code, text in _T1.items() if text.startswith("f"))
_DINGBATS = _CODES["dingbats"]
_FEWEST_DINGBATS = 5  # different ones on a page: fewer are drawn as such
_BLANKS = tuple(map(ord, " \u00a0\t\n"))

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Characters(NamedTuple):
    """All visible characters of a page, each in the frame of its own text direction (u along, v down).

    `codes` and `style_of` are those of all of PDFium's characters, in its order; -1 is the style of those
    that no text object draws.
    """

    texts: list[str]
    u0: Doubles
    u1: Doubles
    v: Doubles
    style: Integers
    space: Flags  # white space stands before it
    styles: list[Style]
    broken: float = 0.0
    codes: Integers = np.zeros(0, np.int64)
    style_of: Integers = np.zeros(0, np.int64)

    def only(self, kept: Flags) -> Characters:
        """Those that are kept."""
        return self._replace(
            texts=[text for text, own in zip(self.texts, kept.tolist(), strict=True) if own],
            u0=self.u0[kept], u1=self.u1[kept], v=self.v[kept],
            style=self.style[kept], space=self.space[kept],
        )  # fmt: skip


def read_characters(text_page: Any, frame: Frame, clips: Mapping[int, Edges] | None = None) -> Characters:
    """The visible characters of a PDFium text page, in the order of the file.

    `clips` are the boxes to which text objects are cut, by their addresses.
    """
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFText_CountChars(text_page)
    if count <= 0:
        none = np.zeros(0)
        return Characters([], none, none, none, none.astype(int), none.astype(bool), [])
    page = calls.address(text_page)
    codes = _codes(page, count)
    drawn_by = calls.objects(page, count)
    starts = np.flatnonzero(np.diff(drawn_by, prepend=~drawn_by[0]))  # of runs by one text object
    fonts = Fonts(frame)
    known: dict[int, int] = {0: -1}
    styles: list[Style] = []
    of_runs: list[int] = []
    for start, drawn in zip(starts.tolist(), drawn_by[starts].tolist(), strict=True):
        if drawn not in known:
            known[drawn] = len(styles)
            styles.append(fonts.style(c_void_p(page), start, drawn))
        of_runs.append(known[drawn])
    lengths = np.diff(starts, append=count)
    style_of = np.repeat(of_runs, lengths)
    edges = calls.boxes(page, count)
    edges[style_of < 0] = 0
    codes = _without_dingbats(codes, style_of, styles)
    dots = _origins(page, edges, style_of, styles, np.repeat(starts, lengths))
    styles = _with_names(styles, codes, style_of, edges[:, 2] - edges[:, 0], dots)
    shown = {known[handle]: box for handle, box in (clips or {}).items() if handle in known}
    return _visible(codes, style_of, styles, edges, dots, frame, shown)


def _codes(page: int, count: int) -> Integers:
    """What the characters are, surrogates paired: a sign beyond U+FFFF stands in the second."""
    buffer = np.zeros(2 * count + 2, np.uint16)
    written = calls.get_text(page, 0, count, buffer.ctypes.data)
    if written == count + 1:  # with the zero at the end: nothing was left out
        codes = buffer[:count].astype(np.int64)
        codes[codes == 0xFFFE] = 0x02  # a hyphen at a line's end
    else:
        codes = np.array([calls.get_unicode(page, i) for i in range(count)], np.int64)
    first = (codes[:-1] >= 0xD800) & (codes[:-1] <= 0xDBFF) & (codes[1:] >= 0xDC00) & (codes[1:] <= 0xDFFF)
    at = np.flatnonzero(first)
    codes[at + 1] = 0x10000 + ((codes[at] - 0xD800) << 10) + (codes[at + 1] - 0xDC00)
    codes[at] = 0x200B
    return codes


def _without_dingbats(codes: Integers, style_of: Integers, styles: Sequence[Style]) -> Integers:
    """The codes with letters for the dingbats that maps to Unicode tell of nameless fonts.

    TeX names the signs of bitmap fonts after their codes: `a101`, an e, is a dingbat in Adobe's list.
    """
    nameless = np.array([not style.font for style in styles] + [False])[style_of]
    drawn = set(codes[nameless].tolist()) & _DINGBATS.keys()
    if len(drawn) < _FEWEST_DINGBATS:
        return codes
    codes = codes.copy()
    for code in drawn:
        codes[nameless & (codes == code)] = ord(_DINGBATS[code])
    return codes


def _origins(
    page: int, edges: Doubles, style_of: Integers, styles: Sequence[Style], first: Integers
) -> Doubles:
    """Where the characters stand on their baselines; x only where it tells something.

    Upright characters of one text object whose boxes have one bottom have one baseline: `first` is asked.
    """
    alone = np.array([bool(style.angle) or not style.font for style in styles] + [False])
    asked = alone[style_of] | (edges[:, 1] != edges[first, 1])
    asked[first] = True
    asked &= style_of >= 0
    dots = np.zeros((len(edges), 2))
    dots[asked] = calls.origins(page, np.flatnonzero(asked).tolist())
    dots[~asked, 1] = dots[first[~asked], 1]
    return dots


def _with_names(
    styles: list[Style], codes: Integers, style_of: Integers, widths: Doubles, dots: Doubles
) -> list[Style]:
    """Styles whose fonts have no name with those that the widths of their letters tell."""
    nameless = np.array([not style.font and not style.angle for style in styles] + [False])
    own = np.flatnonzero(nameless[style_of]).tolist()
    if not own:
        return styles
    # a sign's box holds its ink, which may stand out; the next sign begins where its width ends
    steps = np.append(np.diff(dots[:, 0]), 0.0)
    widths = np.where((steps > 0.5 * widths) & (steps < widths), steps, widths)
    drawn = [styles[style_of[i]] for i in own]
    names = names_of([s.handle for s in drawn], codes[own].tolist(), widths[own], [s.size for s in drawn])
    return [
        named(style, names[style.handle]) if not style.font and style.handle in names else style
        for style in styles
    ]


def _visible(
    codes: Integers, style_of: Integers, styles: list[Style], edges: Doubles, dots: Doubles, frame: Frame,
    clips: Mapping[int, Edges],
) -> Characters:  # fmt: skip
    xa, ya = frame.point(edges[:, 0], edges[:, 1])
    xb, yb = frame.point(edges[:, 2], edges[:, 3])
    ox, oy = frame.point(dots[:, 0], dots[:, 1])
    angles = np.array([style.angle for style in styles] + [0])[style_of]
    along_a, along_b, down = _turned(angles, xa, ya, xb, yb, ox, oy)
    x, y = (xa + xb) / 2, (ya + yb) / 2
    # printers' marks and line numbers outside the crop box are not shown
    seen = (x >= -1) & (x <= frame.width + 1) & (y >= -1) & (y <= frame.height + 1)
    cut = np.zeros(len(codes), dtype=bool)
    for k, box in clips.items():
        own = style_of == k
        cut |= own & ((x < box.x0 - 1) | (x > box.x1 + 1) | (y < box.y0 - 1) | (y > box.y1 + 1))
    blank = (style_of < 0) | np.isin(codes, _BLANKS)
    # PDFium sets a blank of its own between what it takes for two lines: not where one of them is cut away
    made = (style_of < 0) & (np.roll(cut, 1) | np.roll(cut, -1))
    blanks = np.cumsum(blank & (codes != 0) & ~made & ~cut)
    shown = np.flatnonzero(seen & ~cut & ~blank)
    texts = _texts(codes, style_of, styles, shown)
    broken = texts.count("\ufffd")
    if "" in texts:
        kept = np.array([bool(text) for text in texts], dtype=bool)
        broken += int(np.isin(codes[shown[~kept]], (0, 0xFFFD)).sum())
        shown, texts = shown[kept], [text for text in texts if text]
    return Characters(
        texts,
        np.minimum(along_a, along_b)[shown], np.maximum(along_a, along_b)[shown], down[shown],
        style_of[shown], np.diff(blanks[shown], prepend=-1) != 0, styles,
        broken / max(1, len(shown) + broken), codes, style_of,
    )  # fmt: skip


def _texts(codes: Integers, style_of: Integers, styles: Sequence[Style], shown: Integers) -> list[str]:
    """The characters at `shown` as text; "" for those that stand for nothing."""
    # codes of formulas mean something else: Greek letters stand where OT1 has its ligatures
    prose = np.array([not style.symbols for style in styles] + [False])[style_of]
    encoding = _encoding(set(codes[prose & (codes < 0x20)].tolist()))
    tables: dict[tuple[str, bool], _Table] = {}
    for style in styles:
        if (style.font, style.told) not in tables:
            tables[style.font, style.told] = _Table(style, encoding)
    own = [tables[style.font, style.told] for style in styles]
    codes, runs = codes[shown], style_of[shown]
    starts = np.flatnonzero(np.diff(runs, prepend=-1)).tolist()
    every = codes.tolist()
    texts: list[str] = []
    for start, end in itertools.pairwise([*starts, len(every)]):
        texts += map(own[runs[start]].__getitem__, every[start:end])
    return texts


class _Table(dict[int, str]):
    """What the codes of a font stand for, as they are met."""

    def __init__(self, style: Style, encoding: _Encoding) -> None:
        super().__init__()
        self._style, self._encoding = style, encoding

    def __missing__(self, code: int) -> str:
        self[code] = _text(code, self._style, self._encoding)
        return self[code]


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
        return _Encoding(_OT1, _CODES["OT1 marks"])
    return _Encoding(_T1, {}) if codes & _LIGATURES_T1 else _Encoding(_OT1, {})


def _text(code: int, style: Style, encoding: _Encoding) -> str:
    if code == 0x02:
        return "-"
    if code < 0x20:
        return "" if style.symbols else encoding.controls.get(code, "")
    if 0x7F <= code < 0xA0:  # no signs of Unicode: those of Windows, or of TeX's bitmap fonts of signs
        return bytes([code]).decode("cp1252", "ignore") if style.font else _CODES["TS1"].get(code, "")
    if style.told and code in encoding.marks and not (style.symbols or typewriter(style.font)):
        return encoding.marks[code]
    if style.font.startswith("LMMathSymbols") and code in _CODES["Latin Modern"]:
        return _CODES["Latin Modern"][code]  # maps that Ghostscript made tell wrong
    if code in _CODES["dropped"] or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return ""
    sign = chr(code)
    if _COMPATIBLE.match(sign):
        return unicodedata.normalize("NFKC", sign)
    if "\uf000" <= sign <= "\uf0ff":  # symbol fonts put their characters there
        return _CODES["private use"].get(code, "")
    return sign


# Ligatures, Arabic presentation forms, mathematical letters: written as the plain letters they stand for.
_COMPATIBLE = re.compile("[\ufb00-\ufb06\ufb50-\ufdff\ufe70-\ufefc\U0001d400-\U0001d7ff]")


# --------------------------------------------------------------------------- ink of formulas

_LEVEL = 0.3  # em: signs nearer to the baseline of running text belong to it
_UNDRAWN = (*_BLANKS, ord("\r"))
MOST_GLYPHS = 6000  # signs of one page; pages with more are drawings made of letters


def read_glyphs(text_page: Any, frame: Frame, found: Characters, lines: Sequence[Line]) -> list[Glyph]:
    """The signs outside running text, if a line of the page may be a formula; upright ones only."""
    if not any(line.angle == 0 and has_relation(line.text) and not is_prose(line) for line in lines):
        return []
    page = calls.address(text_page)
    x, y = frame.point(*calls.origins(page, range(len(found.codes))).T)
    prose = [line for line in lines if line.angle == 0 and is_prose(line)]
    wanted = np.flatnonzero(_outside(found, x, y, prose)).tolist()
    if len(wanted) > MOST_GLYPHS:
        return []
    codes = found.codes.tolist()
    box = (c_double * 4)()
    at = addressof(box)
    out: list[Glyph] = []
    for i in wanted:
        known = not calls.has_no_unicode(page, i)
        if known and codes[i] in _UNDRAWN:
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


def _outside(found: Characters, x: Doubles, y: Doubles, prose: Sequence[Line]) -> Flags:
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
