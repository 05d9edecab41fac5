"""Signs of a formula as boxes that are put together into larger ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quire.pdf import geometry
from quire.pdf.equations.symbols import TexClass, symbol
from quire.pdf.raw import Glyph

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
        found = symbol(glyph)
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
