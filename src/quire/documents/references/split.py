"""The rows of a list of references cut into entries.

Three kinds of list: numbered ("[12]", "12."), where the next expected number begins an entry; hanging,
where an entry begins further left than its other rows; and flat, where an entry begins after a gap or
after a row that ends a sentence short of the margin.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.documents.layout.rows import Row

_LABEL = re.compile(r"^(?:\[\s?(\d{1,4})\s?\]|\((\d{1,4})\)|(\d{1,4})\s?[.)](?!\d)|(\d{1,4})(?=\s+[^\W\d_]))")
_ALPHA = re.compile(r"^\[[A-Za-zÀ-ÿ+&’' .,-]{1,40}\d{0,4}[a-z]?\]")
_NAME = re.compile(
    r"^(?:[A-ZÀ-Þ][\w’'À-ÿ-]+,? |(?:[A-ZÀ-Þ]\.[ -]?)+[A-ZÀ-Þ]|(?:van|von|de|der|da|del|la|le) )"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """The rows of one reference and its printed label."""

    rows: tuple[Row, ...]
    label: str


def split_entries(rows: Sequence[Row]) -> list[Entry]:
    """The entries of a list of references, in order."""
    rows = [row for row in rows if row.text.strip()]
    if not rows:
        return []
    starts = _numbered(rows)
    if starts is None:
        starts = _alphabetic(rows)
    if starts is None:
        starts = _hanging(rows)
    if starts is None:
        starts = _flat(rows)
    cuts = sorted(starts)
    entries: list[Entry] = []
    for a, b in zip(cuts, [*cuts[1:], len(rows)], strict=True):
        entries.append(Entry(tuple(rows[a:b]), starts[a]))
    return entries


def _label(row: Row) -> tuple[int, str] | None:
    match = _LABEL.match(row.text)
    if match is None:
        return None
    number = next(g for g in match.groups() if g)
    return int(number), match.group(0).strip()


def _numbered(rows: Sequence[Row]) -> dict[int, str] | None:
    """Rows that carry the next number of the list; None if the list is not numbered."""
    kinds: dict[str, int] = {}
    for row in rows:
        found = _label(row)
        if found:
            kind = re.sub(r"\d+", "#", found[1])
            kinds[kind] = kinds.get(kind, 0) + 1
    for kind in sorted(kinds, key=lambda k: (-kinds[k], k)):
        starts = _sequence(rows, kind)
        if len(starts) >= max(2, 0.05 * len(rows)) or (len(starts) == 1 and len(rows) <= 6):
            return starts
    return None


def _sequence(rows: Sequence[Row], kind: str) -> dict[int, str]:
    starts: dict[int, str] = {}
    expected: int | None = None
    for i, row in enumerate(rows):
        found = _label(row)
        if found is None or re.sub(r"\d+", "#", found[1]) != kind:
            continue
        number, label = found
        if expected is None:
            if i > 3 or number > 1 and i > 0:
                return {}
            expected = number
        if number == expected or (expected < number <= expected + 2 and _at_left(row)):
            starts[i] = label
            expected = number + 1
    return starts


def _at_left(row: Row) -> bool:
    return row.line.x0 < row.left + 1.5 * row.line.size


def _alphabetic(rows: Sequence[Row]) -> dict[int, str] | None:
    """Labels such as [Smi07]."""
    starts = {i: m.group(0) for i, row in enumerate(rows) if (m := _ALPHA.match(row.text))}
    if len(starts) >= 3 and len(starts) >= 0.15 * len(rows) and 0 in starts:
        return starts
    return None


def _hanging(rows: Sequence[Row]) -> dict[int, str] | None:
    """Rows that stand further left than those between them."""
    starts: dict[int, str] = {}
    depths: list[float] = []
    for column in _columns(rows):
        left = _left(rows, column)
        for i in column:
            depth = (rows[i].line.x0 - left) / max(1.0, rows[i].line.size)
            depths.append(depth)
            if depth < 0.35:
                starts[i] = ""
    deep = sum(1 for d in depths if 0.5 < d < 5)
    if not deep or deep < 0.2 * len(rows) or not starts:
        return None
    named = sum(1 for i in starts if _NAME.match(rows[i].text) or not rows[i].text[0].isalpha())
    if named < 0.5 * len(starts):
        return None
    starts.setdefault(0, "")
    return starts


def _columns(rows: Sequence[Row]) -> list[list[int]]:
    out: list[list[int]] = []
    for i, row in enumerate(rows):
        last = rows[out[-1][-1]] if out else None
        if last is not None and (last.page, last.column) == (row.page, row.column):
            out[-1].append(i)
        else:
            out.append([i])
    return out


def _left(rows: Sequence[Row], column: Sequence[int]) -> float:
    """The left edge of a column of references: of the rows themselves, as other text may stand elsewhere."""
    edges = sorted(rows[i].line.x0 for i in column)
    inner = edges[0]
    if rows[column[0]].left < inner - 0.35 * rows[column[0]].line.size and len(column) < 4:
        return rows[column[0]].left
    return inner


def _flat(rows: Sequence[Row]) -> dict[int, str]:
    starts = {0: ""}
    steps = sorted(
        b.line.baseline - a.line.baseline
        for a, b in zip(rows, rows[1:], strict=False)
        if (a.page, a.column) == (b.page, b.column) and b.line.baseline > a.line.baseline
    )
    usual = steps[len(steps) // 4] if steps else 0.0
    gaps = sum(1 for s in steps if s > 1.2 * usual)
    by_gap = gaps >= max(2, 0.12 * len(rows))
    for i in range(1, len(rows)):
        above, row = rows[i - 1], rows[i]
        together = (above.page, above.column) == (row.page, row.column)
        step = row.line.baseline - above.line.baseline
        ends = above.text.rstrip()[-1:] in ".)]" or bool(re.search(r"\d$|https?://\S+$", above.text))
        if by_gap and together:
            new = step > 1.2 * usual
        else:
            short = above.line.x1 < above.right - 0.08 * (above.right - above.left)
            new = ends and (short or not together) and bool(_NAME.match(row.text))
        if new:
            starts[i] = ""
    return starts
