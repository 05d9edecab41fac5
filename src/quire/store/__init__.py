"""Rows: the library's one DuckDB file, its schema and migrations, and sandboxed SQL over it.

`database` opens the file, `locks` says who may; `schema` describes the public tables, `rows` writes and reads
them; SQL of users is looked at and run in the child of `sandbox`, its errors go through `hints`. `sqlite` is
for small files that several processes write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.registry import lazily
from quire.store import schema

if TYPE_CHECKING:
    from quire.store.database import Database
    from quire.store.locks import WriterLock
    from quire.store.sandbox import Sandbox

__all__ = ["Database", "Sandbox", "WriterLock", "schema"]

# Loaded on first use: the child that parses a PDF describes rows and opens no database.
__getattr__ = lazily(__name__, {"Database": "database", "Sandbox": "sandbox", "WriterLock": "locks"})
