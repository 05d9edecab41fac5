r"""A displayed formula as LaTeX, from where its signs stand and how large they are.

    latex_of(rows_of(glyphs, rules))      # r'\frac{a}{b} = \sum_{i=1}^{n} x_{i}^{2}'

Nothing is guessed: where a glyph cannot be told, or a rule belongs to nothing, the answer is empty and the
caller keeps the plain text.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.documents.equations.atoms import Atom, atoms_of
from quire.documents.equations.line import Unsure, written
from quire.documents.equations.rows import arrays, split_rows
from quire.documents.equations.structure import accented, limited, ruled
from quire.documents.equations.symbols import Kind
from quire.documents.raw import Glyph, Rule

MOST_GLYPHS = 500  # of one formula; more are no formula, and the work grows with the square


def rows_of(glyphs: Sequence[Glyph], rules: Sequence[Rule]) -> list[list[Atom]]:
    """The rows of a display from top to bottom, their signs put together; [] where that is unsure."""
    if not glyphs or len(glyphs) > MOST_GLYPHS:
        return []
    atoms, unknown = atoms_of(glyphs)
    if unknown or not atoms:
        return []
    try:
        atoms = limited(accented(atoms), rules)
        atoms, idle = ruled(atoms, rules)
        atoms = arrays(limited(accented(atoms), rules))
    except Unsure:
        return []
    if idle or any(a.kind in (Kind.RADICAL, Kind.ACCENT) for a in atoms):
        return []  # a rule or a mark that belongs to nothing
    return split_rows(atoms)


def latex_of(rows: Sequence[Sequence[Atom]]) -> str:
    """Rows of one formula as LaTeX; "" where that is unsure."""
    try:
        if len(rows) == 1:
            return written(rows[0]).strip()
        return r"\begin{aligned} " + r" \\ ".join(_aligned(row) for row in rows) + r" \end{aligned}"
    except Unsure:
        return ""


def _aligned(row: Sequence[Atom]) -> str:
    """A row with the mark of alignment before its first relation."""
    ordered = sorted(row, key=lambda a: a.x0)
    first = next((i for i, a in enumerate(ordered) if a.kind is Kind.RELATION), None)
    if first is None:
        return written(ordered)
    sign = ordered[first].latex
    text = written(ordered)
    at = text.find(sign)
    return text if at < 0 or text[:at].count("{") != text[:at].count("}") else f"{text[:at]}&{text[at:]}"
