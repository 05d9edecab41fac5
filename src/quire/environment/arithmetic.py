"""Arithmetic on a syntax tree: numbers and a few functions, with limits, and nothing that runs code.

    evaluate("round(sum([1, 2.5]) / 3, 2)")  ->  1.17
    evaluate("9**9**9")                      ->  ActionError, at once

Integers stay below 2**4096; an expression has at most 2000 characters and 500 parts.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

from quire.errors import ActionError

_MAX_CHARACTERS = 2000
_MAX_PARTS = 500
_MAX_BITS = 4096

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.AST], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "round": round,
    "min": min,
    "max": max,
    "sum": sum,
    "sqrt": math.sqrt,
    "log": math.log,
    "exp": math.exp,
}


def evaluate(expression: str) -> int | float | bool:
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
        value = _value(tree.body)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise ActionError(
            f"`{text[:100]}` cannot be computed: {error}.", hint="Write e.g. round((3 + 4.5) / 2, 1)."
        ) from None
    except ZeroDivisionError:
        raise ActionError(f"`{text[:100]}` divides by zero.") from None
    except OverflowError:
        raise ActionError(f"`{text[:100]}` is too large to compute.") from None
    if isinstance(value, list):
        raise ActionError("The expression gives a list, not a number.")
    result: int | float | bool = _checked(value)
    return result


def _value(node: ast.AST) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return _checked(value)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_number(part) for part in parts]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _number(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_number(left), _number(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _checked(_BINARY[type(op)](_number(left), _number(right)))
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _compare(left, ops, others)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _checked(_FUNCTIONS[name](*(_value(argument) for argument in arguments)))
        case ast.BinOp(op=ast.BitXor()):
            raise ActionError("`^` is not a power here; write `**`.")
        case _:
            shown = ast.unparse(node)[:60] if isinstance(node, ast.expr) else type(node).__name__
            raise ActionError(
                f"`{shown}` is not arithmetic.",
                hint=f"Numbers, + - * / // % **, comparisons and {', '.join(_FUNCTIONS)} are understood.",
            )


def _number(node: ast.AST) -> Any:
    value = _value(node)
    if isinstance(value, list):
        raise ActionError("A list can only stand inside min, max or sum.")
    return value


def _compare(left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]) -> bool:
    values = [_number(left), *(_number(other) for other in others)]
    for op, a, b in zip(ops, values, values[1:], strict=False):
        if type(op) not in _COMPARE:
            raise ActionError("Only < <= > >= == != compare numbers.")
        if not _COMPARE[type(op)](a, b):
            return False
    return True


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int):
        # The size is known before the work is done.
        if abs(exponent) * max(base.bit_length(), 1) > _MAX_BITS and base not in (0, 1, -1):
            raise ActionError(f"The power has more than {_MAX_BITS} bits.")
    value = base**exponent
    if isinstance(value, complex):
        raise ActionError("The power is not a real number.")
    return _checked(value)


def _checked(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise ActionError(f"A number has more than {_MAX_BITS} bits.")
    if isinstance(value, float) and not math.isfinite(value):
        raise ActionError("The result is not a finite number.")
    return value
