"""Pieces of a filter as SQL over `entries`: conditions are true or false, never NULL; arithmetic is float64.

Values are parameters and names come from a fixed list, so nothing of a filter is pasted into SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from quire.errors import FilterError
from quire.search.filters.words import FilterWord, Kind

RELATIONS = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_ARITHMETIC = {"/": "({} / nullif({}, 0))", "%": "({} % nullif({}, 0))", "**": "pow({}, {})"}
_NOUNS = {"number": "a number", "text": "a text", "array": "an array", "numbers": "a list", "texts": "a list"}


@dataclass(frozen=True, slots=True)
class FilterSql:
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
    def double(self) -> FilterSql:
        """The same number as float64."""
        if not self.plain:
            return self
        return replace(self, sql=f"CAST({self.sql} AS DOUBLE)", values=tuple(map(float, self.values)))


def over(kind: Literal["number", "truth"], form: str, *inner: FilterSql) -> FilterSql:
    """An operator over some parts; `form` has a place for the SQL of each."""
    return FilterSql(
        kind,
        form.format(*(part.sql for part in inner)),
        tuple(value for part in inner for value in part.values),
        parts=1 + sum(part.parts for part in inner),
        depth=1 + max(part.depth for part in inner),
    )


def value_of(value: float | str) -> FilterSql:
    """A number or a text as it was written."""
    return FilterSql("text" if isinstance(value, str) else "number", "?", (value,), plain=True)


def doubles(part: FilterSql) -> FilterSql:
    """An array or a list of numbers, to be compared with another."""
    values = tuple(list(map(float, items)) for items in part.values)
    return replace(part, sql=f"CAST({part.sql} AS DOUBLE[])", values=values)


def all_of(word: str, parts: Sequence[FilterSql]) -> FilterSql:
    """Conditions joined by `and` or `or`."""
    joint = f" {word.upper()} ".join(["{}"] * len(parts))
    return parts[0] if len(parts) == 1 else over("truth", f"({joint})", *parts)


def calculated(token: FilterWord, left: FilterSql, right: FilterSql) -> FilterSql:
    """Arithmetic of two numbers."""
    if left.kind != "number" or right.kind != "number":
        raise FilterError(
            f"`{token.text}` at column {token.column} of the filter needs a number on both sides."
        )
    form = _ARITHMETIC.get(token.kind, f"({{}} {token.kind} {{}})")
    return over("number", form, left.double, right.double)


def compared(token: FilterWord, left: FilterSql, right: FilterSql) -> FilterSql:
    """Two sides that can be compared."""
    relation, kinds = RELATIONS[token.kind], (left.kind, right.kind)
    if token.kind in ("==", "!=") and set(kinds) == {"array", "numbers"}:
        return over("truth", f"coalesce({{}} {relation} {{}}, FALSE)", doubles(left), doubles(right))
    if kinds[0] != kinds[1] or kinds[0] not in ("number", "text"):
        raise FilterError(
            f"`{token.text}` at column {token.column} of the filter compares {_described(left)} with"
            f" {_described(right)}.",
            hint=_quotes(left, right),
        )
    if left.plain and right.plain:
        return over("truth", f"({{}} {relation} {{}})", left, right)
    # A number beyond float64 is no number: each side is asked before it is compared.
    form = "coalesce(isfinite({0}) AND isfinite({1}) AND {0} " + relation + " {1}, FALSE)"
    found = over("truth", form, left.double, right.double)
    return replace(found, values=found.values * 2)


def _described(part: FilterSql) -> str:
    noun = _NOUNS.get(part.kind, "a condition")
    return f"{noun} (`{part.field}`)" if part.field else noun


def _quotes(left: FilterSql, right: FilterSql) -> str:
    for side, other in ((left, right), (right, left)):
        if side.field and other.literal:
            if side.kind == "number":
                return f"`{side.field}` is compared with a number without quotes: `{side.field} == 1`."
            if side.kind == "text":
                return f"`{side.field}` is compared with a text in quotes: `{side.field} == '...'`."
            return f"Take one of its elements: `{side.field}[0]`."
    return ""
