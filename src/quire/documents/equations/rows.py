"""Rows within a formula: matrices, cases, binomial coefficients, conditions one under the other."""

from __future__ import annotations

from collections.abc import Sequence

from quire.documents.equations.atoms import AXIS, Atom, around
from quire.documents.equations.line import written
from quire.documents.equations.symbols import Kind

# In units of the type size.
_SMALL = 0.86  # scripts are smaller than this, against the type around them
_COLUMN = 0.6  # between columns of a matrix
# From row to row of binomial coefficients, within sentences and displayed; rows of matrices stand between.
_BINOMIAL = ((0.6, 1.1), (1.29, 1.5))
_ROW = 0.75  # from baseline to baseline, at least


def arrays(atoms: Sequence[Atom]) -> list[Atom]:
    """Matrices, cases and binomial coefficients: rows within brackets."""
    left = sorted(atoms, key=lambda a: a.x0)
    for start in sorted((a for a in atoms if a.kind in (Kind.OPEN, Kind.FENCE)), key=lambda a: -a.x0):
        if start.height < 1.7 * type_of(left) or all(start is not a for a in left):
            continue
        end = _partner(left, start)
        inside = [
            a
            for a in left
            if a.x0 >= start.x1 - 1
            and (end is None or a.x1 <= end.x0 + 1)
            and a is not start
            and a is not end
            and start.y0 - 2 < a.centre < start.y1 + 2
        ]
        if end is None and start.latex != r"\{":
            continue
        rows = split_rows(inside)
        if len(rows) < 2:
            continue
        latex = _array(start, end, rows)
        made = around(
            (start, *inside, *([end] if end else [])), latex, Kind.ORD, start.baseline, type_of(inside)
        )
        made.centred, made.baseline = True, start.centre + AXIS * made.size
        left = [a for a in left if a is not start and a is not end and all(a is not b for b in inside)]
        left.append(made)
    return left


def type_of(atoms: Sequence[Atom]) -> float:
    """The largest type, but for signs whose font has one size for all styles."""
    return max((a.size for a in atoms if not a.centred), default=max((a.size for a in atoms), default=10.0))


def _partner(atoms: Sequence[Atom], start: Atom) -> Atom | None:
    wanted = {"(": ")", "[": "]", r"\{": r"\}", "|": "|", r"\|": r"\|"}.get(start.latex)
    same = [
        a
        for a in atoms
        if a.latex == wanted
        and a.x0 > start.x1
        and abs(a.y0 - start.y0) < 0.15 * start.height
        and abs(a.y1 - start.y1) < 0.15 * start.height
    ]
    return min(same, key=lambda a: a.x0, default=None)


def _array(start: Atom, end: Atom | None, rows: Sequence[Sequence[Atom]]) -> str:
    cells = _cells(rows)
    body = r" \\ ".join(" & ".join(written(cell) for cell in row) for row in cells)
    if end is None:
        return rf"\begin{{cases}} {body} \end{{cases}}"
    if start.latex == "(" and len(rows) == 2 and len(cells[0]) == 1:
        size = type_of([a for row in rows for a in row])
        if any(low < _row_distance(rows) / size < high for low, high in _BINOMIAL):
            return rf"\binom{{{written(cells[0][0])}}}{{{written(cells[1][0])}}}"
    kind = {"(": "pmatrix", "[": "bmatrix", "|": "vmatrix", r"\{": "Bmatrix", r"\|": "Vmatrix"}.get(
        start.latex, "matrix"
    )
    return rf"\begin{{{kind}}} {body} \end{{{kind}}}"


def _row_distance(rows: Sequence[Sequence[Atom]]) -> float:
    return max(a.baseline for a in rows[1]) - max(a.baseline for a in rows[0])


def _cells(rows: Sequence[Sequence[Atom]]) -> list[list[list[Atom]]]:
    """Rows cut where all of them have a gap."""
    spans = sorted((a.x0, a.x1, a.size) for row in rows for a in row)
    cuts: list[float] = []
    right = spans[0][1]
    for x0, x1, _ in spans:
        if x0 - right > _COLUMN * type_of([a for row in rows for a in row]):
            cuts.append((x0 + right) / 2)
        right = max(right, x1)
    edges = [float("-inf"), *cuts, float("inf")]
    return [
        [[a for a in row if lo < a.middle <= hi] for lo, hi in zip(edges, edges[1:], strict=False)]
        for row in rows
    ]


def split_rows(atoms: Sequence[Atom]) -> list[list[Atom]]:
    """Rows by the baselines of full-size type; everything else goes with the row that it is nearest to."""
    if not atoms:
        return []
    size = type_of(atoms)
    full = [a for a in atoms if not a.centred and a.size > _SMALL * size] or list(atoms)
    lines: list[list[float]] = []
    for y in sorted(a.baseline for a in full):
        if not lines or y - lines[-1][-1] > _ROW * size:
            lines.append([y])
        else:
            lines[-1].append(y)
    bases = [line[len(line) // 2] for line in lines]
    if len(bases) == 1:
        return [list(atoms)]
    rows: list[list[Atom]] = [[] for _ in bases]
    home: dict[int, int] = {}
    for atom in sorted(atoms, key=lambda a: a.x0):
        base = _carrier(atom, [a for a in atoms if id(a) in home]) if atom.size <= _SMALL * size else None
        if base is not None:
            row = home[id(base)]
        else:
            level = atom.baseline if atom.centred or atom.size > _SMALL * size else atom.centre + AXIS * size
            row = min(range(len(bases)), key=lambda k: abs(bases[k] - level))
        home[id(atom)] = row
        rows[row].append(atom)
    return [row for row in rows if row]


def _carrier(script: Atom, before: Sequence[Atom]) -> Atom | None:
    """The sign that a script hangs on: just left of it, and level with it."""
    near = [
        a
        for a in before
        if -0.3 * script.size < script.x0 - a.x1 < 0.5 * script.size
        and a.y0 - 0.6 * script.size < script.centre < a.y1 + 0.6 * script.size
    ]
    return min(
        near,
        key=lambda a: abs(script.x0 - a.x1) + max(0.0, a.y0 - script.centre, script.centre - a.y1),
        default=None,
    )


def rows_or_line(atoms: Sequence[Atom]) -> str:
    """A part of a formula that may have rows of its own, as the conditions under a sum."""
    rows = split_rows(atoms)
    if len(rows) < 2:
        return written(atoms)
    stack = r" \\ ".join(written(row) for row in rows)
    return rf"\substack{{{stack}}}"
