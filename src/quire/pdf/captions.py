"""Captions: where a table, figure or algorithm says what it is ("Table 2: Results on ...").

    find(page, profile)[0].label        # 'Table 2'

A caption begins with a label at the start of a line; a sentence that happens to begin a line with
"Table 3 shows" is told apart by its punctuation, its type and the line above. The text goes on over the
lines below as long as type, distance and column stay the same. Only upright text is read: pages with
rotated tables are given upright (see `geometry.rotated`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.pdf.geometry import CLOSE, are_stacked, around, on_one_baseline, same_size, shared_width
from quire.pdf.joining import join_texts, tidy
from quire.pdf.layout.profile import Profile
from quire.pdf.raw import Edges, Line, RawPage, Rule, joined
from quire.pdf.vocabulary import CONTINUED, FloatKind, float_label

_CONTINUED = re.compile(rf"[(\[]?\s*{CONTINUED}\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;)\]\"”。．！？：；）」』]$")
_WIDEST_PITCH = 2.3  # em between baselines of a caption in a manuscript with double spacing


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption as printed. `lines` are indices into the page's lines; `label` has the usual spelling."""

    page: int
    kind: FloatKind
    label: str
    text: str
    box: Edges
    lines: tuple[int, ...]
    size: float
    continued: bool = False


def find(page: RawPage, profile: Profile) -> tuple[Caption, ...]:
    """The captions of a page from top to bottom."""
    found = []
    for index, line in enumerate(page.lines):
        if line.angle == 0:
            parts = float_label(line.text)
            if parts and _is_caption(page, index, parts[-1]):
                found.append(_caption(page, index, profile, *parts))
    return tuple(sorted(found, key=lambda c: (c.box.y0, c.box.x0)))


# --------------------------------------------------------------------------- caption or sentence?


def _is_caption(page: RawPage, index: int, rest: str) -> bool:
    line = page.lines[index]
    marked = _marked(line)
    rest = rest.strip()
    if not rest:
        return marked or not _follows_text(page, line)
    if rest[0] in ":|–—-" or _CONTINUED.fullmatch(rest.rstrip(")].")):
        return True
    if rest[0] in ".":
        return rest[1:2] in ("", " ") and (marked or not _follows_text(page, line))
    if rest[0] in ",;)]" or rest[0].islower():
        return marked and rest[0].islower() and not _follows_text(page, line)
    return marked or (rest[0].isalnum() and not _follows_text(page, line))


def _marked(line: Line) -> bool:
    """The label is set unlike the text after it, or in capitals."""
    head, tail = line.words[0], line.words[-1]
    first = joined(line.words[:4]).split(" ")[0]
    upper = first.isupper() and len(first) > 2
    styled = (head.bold, head.italic, head.font) != (tail.bold, tail.italic, tail.font)
    return upper or (styled and (head.bold or head.font != tail.font) and len(line.words) > 2) or head.bold


def _follows_text(page: RawPage, line: Line) -> bool:
    """The line goes on from an unfinished line right above it."""
    above = [
        other
        for other in page.lines
        if other.angle == 0
        and 0.5 * line.size < line.baseline - other.baseline < CLOSE * line.size
        and same_size(line.size, other.size)
        and are_stacked(other, line)
    ]
    if not above:
        return False
    nearest = max(above, key=lambda other: other.baseline)
    return not _SENTENCE_END.search(nearest.text)


# --------------------------------------------------------------------------- how far it goes


def _caption(page: RawPage, index: int, profile: Profile, kind: FloatKind, label: str, rest: str) -> Caption:
    rows = [_with_right_pieces(page, index, alone=not rest.strip(" .:|"))]
    title_apart = not rest.strip(" .:|") and len(rows[0]) == 1
    step = 0.0
    while len(rows) < 40:
        below = _next_row(page, rows, kind, step, title_apart and len(rows) == 1, profile)
        if below is None:
            break
        new = page.lines[below[0]].baseline - page.lines[rows[-1][0]].baseline
        step = step or (0.0 if title_apart and len(rows) == 1 else new)
        rows.append(below)
    indices = tuple(i for row in rows for i in row)
    lines = [page.lines[i] for i in indices]
    box = around(lines)
    text = tidy(join_texts([" ".join(page.lines[i].text for i in row) for row in rows]))
    return Caption(
        page.number, kind, label, text, box, indices, lines[0].size,
        continued=bool(
            _CONTINUED.match(rest.strip(" .:–—-")) or text.lower().startswith("cont")
            or text.lower().endswith("(continued)")
        ),
    )  # fmt: skip


def _with_right_pieces(page: RawPage, index: int, *, alone: bool) -> list[int]:
    """The label's line, and the piece after a wide gap when the label stands alone in it."""
    row = [index]
    if not alone:
        return row
    line = page.lines[index]
    right = [
        (other.x0, i)
        for i, other in enumerate(page.lines)
        if i != index
        and other.angle == 0
        and on_one_baseline(line, other)
        and 0 < other.x0 - line.x1 < 8 * line.size
    ]
    if len(right) == 1:
        row.append(right[0][1])
    return row


def _next_row(
    page: RawPage,
    rows: Sequence[Sequence[int]],
    kind: FloatKind,
    step: float,
    title_apart: bool,
    profile: Profile,
) -> list[int] | None:
    last = [page.lines[i] for i in rows[-1]]
    every = [page.lines[i] for row in rows for i in row]
    x0, x1 = min(p.x0 for p in every), max(p.x1 for p in every)
    size, base = last[0].size, last[0].baseline
    reach = (
        2.4 * size
        if title_apart
        else min(1.14 * step + 0.3, _WIDEST_PITCH * size)
        if step
        else _first_reach(size, profile)
    )
    below = [
        (i, other)
        for i, other in enumerate(page.lines)
        if other.angle == 0
        and 0.5 * size < other.baseline - base <= reach
        and min(other.x1, x1) - max(other.x0, x0) > 0.4 * min(other.x1 - other.x0, x1 - x0)
    ]
    if not below:
        return None
    nearest = min(below, key=lambda p: p[1].baseline)
    line = nearest[1]
    if not title_apart and not same_size(size, line.size):
        return None
    if line.x0 < x0 - 3 * size and line.x1 <= x1 + size:
        return None
    if _rule_between(page.rules, last[0], line) or float_label(line.text):
        return None
    if kind == "table" and _is_tabular(page, line, x0, x1):
        return None
    return [nearest[0]]


def _first_reach(size: float, profile: Profile) -> float:
    return min(max(1.3 * size, 1.12 * profile.pitch_of(size)), _WIDEST_PITCH * size)


def _rule_between(rules: Sequence[Rule], above: Line, below: Line) -> bool:
    return any(
        r.horizontal
        and above.baseline - 1 < r.y0 < below.baseline - 0.4 * below.size
        and shared_width(r, above) > 0.3 * (above.x1 - above.x0)
        for r in rules
    )


def _is_tabular(page: RawPage, line: Line, x0: float, x1: float) -> bool:
    """Other pieces stand on the same row within the caption's own width: a row of the table."""
    return any(
        other is not line
        and other.angle == 0
        and on_one_baseline(line, other)
        and other.x0 < x1 - line.size
        and other.x1 > x0 + line.size
        and (other.x0 > line.x1 or other.x1 < line.x0)
        for other in page.lines
    )
