"""The tree of a filter: eleven kinds of nodes. Frozen, comparable, built only by the parser or by tests.

Truth values are two: a comparison with something that is not there (a fifth side of a box, a division by
zero, a number beyond float64) is false, and `not` of it is true. Arithmetic is float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as Choice

from quire.index.filters.fields import FIELDS, Kind

Arithmetic = Choice["+", "-", "*", "/", "%", "**"]
Relation = Choice["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an entry."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A number or a text."""

    value: int | float | str


@dataclass(frozen=True, slots=True)
class Items:
    """A list of literals, all numbers or all texts."""

    values: tuple[int | float | str, ...]


@dataclass(frozen=True, slots=True)
class Element:
    """`bbox[0]`: an element of an array field, counted from 0."""

    field: Field
    position: int


@dataclass(frozen=True, slots=True)
class Length:
    """`array_length(bbox)`."""

    field: Field


@dataclass(frozen=True, slots=True)
class Negative:
    """`-x` of anything but a literal number."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic of two numbers."""

    operator: Arithmetic
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Compare:
    """A relation between two numbers, two texts, or (`==`, `!=` only) an array field and a list."""

    operator: Relation
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class In:
    """`x in [..]`."""

    operand: Node
    items: Items


@dataclass(frozen=True, slots=True)
class Like:
    r"""`x like 'a%'`: `%` is any text, `_` any letter, `\` takes the next sign as it is."""

    operand: Node
    pattern: str


@dataclass(frozen=True, slots=True)
class Contains:
    """`array_contains(bbox, 1)`, `array_contains_all(bbox, [..])`, `array_contains_any(bbox, [..])`."""

    how: Choice["one", "all", "any"]
    field: Field
    items: Items


@dataclass(frozen=True, slots=True)
class Not:
    """`not x`."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Logical:
    """`a and b and ...` or `a or b or ...`, two parts at least."""

    operator: Choice["and", "or"]
    parts: tuple[Node, ...]


Node = (
    Field
    | Literal
    | Items
    | Element
    | Length
    | Negative
    | Binary
    | Compare
    | In
    | Like
    | Contains
    | Not
    | Logical
)


def kind(node: Node) -> Kind | Choice["truth", "list"]:
    """What a node evaluates to."""
    if isinstance(node, Field):
        return FIELDS[node.name]
    if isinstance(node, Literal):
        return "text" if isinstance(node.value, str) else "number"
    if isinstance(node, Items):
        return "list"
    return "number" if isinstance(node, Element | Length | Negative | Binary) else "truth"


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    if isinstance(node, Binary | Compare):
        return (node.left, node.right)
    if isinstance(node, Negative | Not):
        return (node.operand,)
    if isinstance(node, In):
        return (node.operand, node.items)
    if isinstance(node, Like):
        return (node.operand,)
    if isinstance(node, Element | Length):
        return (node.field,)
    if isinstance(node, Contains):
        return (node.field, node.items)
    return node.parts if isinstance(node, Logical) else ()


def walk(node: Node) -> Iterator[tuple[int, Node]]:
    """Every node with its depth (the root has 1), without recursion."""
    stack = [(1, node)]
    while stack:
        depth, current = stack.pop()
        yield depth, current
        stack.extend((depth + 1, child) for child in children(current))


def uses(tree: Node, field: str) -> bool:
    """Whether the filter names this field."""
    return any(isinstance(node, Field) and node.name == field for _, node in walk(tree))
