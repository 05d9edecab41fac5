"""Short remarks on tables and figures, and where a paper can be had: what needs neither model nor parser."""

from __future__ import annotations

import re
from html import unescape

from quire.text import sentence_texts
from quire.types import Document, Image, Metadata, Table

_ROW = re.compile(r"<tr\b(?:(?!<tr\b).)*?</tr>", re.DOTALL | re.IGNORECASE)
_CELL = re.compile(r"<t([hd])\b[^<>]*>((?:(?!<t[hd]\b).)*?)</t\1>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]+>")
_LABEL = re.compile(r"([^\W\d]{1,40})\.?\s{0,9}(\d{1,9}|[IVX]{1,9})")
_WORDS = 50


def download_url(metadata: Metadata) -> str:
    """Where a paper can be had, from its arXiv id, its own words or its DOI; "" if it does not say."""
    if metadata.arxiv_id:
        return f"https://arxiv.org/pdf/{metadata.arxiv_id}"
    if metadata.url:
        return metadata.url
    return f"https://doi.org/{metadata.doi}" if metadata.doi else ""


def table_summary(table: Table) -> str:
    """Caption, heads of the columns and of the rows, and the size of a table in words."""
    rows = [[(_words(text)) for _, text in _CELL.findall(row)] for row in _ROW.findall(table.html)]
    rows = [row for row in rows if row]
    if not rows:
        return shortened(table.caption)
    heads = ", ".join(cell for cell in rows[0] if cell)
    first = ", ".join(row[0] for row in rows[1:] if row[0])
    size = f"{len(rows)} rows, {max(len(row) for row in rows)} columns."
    parts = [shortened(table.caption, 25), f"Columns: {shortened(heads, 25)}." if heads else ""]
    parts += [f"Rows: {shortened(first, 25)}." if first else "", size]
    return " ".join(part for part in parts if part)


def image_summary(image: Image, document: Document) -> str:
    """The first sentences of the paper that speak of the figure, else its caption, in at most 50 words."""
    found = _LABEL.search(image.label)
    if not found:
        return shortened(image.caption)
    stem, number = found.groups()
    mention = re.compile(rf"\b{re.escape(stem[:3])}[a-z]*\.?\s*{re.escape(number)}(?!\d)", re.IGNORECASE)
    told = []
    for section in document.sections:
        for paragraph in section.paragraphs:
            if mention.search(paragraph.text):
                told += [s for s in sentence_texts(paragraph.text) if mention.search(s)]
        if len(told) > 3:
            break
    return shortened(" ".join(told) or image.caption)


def _words(html: str) -> str:
    return " ".join(unescape(_TAG.sub(" ", html)).split())


def shortened(text: str, words: int = _WORDS) -> str:
    """The first words of a text."""
    parts = text.split()
    return " ".join(parts) if len(parts) <= words else " ".join(parts[:words]) + " ..."
