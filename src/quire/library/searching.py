"""From entries of the index to hits that a person can follow: text, section, page label, title, marks."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from quire.index.cells import pair
from quire.index.search import Found, Request, mark
from quire.types import Box, Hit

# Where the section of a row is told; pages and metadata are of no one section.
_SECTION = {
    "chunks": "(SELECT section_title FROM sections s WHERE s.section_id = r.ref_section_id)",
    "sections": "r.section_title",
}
_NO_BOX = {"metadata", "pages"}


def hits(connection: duckdb.DuckDBPyConnection, found: Sequence[Found], request: Request) -> list[Hit]:
    """The hits for entries of one (table, column), in their order; rows that are gone are left out."""
    if not found:
        return []
    of = pair(request.table, request.column)
    box = "NULL" if of.table in _NO_BOX else "r.bounding_box"
    owner = "r.paper_id" if of.table == "metadata" else "r.ref_paper_id"
    text = "''" if of.modality == "image" else f'r."{of.column}"'
    rows = connection.execute(
        f"""SELECT r."{of.key}"::VARCHAR, {text}, {box}, {_SECTION.get(of.table, "''")}, m.title
            FROM "{of.table}" r LEFT JOIN metadata m ON m.paper_id = {owner}
            WHERE r."{of.key}" IN (SELECT unnest(?::UUID[]))""",
        [[entry.key for entry in found]],
    ).fetchall()
    by_key = {row[0]: row[1:] for row in rows}
    labels = _labels(connection, found)
    return [
        _hit(entry, by_key[entry.key], labels.get((entry.paper_id, entry.page), ""), request.query)
        for entry in found
        if entry.key in by_key
    ]


def _hit(
    entry: Found, row: tuple[str, Sequence[int] | None, str | None, str | None], label: str, query: str
) -> Hit:
    text, box, section, title = row
    return Hit(
        score=entry.score,
        text=text or "",
        paper_id=entry.paper_id,
        page=entry.page,
        table=entry.table,
        column=entry.column,
        key=entry.key,
        bbox=Box(*box) if box else entry.bbox,
        section=section or "",
        paper_title=title or "",
        page_label=label,
        spans=mark(text or "", query),
    )


def _labels(connection: duckdb.DuckDBPyConnection, found: Sequence[Found]) -> dict[tuple[str, int], str]:
    rows = connection.execute(
        """SELECT ref_paper_id::VARCHAR, page_number, page_label FROM pages
           WHERE ref_paper_id IN (SELECT unnest(?::UUID[]))
             AND page_number IN (SELECT unnest(?::INTEGER[]))""",
        [list({entry.paper_id for entry in found}), list({entry.page for entry in found})],
    ).fetchall()
    return {(paper, page): label or "" for paper, page, label in rows}
