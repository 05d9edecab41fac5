"""JSON Schema of answers: which are taken, and what a value breaks.

`refuse_unusable(schema)` where one comes in; `check_schema(value, schema)` gives the first problem in words,
or "". Foreign schemas are data: nothing is fetched for a reference; patterns and what is "unevaluated", which
may take exponential time, are not looked at; and a check ends after a number of steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, UnknownType, ValidationError, best_match
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from quire.errors import AnswerFormatError

DEEPEST = 32
_LONGEST = 20_000  # bytes as JSON
_MOST_PARTS = 1000  # objects and lists
_STEPS = 10_000  # keywords that one check looks at
_IGNORED = ("pattern", "patternProperties", "$dynamicRef", "unevaluatedItems", "unevaluatedProperties")
_PROBES: tuple[Any, ...] = (None, "", 0, {}, [])
# What a schema that is none makes the validator raise, by where in it the nonsense stands.
_BROKEN = (
    UnknownType,
    Unresolvable,
    RecursionError,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
_left: ContextVar[list[int]] = ContextVar("steps that a check may still take")


class _TooLong(Exception):
    """The check of a value took all its steps."""


def _counted(keyword: Callable[..., Any]) -> Callable[..., Any]:
    def looked_at(*given: Any) -> Any:
        steps = _left.get()
        steps[0] -= 1
        if steps[0] < 0:
            raise _TooLong
        return keyword(*given)

    return looked_at


def _unique(_: Any, wanted: Any, value: Any, __: Any) -> Iterator[Any]:
    """Whether no element of a list comes twice; the validator's own takes quadratic time."""
    if wanted and isinstance(value, list | tuple):
        if len({json.dumps(each, sort_keys=True, default=str) for each in value}) < len(value):
            yield ValidationError("an element comes twice")


_ARRAYS = Draft202012Validator.TYPE_CHECKER.redefine(
    "array", lambda _, value: isinstance(value, list | tuple)
)
_LOOKED_AT = {name: _counted(check) for name, check in Draft202012Validator.VALIDATORS.items()}
_Validator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    _LOOKED_AT | {"uniqueItems": _unique} | {name: lambda *_: iter(()) for name in _IGNORED},
    type_checker=_ARRAYS,
)


def refuse_unusable(schema: Mapping[str, Any]) -> None:
    """Refuse what is no JSON Schema, points elsewhere, or would take long to check.

    Raises:
        AnswerFormatError: which of them, and what is taken.
    """
    hint = f"Up to {_LONGEST} bytes, {_MOST_PARTS} parts and {DEEPEST} levels; references as #/$defs/."
    level, parts, elsewhere = [schema], 0, False
    for _ in range(DEEPEST):
        parts += len(level)
        elsewhere |= any(_points_away(each) for each in level)
        level = [inner for each in level for inner in _inside(each)]
    if level or parts > _MOST_PARTS:
        raise AnswerFormatError("The answer schema is too deep or has too many parts.", hint=hint)
    if elsewhere:
        raise AnswerFormatError("The answer schema points to another document.", hint=hint)
    try:
        if len(json.dumps(schema, ensure_ascii=False).encode()) > _LONGEST:
            raise AnswerFormatError("The answer schema is too long.", hint=hint)
        Draft202012Validator.check_schema(schema)
        for probe in _PROBES:
            _problem(probe, schema)
    except SchemaError as error:
        raise AnswerFormatError(f"The answer schema is none: {error.message[:200]}.", hint=hint) from error
    except _TooLong as error:
        raise AnswerFormatError("The answer schema unfolds to too much to check.", hint=hint) from error
    except _BROKEN as error:
        raise AnswerFormatError("The answer schema cannot be followed.", hint=hint) from error


def _inside(part: Any) -> list[Any]:
    """The objects and lists that an object or a list holds."""
    held = part.values() if isinstance(part, Mapping) else part
    return [each for each in held if isinstance(each, Mapping | list)]


def _points_away(part: Any) -> bool:
    reference = part.get("$ref") if isinstance(part, Mapping) else None
    return isinstance(reference, str) and not reference.startswith("#")


def check_schema(value: Any, schema: Mapping[str, Any]) -> str:
    """The first thing about the value that the schema forbids, or ""."""
    try:
        return _problem(value, schema)
    except _TooLong:
        return f"its check takes more than {_STEPS} steps"
    except _BROKEN:
        return "the schema cannot be followed for this value"


def _problem(value: Any, schema: Mapping[str, Any]) -> str:
    _left.set([_STEPS])
    problem = best_match(_Validator(schema, registry=Registry()).iter_errors(value))
    if problem is None:
        return ""
    where = "".join(f"[{step!r}]" for step in problem.absolute_path)
    return f"the answer{where}: {problem.message}"
