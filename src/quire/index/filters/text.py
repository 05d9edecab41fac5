"""Tree back to text, in full parentheses; and whether Milvus can evaluate it."""

from __future__ import annotations

from quire.index.filters.lexer import quote
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
    Negative,
    Node,
    Not,
    kind,
    walk,
)

_CONTAINS = {"one": "array_contains", "all": "array_contains_all", "any": "array_contains_any"}


def to_text(node: Node) -> str:
    """The filter as text that parses back to the same tree."""
    if isinstance(node, Field):
        return node.name
    if isinstance(node, Literal):
        return _literal(node.value)
    if isinstance(node, Items):
        return "[" + ", ".join(_literal(value) for value in node.values) + "]"
    if isinstance(node, Element):
        return f"{node.field.name}[{node.position}]"
    if isinstance(node, Length):
        return f"array_length({node.field.name})"
    if isinstance(node, Negative):
        return f"-({to_text(node.operand)})"
    if isinstance(node, Binary | Compare):
        return f"{_operand(node.left)} {node.operator} {_operand(node.right)}"
    if isinstance(node, In):
        return f"{_operand(node.operand)} in {to_text(node.items)}"
    if isinstance(node, Like):
        return f"{_operand(node.operand)} like {quote(node.pattern)}"
    if isinstance(node, Contains):
        items = _literal(node.items.values[0]) if node.how == "one" else to_text(node.items)
        return f"{_CONTAINS[node.how]}({node.field.name}, {items})"
    if isinstance(node, Not):
        return f"not ({to_text(node.operand)})"
    return f" {node.operator} ".join(f"({to_text(part)})" for part in node.parts)


def evaluable_by_milvus(tree: Node) -> bool:
    """Whether every Milvus evaluates this tree as quire does.

    Milvus Lite 2 and 3 and the servers differ in arithmetic (`**` nowhere, `%` not in Lite 3, sums of two
    elements not in the servers, integer division), arrays compared with lists, empty lists and literals on
    the left: whatever holds one of these is evaluated in DuckDB.
    """
    return all(_plain(node) for _, node in walk(tree))


def _plain(node: Node) -> bool:
    if isinstance(node, Binary | Negative):
        return False
    if isinstance(node, Literal | Items):
        values = node.values if isinstance(node, Items) else (node.value,)
        return all(_simple(value) for value in values)
    if isinstance(node, Compare):
        return not isinstance(node.left, Literal | Items) and isinstance(node.right, Literal)
    if isinstance(node, In):
        return bool(node.items.values) and isinstance(node.operand, Field)
    if isinstance(node, Contains):
        return bool(node.items.values) and all(isinstance(value, int) for value in node.items.values)
    if isinstance(node, Like):
        return isinstance(node.operand, Field) and _simple(node.pattern)
    return True


def _simple(value: float | str) -> bool:
    """Whether all Milvus read this literal alike: escapes in texts and numbers beyond 64 bits they do not."""
    return not isinstance(value, str) or (value.isprintable() and not set(value) & set("\\'\""))


def _literal(value: float | str) -> str:
    return quote(value) if isinstance(value, str) else repr(value)


def _operand(node: Node) -> str:
    simple = isinstance(node, Field | Element | Length | Items) or (
        isinstance(node, Literal) and (kind(node) == "text" or not _literal(node.value).startswith("-"))
    )
    return to_text(node) if simple else f"({to_text(node)})"
