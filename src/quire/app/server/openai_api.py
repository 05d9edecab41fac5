"""OpenAI's chat completions, responses and embeddings over the library: any program that speaks them can ask.

    client = openai.OpenAI(base_url="http://127.0.0.1:8765/v1", api_key="none")
    client.chat.completions.create(model="quire", messages=[{"role": "user", "content": "..."}])
    client.responses.create(model="quire", input="...")
    client.embeddings.create(model="quire", input=["..."])

Parameters that ask for what is not done here (tools, several answers, pictures) are refused by name; hints
for a model that quire does not pass on (temperature, length, seed) and a program's own names are passed over,
as clients send them unasked: the header `x-quire-passed-over` names them.
"""

from __future__ import annotations

import base64
import difflib
import re
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeGuard, TypeVar

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from quire import jsontext
from quire.app.arguments import unknown
from quire.app.run_view import RunView
from quire.app.server import openai_format as form
from quire.app.server.access import address
from quire.app.server.asks import AskBody, Asking
from quire.app.server.context import ServerContext, ToAsk, ToRead
from quire.app.server.openai_format import MODEL
from quire.app.server.responses import PING_LINE, Json, Refused, status_of, stream
from quire.app.server.store import NotFound
from quire.ask import runs
from quire.ask.conversation import last_turns
from quire.errors import QuireError
from quire.types import LONGEST_QUESTION, Exchange, Trajectory

Kind = TypeVar("Kind")
_TURNS = 50
_TEXTS = 256  # of one request for vectors
_LINKED = re.compile(r"/(?:read|papers)/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,60}")
_TEXT = ("text", "input_text", "output_text")
_NOTHING: tuple[Any, ...] = (None, False, [], {}, "", "none", "auto", "disabled")
_UNDONE = (
    "tools tool_choice functions function_call logprobs top_logprobs logit_bias stop audio prediction "
    "web_search_options background conversation include prompt max_tool_calls dimensions"
).split()
_HEARD = {
    *"model messages papers stream stream_options response_format n modalities".split(),
    *"input text previous_response_id encoding_format".split(),
}


class _OpenAIRoute(APIRoute):
    """A route whose errors are in OpenAI's shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def told(request: Request) -> Response:
            try:
                answer = await handle(request)
                if passed := getattr(request.state, "passed_over", ()):
                    answer.headers["x-quire-passed-over"] = ", ".join(passed)
                return answer
            except QuireError as error:
                # Asking again would cost as much and end alike; clients honour this.
                again = {"x-should-retry": "true" if (status := status_of(error)) == 503 else "false"}
                return Json(form.error(error), status, again)

        return told


router = APIRouter(prefix="/v1", tags=["openai"], route_class=_OpenAIRoute)


@router.get("/models")
def models(here: ToRead) -> Response:
    """The one model: the library."""
    return Json({"object": "list", "data": [form.THE_MODEL]})


@router.get("/models/{name}")
def model(here: ToRead, name: str) -> Response:
    """The model of that name."""
    _known_model(name)
    return Json(form.THE_MODEL)


def _body(asked: str, **fields: Any) -> dict[str, Any]:
    """What a body holds, for the OpenAPI document."""
    fields = {"model": {"const": MODEL}, **fields}
    schema = {"type": "object", "required": [asked], "properties": fields}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


_OBJECT, _STREAM = {"type": "object"}, {"type": "boolean"}
_MESSAGES = {"type": "array", "minItems": 1, "items": _OBJECT}
_PAPERS = {"type": "array", "items": {"type": "string"}}
_TEXTS_OR_ONE = {"type": ["string", "array"], "items": {"type": "string"}}
_CHAT = _body("messages", messages=_MESSAGES, papers=_PAPERS, stream=_STREAM, response_format=_OBJECT)
_RESPONSE = _body(
    "input",
    input={"type": ["string", "array"]},
    papers=_PAPERS,
    stream=_STREAM,
    text=_OBJECT,
    previous_response_id={"type": ["string", "null"]},
)
_EMBEDDING = _body("input", input=_TEXTS_OR_ONE, encoding_format={"type": "string"})


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A question as a program asks it; `bare` wants the value alone, as JSON.

    `before` is the id of the response that it follows, where the program does not send what was said.
    """

    asked: AskBody
    conversation: tuple[Exchange, ...]
    bare: bool = False
    stream: bool = False
    usage_wanted: bool = False
    before: str = ""


@router.post("/chat/completions", openapi_extra=_CHAT)
async def chat(here: ToAsk, request: Request) -> Response:
    """Answer the last message from the library, with citations; earlier messages are context.

    `papers` (names) restricts it; `response_format` may give a JSON schema. What is not done is refused.
    """
    body = await _sent(request)
    if not _some(messages := body.get("messages"), dict):
        raise _wrong("`messages` must be a list of messages, not empty.")
    options = body.get("stream_options")
    usage_wanted = isinstance(options, dict) and bool(options.get("include_usage"))
    wanted = _request(body, messages, body.get("response_format"), usage_wanted=usage_wanted)
    return await _reply(here, request, wanted, form.Chunks)


@router.post("/responses", openapi_extra=_RESPONSE)
async def respond(here: ToAsk, request: Request) -> Response:
    """Answer a question from the library, with citations; `previous_response_id` goes on from an answer."""
    body = await _sent(request)
    given = body.get("input")
    messages = [{"role": "user", "content": given}] if isinstance(given, str) else given
    if not _some(messages, dict):
        raise _wrong("`input` must be a question, or a list of messages, not empty.")
    text = body.get("text")
    wished = text.get("format") if isinstance(text, dict) else None
    if isinstance(wished, dict) and wished.get("type") == "json_schema":
        wished = {"type": "json_schema", "json_schema": wished}  # one level less than in a chat
    before = body.get("previous_response_id") or ""
    if not isinstance(before, str):
        raise _wrong("`previous_response_id` must be the id of a response.")
    wanted = _request(body, messages, wished, before=before.removeprefix("resp_"))
    if wanted.before:
        earlier = last_turns(_run_of(here, wanted.before))
        wanted = replace(wanted, conversation=(*earlier, *wanted.conversation))
    return await _reply(here, request, wanted, form.Events)


@router.post("/embeddings", openapi_extra=_EMBEDDING)
async def embed(here: ToRead, request: Request) -> Response:
    """Vectors of texts, of the encoder that tells how alike questions are."""
    body = await _sent(request)
    given, form_ = body.get("input"), body.get("encoding_format")
    texts = [given] if isinstance(given, str) else given
    if not _some(texts, str) or not all(texts):
        raise _wrong("`input` must be a text or a list of texts, none of them empty.")
    if len(texts) > _TEXTS or any(len(each) > LONGEST_QUESTION for each in texts):
        raise _wrong(f"`input` takes {_TEXTS} texts of {LONGEST_QUESTION} characters at most.")
    if form_ not in (None, "float", "base64"):
        raise _wrong("`encoding_format` is float or base64.")
    sound = [_sound(each) for each in texts]
    vectors = await run_in_threadpool(lambda: here.library.memory.encoder.encode(sound))
    packed = (base64.b64encode(each.astype("<f4").tobytes()).decode() for each in vectors)
    told = packed if form_ == "base64" else vectors.tolist()
    data = [{"object": "embedding", "index": at, "embedding": each} for at, each in enumerate(told)]
    usage = {"prompt_tokens": 0, "total_tokens": 0}
    return Json({"object": "list", "data": data, "model": MODEL, "usage": usage})


def _run_of(here: ServerContext, id: str) -> Trajectory:
    """The run of a response, by the id of either."""
    with suppress(NotFound):
        if view := here.asks.asking(id).view:
            return view.run
    return runs.load(here.library.folder, id)


async def _sent(request: Request) -> Mapping[str, Any]:
    """What a program sent.

    Raises:
        Refused: it is no JSON object, wants another model, or what is not done.
    """
    try:
        body = jsontext.loads(await request.body())
    except ValueError as error:
        raise _wrong(f"The body is not JSON: {error}.") from error
    if not isinstance(body, dict):
        raise _wrong("The body must be a JSON object.")
    _known_model(body.get("model", MODEL))
    for name in body:
        if name != "papers" and difflib.get_close_matches(str(name)[:80], ["papers", "paper_ids"], 1, 0.8):
            raise _wrong(unknown(str(name), ["papers"]))
        if name in _UNDONE and body[name] not in _NOTHING:
            raise _wrong(f"`{name}` is not done here: this model answers from a library, in text.")
    request.state.passed_over = list(_passed_over(body))
    if body.get("n") not in (None, 1):
        raise _wrong("`n` is 1 here: there is one answer.")
    if body.get("modalities") not in (None, ["text"]):
        raise _wrong("`modalities` is text here.")
    return body


def _passed_over(body: Mapping[str, Any]) -> Iterator[str]:
    """Names of what changes nothing here, such as can stand in a header; a few."""
    messages = body.get("messages") or body.get("input")
    roles = [each.get("role") for each in messages] if _some(messages, dict) else []
    yield from (f"{role} messages" for role in ("system", "developer") if role in roles)
    said = (name for name, value in body.items() if type(value) in (int, float) or value not in _NOTHING)
    unheard = (name for name in said if name not in _HEARD and _NAME.fullmatch(name))
    yield from islice(unheard, 30)  # a zero says something, though it equals False


def _request(body: Mapping[str, Any], messages: Sequence[Any], wished: Any, **more: Any) -> ChatRequest:
    question = _text(messages[-1]).strip()
    if messages[-1].get("role") != "user" or not question:
        raise _wrong("The last message must be a question of the user's.")
    if len(question) > LONGEST_QUESTION:
        raise _wrong(f"The question has more than {LONGEST_QUESTION} characters.")
    papers = body.get("papers") or []
    if papers and not _some(papers, str):
        raise _wrong("`papers` must be a list of names.")
    schema, bare = _schema(wished)
    named = list(map(_sound, papers))
    asked = AskBody.model_construct(question=question, papers=named, answer_schema=schema)
    return ChatRequest(asked, tuple(_exchanges(messages[:-1])), bare, bool(body.get("stream")), **more)


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


def _schema(wished: Any) -> tuple[dict[str, Any] | None, bool]:
    """The JSON schema that the answer shall satisfy, if there is one, and whether it is to be JSON alone."""
    kind = wished.get("type") if isinstance(wished, dict) else "text" if wished is None else ""
    if kind in ("text", "json_object"):
        return None, kind == "json_object"
    if kind != "json_schema":
        raise _wrong("The format of the answer is text, json_object or json_schema.")
    named = wished.get("json_schema")
    schema = named.get("schema") if isinstance(named, dict) else None
    if not isinstance(schema, dict):
        raise _wrong("`json_schema.schema` must be a schema.")
    return schema, True


def _some(given: Any, kind: type[Kind]) -> TypeGuard[list[Kind]]:
    """Whether it is a list of such values, not empty."""
    return isinstance(given, list) and bool(given) and all(isinstance(each, kind) for each in given)


def _known_model(name: Any) -> None:
    if name != MODEL:
        raise Refused(404, "model_not_found", f"There is no model `{str(name)[:80]}`; use `{MODEL}`.")


def _wrong(told: str) -> Refused:
    return Refused(400, "invalid_request_error", told)


async def _reply(
    here: ServerContext, request: Request, wanted: ChatRequest, kind: type[form.Chunks | form.Events]
) -> Response:
    """Ask, and answer in pieces or as a whole."""
    asking, server = here.asks.start(wanted.asked, wanted.conversation), address(request)
    if wanted.stream:
        return stream(_told_as_it_comes(asking, wanted, server, kind(asking.id)))
    await asking.wait(request.is_disconnected)
    view = _answered(asking)
    return Json(kind.whole(view, form.said(view, server, bare=wanted.bare)))


def _answered(asking: Asking) -> RunView:
    """The run of a question that has ended.

    Raises:
        Refused: it has no answer: it was stopped, or its model failed.
        QuireError: why it could not be asked.
    """
    if asking.error is not None:
        raise asking.error
    if asking.view is None:
        raise Refused(409, "cancelled", "The question was stopped.")
    if asking.view.outcome == "failed":
        raise Refused(502, "model_error", asking.view.note or "The model failed.")
    return asking.view


async def _told_as_it_comes(
    asking: Asking, wanted: ChatRequest, server: str, pieces: form.Chunks | form.Events
) -> AsyncGenerator[bytes]:
    """The answer as it is written, steps as reasoning where a form has it; a reader that leaves stops it."""
    growing = form.Growing()

    def told(kind: str, data: Any) -> Iterator[bytes]:
        if kind == "step":
            growing.turn()
            yield from pieces.step(form.step_in_words(data))
        if kind == "text" and data.kind == "answer" and not wanted.bare and (new := growing.more(data.text)):
            yield from pieces.words(new)

    try:
        for line in pieces.begin():
            yield line
        async for event in asking.follow():
            for line in [PING_LINE] if event is None else told(event[1], event[2]):
                yield line
        try:
            view = _answered(asking)
        except QuireError as error:
            yield pieces.failed(error)
            return
        rest = growing.rest(form.said(view, server, bare=wanted.bare))
        for line in pieces.end(view, rest, growing.told, counted=wanted.usage_wanted):
            yield line
    finally:
        asking.cancel()
