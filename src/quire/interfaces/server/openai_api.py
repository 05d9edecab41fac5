"""OpenAI's chat completions over the library: any chat program that speaks them can ask it.

client = openai.OpenAI(base_url="http://127.0.0.1:8765/v1", api_key="none")
client.chat.completions.create(model="quire", messages=[{"role": "user", "content": "..."}])
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from quire import jsontext
from quire.errors import QuireError
from quire.interfaces.server import openai_format as form
from quire.interfaces.server.asks import Asked, Asking
from quire.interfaces.server.context import ToAsk, ToRead
from quire.interfaces.server.events import PING_LINE, stream
from quire.interfaces.server.http_errors import Json, Refused, status_of
from quire.types import Trajectory

_CREATED = 1_767_225_600  # when the model is said to be made; clients want a number
_CHAT_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["messages"],
                    "properties": {
                        "model": {"const": form.MODEL},
                        "messages": {"type": "array", "minItems": 1, "items": {"type": "object"}},
                        "stream": {"type": "boolean"},
                        "papers": {"type": "array", "items": {"type": "string"}},
                        "response_format": {"type": "object"},
                    },
                }
            }
        },
    }
}


class _Route(APIRoute):
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


router = APIRouter(prefix="/v1", tags=["openai"], route_class=_Route)


@router.get("/models")
def models(here: ToRead) -> Response:
    """The one model: the library."""
    return Json({"object": "list", "data": [_model()]})


@router.get("/models/{name}")
def model(here: ToRead, name: str) -> Response:
    """The model of that name."""
    if name != form.MODEL:
        raise Refused(404, "model_not_found", f"There is no model `{name[:80]}`; use `{form.MODEL}`.")
    return Json(_model())


def _model() -> dict[str, Any]:
    return {"id": form.MODEL, "object": "model", "created": _CREATED, "owned_by": "quire"}


@router.post("/chat/completions", openapi_extra=_CHAT_BODY)
async def chat(here: ToAsk, request: Request) -> Response:
    """Answer the last message from the library, with citations; earlier messages are context.

    `papers` (names) restricts it; `response_format` may give a JSON schema. Unknown parameters are ignored.
    """
    try:
        body = jsontext.loads(await request.body())
    except ValueError as error:
        raise Refused(400, "invalid_request_error", "The body is not JSON.") from error
    wanted = form.read(body)
    asked = Asked(wanted.question, wanted.papers, schema=wanted.schema, conversation=wanted.conversation)
    asking = here.asks.start(asked)
    server = str(request.base_url).rstrip("/")
    if wanted.stream:
        return stream(_chunks(asking, wanted, server))
    async for _ in asking.follow():
        if await request.is_disconnected():
            asking.cancel()
    run = _answered(asking)
    return Json(form.completion(run, _said(asking, run, wanted, server)))


def _said(asking: Asking, run: Trajectory, wanted: form.Request, server: str) -> form.Said:
    return form.said(run, server, bare=wanted.schema is not None, beside=asking.beside)


def _answered(asking: Asking) -> Trajectory:
    """The run of a question that has ended.

    Raises:
        Refused: it has no answer: it was stopped, or its model failed.
        QuireError: why it could not be asked.
    """
    if asking.error is not None:
        raise asking.error
    if asking.run is None:
        raise Refused(409, "cancelled", "The question was stopped.")
    if asking.run.answer.status == "failed":
        raise Refused(502, "model_error", asking.run.answer.note or "The model failed.")
    return asking.run


async def _chunks(asking: Asking, wanted: form.Request, server: str) -> AsyncIterator[bytes]:
    """Its steps as reasoning while it works, then the answer; a reader that leaves stops it."""
    id = asking.id
    try:
        yield _data(form.chunk(id, {"role": "assistant", "content": ""}))
        async for event in asking.follow():
            if event is None:
                yield PING_LINE
            elif event[1] == "step" and (step := _step(event[2])):
                yield _data(form.chunk(id, {"reasoning_content": step}))
        try:
            run = _answered(asking)
        except QuireError as error:
            yield _data(form.error(type(error).__name__, error.message, error.hint))
            return
        except Refused as error:
            yield _data(form.error(error.kind, error.message, error.hint))
            return
        said = _said(asking, run, wanted, server)
        yield _data(form.chunk(id, {"content": said.content, "annotations": list(said.annotations)}))
        yield _data(form.chunk(id, {}, "stop"))
        if wanted.usage_wanted:
            yield _data(form.last_chunk(id, run))
        yield b"data: [DONE]\n\n"
    finally:
        asking.cancel()


def _step(step: dict[str, Any]) -> str:
    """A step in a line: what was thought, and what was done."""
    call = step.get("call")
    done = f"{call['name']}({jsontext.dumps(call['arguments'])})" if call else ""
    return "".join(f"{part}\n" for part in (step.get("thought"), done) if part)


def _data(document: dict[str, Any]) -> bytes:
    return f"data: {jsontext.dumps(document)}\n\n".encode()
