"""Where the list of references stands among the parts of a document, and its entries."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.documents.layout.blocks import box_of
from quire.documents.layout.rows import Row
from quire.documents.references.parse import parse_entry
from quire.documents.references.split import split_entries
from quire.documents.sections.headings import Part
from quire.documents.sections.names import BACK_RUN_IN, REFERENCES, split_number
from quire.documents.words import join_rows
from quire.types import Reference

_AFTER = re.compile(
    r"^(?:appendix|appendices|supplement|supporting|acknowledg|author|about the|biograph|figure|"
    r"table|checklist|"
    r"neurips|a\.?\d|annex|index\b|competing|conflict|funding)",
    re.IGNORECASE,
)


def take_references(parts: Sequence[Part]) -> tuple[list[Part], list[Reference]]:
    """The parts without the blocks of the lists of references, and the references themselves."""
    kept: list[Part] = []
    references: list[Reference] = []
    inside = False
    rows: list[Row] = []
    for part in parts:
        if part.heading is not None and REFERENCES.match(part.heading.text.strip()):
            references += _entries(rows)
            rows, inside = [], True
            kept.append(part)
        elif inside and part.heading is not None and _leaves(part, rows):
            references += _entries(rows)
            rows, inside = [], False
            kept.append(part)
        elif inside:
            rows.extend(part.heading.rows if part.heading else part.block.rows if part.block else ())
        else:
            kept.append(part)
    references += _entries(rows)
    return kept, references


def _leaves(part: Part, rows: Sequence[Row]) -> bool:
    """A heading that ends the list, rather than a line of an entry that looks like one."""
    heading = part.heading
    if heading is None:
        return False
    if heading.look.run_in:
        return bool(rows and heading.look.bold and BACK_RUN_IN.match(heading.title))
    if not rows:
        return True
    if _AFTER.match(heading.title) or _AFTER.match(heading.text):
        return True
    numbered = split_number(heading.text)
    usual = sorted(r.line.size for r in rows)[len(rows) // 2]
    return heading.look.size > usual * 1.06 or (
        heading.look.bold and bool(numbered.number or heading.look.size >= usual)
    )


def _entries(rows: Sequence[Row]) -> list[Reference]:
    out: list[Reference] = []
    for entry in split_entries(rows):
        text = join_rows([row.line for row in entry.rows])
        title, year = parse_entry(text)
        if len(text) < 12:
            continue
        box = box_of(entry.rows)
        out.append(Reference(entry.rows[0].page, box, text, entry.label, title, year))
    return out
