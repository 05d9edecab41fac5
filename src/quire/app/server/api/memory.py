"""What was learned from verdicts: listed, searched, exported, forgotten."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from quire.app.server.api import shapes
from quire.app.server.api.routes import Limit, routes
from quire.app.server.context import ToRead, ToWrite
from quire.app.server.http_errors import Json
from quire.memory.portable import export_items
from quire.types import LONGEST_QUESTION

router = routes("memory", "/memory")


@router.get("", response_model=shapes.Items)
def listed(
    here: ToRead,
    q: Annotated[
        str, Query(max_length=LONGEST_QUESTION, description="A question; the most similar come first.")
    ] = "",
    limit: Limit = 100,
) -> Response:
    """The items, the newest first, or the most similar to a question."""
    memory = here.library.memory
    items = memory.similar(q, limit) if q.strip() else memory.verdicts.listed()[:limit]
    return Json({"items": [_document(memory, item) for item in items]})


@router.get("/stats")
def stats(here: ToRead) -> Response:
    """Counts of items, verdicts, and answers that items took part in; the learning curve."""
    memory = here.library.memory
    tallies = [memory.verdicts.tally(item.id) for item in memory.verdicts.listed()]
    helped, hurt = sum(each.helped for each in tallies), sum(each.hurt for each in tallies)
    counts = memory.verdicts.counts()
    told = {**counts, "helped": helped, "hurt": hurt, "encoder": memory.encoder.name}
    return Json({**told, "curve": memory.curve()})


@router.get("/export", response_class=Response)
def export(here: ToRead) -> Response:
    """All right items in use, one JSON object a line."""
    lines = "".join(f"{line}\n" for line in export_items(here.library.memory.verdicts))
    headers = {"Content-Disposition": 'attachment; filename="memory.jsonl"'}
    body = lines.encode("utf-8", "replace")
    return Response(body, media_type="application/jsonl", headers=headers)


@router.get("/{item}", response_model=shapes.MemoryItem)
def shown(here: ToRead, item: str) -> Response:
    """One item: what it says, what it rests on, how often it helped or hurt."""
    memory = here.library.memory
    found = memory.named(item)
    more = {"evidence": found.evidence, "actions": found.actions, "papers": found.papers}
    return Json({**_document(memory, found), **more})


@router.delete("/{item}")
def forget(here: ToWrite, item: str) -> Response:
    """Forget an item for good; no later import brings it back."""
    memory = here.library.memory
    found = memory.named(item)
    memory.verdicts.forget([found.id])
    return Json({"forgotten": found.id})


def _document(memory: Any, item: Any) -> dict[str, Any]:
    right, wrong = memory.verdicts.opinions(item.id)
    tally = memory.verdicts.tally(item.id)
    state = item.label if right != wrong else "contradicted"
    return {
        "id": item.id,
        "state": "retired" if item.retired else state,
        "retired": item.retired,
        "question": item.question,
        "answer": item.answer,
        "kind": item.kind,
        "author": item.author,
        "run": item.run,
        "imported": bool(item.origin),
        "created": item.created,
        "right": right,
        "wrong": wrong,
        "helped": tally.helped,
        "hurt": tally.hurt,
    }
