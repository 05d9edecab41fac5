"""The file's own outline (bookmarks) as a second opinion on what is a heading.

A bookmark whose words stand in a block of its page makes that block a heading; the outline also gives
levels where the page prints no numbers. It is not trusted alone: many files carry none, or one that
names only figures or parts of a template.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from quire.documents.layout.profile import Profile
from quire.documents.sections.headings import Heading, Part, look_of
from quire.documents.sections.names import split_number


class OutlineEntry(NamedTuple):
    """A bookmark of the file: level from 1, page from 1 (0 if it points nowhere), y or None."""

    title: str
    level: int
    page: int
    y: float | None


def with_outline(parts: Sequence[Part], outline: Sequence[OutlineEntry], profile: Profile) -> list[Part]:
    """The parts, with blocks that the outline names made headings."""
    if len(outline) < 3:
        return list(parts)
    wanted: dict[tuple[int, str], OutlineEntry] = {}
    for entry in outline:
        key = _bare(split_number(entry.title.strip()).title)
        if len(key) >= 3:
            wanted[(entry.page, key)] = entry
    marked = [_marked(part, wanted) for part in parts]
    top = min((e.level for e in wanted.values()), default=1)
    hits = sum(1 for m in marked if m)
    trusted = hits >= 0.6 * len(wanted) and hits >= 3
    out: list[Part] = []
    for part, named in zip(parts, marked, strict=True):
        if part.heading is not None and named and trusted and not part.heading.depth:
            out.append(Part(replace(part.heading, depth=named.level - top + 1), None))
        elif part.block is not None and len(part.block.rows) <= 4 and len(part.block.text) < 200:
            numbered = split_number(part.block.text)
            found = _entry(wanted, part.block.page, numbered.title)
            if found is None:
                out.append(part)
                continue
            depth = numbered.depth or (found.level - top + 1 if trusted else 0)
            heading = Heading(
                part.block.text, numbered.number, numbered.title, depth, look_of(part.block), part.block.rows
            )
            out.append(Part(heading, None))
        else:
            out.append(part)
    return out


def _marked(part: Part, wanted: dict[tuple[int, str], OutlineEntry]) -> OutlineEntry | None:
    return _entry(wanted, part.heading.rows[0].page, part.heading.title) if part.heading else None


def _entry(wanted: dict[tuple[int, str], OutlineEntry], page: int, title: str) -> OutlineEntry | None:
    return wanted.get((page, _bare(title)))


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())
