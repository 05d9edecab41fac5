"""Lazy tables from a name to the thing that it names.

A room that can be extended declares one table in its `__init__.py`:

    ENCODERS = Registry("encoder", {"bm25_en": "quire.index.encoders.bm25:Bm25Encoder"})

Nothing is imported until `ENCODERS.load("bm25_en")` is called, so an entry may need a library that is
not installed. A wrong name gets an error that lists the choices and the nearest one.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator, Mapping
from typing import Any

from quire.errors import UnknownNameError


class Registry(Mapping[str, str]):
    """A read-only mapping from a public name to `module:attribute`, loaded on demand."""

    def __init__(self, noun: str, entries: Mapping[str, str]) -> None:
        self.noun = noun
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> str:
        if name not in self._entries:
            near = difflib.get_close_matches(name, self._entries, n=1)
            guess = f"Did you mean `{near[0]}`? " if near else ""
            raise UnknownNameError(
                f"There is no {self.noun} named `{name}`.",
                hint=f"{guess}Choose from: {', '.join(sorted(self._entries))}.",
            )
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def load(self, name: str) -> Any:
        """Import the entry and return it.

        Raises:
            UnknownNameError: there is no such entry; the message lists the choices.
        """
        module, _, attribute = self[name].partition(":")
        return getattr(importlib.import_module(module), attribute)
