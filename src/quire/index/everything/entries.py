"""What one search looks through: sentences, rows of tables, captions, headings, abstracts and titles."""

from __future__ import annotations

from quire.index.cells import Pair, pair

KINDS: dict[str, Pair] = {
    "sentence": pair("sentences", "sentence_content"),
    "row": pair("cells", "row_content"),
    "table": pair("tables", "table_caption"),
    "figure": pair("images", "image_caption"),
    "heading": pair("sections", "section_title"),
    "abstract": pair("metadata", "abstract"),
    "title": pair("metadata", "title"),
}
NAMES: tuple[str, ...] = tuple(KINDS)
NUMBERS: tuple[int, ...] = tuple(each.number for each in KINDS.values())
