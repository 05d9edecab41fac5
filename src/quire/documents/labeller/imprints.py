"""What a publisher prints about a paper behind it is no section of it: "Author details", "Open Access"."""

from __future__ import annotations

from dataclasses import replace

from quire.documents.labeller.lexicon import named
from quire.documents.labeller.lines import opening
from quire.documents.labeller.model import Labelled

_BODY = ("para", "text", "runin", "affiliation", "other")
_KIND = "imprints"
_LONGEST = 80  # rows of one such part


def imprints(rows: list[Labelled]) -> None:
    """Take headings with such names out of the body, and what stands behind them."""
    for at, item in enumerate(rows):
        if item.label == "heading" and _KIND in named(item.row.text):
            end = at + 1
            while end < min(len(rows), at + _LONGEST) and rows[end].label in _BODY:
                end += 1
        elif item.label in ("para", "runin", "text") and _begins(item):
            end = at + 1
            while end < min(len(rows), at + _LONGEST) and rows[end].label == "text":
                end += 1
        else:
            continue
        rows[at:end] = [replace(row, label="other") for row in rows[at:end]]


def _begins(item: Labelled) -> bool:
    """Whether a row begins with such a name, set apart by its type."""
    words = item.row.line.words
    return words[0].bold and not words[-1].bold and _KIND in opening(item.row.text)
