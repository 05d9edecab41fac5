"""One request sent, and the cells read out of its reply."""

from __future__ import annotations

import json
from typing import Any

from quire.errors import ContentFiltered, ModelDeclined
from quire.library.library import Library
from quire.library.summaries.planning import Part
from quire.library.summaries.requests import REPLY_TOKENS, Request, asked_of, messages
from quire.models import Model, spending


def ask(library: Library, model: Model, see: Model | None, request: Request) -> Request:
    """Fill in the request's values and usage; a batch that comes back garbled is asked one by one."""
    with spending() as spent:
        try:
            request.values |= _asked(library, model, see, request)
        finally:
            request.usage = spent.usage
    return request


def _asked(
    library: Library, model: Model, see: Model | None, request: Request
) -> dict[tuple[str, str, str], Any]:
    def picture(part: Part) -> bytes:
        return library.render(request.work.paper, part.page, box=part.box)

    try:
        reply = asked_of(request, model, see).complete(
            messages(request, picture), max_tokens=REPLY_TOKENS * 2 * len(request.parts)
        )
    except (ContentFiltered, ModelDeclined):
        return {}
    values = _values(request, reply.text)
    if values is None and len(request.parts) > 1:
        singles = [Request(request.work, (part,)) for part in request.parts]
        return {key: cell for each in singles for key, cell in _asked(library, model, see, each).items()}
    return values or {}


def _values(request: Request, reply: str) -> dict[tuple[str, str, str], Any] | None:
    """The cells that a reply fills; None if it is garbled."""
    first = request.parts[0]
    if first.kind == "paper":
        value = _json(reply, "{", "}")
        if not isinstance(value, dict):
            return None
        tags = value.get("tags")
        cells: dict[tuple[str, str, str], Any] = {}
        if isinstance(said := value.get("tldr"), str) and said.strip():
            cells["metadata", first.key, "tldr"] = said.strip()
        if isinstance(tags, list) and tags and all(isinstance(tag, str) for tag in tags):
            cells["metadata", first.key, "tags"] = [tag.strip() for tag in tags[:10]]
        return cells or None
    texts = [reply] if len(request.parts) == 1 else _json(reply, "[", "]")
    if not isinstance(texts, list) or len(texts) != len(request.parts):
        return None
    if not all(isinstance(text, str) and text.strip() for text in texts):
        return None
    pairs = zip(request.parts, texts, strict=True)
    return {(part.table, part.key, part.column): text.strip() for part, text in pairs}


def _json(reply: str, opening: str, closing: str) -> Any:
    start, end = reply.find(opening), reply.rfind(closing)
    try:
        return json.loads(reply[start : end + 1], strict=False) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
