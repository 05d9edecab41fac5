"""Views beside the papers: the interface for programs, where a key is brought, the language model."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import HTMLResponse

from quire.app.server.context import ToRead
from quire.app.server.pages.rendering import html, views

router = views()


@router.get("/docs")
def docs(here: ToRead, request: Request) -> HTMLResponse:
    """All routes, by what they are about."""
    return html("", "docs.html", groups=groups(request.app.openapi()))


def groups(document: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The operations of an OpenAPI document by tag, with the fields of their bodies."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path, operations in document["paths"].items():
        for method, told in operations.items():
            takes: list[tuple[Any, ...]] = [
                (one["name"], _kind(one["schema"]), one["in"], one.get("required", False))
                for one in told.get("parameters", ())
            ]
            takes += [(*field, "body", wanted) for *field, wanted in _fields(document, told)]
            found[told.get("tags", ["other"])[0]].append(
                {
                    "method": method.upper(),
                    "path": path,
                    "does": told.get("description") or told["summary"],
                    "takes": takes,
                }
            )
    return dict(found)


def _fields(document: dict[str, Any], told: dict[str, Any]) -> list[tuple[str, str, bool]]:
    contents = told.get("requestBody", {}).get("content", {}).values()
    schemas = [_resolved(document, each["schema"]) for each in contents]
    return [
        (name, _kind(field), name in schema.get("required", ()))
        for schema in schemas
        for name, field in schema.get("properties", {}).items()
    ]


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    found: dict[str, Any] = document["components"]["schemas"][name] if name else schema
    return found


def _kind(schema: dict[str, Any]) -> str:
    """A type in a word or two."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(each) for each in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return " or ".join(map(str, schema.get("enum") or [schema["const"]]))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


@router.get("/keys-help")
def keys_help(to: Annotated[str, Query(max_length=2000)] = "/") -> HTMLResponse:
    """The form, and where one came from; an address of another server leads to the library.

    Browsers drop tabs and breaks from addresses and read a backslash as a slash: none of them is taken.
    """
    ours = re.match(r"/(?!/)", to) and to.isprintable() and "\\" not in to
    return html("", "keys-help.html", to=to if ours else "/")


@router.get("/model")
def model(here: ToRead) -> HTMLResponse:
    """Which model answers; what there is is looked for by the page, on demand."""
    return html("", "model.html", model=here.library.settings.model, answers=here.library.models_answer)
