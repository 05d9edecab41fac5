"""The interface for programs on a page: every route with what it takes, from the same OpenAPI document."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse

from quire.app.server.context import ToRead
from quire.app.server.pages.rendering import html
from quire.app.server.pages.views import views

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
