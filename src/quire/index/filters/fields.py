"""The fields that a filter may name, and what was probably meant by other names."""

from __future__ import annotations

import difflib
from typing import Literal

Kind = Literal["number", "text", "array"]

FIELDS: dict[str, Kind] = {
    "id": "number",
    "pdf_id": "text",
    "page_number": "number",
    "table_name": "text",
    "column_name": "text",
    "primary_key": "text",
    "bbox": "array",
}

_MEANT = {
    "pdf_id": "paper_id ref_paper_id pdf paper paper_uuid pdf_uuid document_id doc_id document file_id",
    "page_number": "page page_id ref_page_id page_no page_num page_numbers pages pagenumber page_index",
    "table_name": "table tablename source_table",
    "column_name": "column columnname col col_name",
    "primary_key": "key pk row_id chunk_id section_id image_id table_id equation_id reference_id uuid",
    "bbox": "bounding_box box boundingbox boundary",
}
_ALIASES = {alias: field for field, aliases in _MEANT.items() for alias in aliases.split()}
_NOTES = {
    "page_id": "It is the page's number, an integer, not its UUID.",
    "ref_page_id": "It is the page's number, an integer, not its UUID.",
    "vector": "A vector cannot be filtered: put the words into the query.",
    "text": "Texts cannot be filtered: put the words into the query.",
    "text_content": "Texts cannot be filtered: put the words into the query.",
    "title": "Titles are in the table `metadata`: find the `pdf_id` by SQL first.",
}


def advice(name: str) -> str:
    """What to write instead of an unknown field."""
    lower = name.lower()
    meant = lower if lower in FIELDS else _ALIASES.get(lower)
    if meant is None and lower not in _NOTES:
        near = difflib.get_close_matches(lower, [*FIELDS, *_ALIASES], n=1, cutoff=0.75)
        meant = _ALIASES.get(near[0], near[0]) if near else None
    parts = [f"Did you mean `{meant}`?" if meant else "", _NOTES.get(lower, "")]
    if not any(parts):
        parts = [f"A text stands in quotes: '{name}'."]
    return " ".join([*filter(None, parts), f"Fields are: {', '.join(FIELDS)}."])
