"""CalculateExpr: arithmetic that a model should not do in its head, on a syntax tree; nothing runs code.

    evaluate("round(sum([1, 2.5]) / 3, 2)")                  ->  1.17
    evaluate("sum(x**2 for x in [1, 2, 3] if x > 1) / 2")    ->  6.5
    evaluate("9**9**9")                                      ->  ActionError, at once

Integers stay below 2**4096; an expression has at most 2000 characters and 500 parts, takes at most 50 000
steps, and no list in it has more than 5000 elements. Names are those of `FUNCTIONS`, `math.*` of them, and
what a comprehension binds.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.errors import ActionError
from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


_MAX_CHARACTERS = 2000
_MAX_PARTS = 500
_MAX_BITS = 4096
_MAX_STEPS = 50_000
_MAX_ELEMENTS = 5000
_MAX_DIGITS = 400  # to round to
_MAX_FACTORIAL = 500

_COMPARE: dict[type[ast.AST], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_CONSTANTS = {"pi": math.pi, "e": math.e}


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int):
        # The size is known before the work is done.
        if abs(exponent) * max(base.bit_length(), 1) > _MAX_BITS and base not in (0, 1, -1):
            raise ActionError(f"The power has more than {_MAX_BITS} bits.")
    value = base**exponent
    if isinstance(value, complex):
        raise ActionError("The power is not a real number.")
    return value


def _round(value: Any, digits: int = 0) -> Any:
    if abs(digits) > _MAX_DIGITS:
        raise ActionError(f"Numbers are rounded to at most {_MAX_DIGITS} digits.")
    return round(value, digits) if digits else round(value)


def _factorial(number: int) -> int:
    if number > _MAX_FACTORIAL:
        raise ActionError(f"Factorials are computed up to {_MAX_FACTORIAL}.")
    return math.factorial(number)


def _range(*bounds: int) -> list[int]:
    found = range(*bounds)
    if len(found) > _MAX_ELEMENTS:
        raise ActionError(f"A list has more than {_MAX_ELEMENTS} elements.")
    return list(found)


_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_UNARY: Mapping[type[ast.AST], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}


def _zip(*lists: Sequence[Any]) -> list[Any]:
    return [list(each) for each in zip(*lists, strict=False)]


_BOUNDED: Mapping[str, Callable[..., Any]] = {
    "round": _round,
    "pow": _power,
    "range": _range,
    "zip": _zip,
    "factorial": _factorial,
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    name: _BOUNDED.get(name) or getattr(builtins, name, None) or getattr(math, name)
    for name in "abs round min max sum len int float pow sorted range zip any all factorial sqrt log log2 "
    "log10 log1p exp ceil floor trunc fabs fsum prod gcd hypot sin cos tan asin acos atan degrees radians "
    "isclose".split()
}
_LISTS = frozenset({"min", "max", "sum", "len", "sorted", "zip", "any", "all", "fsum", "prod"})
_HINT = (
    "Numbers, lists of them, + - * / // % **, comparisons, and/or/not, if/else, comprehensions and "
    f"{', '.join(FUNCTIONS)} are understood."
)


def evaluate(expression: str) -> int | float | bool | list[Any]:
    """The value of the expression.

    Raises:
        ActionError: it is not arithmetic, too large, or undefined; says which part.
    """
    text = expression.strip()
    if len(text) > _MAX_CHARACTERS:
        raise ActionError(f"The expression has {len(text)} characters; at most {_MAX_CHARACTERS} are read.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval")
        if sum(1 for _ in ast.walk(tree)) > _MAX_PARTS:
            raise ActionError("The expression has too many parts; compute it in several steps.")
        result: int | float | bool | list[Any] = _Calculation().value(tree.body, {})
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise ActionError(
            f"`{text[:100]}` cannot be computed: {error}.", hint="Write e.g. round((3 + 4.5) / 2, 1)."
        ) from None
    except ZeroDivisionError:
        raise ActionError(f"`{text[:100]}` divides by zero.") from None
    except OverflowError:
        raise ActionError(f"`{text[:100]}` is too large to compute.") from None
    return result


Variables = Mapping[str, Any]


class _Calculation:
    """One evaluation, which counts its steps."""

    def __init__(self) -> None:
        self.steps = 0

    def value(self, node: ast.AST, names: Variables) -> Any:
        found = _checked(self._value(node, names))
        self.steps += 1 + (len(found) if isinstance(found, list) else 0)
        if self.steps > _MAX_STEPS:
            raise ActionError(f"The expression takes more than {_MAX_STEPS} steps.")
        return found

    def _value(self, node: ast.AST, names: Variables) -> Any:
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                return value
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.Attribute(value=ast.Name(id="math"), attr=name) if name in _CONSTANTS:
                return _CONSTANTS[name]
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return [self.value(part, names) for part in parts]
            case ast.ListComp(elt=each, generators=loops) | ast.GeneratorExp(elt=each, generators=loops):
                return [self.value(each, bound) for bound in self.bound(loops, names)]
            case ast.Call(func=called, args=arguments, keywords=[]):
                return self.call(called, arguments, names)
            case _:
                return self.operation(node, names)

    def operation(self, node: ast.AST, names: Variables) -> Any:
        match node:
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return _UNARY[type(op)](self.number(operand, names))
            case ast.BoolOp(op=op, values=parts):
                wanted = any if isinstance(op, ast.Or) else all
                return wanted(self.number(part, names) for part in parts)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.value(body if self.number(test, names) else other, names)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _BINARY[type(op)](self.number(left, names), self.number(right, names))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.compare(left, ops, others, names)
            case ast.BinOp(op=ast.BitXor()):
                raise ActionError("`^` is not a power here; write `**`.")
            case _:
                shown = ast.unparse(node)[:60] if isinstance(node, ast.expr) else type(node).__name__
                raise ActionError(f"`{shown}` is not arithmetic.", hint=_HINT)

    def number(self, node: ast.AST, names: Variables) -> Any:
        value = self.value(node, names)
        if isinstance(value, list):
            raise ActionError("A list can only stand inside a function such as sum, or be gone through.")
        return value

    def compare(
        self, left: ast.expr, ops: Sequence[ast.cmpop], others: Sequence[ast.expr], names: Variables
    ) -> bool:
        values = [self.number(left, names), *(self.number(other, names) for other in others)]
        for op, a, b in zip(ops, values, values[1:], strict=False):
            if type(op) not in _COMPARE:
                raise ActionError("Only < <= > >= == != compare numbers.")
            if not _COMPARE[type(op)](a, b):
                return False
        return True

    def call(self, called: ast.expr, arguments: Sequence[ast.expr], names: Variables) -> Any:
        match called:
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="math"), attr=name) if name in FUNCTIONS:
                values = [self.spelled(name, each, names) for each in arguments]
            case _:
                raise ActionError(f"`{ast.unparse(called)[:60]}` is no known function.", hint=_HINT)
        if name not in _LISTS and any(isinstance(value, list) for value in values):
            raise ActionError(f"{name} takes numbers, not a list.")
        return FUNCTIONS[name](*values)

    def spelled(self, name: str, node: ast.expr, names: Variables) -> Any:
        """An argument; `int` and `float` read a number that stands in quotation marks."""
        match node:
            case ast.Constant(value=str() as text) if name in ("int", "float") and len(text) <= _MAX_DIGITS:
                return _checked(float(text) if name == "float" else int(text))
            case _:
                return self.value(node, names)

    def bound(self, loops: Sequence[ast.comprehension], names: Variables) -> Iterator[Variables]:
        """The names at each round of the loops of a comprehension."""
        if not loops:
            yield names
            return
        first = loops[0]
        elements = self.value(first.iter, names)
        if not isinstance(elements, list):
            raise ActionError("A comprehension goes through a list of numbers.")
        for element in elements:
            inner = {**names, **_assigned(first.target, element)}
            if all(self.number(test, inner) for test in first.ifs):
                yield from self.bound(loops[1:], inner)


def _assigned(target: ast.expr, value: Any) -> dict[str, Any]:
    match target:
        case ast.Name(id=name):
            return {name: value}
        case ast.Tuple(elts=parts) if isinstance(value, list) and len(value) == len(parts):
            found: dict[str, Any] = {}
            for part, each in zip(parts, value, strict=True):
                found |= _assigned(part, each)
            return found
        case _:
            raise ActionError(f"`{ast.unparse(target)[:60]}` cannot take the elements of the list.")


def _checked(value: Any) -> Any:
    if isinstance(value, list) and len(value) > _MAX_ELEMENTS:
        raise ActionError(f"A list has more than {_MAX_ELEMENTS} elements.")
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise ActionError(f"A number has more than {_MAX_BITS} bits.")
    if isinstance(value, float) and not math.isfinite(value):
        raise ActionError("The result is not a finite number.")
    return value


@dataclass(frozen=True)
class CalculateExpr:
    """Compute, as `round(sum([81.2, 79.5]) / 2, 1)`.

    It knows numbers, lists of numbers, `+ - * / // % **`, comparisons, `and or not`, `a if b else c`,
    comprehensions, `abs round min max sum len int float pow sorted range zip` and `math.*`, and nothing else.
    """

    expr: Annotated[str, "The expression in Python's notation."]

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("The mean of three scores.", {"expr": "round(sum([81.2, 79.5, 90.1]) / 3, 2)"}),
    )

    def run(self, env: Environment) -> Observation:
        """The value."""
        value = evaluate(self.expr)
        return Observation("text", f"The result is: {value}", rows=({"value": value},))
