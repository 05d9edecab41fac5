"""Values on their way from a hostile process to the judge: JSON, of which only listed builders make anything.

    loads(dumps(pandas.DataFrame({"a": [1]})))

A text is `{"nodes": [...], "root": value}`. None, truth values, texts, floats and short integers stand for
themselves. Anything else is a node, and `[number]` refers to it, so that what is shared stays shared:

    ["list", each...]   ["tuple", each...]   ["dict", key, value, key, value...]
    [builder, its arguments...]                    one of `builders` and the few below
    ["object", name, arguments, state, items, pairs]

An object is made by a constructor of Python's own that `_CALLED` names, or, within figures alone, is of a
class that `figures` lets in and comes into being without its constructor running. No name leads to anything
else, so `numpy.testing`'s runstring, `pandas.read_pickle`, `torch.hub.load` or a chain of `getattr` cannot
even be asked for. What is compared with the expected result is therefore always of a class of Python, numpy,
pandas, scipy.sparse, torch or TensorFlow.

What is left open, in all honesty:

- A bug of memory safety in numpy, pandas or matplotlib that plain data can set off would reach the judge.
- A figure is judged by its attributes, and those are the candidate's. A drawing that never happened can be
  made up, as long as it has every property that the test asks for.
- Comparisons are those of the problem's test. Where that is lenient (`(a == b).all()` skips missing values
  of pandas' nullable types), it is lenient here.
"""

from __future__ import annotations

import base64
import collections
import copyreg
import functools
import importlib
import json
import sys
import types
from collections.abc import Callable
from typing import Any

from . import NotData, builders, figures

_CALLED = frozenset(
    """
    builtins.complex builtins.slice builtins.range builtins.set builtins.frozenset builtins.bytearray
    datetime.date datetime.datetime datetime.time datetime.timedelta datetime.timezone decimal.Decimal
    fractions.Fraction collections.OrderedDict collections.Counter collections.deque collections.defaultdict
    itertools.count pytz._UTC pytz._p
    """.split()
)
_TYPES = {
    f"builtins.{kind.__name__}": kind
    for kind in (int, float, str, bool, bytes, tuple, list, dict, set, object)
}
_FUNCTIONS = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    functools.partial,
)
_SHORT = 1 << 63
_DEEPEST = 5000  # frames of Python: the parts of a figure hang together in long chains
_BUILDERS: dict[str, Callable[..., Any]] = {
    **builders.BUILDERS,
    "bytes": base64.b64decode,
    "int": lambda digits: int(digits, 16),
    "tick_labels": figures.tick_labels,
}


def dumps(value: Any) -> str:
    """The text of a value; functions become None, as a figure holds many that no test looks at.

    Raises whatever objects raise that cannot be taken apart.
    """
    sys.setrecursionlimit(_DEEPEST)
    writer = _Writer()
    root = writer.written(value)
    return json.dumps({"nodes": writer.nodes, "root": root})


def loads(text: str | bytes, *, parts_of_figures: bool = False) -> Any:
    """The value of a text that `dumps` wrote; only with `parts_of_figures` may it hold those.

    Raises:
        NotData: it asks for something that is not data. Damaged texts raise whatever they lead to.
    """
    document = json.loads(text)
    sys.setrecursionlimit(_DEEPEST)
    return _Rebuilder(document["nodes"], parts_of_figures).value(document["root"])


class _Writer:
    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no other object gets the identity of one

    def written(self, value: Any) -> Any:
        if value is None or type(value) in (bool, str, float):
            return value
        if type(value) is int and abs(value) < _SHORT:
            return value
        if isinstance(value, _FUNCTIONS) and not _names_ticks(value):
            return None
        if id(value) not in self._numbers:
            number = self._numbers[id(value)] = len(self.nodes)
            self._kept.append(value)
            self.nodes.append(None)
            kind, *parts = _taken_apart(value)
            self.nodes[number] = [kind, *[self.written(part) for part in parts]]
        return [self._numbers[id(value)]]


def _names_ticks(value: Any) -> bool:
    name = getattr(value.func, "__name__", "") if isinstance(value, functools.partial) else ""
    return bool(name == "_format_with_dict")


def _taken_apart(value: Any) -> tuple[Any, ...]:
    """The kind of a node and its parts."""
    kind = type(value)
    if kind in (list, tuple):
        return (kind.__name__, *value)
    if kind is dict:
        return ("dict", *[part for pair in value.items() for part in pair])
    if kind is bytes:
        return "bytes", base64.b64encode(value).decode()
    if kind is int:
        return "int", hex(value)
    if isinstance(value, type):
        return "type", _name(value)
    if _names_ticks(value):
        return "tick_labels", value.args[0]
    for base in kind.__mro__:
        library = base.__module__.partition(".")[0]
        named = "tuple" if library == "scipy" and isinstance(value, tuple) else base.__name__
        if taken := builders.PARTS.get(f"{library}.{named}"):
            return taken(value)
    return _object_parts(value)


def _object_parts(value: Any) -> tuple[Any, ...]:
    reduce = copyreg.dispatch_table.get(type(value))
    made: Any = reduce(value) if reduce else value.__reduce_ex__(4)
    function, arguments, state, items, pairs = (*made, None, None, None)[:5]
    if function.__name__ in ("__newobj__", "_reconstructor"):
        function, *arguments = arguments[:1] if function.__name__ == "_reconstructor" else arguments
    state = figures.labelled(value, state)
    listed = None if items is None else list(items)
    return "object", _name(function), list(arguments), state, listed, pairs and dict(pairs)


class _Rebuilder:
    def __init__(self, nodes: list[Any], parts_of_figures: bool) -> None:
        self._nodes, self._parts_of_figures = nodes, parts_of_figures
        self._made: dict[int, Any] = {}
        self._begun: set[int] = set()

    def value(self, written: Any) -> Any:
        if not isinstance(written, (list, dict)):
            return written
        (number,) = written
        if number not in self._made:
            if number in self._begun:
                raise NotData("a circle of what cannot be in one")
            self._begun.add(number)
            kind, *parts = self._nodes[number]
            self._made[number] = self._node(number, kind, parts)
        return self._made[number]

    def _node(self, number: int, kind: str, parts: list[Any]) -> Any:
        if kind == "list":
            made = self._made[number] = []
            made += [self.value(part) for part in parts]
            return made
        if kind == "dict":
            filled = self._made[number] = {}
            for key, value in zip(parts[::2], parts[1::2]):  # noqa: B905 - Pythons before 3.10
                filled[self.value(key)] = self.value(value)
            return filled
        if kind == "object":
            return self._object(number, *parts)
        values = [self.value(part) for part in parts]
        if kind == "tuple":
            return tuple(values)
        if kind == "type":
            return _TYPES.get(values[0]) or self._part_of_figures(values[0])
        if kind not in _BUILDERS:
            raise NotData(f"{kind!s:.80} is not data")
        return _BUILDERS[kind](*values)

    def _object(self, number: int, name: Any, *parts: Any) -> Any:
        arguments = self.value(parts[0])
        if name in _CALLED:
            module, _, function = name.rpartition(".")
            constructor: Any = vars(importlib.import_module(module))[function]
            made = constructor(*arguments)
        else:
            made = figures.fresh(self._part_of_figures(name), arguments)
        self._made[number] = made
        state, items, pairs = [self.value(part) for part in parts[1:]]
        for given, kinds in ((items, (list, collections.deque)), (pairs, (dict,))):
            if given is not None and not isinstance(made, kinds):
                raise NotData(f"elements for {name!s:.80}")
        if items is not None:
            made.extend(items)
        for key, value in (pairs or {}).items():
            made[key] = value
        if state is not None:
            figures.set_state(made, state)
        return made

    def _part_of_figures(self, name: str) -> Any:
        if not self._parts_of_figures:
            raise NotData(f"{name!s:.80} is not data")
        return figures.class_of(name)


def _name(kind: Any) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
