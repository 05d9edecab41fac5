"""Footnotes: small type at the foot of a column, under a short rule or begun by a mark."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.documents.layout.profile import Profile
from quire.documents.layout.rows import Row
from quire.documents.raw import RawPage
from quire.documents.sections.names import REFERENCES

_MARK = re.compile(r"^[*†‡§¶#∗⋆⁎]|^\(?[*†‡]")
_IMPRINT = re.compile(
    r"permission to make|copyright|©|\(c\) |licen[sc]e|proceedings of|work done|correspond|e-?mail|"
    r"equal contribution|this (?:work|paper|research)|supported by|doi\b|https?://|manuscript received|"
    r"conference on|received:|accepted",
    re.IGNORECASE,
)


def split_notes(rows: Sequence[Row], page: RawPage, profile: Profile) -> tuple[list[Row], list[Row]]:
    """The rows of running text and the rows of footnotes of one page, each in order."""
    text: list[Row] = []
    notes: list[Row] = []
    for column in _columns(rows):
        cut = _cut(column, page, profile)
        text.extend(column[:cut])
        notes.extend(column[cut:])
    return text, notes


def _columns(rows: Sequence[Row]) -> list[list[Row]]:
    out: list[list[Row]] = []
    for row in rows:
        if out and out[-1][-1].column == row.column:
            out[-1].append(row)
        else:
            out.append([row])
    return out


def _cut(column: Sequence[Row], page: RawPage, profile: Profile) -> int:
    """Where the footnotes of a column begin (its length if there are none)."""
    size = profile.size
    start = len(column)
    while start > 0 and column[start - 1].line.size <= 0.93 * size:
        start -= 1
    small = column[start:]
    if not small or column[-1].line.y1 < 0.55 * page.height:
        return len(column)
    if not start and column[0].line.y0 > 0.9 * page.height and small[0].line.size <= 0.8 * size:
        return 0
    if start and REFERENCES.match(column[start - 1].text.strip()):
        return start + _after_list(small, page)  # references are set in small type too
    for k, row in enumerate(small):  # a rule decides, wherever it is
        if row.line.y0 > 0.4 * page.height and _under_rule(
            row, column[start + k - 1] if start + k else None, page
        ):
            return start + k
    for k, row in enumerate(small):
        if _marked(row) and row.line.y0 > 0.4 * page.height and _apart(small, k):
            if start + k == 0 and column[0].line.y0 < 0.6 * page.height:
                continue
            return start + k
    if page.number == 1 and start > 0 and _IMPRINT.search(" ".join(r.text for r in small[:4])):
        return start
    return len(column)


def _after_list(small: Sequence[Row], page: RawPage) -> int:
    """Where footnotes begin under a list in small type: at most six rows under a rule, with a mark."""
    for k in range(max(1, len(small) - 6), len(small)):
        if _under_rule(small[k], small[k - 1], page) and (_marked(small[k]) or _numbered(small[k])):
            return k
    return len(small)


def _numbered(row: Row) -> bool:
    """A note's number that is not raised: "3 This id comes from ..."; "3." would be an entry of the list."""
    return bool(re.match(r"^\d{1,2}\s?[A-Z“\"]", row.text))


def _marked(row: Row) -> bool:
    first = row.line.words[0]
    return first.script == 1 or bool(_MARK.match(first.text))


def _apart(small: Sequence[Row], k: int) -> bool:
    """A note begins here: it is the first small row, or stands a little away from the one above."""
    if k == 0:
        return True
    above, row = small[k - 1].line, small[k].line
    return row.baseline - above.baseline > 1.25 * row.size or above.x1 < small[k - 1].right - 3 * row.size


def _under_rule(row: Row, above: Row | None, page: RawPage) -> bool:
    width = row.right - row.left
    top = above.line.y1 if above else 0.0
    for rule in page.rules:
        if not rule.horizontal or rule.edge or not top - 2 <= rule.y0 <= row.line.y0 + 2:
            continue
        if abs(rule.x0 - row.left) < 0.12 * width + 4 and 0.1 * width < rule.x1 - rule.x0 < 0.75 * width:
            return True
    return False
