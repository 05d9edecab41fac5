"""JSON Schema of answers: what a value breaks, and the form that a schema describes.

`check_schema(value, schema)` gives the first problem in words, or "". Foreign schemas are data: nothing is
fetched for a reference, and patterns, which may take exponential time, are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from quire.agents.form_words import Form

_KINDS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list"}
_KINDS["object"] = "dict"
_DEEPEST = 50
_IGNORED = ("pattern", "patternProperties", "$dynamicRef")
_ARRAYS = Draft202012Validator.TYPE_CHECKER.redefine(
    "array", lambda _, value: isinstance(value, list | tuple)
)
_Validator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {name: lambda *_: iter(()) for name in _IGNORED}, type_checker=_ARRAYS
)


def check_schema(value: Any, schema: Mapping[str, Any]) -> str:
    """The first thing about the value that the schema forbids, or "".

    What is no schema, points elsewhere, or nests without end forbids nothing: no answer could ever fit it.
    """
    try:
        Draft202012Validator.check_schema(schema)
        problem = best_match(_Validator(schema, registry=Registry()).iter_errors(value))
    except (SchemaError, Unresolvable, RecursionError):
        return ""
    if problem is None:
        return ""
    where = "".join(f"[{step!r}]" for step in problem.absolute_path)
    return f"the answer{where}: {problem.message}"


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
