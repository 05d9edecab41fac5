"""ReadRows: rows of one of quire's own views, for rules and first looks that write no SQL of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.ask.observations import show_rows
from quire.errors import ActionError
from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment, Readable


def _elements(table: str, columns: str, order: str = "p.page_number, e.ordinal") -> str:
    return (
        f"SELECT {columns}, e.bounding_box, e.ref_paper_id, p.page_number "
        f"FROM {table} e JOIN pages p ON e.ref_page_id = p.page_id "
        f"WHERE {of_papers('e.ref_paper_id')} ORDER BY e.ref_paper_id, {order}"
    )


def of_papers(column: str, value: str = "?") -> str:
    """A condition that keeps the rows of the papers whose ids are the list `value`; all for none."""
    held = f"list_contains(w, CAST({column} AS VARCHAR))"
    return f"(SELECT len(w) = 0 OR {held} FROM (SELECT {value}::VARCHAR[] AS w))"


# Each takes one value: ids of papers, but `row_cells` the ids of cells.
VIEWS: Mapping[str, str] = {
    "metadata": "SELECT paper_id, title, authors, abstract, num_pages, conference_full, "
    "conference_abbreviation, pub_year, volume, doi, arxiv_id, download_url, bibtex, tags, tldr, pdf_path, "
    f"1 AS page_number FROM metadata WHERE {of_papers('paper_id')} ORDER BY title",
    "titles": "SELECT paper_id, title, authors, pub_year FROM metadata "
    f"WHERE {of_papers('paper_id')} ORDER BY title",
    "sizes": "SELECT paper_id, title, pub_year AS year, num_pages AS pages, len(authors) AS authors, "
    '1 AS page_number, (SELECT count(*) FROM reference WHERE ref_paper_id = m.paper_id) AS "references", '
    "(SELECT count(*) FROM tables WHERE ref_paper_id = m.paper_id) AS tables, "
    "(SELECT count(*) FROM images WHERE ref_paper_id = m.paper_id) AS figures, "
    "(SELECT count(*) FROM equations WHERE ref_paper_id = m.paper_id) AS equations, "
    "(SELECT count(*) FROM sections WHERE ref_paper_id = m.paper_id) AS sections "
    f"FROM metadata m WHERE {of_papers('m.paper_id')} ORDER BY title",
    "pages": "SELECT page_id, page_number, page_label, page_content, ref_paper_id FROM pages "
    f"WHERE {of_papers('ref_paper_id')} ORDER BY ref_paper_id, page_number",
    "passages": "SELECT e.chunk_id, e.text_content, s.section_title, s.section_number, e.bounding_box, "
    "e.ref_paper_id, p.page_number FROM chunks e JOIN pages p ON e.ref_page_id = p.page_id "
    f"LEFT JOIN sections s ON e.ref_section_id = s.section_id WHERE {of_papers('e.ref_paper_id')} "
    "ORDER BY e.ref_paper_id, p.page_number, e.ordinal",
    "sections": _elements(
        "sections", "e.section_id, e.section_title, e.section_number, e.section_level, e.ordinal", "e.ordinal"
    ),
    "references": _elements(
        "reference",
        "e.reference_id, e.reference_label, e.reference_content, e.reference_title, e.reference_year, "
        "e.ordinal",
        "e.ordinal",
    ),
    "tables": _elements("tables", "e.table_id, e.table_label, e.table_caption"),
    "figures": _elements("images", "e.image_id, e.image_label, e.image_caption"),
    "equations": _elements("equations", "e.equation_id, e.equation_number, e.equation_content"),
    "cells": "SELECT t.table_id, t.table_label, t.table_caption, c.cell_id, c.cell_content, c.row_label, "
    "c.column_label, c.row_index, c.column_index, c.is_head, c.bounding_box, c.ref_paper_id, p.page_number "
    "FROM cells c JOIN tables t ON c.ref_table_id = t.table_id JOIN pages p ON c.ref_page_id = p.page_id "
    f"WHERE {of_papers('c.ref_paper_id')} "
    "ORDER BY c.ref_paper_id, p.page_number, t.ordinal, c.row_index, c.column_index",
    "row_cells": "SELECT f.cell_id AS row_key, c.cell_id, c.cell_content, c.row_label, c.column_label, "
    "c.cell_unit, c.bounding_box, c.ref_paper_id, p.page_number FROM cells f JOIN cells c "
    "ON c.ref_table_id = f.ref_table_id AND c.row_index = f.row_index AND NOT c.is_head "
    "JOIN pages p ON p.page_id = c.ref_page_id WHERE list_contains(?::VARCHAR[], CAST(f.cell_id AS VARCHAR)) "
    "ORDER BY f.cell_id, c.column_index",
    "ends": "SELECT e.sentence_id, e.sentence_content, e.bounding_box, e.ref_paper_id, p.page_number, "
    "x.section_title FROM sentences e JOIN chunks c ON e.ref_chunk_id = c.chunk_id "
    "JOIN sections x ON c.ref_section_id = x.section_id JOIN pages p ON e.ref_page_id = p.page_id "
    f"WHERE {of_papers('e.ref_paper_id')} AND "
    "regexp_matches(lower(x.section_title), 'abstract|summary|conclu') "
    "ORDER BY p.page_number, c.ordinal, e.ordinal",
}


def read_view(library: Readable, view: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a view of these papers, in their order; of all for none."""
    result = library.rows(VIEWS[view], [list(ids)])
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


@dataclass(frozen=True)
class ReadRows:
    """Read the rows of one view of some papers, in their order."""

    view: Annotated[str, f"One of: {', '.join(VIEWS)}."]
    ids: Annotated[tuple[str, ...], "Ids of the papers, none for all; for row_cells the first cells."] = ()

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("The headings of all papers.", {"view": "sections"}),
    )

    def run(self, env: Environment) -> Observation:
        """The rows, or a warning that there is none."""
        if self.view not in VIEWS:
            raise ActionError(f"There is no view `{self.view}`.", hint=f"Choose from: {', '.join(VIEWS)}.")
        rows = read_view(env.library, self.view, self.ids)
        if not rows:
            return Observation("warning", f"[Warning]: There are no {self.view.replace('_', ' ')}.")
        return show_rows(rows, env.settings, hidden=("bounding_box",))
