"""OpenAI's chat completions, responses and embeddings over the library: any program that speaks them can ask.

client = openai.OpenAI(base_url="http://127.0.0.1:8765/v1", api_key="none")
client.chat.completions.create(model="quire", messages=[{"role": "user", "content": "..."}])
client.responses.create(model="quire", input="...")
client.embeddings.create(model="quire", input=["..."])
"""

from __future__ import annotations

import base64
import struct
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from quire import jsontext
from quire.app.run_view import RunView
from quire.app.server import openai_format as form
from quire.app.server import openai_requests as requests
from quire.app.server.access import address
from quire.app.server.asks import Asking
from quire.app.server.context import ServerContext, ToAsk, ToRead
from quire.app.server.events import PING_LINE, stream
from quire.app.server.http_errors import Json, Refused, status_of
from quire.app.server.store import NotFound
from quire.ask import runs
from quire.ask.conversation import last_turns
from quire.errors import QuireError
from quire.types import Trajectory

_CREATED = 1_767_225_600  # when the model is said to be made; clients want a number


def _told(asked: str, **more: Any) -> dict[str, Any]:
    """What a body holds, for the OpenAPI document."""
    fields = {"model": {"const": requests.MODEL}, asked: more.pop("kind"), **more}
    schema = {"type": "object", "required": [asked], "properties": fields}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


_PAPERS = {"type": "array", "items": {"type": "string"}}
_OBJECT = {"type": "object"}
_MESSAGES = {"type": "array", "minItems": 1, "items": _OBJECT}
_TEXTS = {"type": ["string", "array"], "items": {"type": "string"}}


class _OpenAIRoute(APIRoute):
    """A route whose errors are in OpenAI's shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def told(request: Request) -> Response:
            try:
                return await handle(request)
            except Refused as error:
                return _refusal(error.status, form.error(error.kind, error.message, error.hint))
            except QuireError as error:
                told = form.error(type(error).__name__, error.message, error.hint)
                return _refusal(status_of(error), told)

        return told


def _refusal(status: int, told: dict[str, Any]) -> Response:
    # Asking again would cost as much and end alike; clients honour this.
    return Json(told, status, {"x-should-retry": "true" if status == 503 else "false"})


router = APIRouter(prefix="/v1", tags=["openai"], route_class=_OpenAIRoute)


@router.get("/models")
def models(here: ToRead) -> Response:
    """The one model: the library."""
    return Json({"object": "list", "data": [_model()]})


@router.get("/models/{name}")
def model(here: ToRead, name: str) -> Response:
    """The model of that name."""
    if name != requests.MODEL:
        raise Refused(404, "model_not_found", f"There is no model `{name[:80]}`; use `{requests.MODEL}`.")
    return Json(_model())


def _model() -> dict[str, Any]:
    return {"id": requests.MODEL, "object": "model", "created": _CREATED, "owned_by": "quire"}


@router.post(
    "/chat/completions",
    openapi_extra=_told(
        "messages", kind=_MESSAGES, papers=_PAPERS, stream={"type": "boolean"}, response_format=_OBJECT
    ),
)
async def chat(here: ToAsk, request: Request) -> Response:
    """Answer the last message from the library, with citations; earlier messages are context.

    `papers` (names) restricts it; `response_format` may give a JSON schema. What is not done is refused.
    """
    return await _reply(here, request, requests.of_chat(await _body(request)), form.Chunks)


@router.post(
    "/responses",
    openapi_extra=_told(
        "input",
        kind={"type": ["string", "array"]},
        papers=_PAPERS,
        stream={"type": "boolean"},
        text=_OBJECT,
        previous_response_id={"type": ["string", "null"]},
    ),
)
async def respond(here: ToAsk, request: Request) -> Response:
    """Answer a question from the library, with citations; `previous_response_id` goes on from an answer."""
    wanted = requests.of_response(await _body(request))
    if wanted.before:
        before = (*last_turns(_run_of(here, wanted.before)), *wanted.asked.conversation)
        wanted = replace(wanted, asked=replace(wanted.asked, conversation=before))
    return await _reply(here, request, wanted, form.Events)


@router.post("/embeddings", openapi_extra=_told("input", kind=_TEXTS, encoding_format={"type": "string"}))
async def embed(here: ToRead, request: Request) -> Response:
    """Vectors of texts, of the encoder that tells how alike questions are."""
    body = await _body(request)
    texts = requests.of_embedding(body)
    vectors = await run_in_threadpool(lambda: here.library.memory.encoder.encode(texts))
    packed = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": at, "embedding": _packed(vector) if packed else vector}
        for at, vector in enumerate(vectors.tolist())
    ]
    usage = {"prompt_tokens": 0, "total_tokens": 0}
    return Json({"object": "list", "data": data, "model": requests.MODEL, "usage": usage})


def _run_of(here: ServerContext, id: str) -> Trajectory:
    """The run of a response, by the id of either."""
    with suppress(NotFound):
        if view := here.asks.asking(id).view:
            return view.run
    return runs.load(here.library.folder, id)


def _packed(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


async def _body(request: Request) -> Any:
    try:
        return jsontext.loads(await request.body())
    except ValueError as error:
        raise Refused(400, "invalid_request_error", f"The body is not JSON: {error}.") from error


async def _reply(
    here: ServerContext, request: Request, wanted: requests.ChatRequest, kind: type[form.Chunks | form.Events]
) -> Response:
    """Ask, and answer in pieces or as a whole."""
    asking, server = here.asks.start(wanted.asked), address(request)
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
    asking: Asking, wanted: requests.ChatRequest, server: str, pieces: form.Chunks | form.Events
) -> AsyncGenerator[bytes]:
    """The answer as it is written, steps as reasoning where a form has it; a reader that leaves stops it."""
    growing = form.Growing()
    try:
        for line in pieces.begin():
            yield line
        async for event in asking.follow():
            for line in (
                [PING_LINE] if event is None else _pieces(event[1], event[2], growing, wanted, pieces)
            ):
                yield line
        try:
            view = _answered(asking)
        except (QuireError, Refused) as error:
            kind = error.kind if isinstance(error, Refused) else type(error).__name__
            yield pieces.failed(kind, error.message, error.hint)
            return
        rest = growing.rest(form.said(view, server, bare=wanted.bare))
        for line in pieces.end(view, rest, growing.told, counted=wanted.usage_wanted):
            yield line
    finally:
        asking.cancel()


def _pieces(
    kind: str,
    told: Any,
    growing: form.Growing,
    wanted: requests.ChatRequest,
    pieces: form.Chunks | form.Events,
) -> Iterator[bytes]:
    """What an event of a question adds to its answer."""
    if kind == "step":
        growing.turn()
        yield from pieces.step(form.step_in_words(told))
    if kind == "text" and told.kind == "answer" and not wanted.bare and (words := growing.more(told.text)):
        yield from pieces.words(words)
