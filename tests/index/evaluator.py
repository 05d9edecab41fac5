"""A plain Python evaluator of filter trees: the second opinion that SQL is compared with."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from quire.index.filters import tree as t

Row = Mapping[str, Any]
_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(node: t.Node, row: Row) -> bool:
    if isinstance(node, t.Logical):
        return (all if node.operator == "and" else any)(holds(part, row) for part in node.parts)
    if isinstance(node, t.Not):
        return not holds(node.operand, row)
    if isinstance(node, t.Contains):
        box = row[node.field.name]
        found = [value in box for value in node.items.values] if box is not None else [False]
        return any(found) if node.how == "any" else all(found)
    if isinstance(node, t.In):
        return value_of(node.operand, row) in node.items.values
    if isinstance(node, t.Like):
        return re.fullmatch(like_to_regex(node.pattern), value_of(node.operand, row), re.DOTALL) is not None
    assert isinstance(node, t.Compare)
    left, right = value_of(node.left, row), value_of(node.right, row)
    if left is None or right is None:
        return False
    if isinstance(left, float) and isinstance(right, float) and not np.isfinite([left, right]).all():
        return False
    return bool(_RELATIONS[node.operator](left, right))


def value_of(node: t.Node, row: Row) -> Any:
    """A number as float, a text, a list of numbers, or None where there is nothing."""
    if isinstance(node, t.Field):
        value = row[node.name]
        return float(value) if isinstance(value, int) else value
    if isinstance(node, t.Literal):
        return node.value if isinstance(node.value, str) else float(node.value)
    if isinstance(node, t.Items):
        return list(node.values)
    if isinstance(node, t.Element | t.Length):
        box = row[node.field.name]
        if box is None:
            return None
        if isinstance(node, t.Length):
            return float(len(box))
        return float(box[node.position]) if node.position < len(box) else None
    if isinstance(node, t.Negative):
        value = value_of(node.operand, row)
        return None if value is None else -value
    assert isinstance(node, t.Binary)
    left, right = value_of(node.left, row), value_of(node.right, row)
    if left is None or right is None or (node.operator in "/%" and right == 0):
        return None
    return float(arithmetic(node.operator, left, right))


def arithmetic(sign: str, left: float, right: float) -> np.float64:
    a, b = np.float64(left), np.float64(right)
    functions: dict[str, Callable[[np.float64, np.float64], Any]] = {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": np.divide,
        "%": np.fmod,
        "**": np.power,
    }
    with np.errstate(all="ignore"):
        return np.float64(functions[sign](a, b))


def like_to_regex(pattern: str) -> str:
    parts = re.findall(r"\\(?s:.)|(?s:.)", pattern)
    wild = {"%": "(?s:.*)", "_": "(?s:.)"}
    return "".join(wild.get(part) or re.escape(part[-1]) for part in parts)
