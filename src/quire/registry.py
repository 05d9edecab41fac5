"""Lazy tables from a name to the thing that it names, which installed packages may add to.

A room that can be extended declares one table:

    STORES = Registry("vector store", {"milvus": "quire.search.milvus:open_vectors"}, "quire.vector_stores")

Nothing is imported until `STORES.load("milvus")` is called, so an entry may need a library that is
not installed. A wrong name gets an error that lists the choices and the nearest one. Another package adds
to the table by an entry point of that group; it cannot replace what quire itself has:

    [project.entry-points."quire.vector_stores"]
    mine = "my_package.vectors:open_vectors"
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar

from quire.errors import UnknownNameError

T = TypeVar("T")


class Rows(Mapping[str, T], Generic[T]):
    """A read-only mapping from a name to a row that is there already; packages name an object of the kind."""

    def __init__(self, noun: str, entries: Mapping[str, T], group: str = "") -> None:
        self.noun = noun
        self.group = group
        self._entries = dict(entries)

    @cached_property
    def _installed(self) -> Mapping[str, str]:
        from importlib.metadata import entry_points  # seldom needed, and as large as ten of our own

        found = entry_points(group=self.group) if self.group else ()
        return {point.name: point.value for point in found if point.name not in self._entries}

    def _added(self, place: str) -> Any:
        return _imported(place)

    def __getitem__(self, name: str) -> T:
        if name in self._entries:
            return self._entries[name]
        if name in self._installed:
            row: T = self._added(self._installed[name])
            return row
        near = difflib.get_close_matches(name, list(self), n=1)
        guess = f"Did you mean `{near[0]}`? " if near else ""
        raise UnknownNameError(
            f"There is no {self.noun} named `{name}`.",
            hint=f"{guess}Choose from: {', '.join(sorted(self))}.",
        )

    def __iter__(self) -> Iterator[str]:
        yield from self._entries
        yield from self._installed

    def __len__(self) -> int:
        return len(self._entries) + len(self._installed)

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._installed


class Registry(Rows[str]):
    """A read-only mapping from a public name to `module:attribute`, loaded on demand."""

    def _added(self, place: str) -> str:
        return place

    def load(self, name: str) -> Any:
        """Import the entry and return it.

        Raises:
            UnknownNameError: there is no such entry; the message lists the choices.
        """
        return _imported(self[name])


def _imported(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)


def lazily(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are loaded, from the modules in `places`, on first use."""

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{places[name]}"), name)

    return load
