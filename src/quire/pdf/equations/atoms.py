r"""Signs of a formula: what each is in LaTeX, and signs as boxes that are put together into larger ones.

    symbol(0x3B1, glyph)        # Symbol(r'\alpha', TexClass.ORD)

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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, NamedTuple

from quire.pdf import geometry
from quire.pdf.raw import Glyph, Word

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


def symbol(code: int, drawn: Glyph | Word, *, known: bool = True) -> Symbol | None:
    """What a sign of such type is, by its code in Unicode or (not `known`) in its font; None if unsure."""
    if not known or code < 0x20:
        return _by_code(code, drawn)
    text = chr(code)
    if "STIXMathCalli" in drawn.font and 0 <= code - _STIX_SCRIPT < 26:
        return Symbol(rf"\mathcal{{{chr(ord('A') + code - _STIX_SCRIPT)}}}", TexClass.ORD)
    if text in _PIECES:
        return _PIECES[text]
    if text in _COMMANDS["accent"]:
        return _SIGNS.get(text)
    if text.isalpha() or _BLOCK <= code <= _BLOCK + 0x3FF:
        return _letter(text, drawn)
    if text.isdigit() and text.isascii():
        return Symbol(rf"\mathbf{{{text}}}" if _bold(drawn) else text, TexClass.DIGIT)
    return _SIGNS.get(text)


def is_extension(font: str) -> bool:
    """Whether a font holds large signs of TeX, whose codes are those of letters."""
    return bool(_FONTS["extension"].search(font))


def is_prime(text: str, font: str) -> bool:
    """Whether zeros are primes, which stand at the code of 0 in TeX's font of signs."""
    return set(text) == {"0"} and bool(_FONTS["signs"].search(font))


def _by_code(code: int, drawn: Glyph | Word) -> Symbol | None:
    for family, codes in _MORE:
        if code in codes and family.search(drawn.font):
            return _SIGNS.get(codes[code])
    if is_extension(drawn.font):
        return _extension(code)
    for name, encoding in _ENCODINGS:
        if _FONTS[name].search(drawn.font) and code < len(encoding) and encoding[code] != " ":
            sign = encoding[code]
            return _letter(sign, drawn) if sign in GREEK and sign not in _CAPITALS else _SIGNS.get(sign)
    return None


def _extension(code: int) -> Symbol | None:
    if code in _EXTENSION_PIECES:
        return Symbol(_SIGNS[_EXTENSION_PIECES[code]].latex, TexClass.PIECE)
    if 0x62 <= code <= 0x67:
        return Symbol(r"\widehat" if code < 0x65 else r"\widetilde", TexClass.ACCENT)
    if 0x70 <= code <= 0x76:
        return Symbol(r"\sqrt", TexClass.RADICAL)
    return _SIGNS.get(_EXTENSION.get(code, ""))


def _letter(text: str, drawn: Glyph | Word) -> Symbol | None:
    """A letter or digit of a font, or of the block of mathematical alphabets, whose names tell the style."""
    name, block = unicodedata.name(text, ""), ord(text) >= _BLOCK
    bold, italic = ("BOLD" in name, "ITALIC" in name) if block else (_bold(drawn), drawn.italic)
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
        if _FONTS[family].search(drawn.font) and (text.isupper() or family != "script") and not block:
            return Symbol(rf"\{command}{{{text}}}", TexClass.ORD)
    if bold:
        return Symbol(rf"\boldsymbol{{{text}}}" if italic else rf"\mathbf{{{text}}}", TexClass.ORD)
    ordinary = block or italic or _FONTS["letters"].search(drawn.font)
    return Symbol(text, TexClass.ORD if ordinary else TexClass.LETTER)


def _bold(drawn: Glyph | Word) -> bool:
    """By name where the flags of old fonts do not tell."""
    named = bool(_FONTS["bold"].search(drawn.font))
    return named or (drawn.bold and not _FONTS["never_bold"].search(drawn.font))


# All in units of the type size (em) unless said otherwise.
AXIS = 0.25  # height of fraction bars and of the middle of brackets over the baseline, as in TeX's fonts
TALL = 1.3  # brackets higher than this are stretched
SMALL = 0.86  # scripts are smaller than this, against the type around them
_OFF_AXIS = 0.2  # a bracket whose middle is further from the axis of its font hangs
_LETTER_GAP = 0.16  # within a word
_SAME_LEVEL = 0.05  # baselines of one word


@dataclass(slots=True, eq=False)
class Atom:
    """A sign, or signs put together: LaTeX, ink, baseline, type size (0: the font does not tell)."""

    latex: str
    kind: TexClass
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float
    centred: bool = False  # it stands on the axis, and its baseline follows from that
    word: bool = False  # several upright letters
    radical: bool = False
    bar: float = 0.0  # y of the rule of a fraction

    @property
    def middle(self) -> float:
        """Of its width."""
        return (self.x0 + self.x1) / 2

    @property
    def centre(self) -> float:
        """Of its height."""
        return (self.y0 + self.y1) / 2

    @property
    def width(self) -> float:
        """Of the ink."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Of the ink."""
        return self.y1 - self.y0


def around(atoms: Iterable[Atom], latex: str, kind: TexClass, baseline: float, size: float) -> Atom:
    """One atom in place of several."""
    return Atom(latex, kind, *geometry.around(atoms), baseline, size)


def merged(atoms: Iterable[Atom], used: Sequence[Atom], made: Atom) -> list[Atom]:
    """The atoms with one made of some of them in their place."""
    return [*(a for a in atoms if a not in used), made]


def hangs_on(script: Atom, base: Atom) -> bool:
    """Whether a sign is a script of another."""
    return script.size < SMALL * base.size and follows(script, base)


def follows(script: Atom, base: Atom) -> bool:
    """Whether a sign stands just right of another and level with it."""
    near = -0.2 * base.size < script.x0 - base.x1 < 0.5 * base.size
    return near and base.y0 - 0.5 * base.size < script.centre < base.y1 + 0.5 * base.size


def atoms_of(glyphs: Sequence[Glyph]) -> tuple[list[Atom], int]:
    """The signs as atoms from left to right, letters joined to words; and how many could not be told."""
    atoms: list[Atom] = []
    unknown = 0
    for glyph in glyphs:
        found = symbol(glyph.code, glyph, known=glyph.known)
        if found is None:
            unknown += glyph.x1 - glyph.x0 > 0.01
            continue
        # Extension fonts hang their signs under the baseline and have one size for all styles.
        bracket = found.kind in (TexClass.OPEN, TexClass.CLOSE, TexClass.FENCE)
        off = abs((glyph.y0 + glyph.y1) / 2 - glyph.baseline + AXIS * glyph.size) > _OFF_AXIS * glyph.size
        tall = glyph.y1 - glyph.y0 > TALL * glyph.size
        centred = found.kind in (TexClass.LARGE, TexClass.PIECE, TexClass.RADICAL) or (
            bracket and (off or tall)
        )
        box = geometry.edges_of(glyph)
        atoms.append(Atom(found.latex, found.kind, *box, glyph.baseline, glyph.size, centred))
    for atom in atoms:
        if atom.centred:
            atom.baseline = atom.centre + AXIS * atom.size
    return _words(_integrals(_pieces(_struck(sorted(atoms, key=lambda a: (a.x0, a.y0)))))), unknown


def _integrals(atoms: Sequence[Atom]) -> list[Atom]:
    """Integral signs that overlap are one."""
    out: list[Atom] = []
    names = (r"\int", r"\iint", r"\iiint")
    for atom in atoms:
        last = next((a for a in reversed(out) if a.latex in names[:2]), None)
        close = last and abs(atom.y0 - last.y0) < 1 and atom.x0 - last.x1 < 0.05 * atom.size
        if last and close and atom.latex == names[0]:
            last.latex = names[names.index(last.latex) + 1]
            last.x1 = max(last.x1, atom.x1)
        else:
            out.append(atom)
    return out


def _struck(atoms: Sequence[Atom]) -> list[Atom]:
    r"""A slash through the sign that it strikes out: \neq, \notin."""
    out = [a for a in atoms if a.kind is not TexClass.SLASH]
    for slash in (a for a in atoms if a.kind is TexClass.SLASH):
        under = [
            a for a in out if a.x0 - 1 < slash.middle < a.x1 + 1 and abs(a.centre - slash.centre) < a.size
        ]
        if under:
            sign = min(under, key=lambda a: abs(a.middle - slash.middle))
            sign.latex = {"=": r"\neq", r"\in": r"\notin"}.get(sign.latex, rf"\not{sign.latex}")
    return out


def _pieces(atoms: Sequence[Atom]) -> list[Atom]:
    """Delimiters and radicals that are built of several glyphs, one over the other."""
    out: list[Atom] = []
    built: list[Atom] = []
    for atom in sorted(atoms, key=lambda a: (a.y0, a.x0)):
        if atom.kind not in (TexClass.PIECE, TexClass.RADICAL, TexClass.FENCE):
            out.append(atom)
            continue
        for other in built:
            close = -0.4 * atom.size < atom.y0 - other.y1 < 0.25 * atom.size
            if other.latex == atom.latex and close and min(other.x1, atom.x1) > max(other.x0, atom.x0) - 0.5:
                other.y1 = max(other.y1, atom.y1)
                other.x0, other.x1 = min(other.x0, atom.x0), max(other.x1, atom.x1)
                break
        else:
            built.append(atom)
    for atom in built:
        if atom.kind is not TexClass.FENCE or atom.height > TALL * atom.size:
            atom.centred, atom.baseline = True, atom.centre + AXIS * atom.size
        if atom.kind is TexClass.PIECE:
            closing = atom.latex in (")", "]", r"\}", r"\rangle", r"\rfloor", r"\rceil")
            atom.kind = (
                TexClass.CLOSE if closing else TexClass.FENCE if atom.latex in ("|", r"\|") else TexClass.OPEN
            )
    return sorted((*out, *built), key=lambda a: (a.x0, a.y0))


def _words(atoms: Sequence[Atom]) -> list[Atom]:
    """Upright letters that follow each other on one baseline as one atom."""
    out: list[Atom] = []
    for atom in atoms:
        if atom.kind is not TexClass.LETTER:
            out.append(atom)
            continue
        last = next((a for a in reversed(out[-40:]) if _continues(a, atom)), None)
        if last is None:
            out.append(atom)
            continue
        last.latex += atom.latex
        last.word = True
        last.x1, last.y0, last.y1 = max(last.x1, atom.x1), min(last.y0, atom.y0), max(last.y1, atom.y1)
    return out


def _continues(word: Atom, letter: Atom) -> bool:
    return (
        word.kind is TexClass.LETTER
        and abs(word.size - letter.size) < 0.1
        and abs(word.baseline - letter.baseline) < _SAME_LEVEL * letter.size
        and -0.8 * letter.size
        < letter.x0 - word.x1  # a ligature is told as letters of one place
        < _LETTER_GAP * letter.size
    )
