"""The parts of figures that hold functions, which do not travel, and what is sent in their place."""

from __future__ import annotations

import copyreg
import functools
import types
from collections.abc import Callable
from typing import Any

from . import builders

NEW: Any = vars(copyreg)["__newobj__"]


def call(value: Any, kind: str) -> Any:
    """What `__reduce__` of such a part is to return; None for the others."""
    if kind == "TransformWrapper":
        return _wrapper(value)
    return _formatter(value) if kind == "FuncFormatter" else None


def _wrapper(value: Any) -> Any:
    """Its methods are those of another object; the reader binds them anew."""
    state = {name: one for name, one in value.__getstate__().items() if not isinstance(one, types.MethodType)}
    return NEW, (type(value),), state


def _formatter(value: Any) -> Any:
    """The function that names ticks as a table of the names that it gives."""
    return NEW, (type(value),), {**vars(value), "func": _Labels(_labels(value.func, value.axis))}


def _labels(function: Callable[..., Any], axis: Any) -> dict[float, str]:
    if isinstance(function, functools.partial) and function.func.__name__ == "_format_with_dict":
        return {float(place): str(name) for place, name in function.args[0].items()}
    if axis is None:
        return {}
    places = [*axis.get_majorticklocs(), *axis.get_minorticklocs()]
    return {float(place): str(function(place, number)) for number, place in enumerate(places)}


class _Labels:
    def __init__(self, labels: dict[float, str]) -> None:
        self._labels = labels

    def __reduce__(self) -> Any:
        return builders.tick_labels, (self._labels,)
