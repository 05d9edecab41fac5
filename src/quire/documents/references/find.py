"""The entries of the lists of references, from labelled rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.documents.joining import join_rows
from quire.documents.labeller.model import Labelled
from quire.documents.layout.blocks import box_of
from quire.documents.layout.rows import Row
from quire.documents.references.parse import parse_entry
from quire.types import Reference

_LABEL = re.compile(r"^(?:\[[^\]]{1,40}\]|\(\d{1,4}\)|\d{1,4}\s?[.)](?!\d)|\d{1,4}(?=\s+[^\W\d_]))")
_SHORTEST = 12  # characters of an entry


def read_references(labelled: Sequence[Labelled]) -> list[Reference]:
    """The references in printed order."""
    entries: list[list[Row]] = []
    for item in labelled:
        if item.label == "ref" or (item.label == "ref2" and not entries):
            entries.append([item.row])
        elif item.label == "ref2":
            entries[-1].append(item.row)
    return [found for rows in entries if (found := _reference(rows)) is not None]


def _reference(rows: Sequence[Row]) -> Reference | None:
    text = join_rows([row.line for row in rows])
    if len(text) < _SHORTEST:
        return None
    label = _LABEL.match(text)
    title, year = parse_entry(text)
    return Reference(rows[0].page, box_of(rows), text, label.group(0).strip() if label else "", title, year)
