"""RetrieveFromVectorstore: similarity search over one encoded column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.ask.searching import search
from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


@dataclass(frozen=True)
class RetrieveFromVectorstore:
    """Find the cells of one (table, column) that are most similar to a query, best first.

    Best for what can only be asked loosely: which passage, caption, table or section speaks of something.
    """

    query: Annotated[str, "What to look for: a few words, a phrase or a question."]
    collection_name: Annotated[str, "The collection to search; `text_bm25_en` matches words."]
    table_name: Annotated[str, "The table whose cells were encoded, e.g. `chunks`."]
    column_name: Annotated[str, "The encoded column of that table, e.g. `text_content`."]
    filter: Annotated[
        str,
        "A condition on pdf_id, page_number, primary_key or bbox in Milvus syntax, "
        "e.g. `pdf_id == '1234' and page_number in [1, 2]`; empty for none.",
    ] = ""
    limit: Annotated[int, "How many entries at most, from 1 to 100."] = 5

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        (
            "Passages of one paper about the learning rate.",
            {
                "query": "learning rate of the optimizer",
                "collection_name": "text_bm25_en",
                "table_name": "chunks",
                "column_name": "text_content",
                "filter": "pdf_id == '12345678-0000-5000-8000-000000000000'",
                "limit": 3,
            },
        ),
    )

    def run(self, env: Environment) -> Observation:
        """The entries found, or a warning that says which part of the filter removed everything."""
        return search(
            env,
            self.query,
            collection=self.collection_name,
            table=self.table_name,
            column=self.column_name,
            filter=self.filter,
            limit=self.limit,
        )
