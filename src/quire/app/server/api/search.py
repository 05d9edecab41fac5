"""Searching, and SQL over the parsed views."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from quire.app.arguments import Body
from quire.app.links import link
from quire.app.plain import plain
from quire.app.server.api import shapes
from quire.app.server.api.routes import routes
from quire.app.server.context import ToRead
from quire.app.server.http_errors import Json
from quire.types import LONGEST_QUESTION

router = routes("search")

Part = Literal["", "text", "tables", "figures", "headings", "titles"]


@router.get("/search", response_model=shapes.Found)
async def search(
    here: ToRead,
    request: Request,
    q: Annotated[str, Query(min_length=1, max_length=LONGEST_QUESTION)],
    papers: Annotated[list[str], Query(max_length=1000, description="Only these.")] = [],  # noqa: B006
    part: Annotated[Part, Query(alias="in")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    words: Annotated[int, Query(ge=1, le=1000, description="Of a passage, at most.")] = 100,
    why: bool = False,
) -> Response:
    """What answers the query best: passages around the sentence, row, caption or heading that speaks."""
    search = partial(here.library.search, q, papers=papers, part=part, limit=limit, words=words, why=why)
    hits = await here.searches.run(request, search)
    found = [{**plain(hit), "link": link(hit.paper_id, hit.page, hit.bbox)} for hit in hits]
    return Json({"hits": found, "notes": hits.notes})


class Statement(Body):
    """One SELECT over the parsed views."""

    sql: Annotated[str, Field(min_length=1, max_length=200_000)]


@router.post("/sql", response_model=shapes.Rows)
async def sql(here: ToRead, request: Request, statement: Statement) -> Response:
    """The rows of one read-only statement, run in a limited child process."""
    result = await here.queries.run(request, partial(here.library.sql, statement.sql))
    return Json(
        {
            "columns": result.columns,
            "types": result.types,
            "rows": result.rows,
            "truncated": result.truncated,
        }
    )


@router.get("/schema")
def schema(here: ToRead) -> Response:
    """The parsed views, described."""
    return Json({"tables": here.library.schema()})
