"""The table of contents, which repeats every heading and must not be taken for the sections themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.documents.sections.headings import Part

_NAME = re.compile(
    r"^(?:table of contents|contents|inhalt(?:sverzeichnis)?|sommaire|table des matières|índice|"
    r"list of (?:figures|tables)|abbildungsverzeichnis|tabellenverzeichnis)\s*$",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?<!\.)(?<!\.\s)(?:\.\s?){5,}+\s*+\w{1,5}$")
_ENTRY = re.compile(r"(?<!\.)(?<!\.\s)(?:\.\s?){3,}+\s*+\w{1,5}\s*$|\s\d{1,4}\s*$|\s[ivxlc]{1,6}\s*$")


def without_contents(parts: Sequence[Part]) -> list[Part]:
    """The parts without lists of contents: blocks of leaders, and what follows the word "Contents"."""
    out: list[Part] = []
    inside = False
    for part in parts:
        if part.heading is not None and _NAME.match(part.heading.text.strip()):
            inside = True
            continue
        if inside and _is_entries(part):
            continue
        if part.block is not None and _leaders(part):
            continue
        inside = False
        out.append(part)
    return out


def _rows(part: Part) -> list[str]:
    rows = part.heading.rows if part.heading else part.block.rows if part.block else ()
    return [row.text.strip() for row in rows]


def _is_entries(part: Part) -> bool:
    rows = _rows(part)
    return bool(_ENTRY.search(rows[-1])) or sum(bool(_ENTRY.search(r)) for r in rows) >= 0.4 * len(rows)


def _leaders(part: Part) -> bool:
    rows = _rows(part)
    return sum(bool(_LEADERS.search(row)) for row in rows) >= 0.5 * len(rows)
