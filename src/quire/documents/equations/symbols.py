r"""What a glyph of a formula is in LaTeX.

    symbol(glyph)        # Symbol(r'\alpha', Kind.ORD)

A glyph that has a Unicode value is looked up by it; one that has none shows the code that it has in its
font, and mathematical fonts of TeX share few encodings (OMX for large signs, OMS for signs, OML for letters).
None is returned for a glyph that cannot be told.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from typing import NamedTuple

from quire.documents.equations import signs
from quire.documents.raw import Glyph


class Kind(enum.Enum):
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
    kind: Kind


_FENCES = {
    "(": ("(", Kind.OPEN),
    ")": (")", Kind.CLOSE),
    "[": ("[", Kind.OPEN),
    "]": ("]", Kind.CLOSE),
    "{": (r"\{", Kind.OPEN),
    "}": (r"\}", Kind.CLOSE),
    "⟨": (r"\langle", Kind.OPEN),
    "⟩": (r"\rangle", Kind.CLOSE),
    "〈": (r"\langle", Kind.OPEN),
    "〉": (r"\rangle", Kind.CLOSE),
    "⌊": (r"\lfloor", Kind.OPEN),
    "⌋": (r"\rfloor", Kind.CLOSE),
    "⌈": (r"\lceil", Kind.OPEN),
    "⌉": (r"\rceil", Kind.CLOSE),
    "|": ("|", Kind.FENCE),
    "‖": (r"\|", Kind.FENCE),
    "∥": (r"\|", Kind.FENCE),
    "∣": ("|", Kind.FENCE),
}
_PLAIN = {
    "−": ("-", Kind.BINARY),
    "–": ("-", Kind.BINARY),
    "-": ("-", Kind.BINARY),
    "+": ("+", Kind.BINARY),
    "*": ("*", Kind.BINARY),
    "/": ("/", Kind.ORD),
    "∕": ("/", Kind.ORD),
    "⁄": ("/", Kind.ORD),
    "\\": (r"\backslash", Kind.ORD),
    "!": ("!", Kind.ORD),
    "?": ("?", Kind.ORD),
    "'": ("'", Kind.ORD),
    "’": ("'", Kind.ORD),
    "%": (r"\%", Kind.ORD),
    "&": (r"\&", Kind.ORD),
    "#": (r"\#", Kind.ORD),
    "$": (r"\$", Kind.ORD),
    "_": (r"\_", Kind.ORD),
    "=": ("=", Kind.RELATION),
    "<": ("<", Kind.RELATION),
    ">": (">", Kind.RELATION),
    ":": (":", Kind.RELATION),
    "∶": (":", Kind.RELATION),
    ",": (",", Kind.PUNCTUATION),
    ";": (";", Kind.PUNCTUATION),
    ".": (".", Kind.PUNCTUATION),
    "√": (r"\sqrt", Kind.RADICAL),
    "̸": (r"\not", Kind.SLASH),
    "~": (r"\sim", Kind.RELATION),
    '"': ('"', Kind.ORD),
    "“": ("``", Kind.ORD),
    "”": ("''", Kind.ORD),
    "@": ("@", Kind.ORD),
}

# Codes beyond the common layouts, by family: newtx and txfonts, Fourier.
_EXTRA = (
    (re.compile(r"^(?:n?[tp]x|n[tp]x)exs?"), {0xCD + k: sign for k, sign in enumerate("∑∏∫⋃⋂⨄⋀⋁∑∏∫⋃⋂⨄⋀⋁")}),
    (re.compile(r"^(?:n?tx|px)sys"), {0xA4: "˙", 0xA5: "¨", 0xAE: "⃗"}),
    (re.compile(r"^(?:tx|px)syc"), {0x2C: "≠"}),
    (re.compile(r"Fourier-Math-Ext"), {0xC3: "(", 0xC4: ")", 0xB7: "[", 0xB8: "]"}),
)
_STIX_SCRIPT = 0xE22D  # where the calligraphic capitals of STIX's first version begin, A to Z
_EXTENSION = re.compile(
    r"CMEX|Math-?Extension|(?:tx|px|ntx|npx)ex|MathEX|euex|LMMathEx|fmex|jkpex|MTEX|RMTMEX|\bex\d",
    re.IGNORECASE,
)
_SIGNS = re.compile(
    r"CMSY|CMBSY|Math-?Symbols|(?:tx|px)sy|eusm|fmsy|jkpsy|MTSY|MathSY|STIXMathScript", re.IGNORECASE
)
_LETTERS = re.compile(
    r"CMMI|Math-?Italic|Math-?Letters|(?:tx|px)mi|NewTXMI|NewPXMI|fmi\d|MTMI|MathMI|eurm", re.IGNORECASE
)
_ROMAN = re.compile(r"^(?:CMR|CMBX|CMTI|SFRM)\d|LMRoman")
_DOUBLE = re.compile(r"MSBM|bbold|BlackBoard|dsrom|DSSerif|bbm\d|(?:tx|px)syb", re.IGNORECASE)
_SCRIPT = re.compile(
    r"CMSY|CMBSY|MathSymbols|eusm|rsfs|(?:tx|px)sy|Math-?Cal|Calligra|MathScript|scrr|BOONDOX.{0,40}Cal",
    re.IGNORECASE,
)
_BOLD = re.compile(r"^LinLibertineTB|^LinBiolinumTB")
_NEVER_BOLD = re.compile(r"^CM(?:MI|R|SY|EX)\d|^LMMathItalic\d+-Regular")
_FRAKTUR = re.compile(r"EUFM|Fraktur", re.IGNORECASE)
_ALPHABETS = (("DOUBLE-STRUCK", "mathbb"), ("SCRIPT", "mathcal"), ("FRAKTUR", "mathfrak"))


def symbol(glyph: Glyph) -> Symbol | None:
    """What the glyph is; None if that cannot be told."""
    if not glyph.known or glyph.code < 0x20:
        return _by_code(glyph)
    text = chr(glyph.code)
    if "STIXMathCalli" in glyph.font and 0 <= glyph.code - _STIX_SCRIPT < 26:
        return Symbol(rf"\mathcal{{{chr(ord('A') + glyph.code - _STIX_SCRIPT)}}}", Kind.ORD)
    if text in signs.PIECES:
        return Symbol(_FENCES[signs.PIECES[text]][0], Kind.PIECE)
    if text in signs.ACCENTS:
        return _sign(text)
    if text.isalpha() or 0x1D400 <= glyph.code <= 0x1D7FF:
        return _letter(text, glyph)
    if text.isdigit() and text.isascii():
        return Symbol(rf"\mathbf{{{text}}}" if _bold(glyph) else text, Kind.DIGIT)
    return _sign(text)


def _sign(text: str) -> Symbol | None:
    text = {"\u2206": "Δ"}.get(text, text)
    if text in signs.CAPITALS:
        return Symbol("\\" + signs.CAPITALS[text], Kind.ORD)
    if text in _PLAIN:
        return Symbol(*_PLAIN[text])
    if text in _FENCES:
        return Symbol(*_FENCES[text])
    for table, kind in (
        (signs.LARGE, Kind.LARGE),
        (signs.RELATIONS, Kind.RELATION),
        (signs.BINARY, Kind.BINARY),
        (signs.ORDINARY, Kind.ORD),
        (signs.ACCENTS, Kind.ACCENT),
    ):
        if text in table:
            return Symbol("\\" + table[text], kind)
    return None


def _by_code(glyph: Glyph) -> Symbol | None:
    code = glyph.code
    for family, codes in _EXTRA:
        if code in codes and family.search(glyph.font):
            return _sign(codes[code])
    if _EXTENSION.search(glyph.font):
        return _extension(code)
    for family, encoding in ((_SIGNS, signs.OMS), (_LETTERS, signs.OML), (_ROMAN, signs.OML[:11])):
        if family.search(glyph.font) and code < len(encoding) and encoding[code] != " ":
            sign = encoding[code]
            return _letter(sign, glyph) if sign in signs.GREEK else _sign(sign)
    return None


def _extension(code: int) -> Symbol | None:
    if code in signs.OMX_PIECES:
        return Symbol(_FENCES[signs.OMX_PIECES[code]][0], Kind.PIECE)
    if 0x62 <= code <= 0x67:
        return Symbol(r"\widehat" if code < 0x65 else r"\widetilde", Kind.ACCENT)
    if 0x70 <= code <= 0x76:
        return Symbol(r"\sqrt", Kind.RADICAL)
    for start, row in (*signs.OMX_DELIMITERS, *signs.OMX_LARGE):
        if start <= code < start + len(row):
            return _sign(row[code - start])
    return None


def _letter(text: str, glyph: Glyph) -> Symbol | None:
    if glyph.code >= 0x1D400:
        return _mathematical(text)
    if text == "ℎ":
        return Symbol("h", Kind.ORD)
    name = unicodedata.name(text, "")
    for mark, command in _ALPHABETS:  # ℝ, ℒ, ℋ and others that stand outside the block
        if name.startswith(mark):
            return Symbol(rf"\{command}{{{unicodedata.normalize('NFKC', text)}}}", Kind.ORD)
    text = {"\u00b5": "μ", "\u2206": "Δ", "\u2126": "Ω"}.get(text, text)
    if text in signs.GREEK or text in signs.CAPITALS:
        latex = "\\" + (signs.GREEK.get(text) or signs.CAPITALS[text])
        return Symbol(rf"\boldsymbol{{{latex}}}" if _bold(glyph) else latex, Kind.ORD)
    if text in signs.ORDINARY:
        return _sign(text)
    if not text.isascii():
        return Symbol(unicodedata.normalize("NFKC", text), Kind.LETTER)
    for pattern, command in ((_DOUBLE, "mathbb"), (_FRAKTUR, "mathfrak")):
        if pattern.search(glyph.font):
            return Symbol(rf"\{command}{{{text}}}", Kind.ORD)
    if _SCRIPT.search(glyph.font) and text.isupper():
        return Symbol(rf"\mathcal{{{text}}}", Kind.ORD)
    if _bold(glyph):
        return Symbol(rf"\boldsymbol{{{text}}}" if glyph.italic else rf"\mathbf{{{text}}}", Kind.ORD)
    return Symbol(text, Kind.ORD if glyph.italic or _LETTERS.search(glyph.font) else Kind.LETTER)


def _bold(glyph: Glyph) -> bool:
    """By name where the flags of old fonts do not tell."""
    return bool(_BOLD.search(glyph.font)) or (glyph.bold and not _NEVER_BOLD.search(glyph.font))


def _mathematical(text: str) -> Symbol | None:
    """A letter of the block of mathematical alphabets."""
    name = unicodedata.name(text, "")
    spelt = unicodedata.decomposition(text).split()  # one step: the symbol of epsilon stays one
    plain = chr(int(spelt[-1], 16)) if spelt else text
    if plain in signs.GREEK or plain in signs.CAPITALS or plain in signs.ORDINARY:
        plain = "\\" + (signs.GREEK.get(plain) or signs.CAPITALS.get(plain) or signs.ORDINARY[plain])
    if plain.isdigit():
        return Symbol(rf"\mathbf{{{plain}}}" if "BOLD" in name else plain, Kind.DIGIT)
    for mark, command in _ALPHABETS:
        if mark in name:
            return Symbol(rf"\{command}{{{plain}}}", Kind.ORD)
    if "BOLD" in name:
        return Symbol(rf"\{'boldsymbol' if 'ITALIC' in name else 'mathbf'}{{{plain}}}", Kind.ORD)
    return Symbol(plain, Kind.ORD)
