"""The language model of this server: which there are, which answers, its limit, one question to try it."""

from __future__ import annotations

import os
import time
from typing import Annotated, Any

from fastapi import Request
from pydantic import Field
from starlette.responses import Response

from quire import llm, settings
from quire.app.arguments import Body
from quire.app.server.api.routes import routes
from quire.app.server.context import ServerContext, ToRead, ToWrite
from quire.app.server.http_errors import Json, Refused
from quire.llm.finding import find_models

router = routes("models", "/models")

_KEY = "OPENAI_API_KEY"


class ModelBody(Body):
    """What to change; an empty `name` lets rules answer. The key is kept by this process and never told."""

    name: Annotated[str, Field(max_length=200)] | None = None
    base_url: Annotated[str, Field(max_length=500, pattern=r"^(https?://\S+)?$")] | None = None
    max_cost: Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)] | None = None
    key: Annotated[str, Field(max_length=500, pattern=r"^[\x21-\x7e]*$")] | None = None


class TryBody(Body):
    """One question to the model itself, without any paper."""

    question: Annotated[str, Field(min_length=1, max_length=2000)] = (
        "Say in one short sentence that you are there."
    )


@router.get("")
def shown(here: ToRead) -> Response:
    """The model that answers, its limit and what it cost since it was chosen; whether there is a key."""
    return Json(_document(here))


@router.get("/found")
def found(here: ToWrite) -> Response:
    """Models of this machine's servers and of keys in the environment."""
    return Json({"found": find_models()})


@router.put("")
def choose(here: ToWrite, request: Request, body: ModelBody) -> Response:
    """Choose another model, endpoint or limit, from now on and for later starts; for this machine's user."""
    _own(request)
    changes = {name: value for name, value in body.model_dump(exclude={"key"}).items() if value is not None}
    here.library.use_model(**changes)
    if changes:
        settings.keep("model", **changes)
    if body.key is not None:
        os.environ.pop(_KEY, None)
        if body.key:
            os.environ[_KEY] = body.key
    return Json(_document(here))


@router.post("/try")
def attempt(here: ToWrite, request: Request, body: TryBody) -> Response:
    """Ask the model one question: what it says, how long it took, what it cost."""
    _own(request)
    begun = time.perf_counter()
    model = here.library.open_model("answer", "")
    reply = model.complete([llm.user(body.question)], max_tokens=200)
    return Json({"said": reply.text, "seconds": time.perf_counter() - begun, **_document(here)})


def _own(request: Request) -> None:
    """Raises Refused for anybody but this machine's user: a model costs money and is told what papers say."""
    if request.state.caller.name:
        raise Refused(403, "Forbidden", "The model is chosen by the user of the machine that serves.")


def _document(here: ServerContext) -> dict[str, Any]:
    library = here.library
    model = library.settings.model
    meter = library.open_model.__self__.meter if library.models_answer else None  # type: ignore[attr-defined]
    return {
        "name": llm.name_for(library.settings, "answer") if library.models_answer else "",
        "base_url": model.base_url,
        "max_cost": model.max_cost,
        "spent": meter.total.cost if meter else 0.0,
        "key": bool(os.environ.get(_KEY)),
    }
