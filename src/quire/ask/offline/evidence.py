"""From the hits of one search to evidence, and to the units that an answer may be taken out of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from quire.ask.evidence import MOST_WORDS, box_of, words_of_row
from quire.ask.offline.extract.candidates import FoundUnit
from quire.ask.offline.plan import Act, Row, evidence_of, read
from quire.text import sentence_texts
from quire.types import Evidence

MOST = 20  # hits that an answer may be taken out of
SHOWN = 3  # of them, shown where no answer is sure
SPARE = 3  # besides those shown, in place of those whose words are not found on their page
_ROWS = 8  # table rows whose cells are read
_OF_CELL = ("cell_content", "cell_id", "row_label", "column_label", "cell_unit")
_JOINT = " > "  # between the levels of a label
_NAMES = ("metadata", "sections")  # titles and headings name what they stand over and say nothing of it


def cells_of(keys: Sequence[str]) -> Act:
    """Reads the cells of the rows that begin with these cells."""
    thought = "Some of it are rows of tables: read their cells with the labels of row and column."
    return read("row_cells", keys[:_ROWS], thought)


def rows_of_tables(hits: Sequence[Row]) -> list[str]:
    """The keys of the hits that are rows of tables."""
    return [str(hit["primary_key"]) for hit in hits if hit.get("table_name") == "cells"]


def units_of(hits: Sequence[Row], cells: Iterable[Row]) -> list[FoundUnit]:
    """The sentences and captions among the hits, and the cells of the rows; the highest score first.

    Hits come in the order to show, where those of one page make room for others; a value is sought by scores.
    """
    by_row = _by_row(cells)
    units = []
    for rank, hit in enumerate(sorted(hits, key=lambda hit: -float(hit.get("score") or 0.0))):
        whole, score = said(hit), float(hit.get("score") or 0.0)
        key, table = str(hit.get("primary_key") or ""), str(hit.get("table_name") or "")
        place = (rank, score, int(hit.get("page_number") or 1), str(hit.get("pdf_id") or ""))
        if table != "cells":
            units.append(FoundUnit(whole, *place, key, table, tuple(box_of(hit) or ())))
            continue
        caption = str(hit.get("text") or "").split("\n", 1)[0]
        for cell in by_row.get(key, ()):
            text, key_of_cell, row, column, unit = (str(cell.get(name) or "") for name in _OF_CELL)
            box = tuple(box_of(cell) or ())
            units.append(FoundUnit(text, *place, key_of_cell, table, box, row, column, caption, unit, whole))
    return units


def _by_row(cells: Iterable[Row]) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for cell in cells:
        rows.setdefault(str(cell["row_key"]), []).append(cell)
    return rows


def said(hit: Row) -> str:
    """The sentence, row or caption that speaks in a hit."""
    return str(hit.get("quote") or hit.get("text") or "")


def closest(hits: Sequence[Row]) -> tuple[Evidence, ...]:
    """What comes closest to an answer: sentences, rows, captions; names where there is nothing else.

    In place of a heading stands what is said first under it.
    """
    telling = [hit if hit.get("table_name") not in _NAMES else _under(hit) for hit in hits]
    return shown(([hit for hit in telling if hit] or hits)[: SHOWN + SPARE])


def _under(heading: Row) -> Row | None:
    """The first sentence under a heading, to be found on its page or the next; None for another name."""
    text = str(heading.get("text") or "")
    said_first = sentence_texts(text.partition("\n")[2])[:1]
    if heading.get("table_name") != "sections" or not said_first:
        return None
    return {**heading, "quote": said_first[0], "bbox": None}


def shown(hits: Iterable[Row]) -> tuple[Evidence, ...]:
    """The units that speak, as evidence; whole."""
    return tuple(each for hit in hits for each in evidence_of(hit, said(hit)))


def readable(found: Sequence[Evidence], cells: Iterable[Row]) -> tuple[Evidence, ...]:
    """The same with rows of tables as people read them: "Species: R. terraenovae \u00b7 Sex: Male".

    `cells` are those of the rows. A row that is too long to be found cell by cell stays as it is printed.
    """
    rows = _by_row(cells)
    # By its first cell, as evidence names it, and by each, as an answer that was taken out of it does.
    told = {
        str(cell[key]): _told(row) for row in rows.values() for key in ("row_key", "cell_id") for cell in row
    }
    return tuple(
        replace(each, quote=quote)
        if each.table == "cells" and 0 < len(words_of_row(quote := told.get(each.key, ""))) <= MOST_WORDS
        else each
        for each in found
    )


def _told(row: Sequence[Row]) -> str:
    """Each cell behind its heads, the outermost first; what names the row behind the groups around it."""
    parts = []
    for cell in row:
        text, names = str(cell["cell_content"]), str(cell.get("row_label") or "").split(_JOINT)
        if names[-1] == text:
            text = ", ".join(names)
        heads = ", ".join(str(cell.get("column_label") or "").split(_JOINT))
        parts.append(f"{heads}: {text}" if heads else text)
    return " \u00b7 ".join(parts)


def of_unit(unit: FoundUnit) -> Evidence:
    """The evidence of an answer that was taken out of a unit: all of it, or the row of a cell."""
    box, quote = box_of({"bbox": list(unit.box)}), unit.whole or unit.quote
    return Evidence(unit.paper, unit.page, box, quote, verified=False, table=unit.table, key=unit.key)
