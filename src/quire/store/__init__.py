"""Rows: the library's one DuckDB file, its schema and migrations, and sandboxed SQL over it."""

from quire.store import schema
from quire.store.database import Database
from quire.store.locks import WriterLock
from quire.store.sandbox import Sandbox

__all__ = ["Database", "Sandbox", "WriterLock", "schema"]
