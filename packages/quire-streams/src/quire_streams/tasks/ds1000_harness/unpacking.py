"""Building what a hostile process sent: a pickle reader that calls nothing but the builders.

    loads(bytes) -> value

Pickles are little programs: they name functions and call them. This reader looks every name up in tables of
exact names, so `numpy.testing`'s runstring, `pandas.read_pickle`, `torch.hub.load` or a chain of `getattr`
cannot even be named. Objects of other classes are only built within figures, only of the classes that
`families` lets in, and come into being without their constructor running. Their attributes are set as sent,
but none may stand in front of a method or a property of its class: `figure.get_axes = dict` is refused, as a
class can be called too and what it returns may look like "equal". What is compared with the expected result
is therefore always of a class of Python, numpy, pandas, scipy.sparse, torch or TensorFlow.

What is left open, in all honesty:

- A bug of memory safety in numpy, pandas or matplotlib that plain data can set off would reach the judge.
- A figure is judged by its attributes, and those are the candidate's. A drawing that never happened can be
  made up, as long as it has every property that the test asks for.
- Comparisons are those of the problem's test. Where that is lenient (`(a == b).all()` skips missing values
  of pandas' nullable types), it is lenient here.
"""

from __future__ import annotations

import collections
import functools
import inspect
import io
import pickle
import sys
from typing import Any, ClassVar

from . import builders, families, pandas_builders

_BUILDERS = {
    (module.__name__, name): made
    for module in (builders, pandas_builders)
    for name, made in vars(module).items()
    if inspect.isfunction(made) and made.__module__ == module.__name__ and not name.startswith("_")
}
_CALLED = {
    ("builtins", name)
    for name in ("complex", "slice", "range", "set", "frozenset", "bytearray", "list", "dict")
} | {
    ("datetime", "date"), ("datetime", "datetime"), ("datetime", "time"), ("datetime", "timedelta"),
    ("datetime", "timezone"), ("decimal", "Decimal"), ("fractions", "Fraction"), ("uuid", "UUID"),
    ("collections", "OrderedDict"), ("collections", "Counter"), ("collections", "deque"),
    ("collections", "defaultdict"), ("itertools", "count"), ("pytz", "_UTC"), ("pytz", "_p"),
}  # fmt: skip
_NAMED = {("builtins", name) for name in ("int", "float", "str", "bool", "bytes", "tuple", "object")}


_READER: Any = vars(pickle)["_Unpickler"]


class NotData(pickle.UnpicklingError):
    """The pickle asks for something that is not data."""


class DataUnpickler(_READER):  # type: ignore[misc]  # the reader in Python has no types
    """Reads one pickle. Raises `NotData` at the first step that is not building data."""

    def __init__(self, data: bytes, *, figures: bool) -> None:
        super().__init__(io.BytesIO(data))
        self._figures = figures

    dispatch: ClassVar[dict[int, Any]] = dict(_READER.dispatch)

    def find_class(self, module: str, name: str) -> Any:
        """What stands under exactly this name in the tables."""
        if made := _BUILDERS.get((module, name)):
            return made
        if (module, name) in _CALLED | _NAMED:
            return super().find_class(module, name)
        if self._figures and (family := families.member(module, name)):
            return family
        raise NotData(f"{module}.{name} is not data")

    def get_extension(self, code: int) -> None:
        """No codes for names."""
        raise NotData("extension codes are not data")

    def load_reduce(self) -> None:
        """Call a builder or a harmless constructor; make a bare object for `copyreg._reconstructor`."""
        arguments, function = self.stack[-1], self.stack[-2]
        if function is families.bare:
            _bare_arguments(arguments)
        elif not _callable(function):
            raise NotData(f"{_name(function)} may not be called")
        super().load_reduce()

    def load_newobj(self) -> None:
        """An object whose constructor does not run."""
        self._fresh(self.stack[-2], self.stack[-1])
        super().load_newobj()

    def load_newobj_ex(self) -> None:
        """As `load_newobj`; keywords have no place in data."""
        if self.stack[-1]:
            raise NotData("keywords for a new object")
        self._fresh(self.stack[-3], self.stack[-2])
        super().load_newobj_ex()

    def load_build(self) -> None:
        """Set attributes, if they are only that."""
        state, instance = self.stack[-1], self.stack[-2]
        if not families.built(type(instance)):
            raise NotData(f"attributes for {_name(type(instance))}")
        for part in state if isinstance(state, tuple) else (state,):
            if isinstance(part, dict):
                _check_attributes(type(instance), part)
        super().load_build()
        families.bind(instance)

    def load_old(self) -> None:
        """Ways to make objects that pickles of today have no use for."""
        raise NotData("an instruction of old pickles")

    def _fresh(self, kind: Any, arguments: Any) -> None:
        if not (isinstance(kind, type) and families.built(kind)):
            raise NotData(f"a new {_name(kind)}")
        if arguments and not issubclass(kind, tuple):
            raise NotData(f"arguments for a new {_name(kind)}")

    def load_appends(self) -> None:
        """Fill a list."""
        self._filled(self.metastack[-1][-1], (list, collections.deque))
        super().load_appends()

    def load_append(self) -> None:
        """Fill a list."""
        self._filled(self.stack[-2], (list, collections.deque))
        super().load_append()

    def load_setitems(self) -> None:
        """Fill a dictionary."""
        self._filled(self.metastack[-1][-1], (dict,))
        super().load_setitems()

    def load_setitem(self) -> None:
        """Fill a dictionary."""
        self._filled(self.stack[-3], (dict,))
        super().load_setitem()

    def load_additems(self) -> None:
        """Fill a set."""
        self._filled(self.metastack[-1][-1], (set,))
        super().load_additems()

    def _filled(self, container: Any, kinds: tuple[type, ...]) -> None:
        if not isinstance(container, kinds):
            raise NotData(f"elements for {_name(type(container))}")

    for _code, _method in (
        (pickle.REDUCE, load_reduce),
        (pickle.NEWOBJ, load_newobj),
        (pickle.NEWOBJ_EX, load_newobj_ex),
        (pickle.BUILD, load_build),
        (pickle.APPEND, load_append),
        (pickle.APPENDS, load_appends),
        (pickle.SETITEM, load_setitem),
        (pickle.SETITEMS, load_setitems),
        (pickle.ADDITEMS, load_additems),
        (pickle.INST, load_old),
        (pickle.OBJ, load_old),
        (pickle.PERSID, load_old),
        (pickle.BINPERSID, load_old),
    ):
        dispatch[_code[0]] = _method


def loads(data: bytes, *, figures: bool = False) -> Any:
    """The value of a pickle that `packing` wrote; only `figures` may hold objects of `families`.

    Raises:
        NotData: it asks for something that is not data. Damaged pickles raise whatever they lead to.
    """
    return DataUnpickler(data, figures=figures).load()


def _callable(function: Any) -> bool:
    if families.called(function):
        return True
    return any(function is one for one in _BUILDERS.values()) or any(
        function is one for one in _constructors()
    )


@functools.cache
def _constructors() -> tuple[Any, ...]:
    found = ((sys.modules.get(module), name) for module, name in _CALLED)
    return tuple(vars(module)[name] for module, name in found if module and name in vars(module))


def _bare_arguments(arguments: Any) -> None:
    kind, base, state = arguments
    if not (isinstance(kind, type) and families.built(kind) and base is object and state is None):
        raise NotData(f"a bare {_name(kind)}")


def _check_attributes(kind: type, attributes: dict[Any, Any]) -> None:
    for name, value in list(attributes.items()):
        if not isinstance(name, str) or (name.startswith("__") and name != "__mpl_version__"):
            raise NotData(f"attribute {name!r} of {_name(kind)}")
        own = inspect.getattr_static(kind, name, None)
        if callable(own) or isinstance(own, (classmethod, property, functools.cached_property)):
            if value is not None:
                raise NotData(f"{name!r} is a method of {_name(kind)}")
            del attributes[name]  # a function was here, which did not travel: the class has its own


def _name(kind: Any) -> str:
    return f"{getattr(kind, '__module__', '')}.{getattr(kind, '__qualname__', kind)!s:.80}"
