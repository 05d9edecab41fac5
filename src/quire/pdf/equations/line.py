r"""Atoms of one line, with scripts up and down, as LaTeX; and rows of lines: matrices, cases, conditions.

    written(atoms)        # r'x_{i}^{2} + \sqrt{y}'

The baseline is that of the largest type. What stands off it is a superscript or a subscript of the last
atom on it; scripts are lines of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from quire.pdf.equations.atoms import AXIS, SMALL, TALL, Atom, TexClass, around, follows, hangs_on, merged
from quire.pdf.geometry import runs

FUNCTIONS = frozenset(
    "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp max min sup inf lim "
    "limsup liminf det dim ker deg gcd hom arg Pr".split()
)
WITH_LIMITS = frozenset("max min sup inf lim limsup liminf argmin argmax det gcd Pr".split())
_UPRIGHT = r"\mathrm{"
_SPACED = re.compile(
    r"[=<>+]|-(?!\d)|\\(?:leq|geq|neq|approx|equiv|sim|in|to|rightarrow|times|pm|otimes|cdot)\b"
)
DEEPEST = 8  # scripts of scripts; no formula has more
# In units of the type size.
_ON_LINE = 0.08  # how far a sign may stand off the baseline of its line
_ON_AXIS = 0.22  # the same for what is centred on the axis
_LARGEST_SCRIPT = 0.9  # larger signs off the line are no scripts: part of the reading is wrong
SCRIPT_SIZE = 0.7  # of scripts against the type around them
_QUAD = 0.9  # a gap as wide as this is written
_SPACE = 0.2  # a gap between words
_COLUMN = 0.6  # between columns of a matrix
# From row to row of binomial coefficients, within sentences and displayed; rows of matrices stand between.
_BINOMIAL = ((0.6, 1.1), (1.29, 1.5))
_ROW = 0.75  # from baseline to baseline, at least


class Unsure(Exception):  # noqa: N818 - a turn, not a failure
    """What stands here is no line with scripts."""


def written(atoms: Sequence[Atom], depth: int = 0) -> str:
    """One line of atoms as LaTeX; `depth` counts the scripts around it."""
    if not atoms or depth > DEEPEST:
        return " ".join(a.latex for a in atoms)
    ordered = sorted(atoms, key=lambda a: (a.x0, a.x1))
    base, size = _baseline(ordered)
    levels = [_level(atom, base, size) for atom in ordered]
    if all(levels):
        levels[0] = 0
    parts: list[_Part] = []
    for atom, level in zip(ordered, levels, strict=True):
        if level == 0:
            parts.append(_Part(atom, [], []))
            continue
        if not atom.centred and atom.size > _LARGEST_SCRIPT * size:
            raise Unsure
        if not parts:
            left = atom.x0
            parts.append(_Part(Atom("{}", TexClass.ORD, left, base, left, base, base, size), [], []))
        _attach(parts[-1], atom, level)
    text = re.sub(r"\\cdot(?: *\\cdot){2} *", r"\\cdots ", _joined(parts, size, depth))
    return text.replace("...", r"\ldots ").replace(r"\bar{h}", r"\hbar ")


class _Part(NamedTuple):
    """An atom on the line with what hangs on it."""

    atom: Atom
    up: list[Atom]
    down: list[Atom]


def _baseline(atoms: Sequence[Atom]) -> tuple[float, float]:
    """Of the largest type; of what is centred where there is nothing else."""
    plain = [a for a in atoms if not a.centred] or list(atoms)
    size = max(a.size for a in plain)
    large = [a for a in plain if a.size > SMALL * size]
    counts: Counter[float] = Counter()
    for a in large:
        counts[round(a.baseline / (0.1 * size))] += len(a.latex) if a.word else 1
    most = max(counts, key=lambda k: (counts[k], -abs(k * 0.1 * size - large[0].baseline)))
    near = sorted(a.baseline for a in large if abs(a.baseline / (0.1 * size) - most) <= 1)
    base = near[len(near) // 2]
    first = atoms[0]
    axis = first.bar or first.centre
    if first.centred and not plain[0].centred and abs(base - axis - AXIS * size) > _ON_AXIS * size:
        # What comes first stands on the line; if nothing else does, all the type is that of scripts.
        larger = size / SCRIPT_SIZE
        line = axis + AXIS * larger
        if all(abs(a.baseline - line) > _ON_LINE * larger for a in plain):
            return line, larger
    return base, size


def _level(atom: Atom, base: float, size: float) -> int:
    """0 on the line, 1 above, -1 below."""
    shift = (base - atom.baseline) / size
    slack = _ON_AXIS if atom.centred else _ON_LINE
    if atom.centred and atom.kind in (TexClass.OPEN, TexClass.CLOSE, TexClass.FENCE, TexClass.LARGE):
        slack = max(slack, 0.25 * atom.height / size)
    if abs(shift) <= slack and (atom.centred or atom.size > 0.6 * size):
        return 0
    return 1 if shift > 0 else -1


def _attach(part: _Part, atom: Atom, level: int) -> None:
    """Scripts of scripts go with the script that they follow."""
    for group in (part.up, part.down):
        if group and hangs_on(atom, around(group, "", TexClass.ORD, 0.0, max(a.size for a in group))):
            group.append(atom)
            return
    (part.up if level > 0 else part.down).append(atom)


def _joined(parts: Sequence[_Part], size: float, depth: int) -> str:
    fences = _stretched(parts, size)
    out = ""
    right = parts[0].atom.x0
    last = TexClass.ORD
    words = False
    for i, (atom, up, down) in enumerate(parts):
        text = fences.get(i) or shown(atom)
        is_words = atom.word and text.startswith(_UPRIGHT)
        gap = atom.x0 - right
        if is_words and words and gap > _SPACE * size:
            begun = out[out.rfind("{") + 1 : -1]
            out = out[:-1].replace(_UPRIGHT + begun, r"\text{" + begun) + " " + text.removeprefix(_UPRIGHT)
        else:
            apart = gap > _QUAD * size and TexClass.RELATION not in (atom.kind, last)
            out = glue(out, r"\quad " + text if apart else text)
        out += _scripts(up, down, depth + 1)
        words = is_words and not up and not down
        right = max(a.x1 for a in (atom, *up, *down))
        last = atom.kind
    return out


def glue(out: str, text: str) -> str:
    """Two pieces of LaTeX, with a blank where a command would swallow a letter."""
    if not out or not text:
        return out + text
    if text[0].isalpha() and re.search(r"\\[A-Za-z]+$", out):
        return f"{out} {text}"
    if text.startswith(r"\quad"):
        return f"{out} {text}"
    return f"{out} {text} " if _SPACED.match(text) else out + text


def script(mark: str, atoms: Sequence[Atom], depth: int = 0) -> str:
    """Atoms as a script, "_" or "^"; nothing where there are none."""
    return f"{mark}{{{written(atoms, depth)}}}" if atoms else ""


def _scripts(up: Sequence[Atom], down: Sequence[Atom], depth: int) -> str:
    if up and all(a.latex == r"\prime" for a in up):
        return "'" * len(up) + script("_", down, depth)
    return script("_", down, depth) + script("^", up, depth)


def _stretched(parts: Sequence[_Part], size: float) -> dict[int, str]:
    r"""\left and \right for brackets that are higher than the line and find each other."""
    out: dict[int, str] = {}
    stack: list[int] = []
    for i, (atom, _, _) in enumerate(parts):
        if atom.height < TALL * size:
            continue
        bar = atom.kind is TexClass.FENCE
        opened = [
            k for k in stack if atom.kind is TexClass.CLOSE or (bar and parts[k].atom.latex == atom.latex)
        ]
        if opened:
            start = opened[-1]
            del stack[stack.index(start) :]
            out[start], out[i] = rf"\left{parts[start].atom.latex} ", rf" \right{atom.latex}"
        elif bar or atom.kind is TexClass.OPEN:
            stack.append(i)
    return out


def shown(atom: Atom) -> str:
    """An atom that is no bracket of its own; upright letters as functions or words."""
    if atom.kind is not TexClass.LETTER:
        return atom.latex
    if atom.latex in FUNCTIONS:
        return "\\" + atom.latex
    if atom.latex in ("argmin", "argmax"):
        return rf"\arg\{atom.latex[3:]}"
    return rf"\mathrm{{{atom.latex}}}"


def arrays(atoms: Sequence[Atom]) -> list[Atom]:
    """Matrices, cases and binomial coefficients: rows within brackets."""
    left = sorted(atoms, key=lambda a: a.x0)
    for start in sorted((a for a in atoms if a.kind in (TexClass.OPEN, TexClass.FENCE)), key=lambda a: -a.x0):
        if start.height < 1.7 * type_of(left) or start not in left:
            continue
        end = _partner(left, start)
        inside = [
            a
            for a in left
            if a not in (start, end)
            and a.x0 >= start.x1 - 1
            and (end is None or a.x1 <= end.x0 + 1)
            and start.y0 - 2 < a.centre < start.y1 + 2
        ]
        rows = split_rows(inside)
        if len(rows) < 2 or (end is None and start.latex != r"\{"):
            continue
        used, size = [start, *inside, *([end] if end else [])], type_of(inside)
        made = around(used, _array(start, end, rows), TexClass.ORD, start.centre + AXIS * size, size)
        made.centred = True
        left = merged(left, used, made)
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
    size = type_of([a for row in rows for a in row])
    cells = _cells(rows, size)
    body = r" \\ ".join(" & ".join(written(cell) for cell in row) for row in cells)
    if end is None:
        return rf"\begin{{cases}} {body} \end{{cases}}"
    if start.latex == "(" and len(rows) == 2 and len(cells[0]) == 1:
        step = (max(a.baseline for a in rows[1]) - max(a.baseline for a in rows[0])) / size
        if any(low < step < high for low, high in _BINOMIAL):
            return rf"\binom{{{written(cells[0][0])}}}{{{written(cells[1][0])}}}"
    kind = {"(": "pmatrix", "[": "bmatrix", "|": "vmatrix", r"\{": "Bmatrix", r"\|": "Vmatrix"}.get(
        start.latex, "matrix"
    )
    return rf"\begin{{{kind}}} {body} \end{{{kind}}}"


def _cells(rows: Sequence[Sequence[Atom]], size: float) -> list[list[list[Atom]]]:
    """Rows cut where all of them have a gap."""
    spans = sorted((a.x0, a.x1) for row in rows for a in row)
    cuts: list[float] = []
    right = spans[0][1]
    for x0, x1 in spans:
        if x0 - right > _COLUMN * size:
            cuts.append((x0 + right) / 2)
        right = max(right, x1)
    edges = [float("-inf"), *cuts, float("inf")]
    return [[[a for a in row if lo < a.middle <= hi] for lo, hi in pairwise(edges)] for row in rows]


def split_rows(atoms: Sequence[Atom]) -> list[list[Atom]]:
    """Rows by the baselines of full-size type; everything else goes with the row that it is nearest to."""
    if not atoms:
        return []
    size = type_of(atoms)
    full = [a for a in atoms if not a.centred and a.size > SMALL * size] or list(atoms)
    lines = runs(sorted(a.baseline for a in full), lambda line, y: y - line[-1] <= _ROW * size)
    bases = [line[len(line) // 2] for line in lines]
    if len(bases) == 1:
        return [list(atoms)]
    rows: list[list[Atom]] = [[] for _ in bases]
    home: dict[Atom, int] = {}
    for atom in sorted(atoms, key=lambda a: a.x0):
        carriers = [a for a in home if follows(atom, a)] if atom.size <= SMALL * size else []
        if carriers:
            home[atom] = home[min(carriers, key=partial(_distance, atom))]
        else:
            level = atom.baseline if atom.centred or atom.size > SMALL * size else atom.centre + AXIS * size
            home[atom] = min(range(len(bases)), key=lambda k: abs(bases[k] - level))
        rows[home[atom]].append(atom)
    return [row for row in rows if row]


def _distance(script: Atom, base: Atom) -> float:
    return abs(script.x0 - base.x1) + max(0.0, base.y0 - script.centre, script.centre - base.y1)


def rows_or_line(atoms: Sequence[Atom]) -> str:
    """A part of a formula that may have rows of its own, as the conditions under a sum."""
    rows = split_rows(atoms)
    if len(rows) < 2:
        return written(atoms)
    stack = r" \\ ".join(written(row) for row in rows)
    return rf"\substack{{{stack}}}"
