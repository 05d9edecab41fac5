"""RetrieveFromDatabase: SQL over the parsed views of the papers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.ask.hints import empty_result
from quire.ask.observations import show_rows
from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


@dataclass(frozen=True)
class RetrieveFromDatabase:
    """Run one read-only DuckDB query over the parsed views of the papers and see its rows.

    Best for what can be asked exactly: metadata, counts, a table by its label, the n-th reference. Long
    results are cut: select only what you need.
    """

    sql: Annotated[str, "One DuckDB SELECT statement over the tables and columns of the schema."]

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        (
            "Sentences with a word, and their pages.",
            {
                "sql": "SELECT p.page_number, s.sentence_content FROM sentences s JOIN pages p "
                "ON s.ref_page_id = p.page_id WHERE s.sentence_content ILIKE '%placebo%'"
            },
        ),
        (
            "How many labelled tables each paper has, and on which pages.",
            {
                "sql": "SELECT t.ref_paper_id, count(DISTINCT t.table_label), list(p.page_number) "
                "FROM tables t JOIN pages p ON t.ref_page_id = p.page_id WHERE t.table_label <> '' GROUP BY 1"
            },
        ),
    )

    def run(self, env: Environment) -> Observation:
        """The rows, or a warning that says which values the compared columns do hold."""
        result = env.library.sql(self.sql)
        if not result.rows:
            return Observation("warning", f"[Warning]: {empty_result(self.sql, env.library)}")
        rows = tuple(dict(zip(result.columns, row, strict=True)) for row in result.rows)
        asked = self.sql.lower()
        return show_rows(
            rows,
            env.settings,
            total=result.total,
            more="To see the next ones, end the query with LIMIT {count} OFFSET {next}.",
            hidden=() if "bounding_box" in asked or "bbox" in asked else ("bounding_box", "bbox"),
        )
