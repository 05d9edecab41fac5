"""Lines that a file draws twice at one place, for a shadow or under a second layer of text: one is enough."""

from __future__ import annotations

from dataclasses import replace

from quire.documents.raw import Line, RawPage

_SHORTEST = 12  # characters; the cells of a table may be equal and near each other
_NEAR = 0.4  # em between the places of two copies


def without_doubles(page: RawPage) -> RawPage:
    """The page with the first of the copies of every line; the page itself if it has none."""
    seen: dict[str, list[Line]] = {}
    kept: list[Line] = []
    for line in page.lines:
        copies = seen.setdefault(line.text, [])
        if len(line.text) < _SHORTEST or not any(_same_place(line, other) for other in copies):
            kept.append(line)
            copies.append(line)
    return page if len(kept) == len(page.lines) else replace(page, lines=tuple(kept))


def _same_place(one: Line, other: Line) -> bool:
    near = _NEAR * one.size
    return (
        abs(one.x0 - other.x0) < near
        and abs(one.x1 - other.x1) < near
        and abs(one.baseline - other.baseline) < near
        and one.angle == other.angle
    )
