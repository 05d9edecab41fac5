"""The part of JSON Schema that answers need: type, enum, const, properties, required, items, limits.

`check_schema(value, schema)` gives the first problem in words, or "". Keywords that it does not know are
ignored, as the standard says. `schema_form(schema)` is the form that the schema's types describe.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quire.agents.form_words import Form

_KINDS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list"}
_KINDS["object"] = "dict"
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
    "null": (type(None),),
}
_DEEPEST = 50


def check_schema(value: Any, schema: Mapping[str, Any]) -> str:
    """The first thing about the value that the schema forbids, or ""."""
    return next(_problems(value, schema, "the answer", 0), "")


def schema_form(schema: Any, depth: int = 0) -> Form:
    """The kinds that a schema names, for what is inside too."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return Form()
    named, fields = schema.get("type"), schema.get("properties")
    inner = schema_form(schema.get("items"), depth + 1) if "items" in schema else None
    known = fields.items() if isinstance(fields, Mapping) else ()
    return Form(
        _KINDS.get(named, "any") if isinstance(named, str) else "any",
        every=inner,
        fields={str(name): schema_form(each, depth + 1) for name, each in known},
    )


def _problems(value: Any, schema: Any, where: str, depth: int) -> Iterator[str]:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return
    names = schema.get("type")
    wanted = [names] if isinstance(names, str) else list(names or [])
    if wanted and not any(_is(value, name) for name in wanted):
        yield f"{where} must be of type {' or '.join(map(str, wanted))}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} must be one of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{where} must be {schema['const']!r}"
    yield from _limits(value, schema, where)
    if isinstance(value, dict):
        yield from _fields(value, schema, where, depth)
    if isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _problems(item, schema.get("items"), f"item {number} of {where}", depth + 1)


def _fields(value: dict[str, Any], schema: Mapping[str, Any], where: str, depth: int) -> Iterator[str]:
    known = schema.get("properties") or {}
    for name in schema.get("required") or []:
        if name not in value:
            yield f"{where} needs the field `{name}`"
    for name, inner in known.items():
        if name in value:
            yield from _problems(value[name], inner, f"`{name}` of {where}", depth + 1)
    if schema.get("additionalProperties") is False:
        for name in value.keys() - known.keys():
            yield f"{where} has a field `{name}` too many"


def _limits(value: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    size = len(value) if isinstance(value, str | list | tuple) else None
    numeric = value if isinstance(value, int | float) and not isinstance(value, bool) else None
    least, most = ("minLength", "maxLength") if isinstance(value, str) else ("minItems", "maxItems")
    for given, low, high in ((size, least, most), (numeric, "minimum", "maximum")):
        if given is not None and given < schema.get(low, given):
            yield f"{where} is below {low} {schema[low]}"
        if given is not None and given > schema.get(high, given):
            yield f"{where} is above {high} {schema[high]}"


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool) and name != "boolean":
        return False
    if isinstance(value, float) and name == "integer":
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, (object,)))
