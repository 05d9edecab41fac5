"""Rows: the library's one DuckDB file, its schema and migrations, and sandboxed SQL over it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from quire.store import schema

if TYPE_CHECKING:
    from quire.store.database import Database
    from quire.store.locks import WriterLock
    from quire.store.sandbox import Sandbox

# Loaded on first use: the child that parses a PDF describes rows and opens no database.
_PLACES = {
    "Database": "database",
    "Sandbox": "sandbox",
    "WriterLock": "locks",
}

__all__ = [
    "Database",
    "Sandbox",
    "WriterLock",
    "schema",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"quire.store.{_PLACES[name]}"), name)
