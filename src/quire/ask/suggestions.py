"""Questions to begin with, of a paper's own tables and headings; no model is needed.

    suggested(connection, paper_id)
    ["In Table 1, what is given for “Green tea” under “Mean speed (WPM)”?",
     "What does the paper say about “Brewing times”?", "What do the authors conclude?"]

Names stand in quotes, as they are printed: whatever their grammar, the question is an English one.

The first is about a cell that has a number and one name for its row and column, the second about the heading
with most text under it that names something of its own, the third about limits, conclusions or a figure. A
paper without any of these is asked what it did and found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import duckdb

_MOST = 3
_ANY = ("What was found?", "How was it done?", "Why was it done?")
_SHORTEST, _LONGEST = 3, 50  # letters of a name
_GENERAL = re.compile(
    r"(?i)\b(introduction|background|methods?|methodology|materials?|results?|findings|discussion|conclusions?"
    r"|abstract|summary|references|acknowledge?ments?|appendix|appendices|supplementary|supporting|funding"
    r"|authors?|conflicts?|competing|interests?|availability|related work|experiments?|evaluation"
    r"|limitations?|statistical|ethics?|ethical|consent|contributions?|abbreviations|overview|future|objectives?|keywords)\b"
)
_NUMBER = re.compile(
    r"^(?:[\s\dIVXivx.]{1,12}[.)\s]|[A-H][.)]?\s(?=[A-Z]))\s*"
)  # or the letter of an appendix
_AROUND = " .:*•-'‘’"
_EMPTY = re.compile(r"(?i)\b(none|nan|null|n/a)\b")
_CELLS = """
    SELECT t.table_label, c.row_label, c.column_label, count(*) OVER (
        PARTITION BY c.ref_table_id, c.row_label, c.column_label) AS alike
    FROM cells c JOIN tables t ON c.ref_table_id = t.table_id JOIN pages p ON t.ref_page_id = p.page_id
    WHERE c.ref_paper_id = ?::UUID AND NOT c.is_head AND c.cell_number IS NOT NULL AND t.table_label <> ''
    ORDER BY p.page_number, t.ordinal, c.row_index, c.column_index LIMIT 2000"""
_HEADINGS = """
    SELECT section_title FROM sections WHERE ref_paper_id = ?::UUID AND length(section_content) > 80
    ORDER BY length(section_content) DESC, ordinal LIMIT 200"""
_ENDS = """
    SELECT
        (SELECT count(*) FROM sentences WHERE ref_paper_id = $1::UUID
            AND regexp_matches(sentence_content, '(?i)\\blimitations?\\b')),
        (SELECT count(*) FROM sections WHERE ref_paper_id = $1::UUID
            AND regexp_matches(section_title, '(?i)\\bconclu')),
        (SELECT min(image_label) FROM images WHERE ref_paper_id = $1::UUID AND image_label <> '')"""


def suggested(connection: duckdb.DuckDBPyConnection, paper: str) -> list[str]:
    """Three questions that the paper speaks of."""
    cells, headings = list(_of_cells(connection, paper)), list(_of_headings(connection, paper))
    ends = list(_of_ends(connection, paper))
    found = [*cells[:1], *headings[:1], *ends[:1], *headings[1:], *cells[1:], *ends[1:], *_ANY]
    return list(dict.fromkeys(found))[:_MOST]


def _of_cells(connection: duckdb.DuckDBPyConnection, paper: str) -> Iterator[str]:
    asked: set[str] = set()
    for table, row, column, alike in connection.execute(_CELLS, [paper]).fetchall():
        names = [_last(row), _last(column)]
        if table not in asked and alike == 1 and all(map(_telling, names)) and names[0] != names[1]:
            asked.add(table)
            yield f"In {table}, what is given for “{names[0]}” under “{names[1]}”?"


def _of_headings(connection: duckdb.DuckDBPyConnection, paper: str) -> Iterator[str]:
    for (title,) in connection.execute(_HEADINGS, [paper]).fetchall():
        name = _bare(_NUMBER.sub("", title))
        if 1 < len(name.split()) < 9 and _telling(name) and not _GENERAL.search(name):
            yield f"What does the paper say about “{name}”?"


def _of_ends(connection: duckdb.DuckDBPyConnection, paper: str) -> Iterator[str]:
    limits, conclusions, figure = connection.execute(_ENDS, [paper]).fetchall()[0]
    if limits:
        yield "What are the limitations of this work?"
    if conclusions:
        yield "What do the authors conclude?"
    if figure:
        yield f"What does {figure} show?"


def _last(label: str) -> str:
    return _bare(" ".join(label.split(" > ")[-1].split()))


def _bare(name: str) -> str:
    return re.sub('[“”"]', "", name).strip(_AROUND)


def _telling(name: str) -> bool:
    letters = sum(char.isalpha() for char in name)
    told = letters >= _SHORTEST and len(name) <= _LONGEST and letters > len(name) / 2
    return told and not _EMPTY.search(name)
