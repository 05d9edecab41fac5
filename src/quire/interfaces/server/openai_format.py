"""What chat programs say and hear, in the shapes of OpenAI's chat completions.

A program sends the whole conversation every time. Its last message is the question; what was said before is
context. An answer is text with numbered citations, told once more as `annotations`:

    The keel boat floats for 243.8 seconds.

    [1] Paper Boats, [page 1](http://127.0.0.1:8765/read/a657.../1?box=352,201,168,9): "Keel boat | 9 | ..."
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quire import jsontext
from quire.interfaces.links import link
from quire.interfaces.past import in_words
from quire.interfaces.server.http_errors import Refused
from quire.memory.items import Item
from quire.types import Evidence, Exchange, Trajectory

MODEL = "quire"
_LONGEST = 10_000  # characters of a question
_TURNS = 50
_QUOTE = 400
_LINKED = re.compile(r"/(?:read|papers)/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
_MARKUP = re.compile(r"([\[\]<>`\\])")


@dataclass(frozen=True, slots=True)
class Request:
    """A request as far as it matters here; whatever else clients send is passed over."""

    question: str
    conversation: tuple[Exchange, ...] = ()
    papers: tuple[str, ...] = ()
    schema: dict[str, Any] | None = None
    stream: bool = False
    usage_wanted: bool = False


def read(body: Any) -> Request:
    """The request that a body makes.

    Raises:
        Refused: it asks nothing, or another model.
    """
    if not isinstance(body, dict):
        raise Refused(400, "invalid_request_error", "The body must be a JSON object.")
    if body.get("model", MODEL) != MODEL:
        raise Refused(
            404, "model_not_found", f"There is no model `{str(body['model'])[:80]}`; use `{MODEL}`."
        )
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(each, dict) for each in messages):
        raise Refused(400, "invalid_request_error", "`messages` must be a list of messages, not empty.")
    question = _text(messages[-1]).strip()
    if messages[-1].get("role") != "user" or not question:
        raise Refused(400, "invalid_request_error", "The last message must be a question of the user's.")
    if len(question) > _LONGEST:
        raise Refused(400, "invalid_request_error", f"The question has more than {_LONGEST} characters.")
    papers = body.get("papers") or []
    if not isinstance(papers, list) or not all(isinstance(each, str) for each in papers):
        raise Refused(400, "invalid_request_error", "`papers` must be a list of names.")
    options = body.get("stream_options")
    return Request(
        question,
        tuple(_exchanges(messages[:-1])),
        tuple(papers),
        _schema(body.get("response_format")),
        bool(body.get("stream")),
        isinstance(options, dict) and bool(options.get("include_usage")),
    )


def _exchanges(messages: Sequence[Mapping[str, Any]]) -> list[Exchange]:
    """The earlier questions, each with what was answered to it and the papers that the answer links to."""
    found: list[Exchange] = []
    for message in messages[-2 * _TURNS :]:
        text = _text(message)
        if message.get("role") == "user" and text.strip():
            found.append(Exchange(text[:_LONGEST]))
        elif message.get("role") == "assistant" and found:
            papers = tuple(dict.fromkeys(_LINKED.findall(text)))
            found[-1] = Exchange(found[-1].question, text[:_LONGEST], papers)
    return found


def _text(message: Mapping[str, Any]) -> str:
    """The text of a message, which may be in parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str))


def _schema(form: Any) -> dict[str, Any] | None:
    """The JSON schema that the answer shall satisfy, if there is one."""
    if not isinstance(form, dict) or form.get("type") != "json_schema":
        return None
    named = form.get("json_schema")
    schema = named.get("schema") if isinstance(named, dict) else None
    if not isinstance(schema, dict):
        raise Refused(400, "invalid_request_error", "`response_format.json_schema.schema` must be a schema.")
    return schema


@dataclass(frozen=True, slots=True)
class Said:
    """An answer as a message: its text, and the citations in it."""

    content: str
    annotations: tuple[dict[str, Any], ...]


def said(run: Trajectory, server: str, *, bare: bool = False, beside: Item | None = None) -> Said:
    """What a run answers, and the past answer that was shown `beside` it.

    `server` is the address that citations link to; `bare`: the value as JSON alone.
    """
    answer = run.answer
    if bare:
        notes = [_annotation(each, server, (0, 0)) for each in answer.evidence]
        return Said(jsontext.dumps(answer.value), tuple(notes))
    if answer.status == "answered":
        value = answer.value
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        parts = [text.replace("![", "!\\[")]  # a picture would be fetched from elsewhere
    elif answer.evidence:
        parts = ["I am not sure of an answer. These passages come closest:"]
    else:
        parts = ["I found nothing about this in the library."]
    notes = []
    for number, each in enumerate(answer.evidence, 1):
        start = sum(map(len, parts)) + 2 * len(parts)
        parts.append(_citation(number, each, server))
        notes.append(_annotation(each, server, (start, start + len(parts[-1]))))
    if beside:
        asked, told, judge = _plain(beside.question), _plain(in_words(beside)), _plain(beside.author)
        parts.append(f"Maybe the same was asked: {asked} {told} (judged by {judge})")
    if answer.note:
        parts.append(f"*{_plain(answer.note)}*")
    return Said("\n\n".join(parts), tuple(notes))


def _citation(number: int, item: Evidence, server: str) -> str:
    quote = _plain(item.quote)
    quote = quote if len(quote) <= _QUOTE else quote[:_QUOTE] + " [...]"
    where = f"[{_page(item)}]({link(item.paper_id, item.page, item.bbox, server=server)})"
    unsure = "" if item.verified else " (not verified)"
    return f'[{number}] {_plain(item.paper_title or item.paper_id)}, {where}{unsure}: "{quote}"'


def _annotation(item: Evidence, server: str, span: tuple[int, int]) -> dict[str, Any]:
    """A citation as OpenAI tells it, with what quire knows besides."""
    return {
        "type": "url_citation",
        "url_citation": {
            "url": link(item.paper_id, item.page, item.bbox, server=server),
            "title": f"{item.paper_title or item.paper_id}, {_page(item)}",
            "start_index": span[0],
            "end_index": span[1],
            "paper": item.paper_id,
            "page": item.page,
            "quote": item.quote,
            "verified": item.verified,
        },
    }


def _page(item: Evidence) -> str:
    return f"page {item.page}" if item.page > 0 else "the paper"


def _plain(text: str) -> str:
    """Text of a paper in one line, without markup: no link, picture or HTML of a PDF reaches a chat."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def completion(run: Trajectory, message: Said) -> dict[str, Any]:
    """A whole answer."""
    choice = {
        "index": 0,
        "message": {
            "role": "assistant",
            "content": message.content,
            "refusal": None,
            "annotations": list(message.annotations),
        },
        "logprobs": None,
        "finish_reason": "stop",
    }
    return {
        **_head(run.run_id, "chat.completion"),
        "choices": [choice],
        "usage": usage(run),
        "run": run.run_id,
    }


def chunk(id: str, delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    """A piece of an answer that is streamed."""
    choice = {"index": 0, "delta": dict(delta), "logprobs": None, "finish_reason": finish}
    return {**_head(id, "chat.completion.chunk"), "choices": [choice]}


def last_chunk(id: str, run: Trajectory) -> dict[str, Any]:
    """What a streamed answer took, for who asked."""
    return {**_head(id, "chat.completion.chunk"), "choices": [], "usage": usage(run), "run": run.run_id}


def usage(run: Trajectory) -> dict[str, Any]:
    """Tokens and, in US dollars, cost; zeros where no language model was used."""
    took = run.usage
    return {
        "prompt_tokens": took.prompt_tokens,
        "completion_tokens": took.completion_tokens,
        "total_tokens": took.prompt_tokens + took.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": took.cached_tokens},
        "cost": took.cost,
    }


def _head(id: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{id}", "object": kind, "created": int(time.time()), "model": MODEL}


def error(kind: str, message: str, hint: str = "") -> dict[str, Any]:
    """An error as OpenAI tells it."""
    return {"error": {"message": f"{message} {hint}".strip(), "type": kind, "param": None, "code": kind}}
