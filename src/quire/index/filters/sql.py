"""Tree to SQL over `entries`. Values are parameters, names come from the fixed list: nothing is pasted."""

from __future__ import annotations

from typing import Any

from quire.index.filters.tree import (
    Binary,
    Compare,
    Contains,
    Element,
    Field,
    In,
    Items,
    Length,
    Like,
    Literal,
    Logical,
    Negative,
    Node,
    Not,
    kind,
)

_RELATIONS = {"==": "=", "!=": "<>"}
_ARITHMETIC = {"/": "({} / nullif({}, 0))", "%": "({} % nullif({}, 0))", "**": "pow({}, {})"}


def compile(tree: Node) -> tuple[str, list[Any]]:
    """A condition on `entries` and its parameters. It is true or false, never NULL."""
    parameters: list[Any] = []
    return _condition(tree, parameters), parameters


def _condition(node: Node, parameters: list[Any]) -> str:
    if isinstance(node, Logical):
        return "(" + f" {node.operator.upper()} ".join(_condition(p, parameters) for p in node.parts) + ")"
    if isinstance(node, Not):
        return f"(NOT {_condition(node.operand, parameters)})"
    if isinstance(node, Compare):
        return _compare(node, parameters)
    if isinstance(node, In):
        return _in(node, parameters)
    if isinstance(node, Like):
        value = _value(node.operand, parameters)
        parameters.append(node.pattern)
        return f"coalesce({value} LIKE ? ESCAPE '\\', FALSE)"
    if isinstance(node, Contains):
        parameters.append([float(v) for v in node.items.values])
        function = "list_has_any" if node.how == "any" else "list_has_all"
        return f"coalesce({function}(CAST({node.field.name} AS DOUBLE[]), CAST(? AS DOUBLE[])), FALSE)"
    raise AssertionError(node)


def _compare(node: Compare, parameters: list[Any]) -> str:
    relation = _RELATIONS.get(node.operator, node.operator)
    sides = (node.left, node.right)
    if any(isinstance(side, Items) for side in sides):
        return f"coalesce({_array(node.left, parameters)} {relation} {_array(node.right, parameters)}, FALSE)"
    if kind(node.left) == "text" or all(isinstance(side, Field | Literal) for side in sides):
        left, right = (_value(side, parameters) for side in sides)
        return f"({left} {relation} {right})"
    first: list[Any] = []
    left, right = (_number(side, first) for side in sides)
    # A number beyond float64 is no number: each side is asked before it is compared.
    parameters += first * 2
    return f"coalesce(isfinite({left}) AND isfinite({right}) AND {left} {relation} {right}, FALSE)"


def _in(node: In, parameters: list[Any]) -> str:
    if not node.items.values:
        return "FALSE"
    marks = ", ".join("?" * len(node.items.values))
    if kind(node.operand) == "text" or isinstance(node.operand, Field | Literal):
        value = _value(node.operand, parameters)
        parameters += node.items.values
        return f"({value} IN ({marks}))"
    value = _number(node.operand, parameters)
    parameters += [float(v) for v in node.items.values]
    return f"coalesce({value} IN ({marks}), FALSE)"


def _array(node: Node, parameters: list[Any]) -> str:
    if isinstance(node, Field):
        return f"CAST({node.name} AS DOUBLE[])"
    assert isinstance(node, Items)
    parameters.append([float(v) for v in node.values])
    return "CAST(? AS DOUBLE[])"


def _value(node: Node, parameters: list[Any]) -> str:
    if isinstance(node, Field):
        return node.name
    if isinstance(node, Literal):
        parameters.append(node.value)
        return "?"
    return _number(node, parameters)


def _number(node: Node, parameters: list[Any]) -> str:
    if isinstance(node, Field):
        return f"CAST({node.name} AS DOUBLE)"
    if isinstance(node, Literal):
        parameters.append(float(node.value))
        return "CAST(? AS DOUBLE)"
    if isinstance(node, Element):
        return f"CAST({node.field.name}[{node.position + 1}] AS DOUBLE)"
    if isinstance(node, Length):
        return f"CAST(len({node.field.name}) AS DOUBLE)"
    if isinstance(node, Negative):
        return f"(-{_number(node.operand, parameters)})"
    assert isinstance(node, Binary)
    left, right = _number(node.left, parameters), _number(node.right, parameters)
    return _ARITHMETIC.get(node.operator, f"({{}} {node.operator} {{}})").format(left, right)
