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
from quire.pdf.raw import Edges, Line, RawPage
from quire.pdf.vocabulary import CONTINUED, FloatKind, float_label

_CONTINUED = re.compile(rf"[(\[]?\s*{CONTINUED}\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;)\]\"”。．！？：；）」』]$")
_WIDEST = 2.3  # em between baselines of a caption in a manuscript with double spacing
_LONGEST = 40  # rows; each is looked for among all lines of its page
_EVEN = 1.15  # times the distance between the lines before, or the usual one, at most


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption as printed. `lines` are those of the page; `label` has the usual spelling."""

    page: int
    kind: FloatKind
    label: str
    text: str
    box: Edges
    lines: tuple[Line, ...]
    size: float
    continued: bool = False


def find(page: RawPage, profile: Profile) -> tuple[Caption, ...]:
    """The captions of a page from top to bottom."""
    found = []
    for line in page.upright:
        parts = float_label(line.text)
        if parts and _is_caption(page, line, parts[-1].strip()):
            found.append(_caption(page, line, profile, *parts))
    return tuple(sorted(found, key=lambda c: (c.box.y0, c.box.x0)))


def _is_caption(page: RawPage, line: Line, rest: str) -> bool:
    sign = rest[:1]
    if (sign and sign in ":|–—-") or _CONTINUED.fullmatch(rest.rstrip(")].")):
        return True
    if (sign and sign in ",;)]") or (sign == "." and rest[1:2].strip()):
        return False
    if sign.islower():
        return _marked(line) and not _follows_text(page, line)
    return _marked(line) or ((sign in "." or sign.isalnum()) and not _follows_text(page, line))


def _marked(line: Line) -> bool:
    """The label is bold, or set in another font than the text after it."""
    return line.words[0].bold or (line.words[0].font != line.words[-1].font and len(line.words) > 2)


def _follows_text(page: RawPage, line: Line) -> bool:
    """The line goes on from an unfinished line right above it."""
    above = [
        other
        for other in page.upright
        if 0 < line.baseline - other.baseline < CLOSE * line.size
        and same_size(line.size, other.size)
        and are_stacked(other, line)
    ]
    nearest = max(above, key=lambda other: other.baseline, default=None)
    return nearest is not None and not _SENTENCE_END.search(nearest.text)


def _caption(page: RawPage, line: Line, profile: Profile, kind: FloatKind, label: str, rest: str) -> Caption:
    alone = not rest.strip(" .:|")
    rows = [[line, *_right_pieces(page, line)] if alone else [line]]
    title_below = alone and len(rows[0]) == 1
    step = 0.0
    while len(rows) < _LONGEST:
        lines = [each for row in rows for each in row]
        last = rows[-1][0]
        pitch = step or max(profile.pitch_of(last.size), last.size)
        reach = _WIDEST * last.size if title_below else min(_WIDEST * last.size, _EVEN * pitch)
        below = _below(page, last, around(lines), reach, kind, title_below)
        if below is None or _rule_between(page.rules, last, below):
            break
        if not title_below:
            step = step or below.baseline - last.baseline
        rows.append([below])
        title_below = False
    lines = [each for row in rows for each in row]
    text = tidy(join_texts([" ".join(each.text for each in row) for row in rows]))
    again = _CONTINUED.match(rest.strip(" .:–—-")) or _CONTINUED.match(text)
    return Caption(
        page.number, kind, label, text, around(lines), tuple(lines), line.size,
        continued=bool(again or text.lower().endswith("(continued)")),
    )  # fmt: skip


def _right_pieces(page: RawPage, line: Line) -> list[Line]:
    """The piece after a wide gap behind a label, where it is one."""
    right = [o for o in page.upright if on_one_baseline(line, o) and 0 < o.x0 - line.x1 < 8 * line.size]
    return right if len(right) == 1 else []


def _below(
    page: RawPage, last: Line, box: Edges, reach: float, kind: FloatKind, title_below: bool
) -> Line | None:
    """The line that goes on with a caption that ends with another and stands in a box so far."""
    under = (o for o in page.upright if 0 < o.baseline - last.baseline <= reach and are_stacked(o, box))
    line = min(under, key=lambda o: o.baseline, default=None)
    if line is None or not (title_below or same_size(last.size, line.size)) or float_label(line.text):
        return None
    return None if kind == "table" and _is_tabular(page, line, box.x0, box.x1) else line


def _rule_between(rules: Sequence[Edges], above: Line, below: Line) -> bool:
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
        and on_one_baseline(line, other)
        and other.x0 < x1 - line.size
        and other.x1 > x0 + line.size
        and (other.x0 > line.x1 or other.x1 < line.x0)
        for other in page.upright
    )
