"""An answer in the shape of OpenAI's responses, whole or as events.

    response.created, response.output_text.delta, ..., response.completed

The id of a response is that of its run, or of the question while it is answered, so that a later one can
follow it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from quire.app.run_view import RunView
from quire.app.server.openai_format import ChatText, usage
from quire.app.server.openai_requests import MODEL


def response(view: RunView, message: ChatText, id: str = "") -> dict[str, Any]:
    """A whole answer; its `id` is the run's, or that under which it began."""
    took = usage(view)
    return {
        **_begun(id or view.id, "completed"),
        "output": [_item(id or view.id, message)],
        "usage": {
            "input_tokens": took["prompt_tokens"],
            "input_tokens_details": took["prompt_tokens_details"],
            "output_tokens": took["completion_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": took["total_tokens"],
            "cost": took["cost"],
        },
        "run": view.id,
    }


def begun(id: str) -> dict[str, Any]:
    """The first event of an answer that is streamed."""
    return {"type": "response.created", "response": _begun(id, "in_progress")}


def opening(id: str) -> Iterator[dict[str, Any]]:
    """The events before the first words."""
    part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    item = {**_head(id), "status": "in_progress", "content": []}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.content_part.added", **_at(id), "part": part}


def delta(id: str, words: str) -> dict[str, Any]:
    """Words of an answer."""
    return {"type": "response.output_text.delta", **_at(id), "delta": words, "logprobs": []}


def closing(view: RunView, message: ChatText, id: str) -> Iterator[dict[str, Any]]:
    """The events after the last words of a message."""
    whole = response(view, message, id)
    (item,) = whole["output"]
    yield {"type": "response.output_text.done", **_at(id), "text": message.content, "logprobs": []}
    yield {"type": "response.content_part.done", **_at(id), "part": item["content"][0]}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": whole}


def failed(id: str, kind: str, message: str) -> dict[str, Any]:
    """The last event of an answer that there is none of."""
    told = {**_begun(id, "failed"), "error": {"code": kind, "message": message}}
    return {"type": "response.failed", "response": told}


def _begun(id: str, status: str) -> dict[str, Any]:
    return {
        "id": f"resp_{id}",
        "object": "response",
        "created_at": int(time.time()),
        "status": status,
        "model": MODEL,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "output": [],
        "parallel_tool_calls": False,
        "temperature": None,
        "tool_choice": "none",
        "tools": [],
        "top_p": None,
        "usage": None,
    }


def _at(id: str) -> dict[str, Any]:
    return {"item_id": f"msg_{id}", "output_index": 0, "content_index": 0}


def _head(id: str) -> dict[str, Any]:
    return {"id": f"msg_{id}", "type": "message", "role": "assistant", "status": "completed"}


def _item(id: str, message: ChatText) -> dict[str, Any]:
    cited = [{"type": "url_citation", **each["url_citation"]} for each in message.annotations]
    text = {"type": "output_text", "text": message.content, "annotations": cited, "logprobs": []}
    return {**_head(id), "content": [text]}
