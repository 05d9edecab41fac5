r"""What a glyph of a formula is in LaTeX.

    symbol(glyph)        # Symbol(r'\alpha', TexClass.ORD)

A glyph that has a Unicode value is looked up by it; one that has none shows the code that it has in its
font, and mathematical fonts of TeX share few encodings (OMX for large signs, OMS for signs, OML for letters).
None is returned for a glyph that cannot be told. Signs, encodings and families of fonts are data
(`data/signs.json`; a blank in an encoding stands for what is not read).
"""

from __future__ import annotations

import enum
import json
import re
import unicodedata
from importlib import resources
from typing import Any, NamedTuple

from quire.pdf.raw import Glyph

_DATA: dict[str, Any] = json.loads(
    resources.files("quire.pdf").joinpath("data/signs.json").read_text("utf-8")
)
_STIX_SCRIPT = 0xE22D  # where the calligraphic capitals of STIX's first version begin, A to Z
_BLOCK = 0x1D400  # where the block of mathematical alphabets begins
_ALPHABETS = {"DOUBLE-STRUCK": "mathbb", "SCRIPT": "mathcal", "FRAKTUR": "mathfrak"}
_ALPHABET = re.compile(rf"(?:MATHEMATICAL (?:BOLD )?)?({'|'.join(_ALPHABETS)})")
_FONTS = {name: re.compile(pattern) for name, pattern in _DATA["fonts"].items()}


def _pairs(text: str) -> dict[str, str]:
    """Signs and their LaTeX, in turn."""
    words = text.split(" ")
    return dict(zip(words[::2], words[1::2], strict=True))


def _coded(rows: dict[str, str]) -> dict[int, str]:
    """The sign of each code of a font, from rows that begin at a code."""
    return {int(start, 16) + k: sign for start, row in rows.items() for k, sign in enumerate(row)}


class TexClass(enum.Enum):
    """What part a sign plays in a formula."""

    ORD = "ord"
    DIGIT = "digit"
    LETTER = "letter"  # an upright letter: part of a function's name or of words
    LARGE = "large"  # an operator that has limits
    RELATION = "relation"
    BINARY = "binary"
    PUNCTUATION = "punctuation"
    OPEN = "open"
    CLOSE = "close"
    FENCE = "fence"  # opens and closes: a bar
    PIECE = "piece"  # of a delimiter that is put together
    RADICAL = "radical"
    ACCENT = "accent"
    SLASH = "slash"  # strikes the next sign out


class Symbol(NamedTuple):
    """LaTeX and kind."""

    latex: str
    kind: TexClass


_COMMANDS = {kind: _pairs(text) for kind, text in _DATA["commands"].items()}
_CAPITALS = _COMMANDS["capitals"]
GREEK = {**_COMMANDS.pop("greek"), **_CAPITALS}
ORDINARY = _COMMANDS["ord"]


def _signs() -> dict[str, Symbol]:
    """Every sign; of two meanings the first counts."""
    found = {sign: Symbol("\\" + name, TexClass.ORD) for sign, name in _COMMANDS.pop("capitals").items()}
    for group in ("plain", "fences"):
        for kind, text in _DATA[group].items():
            for sign, latex in _pairs(text).items():
                found.setdefault(sign, Symbol(latex, TexClass(kind)))
    for kind, names in _COMMANDS.items():
        for sign, name in names.items():
            found.setdefault(sign, Symbol("\\" + name, TexClass(kind)))
    return found | {"\u2206": found["Δ"]}


_SIGNS = _signs()
_PIECES = {
    sign: Symbol(_SIGNS[bracket].latex, TexClass.PIECE)
    for bracket, row in _DATA["pieces"].items()
    for sign in row
}
_EXTENSION = _coded(_DATA["OMX"])
_EXTENSION_PIECES = _coded(_DATA["OMX pieces"])
_ENCODINGS = (("signs", _DATA["OMS"]), ("letters", _DATA["OML"]), ("roman", _DATA["OML"][:11]))
_MORE = [(re.compile(family), _coded(rows)) for family, rows in _DATA["more"]]


def symbol(glyph: Glyph) -> Symbol | None:
    """What the glyph is; None if that cannot be told."""
    if not glyph.known or glyph.code < 0x20:
        return _by_code(glyph)
    text = chr(glyph.code)
    if "STIXMathCalli" in glyph.font and 0 <= glyph.code - _STIX_SCRIPT < 26:
        return Symbol(rf"\mathcal{{{chr(ord('A') + glyph.code - _STIX_SCRIPT)}}}", TexClass.ORD)
    if text in _PIECES:
        return _PIECES[text]
    if text in _COMMANDS["accent"]:
        return _SIGNS.get(text)
    if text.isalpha() or _BLOCK <= glyph.code <= _BLOCK + 0x3FF:
        return _letter(text, glyph)
    if text.isdigit() and text.isascii():
        return Symbol(rf"\mathbf{{{text}}}" if _bold(glyph) else text, TexClass.DIGIT)
    return _SIGNS.get(text)


def is_extension(font: str) -> bool:
    """Whether a font holds large signs of TeX, whose codes are those of letters."""
    return bool(_FONTS["extension"].search(font))


def is_prime(text: str, font: str) -> bool:
    """Whether zeros are primes, which stand at the code of 0 in TeX's font of signs."""
    return set(text) == {"0"} and bool(_FONTS["signs"].search(font))


def _by_code(glyph: Glyph) -> Symbol | None:
    code = glyph.code
    for family, codes in _MORE:
        if code in codes and family.search(glyph.font):
            return _SIGNS.get(codes[code])
    if is_extension(glyph.font):
        return _extension(code)
    for name, encoding in _ENCODINGS:
        if _FONTS[name].search(glyph.font) and code < len(encoding) and encoding[code] != " ":
            sign = encoding[code]
            return _letter(sign, glyph) if sign in GREEK and sign not in _CAPITALS else _SIGNS.get(sign)
    return None


def _extension(code: int) -> Symbol | None:
    if code in _EXTENSION_PIECES:
        return Symbol(_SIGNS[_EXTENSION_PIECES[code]].latex, TexClass.PIECE)
    if 0x62 <= code <= 0x67:
        return Symbol(r"\widehat" if code < 0x65 else r"\widetilde", TexClass.ACCENT)
    if 0x70 <= code <= 0x76:
        return Symbol(r"\sqrt", TexClass.RADICAL)
    return _SIGNS.get(_EXTENSION.get(code, ""))


def _letter(text: str, glyph: Glyph) -> Symbol | None:
    """A letter or digit of a font, or of the block of mathematical alphabets, whose names tell the style."""
    name, block = unicodedata.name(text, ""), glyph.code >= _BLOCK
    bold, italic = ("BOLD" in name, "ITALIC" in name) if block else (_bold(glyph), glyph.italic)
    if alphabet := _ALPHABET.match(name):  # ℝ, ℒ, ℋ and others stand outside of the block
        return Symbol(rf"\{_ALPHABETS[alphabet[1]]}{{{unicodedata.normalize('NFKC', text)}}}", TexClass.ORD)
    if block and (spelt := unicodedata.decomposition(text).split()):
        text = chr(int(spelt[-1], 16))  # one step: the symbol of epsilon stays one
    text = {"\u00b5": "μ", "\u2206": "Δ", "\u2126": "Ω"}.get(text, text)
    if text == "ℎ":
        return Symbol("h", TexClass.ORD)
    if text.isdigit():
        return Symbol(rf"\mathbf{{{text}}}" if bold else text, TexClass.DIGIT)
    if text in GREEK:
        return Symbol(rf"\boldsymbol{{\{GREEK[text]}}}" if bold else "\\" + GREEK[text], TexClass.ORD)
    if text in ORDINARY:
        return _SIGNS.get(text)
    if not text.isascii():
        return Symbol(unicodedata.normalize("NFKC", text), TexClass.LETTER)
    for family, command in (("double", "mathbb"), ("fraktur", "mathfrak"), ("script", "mathcal")):
        if _FONTS[family].search(glyph.font) and (text.isupper() or family != "script") and not block:
            return Symbol(rf"\{command}{{{text}}}", TexClass.ORD)
    if bold:
        return Symbol(rf"\boldsymbol{{{text}}}" if italic else rf"\mathbf{{{text}}}", TexClass.ORD)
    ordinary = block or italic or _FONTS["letters"].search(glyph.font)
    return Symbol(text, TexClass.ORD if ordinary else TexClass.LETTER)


def _bold(glyph: Glyph) -> bool:
    """By name where the flags of old fonts do not tell."""
    return bool(_FONTS["bold"].search(glyph.font)) or (
        glyph.bold and not _FONTS["never_bold"].search(glyph.font)
    )
