"""A document as JSON: every element in reading order, with kind, page, box and confidence.

    {"metadata": {...}, "pages": [...], "elements": [{"kind": "heading", "text": "1 Boats", "page": 1,
     "bbox": [72.0, 90.1, 80.2, 12.0], "confidence": 0.98, "level": 1, ...}, ...]}

As JSON Lines, the document's own line comes first, and each element has one.
"""

from __future__ import annotations

from typing import Any

from quire import jsontext
from quire.pdf.writers.order import OrderedItem, ordered
from quire.types import Box, Document, Equation, Image, Paragraph, Reference, Table

_ENTRY = ("label", "title", "year", "authors", "venue", "volume", "first_page", "last_page", "doi")


def as_json(document: Document) -> str:
    """One JSON document."""
    return jsontext.dumps({**_said(document), "elements": _elements(document)}, indent=1) + "\n"


def as_jsonl(document: Document) -> str:
    """One JSON document a line: the paper, then its elements."""
    lines = [{"kind": "document", **_said(document)}, *_elements(document)]
    return "".join(jsontext.dumps(line) + "\n" for line in lines)


def _said(document: Document) -> dict[str, Any]:
    return {
        "metadata": jsontext.as_json(document.metadata),
        "parser": document.parser,
        "notes": document.notes,
        "scanned": document.scanned,
        "pages": [
            {"number": page.number, "width": page.width, "height": page.height, "label": page.label}
            for page in document.pages
        ],
    }


def _elements(document: Document) -> list[dict[str, Any]]:
    items = ordered(document)
    behind = int(bool(items) and items[0].kind == "title")
    items[behind:behind] = [
        OrderedItem("affiliation", place.text, place.page, place.bbox, place.confidence)
        for place in document.metadata.places
        if place.field == "affiliations"
    ]
    return [{"order": at, **_element(item)} for at, item in enumerate(items)]


def _element(item: OrderedItem) -> dict[str, Any]:
    told: dict[str, Any] = {
        "kind": item.kind,
        "text": item.text,
        "page": item.page,
        "bbox": _box(item.bbox) if item.bbox else None,
        "confidence": item.confidence,
    }
    if item.level:
        told["level"] = item.level
    if item.section is not None:
        told["section"] = item.section
    return told | _own(item)


def _own(item: OrderedItem) -> dict[str, Any]:
    """What only elements of its kind have."""
    source = item.source
    if isinstance(source, Table):
        names = ("row", "column", "row_end", "column_end", "text", "head", "page")
        cells = [
            {name: getattr(cell, name) for name in names} | {"bbox": _box(cell.bbox)} for cell in source.cells
        ]
        return {"label": source.label, "html": source.html, "cells": cells}
    if isinstance(source, Image):
        return {"label": source.label, "picture": source.picture}
    if isinstance(source, Equation):
        return {"number": source.number, "latex": source.latex, "printed": source.text}
    if isinstance(source, Reference):
        return {name: getattr(source, name) for name in _ENTRY}
    if isinstance(source, Paragraph) and source.lines and item.text == source.text:
        spans = {"spans": [span._asdict() for span in source.spans]} if source.spans else {}
        return {"lines": [{"page": line.page, "bbox": _box(line.bbox)} for line in source.lines]} | spans
    return {}


def _box(box: Box) -> list[float]:
    return [round(value, 2) for value in box]
