"""The types that a parameter of an action may have: how each is called, told to models and read.

    KINDS[int].name, KINDS[int].schema, KINDS[int].read("3")     ->  "int", {"type": "integer"}, 3

Models write numbers as texts and single things for lists; where the meaning is plain it is taken so.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kind:
    """A type: its name in signatures, its JSON schema, and how a value of it is read.

    `read` raises ValueError, TypeError or SyntaxError for what is none.
    """

    name: str
    schema: Mapping[str, Any]
    read: Callable[[Any], Any]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise TypeError


def _integer(value: Any) -> int:
    if isinstance(value, bool) or value is None:
        raise TypeError
    number = float(value)
    if number != int(number):
        raise ValueError
    return int(number)


def _numbers(value: Any) -> tuple[float, ...]:
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        value = ast.literal_eval(value[:200])
    if isinstance(value, Mapping) or not hasattr(value, "__iter__"):
        raise TypeError
    return tuple(_number(each) for each in value)


def _texts(value: Any) -> tuple[str, ...]:
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Mapping) or not hasattr(value, "__iter__"):
        raise TypeError
    return tuple(_text(each) for each in value)


def _number(value: Any) -> float:
    if isinstance(value, bool):
        raise TypeError
    number = float(value)
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError
    return number


KINDS: Mapping[Any, Kind] = {
    str: Kind("str", {"type": "string"}, _text),
    int: Kind("int", {"type": "integer"}, _integer),
    float: Kind("float", {"type": "number"}, _number),
    tuple[float, ...]: Kind("list[float]", {"type": "array", "items": {"type": "number"}}, _numbers),
    tuple[str, ...]: Kind("list[str]", {"type": "array", "items": {"type": "string"}}, _texts),
    Any: Kind("Any", {}, lambda given: given),
}
