"""Tables in parts: over pages, in the next column, or apart from their caption."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from quire.documents.captions import Caption
from quire.documents.raw import RawPage
from quire.documents.tables.finding import FoundTable, joined

_CONTINUED = re.compile(r"(?:^|[\s(])cont(?:inued|['’]?d)?[.)]*$", re.IGNORECASE)
_FROM = re.compile(r"^\(?(?:table \w+ )?continued from (?:the )?(?:previous|preceding) column", re.IGNORECASE)
_LONG = 40  # points: shorter lines are no text


def in_columns(parts: Sequence[FoundTable]) -> list[FoundTable]:
    """The tables of a page; one that says it is continued from another column is joined to its beginning."""
    out = list(parts)
    for part in parts:
        head = [c.text for c in part.grid.row_cells(0)]
        if not any(_FROM.match(c.text) for c in part.grid.cells):
            continue
        for k, first in enumerate(out):
            if first.caption is None and [c.text for c in first.grid.row_cells(0)] == head:
                out[k] = replace(joined(first, part), caption=part.caption)
                out = [t for t in out if t is not part]
                break
    return out


def goes_on(last: FoundTable, before: RawPage, first: FoundTable, page: RawPage) -> bool:
    """The last table of a page and one without caption at the head of the next have the same columns."""
    foot = max((line.y1 for line in before.lines if line.x1 - line.x0 > _LONG), default=0.0)
    own = [p for p in page.lines if p.x1 - p.x0 > _LONG and not _CONTINUED.search(p.text)]
    head = min((line.y0 for line in own), default=first.box.y0)
    return (
        first.caption is None
        and page.number == before.number + 1
        and last.grid.columns == first.grid.columns
        and abs(last.box.x0 - first.box.x0) < 12
        and abs(last.box.x1 - first.box.x1) < 30
        and foot < last.box.y1 + 30
        and head > first.box.y0 - 12
    )


def left_at_foot(captions: Sequence[Caption], found: Sequence[FoundTable], page: RawPage) -> Caption | None:
    """The caption of a table that stands on the next page: the last thing on its own."""
    last = max(captions, key=lambda c: c.box.y1, default=None)
    if last is None or last.kind != "table" or any(t.caption is last for t in found):
        return None
    room = last.box.y1 + 3 * last.size  # for the table's first row, which may have stayed with it
    return None if any(line.y0 > room and line.angle == 0 for line in page.lines) else last


def heads_page(table: FoundTable, page: RawPage) -> bool:
    """The table has no caption and nothing stands above it."""
    own = [line for line in page.lines if line.angle == 0 and line.x1 - line.x0 > _LONG]
    return table.caption is None and not any(line.y1 < table.box.y0 for line in own)


def over_pages(found: Sequence[FoundTable]) -> list[FoundTable]:
    """Tables in page order; parts that say so, or repeat the label without a title, become one."""
    whole: list[FoundTable] = []
    for table in sorted(found, key=lambda t: (t.page, bool(t.caption and t.caption.continued))):
        caption = table.caption
        before = next(
            (k for k, t in enumerate(whole) if caption and t.caption and t.caption.label == caption.label),
            None,
        )
        if caption and before is not None and (caption.continued or _is_bare(caption)):
            whole[before] = joined(whole[before], table)
        else:
            whole.append(table)
    return whole


def _is_bare(caption: Caption) -> bool:
    """The caption is a label without a title."""
    return len(caption.text) <= len(caption.label) + 1
