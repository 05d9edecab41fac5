"""RetrieveFromDatabase: SQL over the parsed views of the papers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.environment.hints import empty_result
from quire.environment.observations import show_rows
from quire.types import Observation

if TYPE_CHECKING:
    from quire.environment.environment import Environment


@dataclass(frozen=True)
class RetrieveFromDatabase:
    """Run one read-only DuckDB query over the parsed views of the papers and see its rows.

    Best for what can be asked exactly: metadata, counts, a table or figure by its label, a section by
    its title, the n-th reference. Long results are cut: select only the columns you need, or use LIMIT
    and OFFSET to see more.
    """

    sql: Annotated[str, "One DuckDB SELECT statement over the tables and columns of the schema."]

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        (
            "The abstract of one paper.",
            {"sql": "SELECT abstract FROM metadata WHERE paper_id = '12345678-0000-5000-8000-000000000000'"},
        ),
        (
            "On which page a figure stands.",
            {
                "sql": "SELECT p.page_number FROM images i JOIN pages p ON i.ref_page_id = p.page_id "
                "WHERE i.image_caption ILIKE 'Figure 3%'"
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
