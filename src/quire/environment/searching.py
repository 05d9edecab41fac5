"""Searching for an agent: the arguments checked with useful words, hits as rows, no hit explained.

[Warning]: Nothing was found: the filter `page_number == 99` left no entry of chunks.text_content;
without it there are hits. ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quire.environment.observations import show_rows
from quire.errors import ActionError, QuireError
from quire.types import Hit, Observation

if TYPE_CHECKING:
    from quire.environment.environment import Environment

_MAX_LIMIT = 100


def search(
    env: Environment,
    query: str,
    *,
    papers: Sequence[str] = (),
    collection: str | None = None,
    table: str = "chunks",
    column: str = "text_content",
    filter: str = "",
    limit: int = 5,
) -> Observation:
    """The hits as rows, or a warning that says why there is none.

    Raises:
        ActionError: the query is empty or the limit is not a positive number.
        QueryError: collection, table, column or filter are wrong.
    """
    if not query.strip():
        raise ActionError("`query` is empty; say in words what to look for.")
    if limit < 1:
        raise ActionError(f"`limit` must be a positive number, not {limit}.")
    limit = min(limit, _MAX_LIMIT)
    hits = env.library.search(
        query, papers=papers, collection=collection, table=table, column=column, filter=filter, limit=limit
    )
    if hits:
        shown = show_rows(
            [row_of(hit) for hit in hits], env.settings, more="Use a smaller limit or a filter."
        )
        return replace(shown, kind="rows")
    where = f"{table}.{column}"
    return Observation("warning", f"[Warning]: {_why_nothing(env, query, collection, where, filter)}")


def row_of(hit: Hit) -> dict[str, Any]:
    """A hit as the row that an agent is shown, in the seeds' columns."""
    row: dict[str, Any] = {
        "score": round(hit.score, 4),
        "pdf_id": hit.paper_id,
        "page_number": hit.page,
        "table_name": hit.table,
        "column_name": hit.column,
        "primary_key": hit.key,
    }
    if hit.bbox is not None:
        row["bbox"] = [round(edge, 1) for edge in hit.bbox]
    if hit.section:
        row["section"] = hit.section
    row["text"] = hit.text
    return row


def _why_nothing(env: Environment, query: str, collection: str | None, where: str, filter: str) -> str:
    table, _, column = where.partition(".")

    def finds(condition: str) -> bool:
        try:
            return bool(
                env.library.search(
                    query, collection=collection, table=table, column=column, filter=condition, limit=1
                )
            )
        except QuireError:
            return False

    if filter and finds(""):
        parts = _conjuncts(filter)
        guilty = [part for part in parts if not finds(part)] if len(parts) > 1 else []
        blame = " and ".join(f"`{part}`" for part in guilty) or f"`{filter}`"
        return (
            f"Nothing was found: the filter {blame} left no matching entry of {where}; "
            "without it there are hits. Loosen the filter, or search another table or column."
        )
    return (
        f"No entry of {where} matches the query `{query[:100]}`."
        " Try other words, another table or column, or SQL."
    )


def _conjuncts(filter: str) -> list[str]:
    """The parts that a top-level `and` joins; parentheses and quotes are respected."""
    parts, depth, quote, start, position = [], 0, "", 0, 0
    lowered = filter.lower()
    while position < len(filter):
        char = filter[position]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif depth == 0 and (lowered.startswith(" and ", position) or lowered.startswith(" && ", position)):
            parts.append(filter[start:position].strip())
            position += 4 if char == " " and lowered.startswith(" && ", position) else 5
            start = position
            continue
        position += 1
    parts.append(filter[start:].strip())
    return [part for part in parts if part]
