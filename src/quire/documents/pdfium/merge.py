"""Pieces of one visual line that the file draws apart, put together.

TeX draws formulas, superscripts and accents out of order; word processors draw every style change on its
own. Two pieces are one line if they share the baseline and nearly touch; a small piece belongs to the
larger one beside which it hangs as a superscript or subscript.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from quire.documents.groups import Groups
from quire.documents.pdfium.lines import mark_script
from quire.documents.raw import Line, Word, make_line

_NEAR = 0.6  # em between pieces that stand apart in the file
_NEXT = 1.1  # em between pieces that follow each other in the file
_TOUCH = 0.14  # em: closer than this there is no space


def merge_lines(lines: Sequence[Line]) -> list[Line]:
    """The lines with their scattered pieces put together; the order is that of each line's first piece."""
    groups = _groups(lines)
    done: list[Line] = []
    for members in groups:
        if len(members) == 1:
            done.append(lines[members[0]])
        else:
            done.append(_together([lines[i] for i in members]))
    return done


def _groups(lines: Sequence[Line]) -> list[list[int]]:
    groups = Groups(len(lines))
    order = sorted((i for i in range(len(lines)) if lines[i].angle == 0), key=lambda i: lines[i].baseline)
    base_of: dict[int, tuple[float, int]] = {}
    for a, i in enumerate(order):
        one = lines[i]
        for j in order[a + 1 :]:
            other = lines[j]
            if other.baseline - one.baseline > 12 and other.baseline - one.baseline > 0.6 * one.size:
                break
            if _same_line(one, other, abs(i - j) == 1):
                groups.join(i, j)
            else:
                for small, large, s, base in ((one, other, i, j), (other, one, j, i)):
                    distance = _hangs(small, large)
                    if distance is not None and (s not in base_of or distance < base_of[s][0]):
                        base_of[s] = (distance, base)
    for s, (_, base) in base_of.items():
        groups.join(s, base)
    return groups.members()


def _gap(one: Line, other: Line) -> float:
    return max(one.x0, other.x0) - min(one.x1, other.x1)


def _same_line(one: Line, other: Line, consecutive: bool) -> bool:
    small = min(one.size, other.size)
    if abs(one.baseline - other.baseline) > 0.15 * small or max(one.size, other.size) > 1.6 * small:
        return False
    return -0.5 * small < _gap(one, other) < (_NEXT if consecutive else _NEAR) * small


def _hangs(small: Line, large: Line) -> float | None:
    """How far a script is from the line that it may belong to; None if it cannot."""
    if small.size > 0.86 * large.size or sum(len(w.text) for w in small.words) > 14:
        return None
    rise = (large.baseline - small.baseline) / large.size
    if not -0.35 < rise < 0.62:
        return None
    gap = _gap(small, large)
    return abs(rise) + max(0.0, gap) / large.size if gap < 0.35 * large.size else None


def _together(pieces: Sequence[Line]) -> Line:
    words = sorted((w for piece in pieces for w in piece.words), key=lambda w: w.x0)
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[round(word.size, 1)] += len(word.text)
    size = max(sizes, key=lambda s: (sizes[s], s))
    bases = sorted(w.baseline for w in words if abs(w.size - size) < 0.06 * size + 0.1)
    base = bases[len(bases) // 2]
    starts = {id(piece.words[0]) for piece in pieces}
    out: list[Word] = []
    for word in words:
        glued = word.glued
        if out and (id(word) in starts or word.x0 - out[-1].x1 > 0.3 * size):
            glued = word.x0 - out[-1].x1 < _TOUCH * min(size, word.size * 1.3)
        out.append(mark_script(word._replace(glued=bool(out) and glued), size, base))
    return make_line(out, size, base)
