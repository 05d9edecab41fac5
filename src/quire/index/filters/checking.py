"""What may stand where in a filter: names, numbers, kinds of both sides; and what is said where they may not.

Every error names the column, and its hint what was probably meant.
"""

from __future__ import annotations

from typing import cast

from quire.errors import FilterError
from quire.index.filters.fields import FIELDS, advice
from quire.index.filters.lexer import Token, unquote
from quire.index.filters.tree import (
    Arithmetic,
    Binary,
    Compare,
    Field,
    Literal,
    Node,
    Relation,
    kind,
)


def field_of(token: Token) -> Field:
    """The field of that name."""
    if token.text in FIELDS:
        return Field(token.text)
    raise FilterError(
        f"There is no field `{token.text}` (column {token.column} of the filter).", hint=advice(token.text)
    )


def number_of(token: Token) -> int | float:
    """The value of a number, which fits 64 bits."""
    if token.text.isdigit():
        value = int(token.text) if len(token.text) < 20 else 2**64
        if value < 2**63:
            return value
        raise FilterError(f"The number at column {token.column} is too large.")
    number = float(token.text)
    if number == float("inf"):
        raise FilterError(f"The number at column {token.column} is too large.")
    return number


def is_number(node: Node) -> bool:
    """Whether a node is a number as it was written."""
    return isinstance(node, Literal) and not isinstance(node.value, str)


def binary(token: Token, left: Node, right: Node) -> Node:
    """Arithmetic of two numbers."""
    if kind(left) != "number" or kind(right) != "number":
        raise FilterError(
            f"`{token.text}` at column {token.column} of the filter needs a number on both sides."
        )
    return Binary(cast(Arithmetic, token.kind), left, right)


def comparison(token: Token, left: Node, right: Node) -> Node:
    """Two sides that can be compared."""
    kinds = (kind(left), kind(right))
    arrays = token.kind in ("==", "!=") and set(kinds) == {"array", "list"}
    if arrays or (kinds[0] == kinds[1] and kinds[0] in ("number", "text")):
        return Compare(cast(Relation, token.kind), left, right)
    raise FilterError(
        f"`{token.text}` at column {token.column} of the filter compares {_describe(left)} with"
        f" {_describe(right)}.",
        hint=_quotes(left, right),
    )


def _describe(node: Node) -> str:
    nouns = {"number": "a number", "text": "a text", "array": "an array", "list": "a list"}
    noun = nouns.get(kind(node), "a condition")
    return f"{noun} (`{node.name}`)" if isinstance(node, Field) else noun


def _quotes(left: Node, right: Node) -> str:
    for field, other in ((left, right), (right, left)):
        if isinstance(field, Field) and isinstance(other, Literal):
            if kind(field) == "number":
                return f"`{field.name}` is compared with a number without quotes: `{field.name} == 1`."
            if kind(field) == "text":
                return f"`{field.name}` is compared with a text in quotes: `{field.name} == '...'`."
            return f"Take one of its elements: `{field.name}[0]`."
    return ""


def pattern_of(operand: Node, like: Token, pattern: Token) -> str:
    """The pattern of a `like` as it is matched."""
    if kind(operand) != "text":
        raise FilterError(f"`like` at column {like.column} of the filter needs a text before it.")
    value = unquote(pattern)
    escapes = len(value) - len(value.rstrip("\\"))
    if escapes % 2:
        raise FilterError(f"The pattern at column {pattern.column} ends with a lone backslash.")
    return value
