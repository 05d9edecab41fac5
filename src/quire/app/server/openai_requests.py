"""What chat programs ask, in the shapes of OpenAI's chat completions, responses and embeddings.

Parameters that ask for what is not done here (tools, several answers, pictures) are refused by name; hints
for a model that quire does not pass on (temperature, length, seed) and a program's own names are passed over.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quire.app.arguments import unknown
from quire.app.server.asks import AskedQuestion
from quire.app.server.http_errors import Refused
from quire.types import LONGEST_QUESTION, Exchange

MODEL = "quire"
_TURNS = 50
_TEXTS = 256  # of one request for vectors
_LINKED = re.compile(r"/(?:read|papers)/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
_TEXT = ("text", "input_text", "output_text")
_NOTHING: tuple[Any, ...] = (None, False, [], {}, "", "none", "auto", "disabled")
_UNDONE = (
    "tools tool_choice functions function_call logprobs top_logprobs logit_bias stop audio prediction "
    "web_search_options background conversation include prompt max_tool_calls dimensions"
).split()


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A question as a program asks it; `bare` wants the value alone, as JSON.

    `before` is the id of the response that it follows, where the program does not send what was said.
    """

    asked: AskedQuestion
    bare: bool = False
    stream: bool = False
    usage_wanted: bool = False
    before: str = ""


def of_chat(body: Any) -> ChatRequest:
    """The request that a body of chat completions makes.

    Raises:
        Refused: it asks nothing, another model, or for what is not done.
    """
    body = _checked(body)
    messages = body.get("messages")
    if not _some(messages, dict):
        raise _wrong("`messages` must be a list of messages, not empty.")
    options = body.get("stream_options")
    usage_wanted = isinstance(options, dict) and bool(options.get("include_usage"))
    return _request(body, messages, body.get("response_format"), usage_wanted=usage_wanted)


def of_response(body: Any) -> ChatRequest:
    """The request that a body of responses makes: its `input` is a question, or messages."""
    body = _checked(body)
    given = body.get("input")
    messages = [{"role": "user", "content": given}] if isinstance(given, str) else given
    if not _some(messages, dict):
        raise _wrong("`input` must be a question, or a list of messages, not empty.")
    text = body.get("text")
    form = text.get("format") if isinstance(text, dict) else None
    if isinstance(form, dict) and form.get("type") == "json_schema":
        form = {"type": "json_schema", "json_schema": form}  # one level less than in a chat
    before = body.get("previous_response_id") or ""
    if not isinstance(before, str):
        raise _wrong("`previous_response_id` must be the id of a response.")
    return _request(body, messages, form, before=before.removeprefix("resp_"))


def of_embedding(body: Any) -> list[str]:
    """The texts whose vectors are wanted."""
    body = _checked(body)
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not _some(texts, str) or not all(texts):
        raise _wrong("`input` must be a text or a list of texts, none of them empty.")
    if len(texts) > _TEXTS or any(len(each) > LONGEST_QUESTION for each in texts):
        raise _wrong(f"`input` takes {_TEXTS} texts of {LONGEST_QUESTION} characters at most.")
    if body.get("encoding_format") not in (None, "float", "base64"):
        raise _wrong("`encoding_format` is float or base64.")
    return [_sound(each) for each in texts]


def _request(body: Mapping[str, Any], messages: Sequence[Any], form: Any, **more: Any) -> ChatRequest:
    question = _text(messages[-1]).strip()
    if messages[-1].get("role") != "user" or not question:
        raise _wrong("The last message must be a question of the user's.")
    if len(question) > LONGEST_QUESTION:
        raise _wrong(f"The question has more than {LONGEST_QUESTION} characters.")
    papers = body.get("papers") or []
    if papers and not _some(papers, str):
        raise _wrong("`papers` must be a list of names.")
    schema, bare = _schema(form)
    before = tuple(_exchanges(messages[:-1]))
    asked = AskedQuestion(question, tuple(map(_sound, papers)), schema=schema, conversation=before)
    return ChatRequest(asked, bare, bool(body.get("stream")), **more)


def _checked(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, dict):
        raise _wrong("The body must be a JSON object.")
    if body.get("model", MODEL) != MODEL:
        told = f"There is no model `{str(body['model'])[:80]}`; use `{MODEL}`."
        raise Refused(404, "model_not_found", told)
    for name in body:
        if name != "papers" and difflib.get_close_matches(str(name)[:80], ["papers", "paper_ids"], 1, 0.8):
            raise _wrong(unknown(str(name), ["papers"]))
        if name in _UNDONE and body[name] not in _NOTHING:
            raise _wrong(f"`{name}` is not done here: this model answers from a library, in text.")
    if body.get("n") not in (None, 1):
        raise _wrong("`n` is 1 here: there is one answer.")
    if body.get("modalities") not in (None, ["text"]):
        raise _wrong("`modalities` is text here.")
    return body


def _exchanges(messages: Sequence[Mapping[str, Any]]) -> list[Exchange]:
    """The earlier questions, each with what was answered to it and the papers that the answer links to."""
    found: list[Exchange] = []
    for message in messages[-2 * _TURNS :]:
        text = _text(message)
        if message.get("role") == "user" and text.strip():
            found.append(Exchange(text[:LONGEST_QUESTION]))
        elif message.get("role") == "assistant" and found:
            papers = tuple(dict.fromkeys(_LINKED.findall(text)))
            found[-1] = Exchange(found[-1].question, text[:LONGEST_QUESTION], papers)
    return found


def _text(message: Mapping[str, Any]) -> str:
    """The text of a message, which may be in parts."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    said = [part for part in parts if isinstance(part, dict) and part.get("type") in _TEXT]
    if message.get("role") == "user" and len(said) < len(parts):
        raise _wrong("A question of the user's is text here: no pictures, sound or files.")
    texts = (part.get("text") for part in said)
    return _sound("\n".join(text for text in texts if isinstance(text, str)))


def _sound(text: str) -> str:
    """The text without halves of letters: some programs cut in the middle of one."""
    return text.encode("utf-8", "replace").decode()


def _schema(form: Any) -> tuple[dict[str, Any] | None, bool]:
    """The JSON schema that the answer shall satisfy, if there is one, and whether it is to be JSON alone."""
    kind = form.get("type") if isinstance(form, dict) else "text" if form is None else ""
    if kind in ("text", "json_object"):
        return None, kind == "json_object"
    if kind != "json_schema":
        raise _wrong("The format of the answer is text, json_object or json_schema.")
    named = form.get("json_schema")
    schema = named.get("schema") if isinstance(named, dict) else None
    if not isinstance(schema, dict):
        raise _wrong("`json_schema.schema` must be a schema.")
    return schema, True


def _some(given: Any, kind: type) -> bool:
    """Whether it is a list of such values, not empty."""
    return isinstance(given, list) and bool(given) and all(isinstance(each, kind) for each in given)


def _wrong(told: str) -> Refused:
    return Refused(400, "invalid_request_error", told)
