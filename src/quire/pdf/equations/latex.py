r"""A displayed formula as LaTeX, from where its signs stand and how large they are.

    latex_of(rows_of(glyphs, rules))      # r'\frac{a}{b} = \sum_{i=1}^{n} x_{i}^{2}'

Nothing is guessed: where a glyph cannot be told, or a rule belongs to nothing, the answer is empty and the
caller keeps the plain text.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.pdf.equations.atoms import AXIS, SMALL, Atom, TexClass, around, atoms_of, follows, hangs_on, merged
from quire.pdf.equations.line import (
    SCRIPT_SIZE,
    WITH_LIMITS,
    Unsure,
    arrays,
    rows_or_line,
    script,
    shown,
    split_rows,
    type_of,
    written,
)
from quire.pdf.raw import Edges, Glyph

# In units of the type size.
_CLEAR = 0.62  # from a rule to what stands next to it, at most
_STACK = 0.08  # between signs of one half of a fraction, one over the other
_INDEX = 0.65  # of the height of a radical: its index stands above this
_TOP = 0.1  # a radical's rule is level with the top of its sign
_OUT = 0.2  # how far signs may stand out over the rule or off the accent that they belong to
_LIMIT = 0.75  # from an operator to its limits
_RUN = 0.3  # between the signs of a limit
_ACCENT = 0.35  # from an accent to what is under it
MOST_GLYPHS = 500  # of one formula; more are no formula, and the work grows with the square


def accented(atoms: Sequence[Atom]) -> list[Atom]:
    """Accents put on what stands under them."""
    left = [a for a in atoms if a.kind is not TexClass.ACCENT]
    for accent in sorted((a for a in atoms if a.kind is TexClass.ACCENT), key=lambda a: a.width):
        reach = _ACCENT * accent.size
        level = [a for a in left if abs(a.y0 - accent.y1) < reach]
        under = [a for a in level if a.x0 - _OUT * a.size < accent.middle < a.x1 + _OUT * a.size]
        wide = [a for a in level if accent.x0 < a.middle < accent.x1]
        if accent.latex.startswith(r"\wide") and len(wide) > 1:
            group = wide
        elif under:
            group = [min(under, key=lambda a: abs(a.middle - accent.middle) + abs(a.y0 - accent.y1))]
        else:
            continue
        first = max(group, key=lambda a: a.size)
        latex = rf"{accent.latex}{{{written(group)}}}"
        made = around((*group, accent), latex, TexClass.ORD, first.baseline, first.size)
        made.x0, made.x1 = min(a.x0 for a in group), max(a.x1 for a in group)
        left = merged(left, group, made)
    return left


def ruled(atoms: Sequence[Atom], rules: Sequence[Edges]) -> tuple[list[Atom], int]:
    """Radicals, fractions and overlines; and how many rules found nothing to carry."""
    left = list(atoms)
    idle = 0
    waiting = sorted(rules, key=lambda r: r.x1 - r.x0)
    for i, rule in enumerate(waiting):
        made = _radical(left, rule) or _fraction(left, rule, waiting[i + 1 :])
        left = merged(left, *made) if made else left
        idle += made is None
    return left, idle


def _radical(atoms: Sequence[Atom], rule: Edges) -> tuple[list[Atom], Atom] | None:
    for sign in (a for a in atoms if a.kind is TexClass.RADICAL and not a.radical):
        near = _OUT * sign.size
        if abs(rule.x0 - sign.x1) > near or abs(rule.y0 - sign.y0) > _TOP * sign.size:
            continue
        inside = [
            a
            for a in atoms
            if a is not sign
            and rule.x0 - near < a.middle < rule.x1 + near
            and rule.y0 - 1 < a.centre < sign.y1 + near
        ]
        if not inside:
            continue
        index = [
            a
            for a in atoms
            if a is not sign
            and sign.x0 - near < a.middle < sign.x1
            and sign.y0 - sign.size < a.y0
            and a.y1 < sign.y0 + _INDEX * sign.height
            and a.size < SCRIPT_SIZE * max(b.size for b in inside)
        ]
        degree = f"[{written(index)}]" if index else ""
        biggest = max(inside, key=lambda a: (a.size, -a.x0))
        latex = rf"\sqrt{degree}{{{rows_or_line(inside)}}}"
        atom = around((sign, *inside), latex, TexClass.ORD, biggest.baseline, biggest.size)
        atom.x1, atom.radical, atom.centred = max(atom.x1, rule.x1), True, biggest.centred
        return [sign, *inside, *index], atom
    return None


def _fraction(atoms: Sequence[Atom], rule: Edges, others: Sequence[Edges]) -> tuple[list[Atom], Atom] | None:
    inside = [
        a
        for a in atoms
        if rule.x0 < a.middle < rule.x1 and a.x0 > rule.x0 - _OUT * a.size and a.x1 < rule.x1 + _OUT * a.size
    ]
    over = _stacked([a for a in inside if a.centre < rule.y0], rule.y0, others, up=True)
    under = _stacked([a for a in inside if a.centre > rule.y1], rule.y1, others, up=False)
    if not under:
        return None
    size = max(a.size for a in under)
    if not over:
        if min(a.y0 for a in under) - rule.y1 > _RUN * size:
            return None
        first = max(under, key=lambda a: a.size)
        atom = around(under, rf"\overline{{{written(under)}}}", TexClass.ORD, first.baseline, first.size)
        atom.y0 = rule.y0
        return under, atom
    latex = rf"\frac{{{rows_or_line(over)}}}{{{rows_or_line(under)}}}"
    size = max(size, *(a.size for a in over))
    atom = around((*over, *under), latex, TexClass.ORD, (rule.y0 + rule.y1) / 2 + AXIS * size, size)
    atom.x0, atom.x1, atom.centred, atom.bar = min(atom.x0, rule.x0), max(atom.x1, rule.x1), True, rule.y0
    return [*over, *under], atom


def _stacked(atoms: Sequence[Atom], edge: float, others: Sequence[Edges], up: bool) -> list[Atom]:
    """Atoms next to the edge and what is stacked on them, up to the next rule."""
    taken: list[Atom] = []
    reach = edge
    for atom in sorted(atoms, key=lambda a: edge - a.y1 if up else a.y0 - edge):
        gap = reach - atom.y1 if up else atom.y0 - reach
        if gap > (_CLEAR if not taken else _STACK) * max(atom.size, 1.0):
            break
        low, high = (atom.y1, edge) if up else (edge, atom.y0)
        if any(low - 0.5 < r.y0 and r.y1 < high + 0.5 and r.x0 < atom.middle < r.x1 for r in others):
            continue
        taken.append(atom)
        reach = min(reach, atom.y0) if up else max(reach, atom.y1)
    return taken


def limited(atoms: Sequence[Atom], rules: Sequence[Edges]) -> list[Atom]:
    """Large operators and functions as lim with what stands over and under them, if no rule is between."""
    left = list(atoms)
    size = type_of(left)
    named = [a for a in atoms if a.kind is TexClass.LETTER and a.latex in WITH_LIMITS]
    operators = [*named, *(a for a in atoms if a.kind is TexClass.LARGE)]
    for operator in sorted(operators, key=lambda a: a.x0):
        if operator not in left:
            continue
        _arg(left, operator)
        nearest = [a for a in left if not _nearer(a, operator, operators) and not _parted(a, operator, rules)]
        below = _run(nearest, operator, size, up=False)
        both = operator.kind is TexClass.LARGE or r"\l" in operator.latex
        above = _run(nearest, operator, size, up=True) if both else []
        if not below and not above:
            continue
        latex = shown(operator) + script("_", below) + script("^", above)
        made = around((operator, *below, *above), latex, TexClass.ORD, operator.baseline, operator.size)
        made.centred = operator.centred
        left = merged(left, (operator, *below, *above), made)
    return left


def _arg(left: list[Atom], operator: Atom) -> None:
    """The limit of "arg min" stands under both words."""
    if operator.latex not in ("min", "max"):
        return
    for a in left:
        if a.kind is TexClass.LETTER and a.latex == "arg" and follows(operator, a):
            left.remove(a)
            operator.latex, operator.x0 = "arg" + operator.latex, a.x0
            return


def _nearer(atom: Atom, operator: Atom, operators: Sequence[Atom]) -> bool:
    """Another operator of the row is nearer to the atom."""
    own = abs(atom.middle - operator.middle)
    return any(
        o is not operator
        and abs(atom.middle - o.middle) < own
        and abs(o.centre - operator.centre) < 0.3 * o.height
        for o in operators
    )


def _parted(atom: Atom, operator: Atom, rules: Sequence[Edges]) -> bool:
    low, high = sorted((atom.centre, operator.centre))
    return any(low < r.y0 < high and r.x0 < operator.middle < r.x1 for r in rules)


def _run(atoms: Sequence[Atom], operator: Atom, size: float, up: bool) -> list[Atom]:
    """The small signs centred over or under the operator, in a display of type of this size."""
    integral = r"\int" in operator.latex

    def near(a: Atom) -> bool:
        gap = operator.y0 - a.y1 if up else a.y0 - operator.y1
        reach = _ACCENT if integral else _LIMIT
        return a is not operator and -0.12 * size < gap < reach * size and a.size < SMALL * size

    close = sorted((a for a in atoms if near(a)), key=lambda a: a.x0)
    start = [a for a in close if operator.x0 - 0.3 * size < a.middle < operator.x1 + 0.3 * size]
    if not start:
        return []
    run = [min(start, key=lambda a: abs(a.middle - operator.middle))]
    if integral and abs(run[0].middle - operator.middle) > 0.2 * size:
        return []  # the limits of integrals stand beside them
    close = [a for a in close if abs(a.centre - run[0].centre) < 0.6 * size]
    for a in (a for a in close if a.x0 > run[0].x0):
        if a.x0 - max(b.x1 for b in run) < _RUN * size:
            run.append(a)
    for a in reversed([a for a in close if a.x0 < run[0].x0]):
        if min(b.x0 for b in run) - a.x1 < _RUN * size:
            run.append(a)
    middle = (min(a.x0 for a in run) + max(a.x1 for a in run)) / 2
    if abs(middle - operator.middle) > 0.6 * size:
        return []
    others = [a for a in atoms if a not in run and a is not operator]
    return [*run, *(a for a in others if any(hangs_on(a, sign) for sign in run))]


def rows_of(glyphs: Sequence[Glyph], rules: Sequence[Edges]) -> list[list[Atom]]:
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
    if idle or any(a.kind in (TexClass.RADICAL, TexClass.ACCENT) for a in atoms):
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
    first = next((i for i, a in enumerate(ordered) if a.kind is TexClass.RELATION), None)
    if first is None:
        return written(ordered)
    sign = ordered[first].latex
    text = written(ordered)
    at = text.find(sign)
    return text if at < 0 or text[:at].count("{") != text[:at].count("}") else f"{text[:at]}&{text[at:]}"
