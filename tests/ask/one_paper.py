"""A library of one small made-up paper, as rows."""

from __future__ import annotations

from typing import Any

from quire.library import Library
from tests.ask.stored import stored

PAPER = "11111111-1111-5111-8111-111111111111"
PAGES = ("22222222-2222-5222-8222-222222222221", "22222222-2222-5222-8222-222222222222")
SECTIONS = tuple(f"33333333-3333-5333-8333-33333333333{n}" for n in range(3))

PAGE_TEXTS = (
    "Tea and Typing Speed\nMira Olsen, Teun de Wit and Aiko Brand\nmira.olsen@example.org\n"
    "1 Introduction\nMany clerks drink tea. We measure words per minute (WPM) of 48 clerks.\n"
    "2 Methods\nThe clerks typed for 30 minutes. The null hypothesis test (NHT) was two-sided.",
    "3 Results\nGreen tea raised the speed by 4.2 words per minute on average.\n"
    "Table 1: Speed by kind of tea.\nFigure 1: Speed over the day.\nReferences",
)
_HEADS = ("Tea", "Clerks", "Mean speed (WPM)")
_BODY = (("Green tea", "16", "61.5"), ("Black tea", "16", "57.3"), ("None", "16", "54.9"))
_TABLE = (
    f"<table><thead><tr>{''.join(f'<th>{text}</th>' for text in _HEADS)}</tr></thead><tbody>"
    + "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in _BODY)
    + "</tbody></table>"
)
_REFERENCES = (
    ("[1]", "[1] A. Leaf. Tannins and attention. Journal of Tea, 2001.", "Tannins and attention", 2001),
    ("[2]", "[2] B. Cup and C. Pot. On brewing times. Proc. Steep, 2014.", "On brewing times", 2014),
    ("[3]", "[3] D. Key. Keyboards at work. Type Press, 1998.", "Keyboards at work", 1998),
)


def rows() -> dict[str, list[dict[str, Any]]]:
    """The rows by table."""
    box = [50, 100, 200, 40]
    on = {"ref_paper_id": PAPER, "bounding_box": box}
    return {
        "metadata": [
            {
                "paper_id": PAPER,
                "title": "Tea and Typing Speed",
                "abstract": "We ask whether tea makes clerks type faster.",
                "num_pages": 2,
                "conference_full": "Journal of Office Studies",
                "conference_abbreviation": "JOS",
                "pub_year": 2019,
                "authors": ["Mira Olsen", "Teun de Wit", "Aiko Brand"],
                "doi": "10.1234/jos.2019.007",
                "pdf_path": "tea.pdf",
                "tags": ["tea", "typing"],
            }
        ],
        "pages": [
            {
                "page_id": key,
                "page_number": number,
                "page_width": 600,
                "page_height": 800,
                "page_content": text,
                "ref_paper_id": PAPER,
                "page_label": str(100 + number),
            }
            for number, (key, text) in enumerate(zip(PAGES, PAGE_TEXTS, strict=True), 1)
        ],
        "sections": [
            {
                "section_id": SECTIONS[n],
                "section_title": title,
                "section_number": str(n + 1),
                "section_level": 1,
                "ordinal": n,
                "ref_page_id": PAGES[page - 1],
                **on,
            }
            for n, (title, page) in enumerate((("1 Introduction", 1), ("2 Methods", 1), ("3 Results", 2)))
        ],
        "chunks": [
            {
                "chunk_id": f"44444444-4444-5444-8444-44444444444{n}",
                "text_content": text,
                "ordinal": n,
                "ref_page_id": PAGES[page - 1],
                "ref_section_id": SECTIONS[n],
                **on,
            }
            for n, (text, page) in enumerate(
                (
                    ("Many clerks drink tea. We measure words per minute (WPM) of 48 clerks.", 1),
                    ("The clerks typed for 30 minutes. The null hypothesis test (NHT) was two-sided.", 1),
                    ("Green tea raised the speed by 4.2 words per minute on average.", 2),
                )
            )
        ],
        "tables": [
            {
                "table_id": "55555555-5555-5555-8555-555555555555",
                "table_label": "Table 1",
                "table_caption": "Table 1: Speed by kind of tea.",
                "table_content": _TABLE,
                "ordinal": 0,
                "ref_page_id": PAGES[1],
                **on,
            }
        ],
        "cells": [
            {
                "cell_id": f"99999999-9999-5999-8999-9999999999{row}{column}",
                "cell_content": text,
                "row_label": cells[0] if row and column else "",
                "column_label": _HEADS[column] if row else "",
                "row_index": row,
                "column_index": column,
                "is_head": not row,
                "ref_table_id": "55555555-5555-5555-8555-555555555555",
                "ref_page_id": PAGES[1],
                **on,
            }
            for row, cells in enumerate((_HEADS, *_BODY))
            for column, text in enumerate(cells)
        ],
        "images": [
            {
                "image_id": "66666666-6666-5666-8666-666666666666",
                "image_label": "Figure 1",
                "image_caption": "Figure 1: Speed over the day.",
                "ordinal": 0,
                "ref_page_id": PAGES[1],
                **on,
            }
        ],
        "equations": [
            {
                "equation_id": "77777777-7777-5777-8777-777777777777",
                "equation_content": r"s = \frac{w}{t}",
                "equation_format": "latex",
                "equation_number": "(1)",
                "ordinal": 0,
                "ref_page_id": PAGES[0],
                **on,
            }
        ],
        "reference": [
            {
                "reference_id": f"88888888-8888-5888-8888-88888888888{n}",
                "reference_label": label,
                "reference_content": text,
                "reference_title": title,
                "reference_year": year,
                "reference_authors": ["B. Cup", "C. Pot"] if n == 1 else [],
                "ordinal": n,
                "ref_page_id": PAGES[1],
                **on,
            }
            for n, (label, text, title, year) in enumerate(_REFERENCES)
        ],
    }


def small_library() -> Library:
    """The library."""
    return stored(rows())
