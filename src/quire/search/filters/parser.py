"""Filter text to SQL, by precedence climbing.

From loose to tight: `or`, `and`, `not`, comparisons (`== != < <= > >= in not in like`; chains such as
`1 < page_number < 4` are allowed), `+ -`, `* / %`, unary `-`, `**` (from the right). `&&`, `||`, `!` and
capitals are the same words; lists are `[..]` or `(..)`. Every error names the column where it stands.

    condition = parse("bbox[0] + bbox[2] <= 100 and page_number in [1, 2]")
    condition.sql, condition.parameters
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quire.errors import FilterError
from quire.search.filters.sql import (
    RELATIONS,
    FilterSql,
    all_of,
    calculated,
    compared,
    doubles,
    over,
    value_of,
)
from quire.search.filters.words import FIELDS, FilterWord, advice, number_of, tokens, unquote

MAX_DEPTH = 50  # each level takes ten frames of the stack
MAX_PARTS = 300  # what DuckDB needs to plan a condition grows with the square of its parts
_LISTS = {"array_contains": "list_has_all", "array_contains_all": "list_has_all"}
_LISTS["array_contains_any"] = "list_has_any"


@dataclass(frozen=True, slots=True)
class Condition:
    """SQL that is true or false of an entry, never NULL; its parameters; the fields that it names."""

    sql: str
    parameters: tuple[Any, ...]
    fields: frozenset[str]


def parse(text: str) -> Condition:
    """The condition that a filter is.

    Raises:
        FilterError: unknown field, wrong type, wrong syntax, more than 10 000 bytes, more than 300 parts
            (fields, values, operators; a list is one), or deeper than 50 levels.
    """
    parser = _Parser(tokens(text))
    whole = parser.expression()
    parser.expect("end")
    if whole.parts > MAX_PARTS:
        raise FilterError(
            f"The filter has {whole.parts} parts (fields, values, operators).",
            hint=f"At most {MAX_PARTS} are allowed: write a list, `page_number in [1, 2]`, which is one.",
        )
    if whole.depth > MAX_DEPTH:
        raise _too_deep()
    if whole.kind != "truth":
        raise FilterError("The filter is a value, not a condition.", hint="Compare it: `page_number == 1`.")
    return Condition(whole.sql, whole.values, frozenset(parser.fields))


def _too_deep() -> FilterError:
    return FilterError(f"The filter is nested more than {MAX_DEPTH} levels deep.")


class _Parser:
    def __init__(self, stream: list[FilterWord]) -> None:
        self.fields: set[str] = set()
        self._stream = stream
        self._at = 0
        self._depth = 0

    # -- tokens

    @property
    def _next(self) -> FilterWord:
        return self._stream[self._at]

    @property
    def _ahead(self) -> str:
        return self._stream[min(self._at + 1, len(self._stream) - 1)].kind

    def _take(self) -> FilterWord:
        self._at += 1
        return self._stream[self._at - 1]

    def _accept(self, *kinds: str) -> FilterWord | None:
        return self._take() if self._next.kind in kinds else None

    def expect(self, kind: str) -> FilterWord:
        if token := self._accept(kind):
            return token
        raise self._unexpected(self._next, "" if kind == "end" else f"`{kind}` is expected there.")

    def _unexpected(self, token: FilterWord, hint: str = "") -> FilterError:
        if token.kind == "end":
            return FilterError("The filter ends too early.", hint=hint or "Something is missing at its end.")
        hints = {"=": "Equality is written `==`.", "<>": "Inequality is written `!=`."}
        return FilterError(
            f"Unexpected `{token.text}` at column {token.column} of the filter.",
            hint=hints.get(token.kind, hint),
        )

    def _run(self, kinds: Sequence[str], what: str) -> list[FilterWord]:
        """The tokens of these kinds that follow each other."""
        found: list[FilterWord] = []
        while token := self._accept(*kinds):
            found.append(token)
            if len(found) > MAX_DEPTH:
                raise FilterError(f"Too many {what} in a row at column {token.column}.")
        return found

    # -- conditions

    def expression(self) -> FilterSql:
        """Or."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _too_deep()
        whole = self._logical("or", lambda: self._logical("and", self._negation))
        self._depth -= 1
        return whole

    def _logical(self, word: str, part: Callable[[], FilterSql]) -> FilterSql:
        start = self._next
        parts = [part()]
        while self._accept(word):
            self._truth(parts[0], start)
            near = self._next
            parts.append(self._truth(part(), near))
        return all_of(word, parts)

    def _negation(self) -> FilterSql:
        signs = self._run(("not",), "`not`")
        near = self._next
        part = self._comparison()
        for _ in signs:
            part = over("truth", "(NOT {})", self._truth(part, near))
        return part

    def _truth(self, part: FilterSql, near: FilterWord) -> FilterSql:
        if part.kind != "truth":
            raise FilterError(
                f"A condition is expected at column {near.column} of the filter.",
                hint="Compare the value with something: `page_number == 1`.",
            )
        return part

    def _comparison(self) -> FilterSql:
        left = self._sum()
        parts: list[FilterSql] = []
        while token := self._accept(*RELATIONS):
            right = self._sum()
            parts.append(compared(token, left, right))
            left = right
        if self._next.kind in ("in", "like") or (self._next.kind == "not" and self._ahead in ("in", "like")):
            parts.append(self._membership(left))
        return all_of("and", parts) if parts else left

    def _membership(self, operand: FilterSql) -> FilterSql:
        negated = self._accept("not") is not None
        token = self._take()
        if operand.kind not in ("number", "text"):
            raise FilterError(f"`{token.text}` at column {token.column} needs a number or a text before it.")
        found = self._in(operand, token) if token.kind == "in" else self._like(operand, token)
        return over("truth", "(NOT {})", found) if negated else found

    def _in(self, operand: FilterSql, token: FilterWord) -> FilterSql:
        items = self._items(operand.kind, token)
        if not items.values[0]:
            return replace(over("truth", "FALSE", operand, items), values=())
        marks = ", ".join("?" * len(items.values[0]))
        if operand.plain:
            return over("truth", "({} IN ({}))", operand, replace(items, sql=marks, values=items.values[0]))
        numbers = replace(items, sql=marks, values=tuple(map(float, items.values[0])))
        return over("truth", "coalesce({} IN ({}), FALSE)", operand, numbers)

    def _like(self, operand: FilterSql, token: FilterWord) -> FilterSql:
        pattern = self.expect("text")
        if operand.kind != "text":
            raise FilterError(f"`like` at column {token.column} of the filter needs a text before it.")
        value = unquote(pattern)
        if (len(value) - len(value.rstrip("\\"))) % 2:
            raise FilterError(f"The pattern at column {pattern.column} ends with a lone backslash.")
        found = over("truth", "coalesce({} LIKE ? ESCAPE '\\', FALSE)", operand)
        return replace(found, values=(*operand.values, value))

    # -- values

    def _sum(self) -> FilterSql:
        return self._arithmetic(("+", "-"), lambda: self._arithmetic(("*", "/", "%"), self._signed))

    def _arithmetic(self, signs: tuple[str, ...], part: Callable[[], FilterSql]) -> FilterSql:
        whole, links = part(), 0
        while token := self._accept(*signs):
            links += 1
            if links > MAX_DEPTH:
                raise FilterError(f"More than {MAX_DEPTH} `{token.text}` in a row at column {token.column}.")
            whole = calculated(token, whole, part())
        return whole

    def _signed(self) -> FilterSql:
        signs = self._run(("+", "-"), "signs")
        part = self._power()
        for token in reversed(signs):
            if part.kind != "number":
                raise self._unexpected(token, "Only numbers have a sign.")
            if token.kind == "-" and part.literal:
                part = value_of(-part.values[0])
            elif token.kind == "-":
                part = over("number", "(-{})", part.double)
        return part

    def _power(self) -> FilterSql:
        base = self._primary()
        if token := self._accept("**"):
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise _too_deep()
            base = calculated(token, base, self._signed())
            self._depth -= 1
        return base

    def _primary(self) -> FilterSql:
        if self._next.kind == "[":
            return self._items("", self._next)
        token = self._take()
        if token.kind == "number":
            return value_of(number_of(token))
        if token.kind == "text":
            return value_of(unquote(token))
        if token.kind == "(":
            whole = self.expression()
            self.expect(")")
            return whole
        if token.kind == "name" and self._next.kind == "(":
            return self._call(token)
        if token.kind == "name":
            field = self._field(token)
            return self._element(field, token) if self._accept("[") else field
        raise self._unexpected(token)

    def _field(self, token: FilterWord) -> FilterSql:
        if token.text not in FIELDS:
            raise FilterError(
                f"There is no field `{token.text}` (column {token.column} of the filter).",
                hint=advice(token.text),
            )
        self.fields.add(token.text)
        return FilterSql(FIELDS[token.text], token.text, plain=True, field=token.text)

    def _element(self, field: FilterSql, token: FilterWord) -> FilterSql:
        if field.kind != "array":
            raise FilterError(f"`{field.field}` at column {token.column} is not an array.")
        position = self.expect("number")
        self.expect("]")
        if not position.text.isdigit() or len(position.text) > 4:
            raise FilterError(
                f"`{position.text}` at column {position.column} is not a position.", hint="Count from 0."
            )
        return over("number", f"CAST({{}}[{int(position.text) + 1}] AS DOUBLE)", field)

    def _call(self, name: FilterWord) -> FilterSql:
        function = name.text.lower()
        if function not in (*_LISTS, "array_length"):
            raise FilterError(
                f"There is no function `{name.text}` (column {name.column} of the filter).",
                hint=f"Choose from: {', '.join([*_LISTS, 'array_length'])}.",
            )
        self.expect("(")
        token = self.expect("name")
        field = self._field(token)
        if field.kind != "array":
            raise FilterError(
                f"`{field.field}` at column {token.column} is not an array.", hint="Arrays are: bbox."
            )
        if function == "array_length":
            self.expect(")")
            return over("number", "CAST(len({}) AS DOUBLE)", field)
        self.expect(",")
        items = self._one(name) if function == "array_contains" else self._items("number", name)
        self.expect(")")
        return over(
            "truth", f"coalesce({_LISTS[function]}({{}}, {{}}), FALSE)", doubles(field), doubles(items)
        )

    def _one(self, name: FilterWord) -> FilterSql:
        value = self._constant()
        if value is None or value.kind != "number":
            raise FilterError(f"`array_contains` at column {name.column} needs a number as second value.")
        return FilterSql("numbers", "?", (list(value.values),))

    def _constant(self) -> FilterSql | None:
        """A number, perhaps with a sign, or a text; None if there is something else."""
        sign = self._accept("-", "+") if self._ahead == "number" else None
        if token := self._accept("number"):
            return value_of(-number_of(token) if sign and sign.kind == "-" else number_of(token))
        if token := self._accept("text"):
            return value_of(unquote(token))
        return None

    def _items(self, of: str, near: FilterWord) -> FilterSql:
        """A list, its values together as one parameter; `of` is their kind, if it is known."""
        opening = self._accept("[", "(")
        if opening is None:
            raise self._unexpected(self._next, f"A list is expected after `{near.text}`: [1, 2].")
        closing = "]" if opening.kind == "[" else ")"
        values: list[Any] = []
        while self._next.kind != closing:
            at = self._next
            value = self._constant()
            if value is None or (of and value.kind != of):
                raise FilterError(
                    f"`{at.text}` at column {at.column} does not belong into this list.",
                    hint=f"It takes {of or 'number'}s only.",
                )
            of = value.kind
            values += value.values
            if not self._accept(","):
                break
        self.expect(closing)
        return FilterSql("texts" if of == "text" else "numbers", "?", (values,))
