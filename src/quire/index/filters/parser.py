"""Filter text to tree: Milvus boolean expressions, by precedence climbing.

From loose to tight: `or`, `and`, `not`, comparisons (`== != < <= > >= in not in like`; chains such as
`1 < page_number < 4` are allowed), `+ -`, `* / %`, unary `-`, `**` (from the right). `&&`, `||`, `!` and
capitals are the same words. Lists are `[..]` or `(..)`. Every error names the column where it stands.

    parse("bbox[0] + bbox[2] <= 100 and page_number in [1, 2]")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal as Choice
from typing import cast

from quire.errors import FilterError
from quire.index.filters.checking import binary, comparison, field_of, is_number, number_of, pattern_of
from quire.index.filters.lexer import Token, tokens, unquote
from quire.index.filters.tree import (
    Contains,
    Element,
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
    walk,
)

MAX_DEPTH = 50  # each level takes ten frames of the stack
MAX_NODES = 300  # what DuckDB needs to plan a condition grows with the square of its parts
_RELATIONS = {"==", "!=", "<", "<=", ">", ">="}
_FUNCTIONS = {"array_contains": "one", "array_contains_all": "all", "array_contains_any": "any"}


def parse(text: str) -> Node:
    """The tree of a filter.

    Raises:
        FilterError: unknown field, wrong type, wrong syntax, more than 10 000 bytes, more than 300 nodes
            (fields, values, operators; a list is one), or deeper than 50 levels.
    """
    parser = _Parser(tokens(text))
    tree = parser.expression()
    parser.expect("end")
    depths = [depth for depth, _ in walk(tree)]
    if len(depths) > MAX_NODES:
        raise FilterError(
            f"The filter has {len(depths)} parts (fields, values, operators).",
            hint=f"At most {MAX_NODES} are allowed: write a list, `page_number in [1, 2]`, which is one.",
        )
    if max(depths) > MAX_DEPTH:
        raise FilterError(f"The filter is nested more than {MAX_DEPTH} levels deep.")
    if kind(tree) != "truth":
        raise FilterError("The filter is a value, not a condition.", hint="Compare it: `page_number == 1`.")
    return tree


class _Parser:
    def __init__(self, stream: list[Token]) -> None:
        self._stream = stream
        self._at = 0
        self._depth = 0

    # -- tokens

    @property
    def _next(self) -> Token:
        return self._stream[self._at]

    def _take(self) -> Token:
        token = self._next
        self._at += 1
        return token

    def _accept(self, *kinds: str) -> Token | None:
        return self._take() if self._next.kind in kinds else None

    def expect(self, kind: str) -> Token:
        if token := self._accept(kind):
            return token
        raise self._unexpected(self._next, "" if kind == "end" else f"`{kind}` is expected there.")

    def _unexpected(self, token: Token, hint: str = "") -> FilterError:
        if token.kind == "end":
            return FilterError("The filter ends too early.", hint=hint or "Something is missing at its end.")
        hints = {"=": "Equality is written `==`.", "<>": "Inequality is written `!=`."}
        return FilterError(
            f"Unexpected `{token.text}` at column {token.column} of the filter.",
            hint=hints.get(token.kind, hint),
        )

    # -- conditions

    def expression(self) -> Node:
        """Or."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise FilterError(f"The filter is nested more than {MAX_DEPTH} levels deep.")
        tree = self._logical("or", lambda: self._logical("and", self._negation))
        self._depth -= 1
        return tree

    def _logical(self, word: Choice["and", "or"], part: Callable[[], Node]) -> Node:
        first_at = self._next
        parts = [part()]
        while self._accept(word):
            start = self._next
            parts.append(self._truth(part(), start))
        if len(parts) == 1:
            return parts[0]
        self._truth(parts[0], first_at)
        return Logical(word, tuple(parts))

    def _negation(self) -> Node:
        signs = 0
        while token := self._accept("not"):
            signs += 1
            if signs > MAX_DEPTH:
                raise FilterError(f"Too many `not` in a row at column {token.column}.")
        start = self._next
        tree = self._comparison()
        for _ in range(signs):
            tree = Not(self._truth(tree, start))
        return tree

    def _truth(self, node: Node, near: Token) -> Node:
        if kind(node) != "truth":
            raise FilterError(
                f"A condition is expected at column {near.column} of the filter.",
                hint="Compare the value with something: `page_number == 1`.",
            )
        return node

    def _comparison(self) -> Node:
        left = self._sum()
        parts: list[Node] = []
        while True:
            token = self._next
            if token.kind in _RELATIONS:
                self._take()
                right = self._sum()
                parts.append(comparison(token, left, right))
                left = right
            elif token.kind in ("in", "like") or (token.kind == "not" and self._ahead() in ("in", "like")):
                parts.append(self._membership(left))
                break
            else:
                break
        if not parts:
            return left
        return parts[0] if len(parts) == 1 else Logical("and", tuple(parts))

    def _ahead(self) -> str:
        return self._stream[min(self._at + 1, len(self._stream) - 1)].kind

    def _membership(self, operand: Node) -> Node:
        negated = self._accept("not") is not None
        token = self._take()
        if kind(operand) not in ("number", "text"):
            raise FilterError(f"`{token.text}` at column {token.column} needs a number or a text before it.")
        tree: Node
        if token.kind == "in":
            items = self._items(kind(operand), token)
            tree = In(operand, items)
        else:
            pattern = self.expect("text")
            tree = Like(operand, pattern_of(operand, token, pattern))
        return Not(tree) if negated else tree

    # -- values

    def _sum(self) -> Node:
        return self._arithmetic(("+", "-"), lambda: self._arithmetic(("*", "/", "%"), self._signed))

    def _arithmetic(self, signs: tuple[str, ...], part: Callable[[], Node]) -> Node:
        tree, links = part(), 0
        while token := self._accept(*signs):
            links += 1
            if links > MAX_DEPTH:
                raise FilterError(f"More than {MAX_DEPTH} `{token.text}` in a row at column {token.column}.")
            tree = binary(token, tree, part())
        return tree

    def _signed(self) -> Node:
        signs = []
        while token := self._accept("+", "-"):
            signs.append(token)
            if len(signs) > MAX_DEPTH:
                raise FilterError(f"Too many signs in a row at column {token.column}.")
        tree = self._power()
        for token in reversed(signs):
            if kind(tree) != "number":
                raise self._unexpected(token, "Only numbers have a sign.")
            if token.kind == "-":
                tree = Literal(-tree.value) if is_number(tree) else Negative(tree)  # type: ignore[union-attr,operator]
        return tree

    def _power(self) -> Node:
        base = self._primary()
        if token := self._accept("**"):
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise FilterError(f"The filter is nested more than {MAX_DEPTH} levels deep.")
            tree = binary(token, base, self._signed())
            self._depth -= 1
            return tree
        return base

    def _primary(self) -> Node:
        token = self._take()
        if token.kind == "number":
            return Literal(number_of(token))
        if token.kind == "text":
            return Literal(unquote(token))
        if token.kind == "(":
            tree = self.expression()
            self.expect(")")
            return tree
        if token.kind == "[":
            self._at -= 1
            return self._items("", token)
        if token.kind == "name":
            return self._named(token)
        raise self._unexpected(token)

    def _named(self, token: Token) -> Node:
        if self._next.kind == "(":
            return self._call(token)
        field = field_of(token)
        if self._next.kind != "[":
            return field
        self._take()
        if kind(field) != "array":
            raise FilterError(f"`{field.name}` at column {token.column} is not an array.")
        position = self.expect("number")
        self.expect("]")
        if not position.text.isdigit() or len(position.text) > 4:
            raise FilterError(
                f"`{position.text}` at column {position.column} is not a position.", hint="Count from 0."
            )
        return Element(field, int(position.text))

    def _call(self, name: Token) -> Node:
        function = name.text.lower()
        if function not in (*_FUNCTIONS, "array_length"):
            raise FilterError(
                f"There is no function `{name.text}` (column {name.column} of the filter).",
                hint=f"Choose from: {', '.join([*_FUNCTIONS, 'array_length'])}.",
            )
        self.expect("(")
        field_token = self.expect("name")
        field = field_of(field_token)
        if kind(field) != "array":
            raise FilterError(
                f"`{field.name}` at column {field_token.column} is not an array.", hint="Arrays are: bbox."
            )
        if function == "array_length":
            self.expect(")")
            return Length(field)
        self.expect(",")
        if function == "array_contains":
            value = self._constant()
            if value is None or kind(value) != "number":
                raise FilterError(f"`array_contains` at column {name.column} needs a number as second value.")
            items = Items((value.value,))
        else:
            items = self._items("number", name)
        self.expect(")")
        return Contains(cast(Choice["one", "all", "any"], _FUNCTIONS[function]), field, items)

    def _constant(self) -> Literal | None:
        """A number, perhaps with a sign, or a text; None if there is something else."""
        sign = self._accept("-", "+") if self._ahead() == "number" else None
        if token := self._accept("number"):
            return Literal(-number_of(token) if sign and sign.kind == "-" else number_of(token))
        if token := self._accept("text"):
            return Literal(unquote(token))
        return None

    def _items(self, of: str, near: Token) -> Items:
        opening = self._accept("[", "(")
        if opening is None:
            raise self._unexpected(self._next, f"A list is expected after `{near.text}`: [1, 2].")
        closing = "]" if opening.kind == "[" else ")"
        values: list[int | float | str] = []
        while self._next.kind != closing:
            at = self._next
            value = self._constant()
            if value is None or (of and kind(value) != of):
                raise FilterError(
                    f"`{at.text}` at column {at.column} does not belong into this list.",
                    hint=f"It takes {of or 'number'}s only.",
                )
            of = of or kind(value)
            values.append(value.value)
            if not self._accept(","):
                break
        self.expect(closing)
        return Items(tuple(values))
