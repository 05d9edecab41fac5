"""The filter language: Milvus boolean expressions over the fields of an entry, as SQL.

    condition = parse("bbox[0] + bbox[2] <= 100 and pdf_id == '123456' and page_number in [1, 2]")
    condition.sql, condition.parameters           # over `entries`; values are parameters

Fields: `id`, `pdf_id`, `page_number`, `table_name`, `column_name`, `primary_key`, and `bbox` of images. From
loose to tight: `or`, `and`, `not`, comparisons (`== != < <= > >= in not in like`; chains such as
`1 < page_number < 4` are allowed), `+ -`, `* / %`, unary `-`, `**` (from the right). `&&`, `||`, `!` and
capitals are the same words; lists are `[..]` or `(..)`. Every error names the column where it stands.

Truth values are two: a comparison with something that is not there (a fifth side of a box, a division by
zero, a number beyond float64) is false, and `not` of it is true. Arithmetic is float64. Values are parameters
and names come from a fixed list, so nothing of a filter is pasted into SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from quire.errors import FilterError
from quire.search.filter_words import FIELDS, FilterWord, Kind, advice, number_of, tokens, unquote

MAX_DEPTH = 50
MAX_PARTS = 300  # what DuckDB needs to plan a condition grows with the square of its parts
_RELATIONS = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_ARITHMETIC = {
    **{sign: f"({{}} {sign} {{}})" for sign in "+-*"},
    "/": "({} / nullif({}, 0))",
    "%": "({} % nullif({}, 0))",
    "**": "pow({}, {})",
}
# How tightly operators bind; in a tie the left one is first, but for `**`.
_BINDS = {
    "or": 1, "and": 2, "negation": 3, **dict.fromkeys((*_RELATIONS, "in", "like"), 4),
    "+": 5, "-": 5, "*": 6, "/": 6, "%": 6, "sign": 7, "power": 7, "**": 8,
}  # fmt: skip
_LISTS = {"array_contains": "list_has_all", "array_contains_all": "list_has_all"}
_LISTS["array_contains_any"] = "list_has_any"
_NOUNS = {"number": "a number", "text": "a text", "array": "an array", "numbers": "a list", "texts": "a list"}


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
    if whole.kind != "truth":
        raise FilterError("The filter is a value, not a condition.", hint="Compare it: `page_number == 1`.")
    return Condition(whole.sql, whole.values, frozenset(parser.fields))


def _too_deep() -> FilterError:
    return FilterError(f"The filter is nested more than {MAX_DEPTH} levels deep.")


@dataclass(frozen=True, slots=True)
class _Rendered:
    """A piece of a filter as SQL; `parts` and `depth` count the fields, values and operators in it.

    What is `plain`, a field or a value as it was written, is compared exactly; all else is float64.
    """

    kind: Kind | Literal["numbers", "texts", "truth"]
    sql: str
    values: tuple[Any, ...] = ()
    plain: bool = False
    field: str = ""
    parts: int = 1
    depth: int = 1

    @property
    def literal(self) -> bool:
        """Whether it is a number or a text as it was written."""
        return self.plain and not self.field

    @property
    def double(self) -> _Rendered:
        """The same number as float64."""
        if not self.plain:
            return self
        return replace(self, sql=f"CAST({self.sql} AS DOUBLE)", values=tuple(map(float, self.values)))

    @property
    def doubles(self) -> _Rendered:
        """The same array or list of numbers, to be compared with another."""
        values = tuple(list(map(float, items)) for items in self.values)
        return replace(self, sql=f"CAST({self.sql} AS DOUBLE[])", values=values)

    @property
    def told(self) -> str:
        """What it is, in words."""
        noun = _NOUNS.get(self.kind, "a condition")
        return f"{noun} (`{self.field}`)" if self.field else noun


def _over(kind: Literal["number", "truth"], form: str, *inner: _Rendered) -> _Rendered:
    """An operator over some parts; `form` has a place for the SQL of each."""
    parts, depth = 1 + sum(part.parts for part in inner), 1 + max(part.depth for part in inner)
    if parts > MAX_PARTS:
        raise FilterError(
            f"The filter has {parts} parts (fields, values, operators).",
            hint=f"At most {MAX_PARTS} are allowed: write a list, `page_number in [1, 2]`, which is one.",
        )
    if depth > MAX_DEPTH:
        raise _too_deep()
    values = tuple(value for part in inner for value in part.values)
    return _Rendered(kind, form.format(*(part.sql for part in inner)), values, parts=parts, depth=depth)


def _value(value: float | str) -> _Rendered:
    """A number or a text as it was written."""
    return _Rendered("text" if isinstance(value, str) else "number", "?", (value,), plain=True)


def _all_of(word: str, parts: Sequence[_Rendered]) -> _Rendered:
    """Conditions joined by `and` or `or`."""
    joint = f" {word.upper()} ".join(["{}"] * len(parts))
    return parts[0] if len(parts) == 1 else _over("truth", f"({joint})", *parts)


def _calculated(token: FilterWord, left: _Rendered, right: _Rendered) -> _Rendered:
    if left.kind != "number" or right.kind != "number":
        raise FilterError(
            f"`{token.text}` at column {token.column} of the filter needs a number on both sides."
        )
    return _over("number", _ARITHMETIC[token.kind], left.double, right.double)


def _compared(token: FilterWord, left: _Rendered, right: _Rendered) -> _Rendered:
    """Two sides that can be compared."""
    relation, kinds = _RELATIONS[token.kind], (left.kind, right.kind)
    if token.kind in ("==", "!=") and set(kinds) == {"array", "numbers"}:
        return _over("truth", f"coalesce({{}} {relation} {{}}, FALSE)", left.doubles, right.doubles)
    if kinds[0] != kinds[1] or kinds[0] not in ("number", "text"):
        where = f"`{token.text}` at column {token.column} of the filter"
        raise FilterError(f"{where} compares {left.told} with {right.told}.", hint=_quotes(left, right))
    if left.plain and right.plain:
        return _over("truth", f"({{}} {relation} {{}})", left, right)
    # A number beyond float64 is no number: each side is asked before it is compared.
    form = "coalesce(isfinite({0}) AND isfinite({1}) AND {0} " + relation + " {1}, FALSE)"
    found = _over("truth", form, left.double, right.double)
    return replace(found, values=found.values * 2)


def _quotes(left: _Rendered, right: _Rendered) -> str:
    for side, other in ((left, right), (right, left)):
        if side.field and other.literal:
            if side.kind == "number":
                return f"`{side.field}` is compared with a number without quotes: `{side.field} == 1`."
            if side.kind == "text":
                return f"`{side.field}` is compared with a text in quotes: `{side.field} == '...'`."
            return f"Take one of its elements: `{side.field}[0]`."
    return ""


class _Parser:
    """Precedence climbing (Richards and Whitby-Strevens 1979) over the words of a filter."""

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

    @property
    def _operator(self) -> str:
        """The operator that comes next, if it is one between two sides."""
        negated = self._next.kind == "not" and self._ahead in ("in", "like")
        return self._ahead if negated else self._next.kind

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

    # -- operators

    def expression(self, looser: str = "") -> _Rendered:
        """What comes next, up to an operator that binds no tighter than `looser`."""
        deeper = looser in ("", "power")  # in brackets, or on the right of `**`
        self._depth += deeper
        if self._depth > MAX_DEPTH:  # each level takes ten frames of the stack
            raise _too_deep()
        start, whole = self._next, self._operand()
        while _BINDS.get(kind := self._operator, 0) > _BINDS.get(looser, 0):
            if kind in ("or", "and"):
                whole = self._joined(kind, self._truth(whole, start))
            elif kind in _ARITHMETIC:
                token = self._take()
                whole = _calculated(token, whole, self.expression("power" if kind == "**" else kind))
            else:
                whole = self._comparison(whole)
        self._depth -= deeper
        return whole

    def _joined(self, word: str, first: _Rendered) -> _Rendered:
        parts = [first]
        while self._accept(word):
            near = self._next
            parts.append(self._truth(self.expression(word), near))
        return _all_of(word, parts)

    def _truth(self, part: _Rendered, near: FilterWord) -> _Rendered:
        if part.kind != "truth":
            raise FilterError(
                f"A condition is expected at column {near.column} of the filter.",
                hint="Compare the value with something: `page_number == 1`.",
            )
        return part

    def _comparison(self, left: _Rendered) -> _Rendered:
        parts: list[_Rendered] = []
        while token := self._accept(*_RELATIONS):
            right = self.expression(token.kind)
            parts.append(_compared(token, left, right))
            left = right
        if self._operator in ("in", "like"):
            parts.append(self._membership(left))
        return _all_of("and", parts)

    def _membership(self, operand: _Rendered) -> _Rendered:
        negated = self._accept("not") is not None
        token = self._take()
        if operand.kind not in ("number", "text"):
            raise FilterError(f"`{token.text}` at column {token.column} needs a number or a text before it.")
        found = self._in(operand, token) if token.kind == "in" else self._like(operand, token)
        return _over("truth", "(NOT {})", found) if negated else found

    def _in(self, operand: _Rendered, token: FilterWord) -> _Rendered:
        items = self._items(operand.kind, token)
        marks, values = ", ".join("?" * len(items.values[0])) or "NULL", tuple(items.values[0])
        listed = replace(items, sql=marks, values=values if operand.plain else tuple(map(float, values)))
        return _over("truth", "coalesce({} IN ({}), FALSE)", operand, listed)

    def _like(self, operand: _Rendered, token: FilterWord) -> _Rendered:
        pattern = self.expect("text")
        if operand.kind != "text":
            raise FilterError(f"`like` at column {token.column} of the filter needs a text before it.")
        value = unquote(pattern)
        if (len(value) - len(value.rstrip("\\"))) % 2:
            raise FilterError(f"The pattern at column {pattern.column} ends with a lone backslash.")
        found = _over("truth", "coalesce({} LIKE ? ESCAPE '\\', FALSE)", operand)
        return replace(found, values=(*operand.values, value))

    def _prefixed(self, kinds: Sequence[str], binds: str) -> _Rendered:
        """`not`s, or signs, and what they stand before."""
        signs: list[FilterWord] = []
        while sign := self._accept(*kinds):
            signs.append(sign)
        if len(signs) > MAX_DEPTH:
            raise _too_deep()
        near, part = self._next, self.expression(binds)
        for token in reversed(signs):
            if token.kind == "not":
                part = _over("truth", "(NOT {})", self._truth(part, near))
            elif part.kind != "number":
                raise self._unexpected(token, "Only numbers have a sign.")
            elif token.kind == "-":
                part = _value(-part.values[0]) if part.literal else _over("number", "(-{})", part.double)
        return part

    # -- operands

    def _operand(self) -> _Rendered:
        if self._next.kind == "not":
            return self._prefixed(("not",), "negation")
        if self._next.kind in ("+", "-"):
            return self._prefixed(("+", "-"), "sign")
        if self._next.kind == "[":
            return self._items("", self._next)
        token = self._take()
        if token.kind == "number":
            return _value(number_of(token))
        if token.kind == "text":
            return _value(unquote(token))
        if token.kind == "(":
            whole = self.expression()
            self.expect(")")
            return whole
        if token.kind == "name":
            return self._call(token) if self._next.kind == "(" else self._named(token)
        raise self._unexpected(token)

    def _named(self, token: FilterWord) -> _Rendered:
        """A field, or one element of an array."""
        field = self._field(token)
        if not self._accept("["):
            return field
        if field.kind != "array":
            raise FilterError(f"`{field.field}` at column {token.column} is not an array.")
        position = self.expect("number")
        self.expect("]")
        if not position.text.isdigit() or len(position.text) > 4:
            raise FilterError(
                f"`{position.text}` at column {position.column} is not a position.", hint="Count from 0."
            )
        return _over("number", f"CAST({{}}[{int(position.text) + 1}] AS DOUBLE)", field)

    def _field(self, token: FilterWord) -> _Rendered:
        if token.text not in FIELDS:
            raise FilterError(
                f"There is no field `{token.text}` (column {token.column} of the filter).",
                hint=advice(token.text),
            )
        self.fields.add(token.text)
        return _Rendered(FIELDS[token.text], token.text, plain=True, field=token.text)

    def _call(self, name: FilterWord) -> _Rendered:
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
            return _over("number", "CAST(len({}) AS DOUBLE)", field)
        self.expect(",")
        items = self._one(name) if function == "array_contains" else self._items("number", name)
        self.expect(")")
        form = f"coalesce({_LISTS[function]}({{}}, {{}}), FALSE)"
        return _over("truth", form, field.doubles, items.doubles)

    def _one(self, name: FilterWord) -> _Rendered:
        value = self._constant()
        if value is None or value.kind != "number":
            raise FilterError(f"`array_contains` at column {name.column} needs a number as second value.")
        return _Rendered("numbers", "?", (list(value.values),))

    def _constant(self) -> _Rendered | None:
        """A number, perhaps with a sign, or a text; None if there is something else."""
        sign = self._accept("-", "+") if self._ahead == "number" else None
        if token := self._accept("number"):
            return _value(-number_of(token) if sign and sign.kind == "-" else number_of(token))
        if token := self._accept("text"):
            return _value(unquote(token))
        return None

    def _items(self, of: str, near: FilterWord) -> _Rendered:
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
        return _Rendered("texts" if of == "text" else "numbers", "?", (values,))
