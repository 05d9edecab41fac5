"""What chat programs hear, in the shapes of OpenAI's chat completions and responses.

A program sends the whole conversation every time. Its last message is the question; what was said before is
context. An answer is text with numbered citations, told once more as `annotations`:

    The keel boat floats for 243.8 seconds.

    [1] Paper Boats, [page 1](http://127.0.0.1:8765/read/a657.../1?box=352,201,168,9): "Keel boat | 9 | ..."
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from quire import jsontext
from quire.app.run_view import FOUND, EvidenceView, RunView
from quire.errors import QuireError

MODEL = "quire"
THE_MODEL = {
    "id": MODEL,
    "object": "model",
    "created": 1_767_225_600,  # when it is said to be made; clients want a number
    "owned_by": "quire",
}
_QUOTE = 400
_FETCHING = re.compile(r"(?<=!)\[|<(?=[A-Za-z/!?])")  # a picture or element would be fetched from elsewhere
_DOING = {
    "Search": "Searching the papers",
    "ClassicRetrieve": "Searching the papers",
    "RetrieveFromVectorstore": "Searching the papers",
    "RetrieveFromDatabase": "Looking things up in the tables",
    "CalculateExpr": "Calculating",
    "ViewImage": "Looking at a page",
    "GenerateAnswer": "Answering",
}
_MARKUP = re.compile(r"([\[\]<>`\\])")


@dataclass(frozen=True, slots=True)
class ChatText:
    """An answer as a message: its text, and the citations in it."""

    content: str
    annotations: tuple[dict[str, Any], ...]


def said(view: RunView, server: str, *, bare: bool = False) -> ChatText:
    """What a run answers.

    `server` is the address that citations link to; `bare`: the value as JSON alone.
    """
    if bare:
        cited = tuple(_annotation(each, server, (0, 0)) for each in view.evidence)
        return ChatText(jsontext.dumps(view.value), cited)
    first = f"{view.headline}."
    if view.outcome == "sentence":
        likely = f"{view.label} the first of these passages says it:"
        first = likely if view.probability else "I am not sure of an answer. These passages come closest:"
    elif view.outcome in ("answer", "probable"):
        first = _answer_text(view.headline)
    parts, notes = [first], []
    for each in view.evidence:
        start = sum(map(len, parts)) + 2 * len(parts)
        parts.append(_citation(each, server))
        notes.append(_annotation(each, server, (start, start + len(parts[-1]))))
    if beside := view.suggested:
        asked, told, judge = _plain(beside.question), _plain(beside.words), _plain(beside.author)
        parts.append(f"Maybe the same was asked: {asked} {told} (judged by {judge})")
    if view.note:
        parts.append(f"*{_plain(view.note)}*")
    return ChatText("\n\n".join(parts), tuple(notes))


@dataclass
class Growing:
    """An answer that is told while a model writes it; what was told stays, whatever it writes then."""

    told: str = ""
    _turn: str = ""

    def more(self, piece: str) -> str:
        """What can be told when it has written this, too."""
        self._turn += piece
        safe = _answer_text(self._turn.removesuffix("<"))  # what follows decides whether it stays one
        if not safe.startswith(self.told):  # another turn, in other words
            return ""
        new, self.told = safe[len(self.told) :], safe
        return new

    def turn(self) -> None:
        """What comes now is of another turn."""
        self._turn = ""

    def rest(self, whole: ChatText) -> ChatText:
        """What is left to tell of the whole: all of it, in a paragraph below, where it begins otherwise."""
        if whole.content.startswith(self.told):
            return ChatText(whole.content[len(self.told) :], whole.annotations)
        by = len(self.told) + 2  # as far behind as what was told before is long
        moved = (
            {**each, "start_index": each["start_index"] + by, "end_index": each["end_index"] + by}
            for each in whole.annotations
        )
        return ChatText(f"\n\n{whole.content}", tuple(moved))


def _answer_text(text: str) -> str:
    return _FETCHING.sub(r"\\\g<0>", text)


def _citation(item: EvidenceView, server: str) -> str:
    quote = _plain(item.quote)
    quote = quote if len(quote) <= _QUOTE else quote[:_QUOTE] + " [...]"
    where = f"[{_plain(item.where)}]({server}{item.link})"
    unsure = "" if item.found == "verified" else f" ({FOUND[item.found]})"
    return f'[{item.mark}] {_plain(item.title)}, {where}{unsure}: "{quote}"'


def _annotation(item: EvidenceView, server: str, span: tuple[int, int]) -> dict[str, Any]:
    """A citation as OpenAI tells it, with what quire knows besides."""
    return {
        "url": f"{server}{item.link}",
        "title": f"{item.title}, {item.where}",
        "start_index": span[0],
        "end_index": span[1],
        "paper": item.paper,
        "page": item.page,
        "quote": item.quote,
        "verified": item.found == "verified",
    }


def _beside(message: ChatText) -> list[dict[str, Any]]:
    """The citations as chat completions have them."""
    return [{"type": "url_citation", "url_citation": each} for each in message.annotations]


def _plain(text: str) -> str:
    """Text of a paper in one line, without markup: no link, picture or HTML of a PDF reaches a chat."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def step_in_words(step: Mapping[str, Any]) -> str:
    """A step in a line: what was thought, else what is done; never the query itself."""
    call = step.get("call")
    done = _DOING.get(call["name"], "Working") + "." if call else ""
    told = step.get("thought") or done
    return f"{told}\n" if told else ""


def error(told: QuireError) -> dict[str, Any]:
    """An error as OpenAI tells it."""
    return {"error": {"message": str(told), "type": told.kind, "param": None, "code": told.kind}}


class Chunks:
    """An answer as chunks of chat completions: steps as reasoning, words, the end."""

    def __init__(self, id: str) -> None:
        self._id = id

    @staticmethod
    def whole(view: RunView, message: ChatText) -> dict[str, Any]:
        """A whole answer."""
        told = {"content": message.content, "refusal": None, "annotations": _beside(message)}
        choice = {"index": 0, "message": {"role": "assistant", **told}, "logprobs": None}
        choices = [{**choice, "finish_reason": "stop"}]
        return {**_head(view.id, "chat.completion"), "choices": choices, **took(view)}

    def begin(self) -> Iterator[bytes]:
        """What is sent before anything is known."""
        yield self._chunk({"role": "assistant", "content": ""})

    def step(self, words: str) -> Iterator[bytes]:
        """A step, in words."""
        if words:
            yield self._chunk({"reasoning_content": words})

    def words(self, words: str) -> Iterator[bytes]:
        """Words of an answer."""
        yield self._chunk({"content": words})

    def end(self, view: RunView, rest: ChatText, told: str, *, counted: bool) -> Iterator[bytes]:
        """The rest of an answer of which so much was told, and what it took, for who wants to know."""
        yield self._chunk({"content": rest.content, "annotations": _beside(rest)})
        yield self._chunk({}, "stop")
        if counted:
            yield _data({**_head(self._id, "chat.completion.chunk"), "choices": [], **took(view)})
        yield b"data: [DONE]\n\n"

    def failed(self, why: QuireError) -> bytes:
        """That there is no answer."""
        return _data(error(why))

    def _chunk(self, delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": dict(delta), "logprobs": None, "finish_reason": finish}
        return _data({**_head(self._id, "chat.completion.chunk"), "choices": [choice]})


class Events:
    """An answer as events of responses, which are numbered."""

    def __init__(self, id: str) -> None:
        self._id, self._open, self._numbers = id, False, count()
        self._at = {"item_id": f"msg_{id}", "output_index": 0, "content_index": 0}

    @staticmethod
    def whole(view: RunView, message: ChatText, id: str = "") -> dict[str, Any]:
        """A whole answer; its `id` is the run's, or that under which it began."""
        took, id = view.run.usage, id or view.id
        told = {
            "input_tokens": took.prompt_tokens,
            "input_tokens_details": {"cached_tokens": took.cached_tokens},
            "output_tokens": took.completion_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": view.tokens,
            "cost": took.cost,
        }
        cited = [{"type": "url_citation", **each} for each in message.annotations]
        text = {"type": "output_text", "text": message.content, "annotations": cited, "logprobs": []}
        item = {**_item_head(id), "content": [text]}
        return {**_begun(id, "completed"), "output": [item], "usage": told, "run": view.id}

    def begin(self) -> Iterator[bytes]:
        """What is sent before anything is known."""
        yield self._event("response.created", response=_begun(self._id, "in_progress"))

    def step(self, words: str) -> Iterator[bytes]:
        """A step, of which nothing is told."""
        yield from ()

    def words(self, words: str) -> Iterator[bytes]:
        """Words of an answer, the message being opened before the first."""
        if not self._open:
            self._open = True
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            item = {**_item_head(self._id), "status": "in_progress", "content": []}
            yield self._event("response.output_item.added", output_index=0, item=item)
            yield self._event("response.content_part.added", **self._at, part=part)
        yield self._event("response.output_text.delta", **self._at, delta=words, logprobs=[])

    def end(self, view: RunView, rest: ChatText, told: str, *, counted: bool) -> Iterator[bytes]:
        """The rest of an answer of which so much was told, then all of it."""
        yield from self.words(rest.content)
        message = ChatText(told + rest.content, rest.annotations)
        whole = self.whole(view, message, self._id)
        (item,) = whole["output"]
        yield self._event("response.output_text.done", **self._at, text=message.content, logprobs=[])
        yield self._event("response.content_part.done", **self._at, part=item["content"][0])
        yield self._event("response.output_item.done", output_index=0, item=item)
        yield self._event("response.completed", response=whole)

    def failed(self, why: QuireError) -> bytes:
        """That there is no answer."""
        told = {"code": why.kind, "message": str(why)}
        return self._event("response.failed", response={**_begun(self._id, "failed"), "error": told})

    def _event(self, kind: str, **told: Any) -> bytes:
        numbered = {"type": kind, **told, "sequence_number": next(self._numbers)}
        return f"event: {kind}\n".encode() + _data(numbered)


def _data(document: Mapping[str, Any]) -> bytes:
    return f"data: {jsontext.dumps(document)}\n\n".encode()


def took(view: RunView) -> dict[str, Any]:
    """Tokens and, in US dollars, cost; zeros where no language model was used."""
    took = view.run.usage
    usage = {
        "prompt_tokens": took.prompt_tokens,
        "completion_tokens": took.completion_tokens,
        "total_tokens": view.tokens,
        "prompt_tokens_details": {"cached_tokens": took.cached_tokens},
        "cost": took.cost,
    }
    return {"usage": usage, "run": view.id}


def _head(id: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{id}", "object": kind, "created": int(time.time()), "model": MODEL}


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


def _item_head(id: str) -> dict[str, Any]:
    return {"id": f"msg_{id}", "type": "message", "role": "assistant", "status": "completed"}
