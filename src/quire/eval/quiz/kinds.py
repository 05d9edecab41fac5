"""What a quiz asks, a function for each kind: the questions about a paper that fit one of its rows only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from quire.ask.offline.kinds.tables import StoredGrid, grids
from quire.eval.quiz.making import PaperRows, QuizQuestion
from quire.text import sentence_texts

_NUMBER = "Your answer should be an integer."
_BEGINNING = 8  # words of a caption
_SHORTEST, _LONGEST = 60, 260  # characters of a sentence that is quoted
_PER_SECTION = 3
_CELL = ("row_index", "column_index", "cell_content", "row_label", "column_label", "is_head")
_LONGEST_CELL = 60  # characters of a name or cell: longer ones are prose that was set as a table


def metadata(rows: PaperRows) -> Iterator[QuizQuestion]:
    """What the paper says of itself: one question per field that is filled."""
    for title, authors, year, doi, pages in rows.of("title, authors, pub_year, doi, num_pages", "metadata"):
        if title:
            yield rows.printed("metadata", "What is the title of this paper?", title)
        if authors:
            yield rows.question("metadata", "How many authors does this paper have?", len(authors), _NUMBER)
            ask = "Who is the first author of this paper? Give the full name."
            yield rows.printed("metadata", ask, authors[0])
        if authors and len(authors) > 1:
            ask = "Who is the last author of this paper? Give the full name."
            yield rows.printed("metadata", ask, authors[-1])
        if year:
            yield rows.question("metadata", "In which year was this paper published?", year, _NUMBER)
        if doi:
            yield rows.printed("metadata", "What is the DOI of this paper?", doi)
        if pages:
            ask = "How many pages does the PDF of this paper have?"
            yield rows.question("metadata", ask, pages, _NUMBER)


def captions(rows: PaperRows) -> Iterator[QuizQuestion]:
    """Which figure or table has the caption that begins so? Asked where only one caption does."""
    found = [
        *rows.of("image_label, image_caption", "images"),
        *rows.of("table_label, table_caption", "tables"),
    ]
    begun = []
    for label, caption in found:
        if label and caption:
            words = caption.removeprefix(label).lstrip(" .:|\u2013\u2014-").split()
            begun.append((label, " ".join(words[:_BEGINNING])))
    for label, start in begun:
        alike = sum(other.startswith(start) or start.startswith(other) for _, other in begun)
        if len(start.split()) >= 3 and alike == 1 and '"' not in start:
            ask = f'Which figure or table of this paper has the caption that begins "{start}"?'
            form = 'Your answer should be a string like "Table 1" or "Figure 1".'
            yield rows.printed("caption", ask, label, form)


def references(rows: PaperRows) -> Iterator[QuizQuestion]:
    """The number of entries, and title and year of those whose label only one entry has."""
    entries = rows.of("reference_label, reference_title, reference_year", "reference")
    if not entries:
        return
    ask = "How many entries does the list of references of this paper have?"
    yield rows.question("reference", ask, len(entries), _NUMBER)
    labels = Counter(label for label, _, _ in entries)
    for label, title, year in entries:
        if not label or labels[label] > 1:
            continue
        if title:
            yield rows.printed(
                "reference", f"What is the title of the work listed as reference {label}?", title
            )
        if year:
            ask = f"In which year was the work published that is listed as reference {label}?"
            yield rows.question("reference", ask, year, _NUMBER)


def sections(rows: PaperRows) -> Iterator[QuizQuestion]:
    """Under which heading does a sentence stand? Some of each section, each said only once in the paper."""
    found = rows.of("section_title, section_number, section_content", "sections")
    headings = [bare_heading(title, number) for title, number, _ in found]
    known = Counter(heading.lower() for heading in headings)
    said = [sentence_texts(content) for _, _, content in found]
    often = Counter(sentence for each in said for sentence in each)
    for heading, each in zip(headings, said, strict=True):
        if not heading or known[heading.lower()] > 1:
            continue
        fit = [s for s in each if _SHORTEST <= len(s) <= _LONGEST and often[s] == 1 and '"' not in s]
        for sentence in fit[:_PER_SECTION]:
            ask = (
                f'Under which section heading does this paper say: "{sentence}"? Give it without its number.'
            )
            yield rows.printed("section", ask, heading)


def bare_heading(title: str, number: str) -> str:
    """The heading without its printed number."""
    return re.sub(rf"^{re.escape(number)}[.)\s]*", "", title).strip() if number else title.strip()


def tables(rows: PaperRows) -> Iterator[QuizQuestion]:
    """One cell of a table, named by its column and its row.

    Asked only where both names are unambiguous: the header text heads one column, the first cell begins one
    row, and the table's label is that of one table of the paper.
    """
    names = dict(rows.of("CAST(table_id AS VARCHAR), table_label", "tables"))
    labels = Counter(names.values())
    cells = rows.of(f"ref_table_id, {', '.join(_CELL)}", "cells")
    for grid in grids(dict(zip(("table_id", *_CELL), cell, strict=True)) for cell in cells):
        label = names.get(str(grid.table["table_id"]), "")
        if label and labels[label] == 1:
            for column, row, cell in _nameable(grid):
                ask = f'In {label}, what is the value in the column "{column}" for the row "{row}"?'
                yield rows.printed("table", f"{ask} Give the cell as printed.", cell)


def _nameable(grid: StoredGrid) -> Iterator[tuple[str, str, str]]:
    """(column, row, cell) of the cells that exactly one column and one row name."""
    above = sorted({row for row, _ in grid.cells} - set(grid.body))
    if len(above) != 1:
        return
    heads = {column: grid.text(above[0], column) for column in range(1, grid.width)}
    firsts = Counter(grid.text(row, 0) for row in grid.body)
    for row in grid.body:
        name = grid.text(row, 0)
        for column, called in heads.items():
            cell = grid.text(row, column)
            names = list(heads.values()).count(called) == 1 and firsts[name] == 1 and name != cell
            if names and all(map(_short, (called, name, cell))):
                yield called, name, cell


def _short(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_CELL and any(char.isalnum() for char in text) and '"' not in text
