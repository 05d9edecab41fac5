"""SQL errors in words that help: the nearest table or column, and where a column really stands.

no column `ref_paper_id` in metadata   ->  "Columns of metadata: paper_id, ... Did you mean `paper_id`?"
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path

import duckdb

from quire.errors import (
    LibraryDamaged,
    LibraryError,
    LibraryFull,
    QueryLimit,
    QuireError,
    SqlError,
    SqlRefused,
)
from quire.store import schema

_COLUMN = re.compile(r'(?:column named|[Cc]olumn|with name) "([^"]+)"')
_LONGEST = 600
DAMAGE = (duckdb.FatalException, duckdb.InternalException, duckdb.IOException, duckdb.SerializationException)
REPAIR = (
    "Restore library.duckdb from a backup, or move it and its .wal away and run `quire repair`,"
    " which reads the PDFs in papers/ again."
)
ROOM = "Make room on the disk, then run the command again. What was finished is kept."
_SMALLER = (
    "Raise the setting `index.memory_limit` (MB), add fewer papers at once, or make a second library;"
    " what is in stays and is answered from."
)
_FULL = re.compile(
    r"no space left on device|file too large|disk quota exceeded|database or disk is full"
    r"|max_temp_directory_size",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"permission denied|read-only (?:file system|database)|attempt to write a readonly database"
    r"|operation not permitted|too many open files|input/output error|disk i/o error|unable to open database",
    re.IGNORECASE,
)


def nearest_table(name: str) -> str:
    """What to do about a table that is not there."""
    near = difflib.get_close_matches(name.lower(), schema.NAMES, n=1, cutoff=0.5)
    guess = f"Did you mean `{near[0]}`? " if near else ""
    return f"{guess}Tables: {', '.join(t.name for t in schema.TABLES)}."


def nearest_column(name: str, tables: Sequence[str]) -> str:
    """What to do about a column that is not in `tables` (all tables when empty)."""
    asked = [t for t in schema.TABLES if not tables or t.name in tables]
    owners = [t.name for t in schema.TABLES if any(c.name == name.lower() for c in t.columns)]
    elsewhere = bool(tables and owners and not set(owners) & set(tables))
    names = {c.name: t.name for t in asked for c in t.columns}
    near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.6 if elsewhere else 0.5)
    if elsewhere:
        guess = f" Did you mean `{near[0]}`?" if near else ""
        return f"`{name}` is a column of {', '.join(owners)}.{guess}{_columns(asked)}"
    guess = f"Did you mean `{near[0]}` of {names[near[0]]}?" if near else ""
    return f"{guess}{_columns(asked) if tables else ''}"


def explained(error: duckdb.Error, tables: Sequence[str]) -> QuireError:
    """DuckDB's error as one of ours; `tables` are the public tables that the query reads."""
    text = str(error)
    if found := refused(text):
        return LibraryError(f"The library cannot be read: {found}.", hint="See to the disk.")
    if isinstance(error, DAMAGE) or type(error) is duckdb.Error:  # a wrong checksum has no class of its own
        return LibraryDamaged(f"The database cannot be read: {_short(text)}", hint=REPAIR)
    if isinstance(error, duckdb.InterruptException):
        return QueryLimit("The query ran into the time limit.", hint="Ask for less, or filter earlier.")
    if isinstance(error, duckdb.OutOfMemoryException) or "allocat" in text.lower():
        return QueryLimit("The query ran into the memory limit.", hint="Ask for less, or filter earlier.")
    if isinstance(error, duckdb.PermissionException) or "disabled by configuration" in text:
        return SqlRefused(_short(text), hint="Only the parsed papers can be read here.")
    if "lambda" in text.lower() and "->" in text:
        return SqlError(_short(text), hint="Write a lambda as `lambda x: x + 1`, not `x -> x + 1`.")
    missing = _COLUMN.search(text) if isinstance(error, duckdb.BinderException) else None
    return SqlError(_short(text), hint=nearest_column(missing[1], tables) if missing else "")


def refused(text: str) -> str:
    """What a disk that takes or gives nothing is quoted with in an error's text; "" if it is none of that."""
    found = _FULL.search(text) or _REFUSED.search(text)
    return found[0] if found else ""


def told(place: Path, error: Exception) -> LibraryError:
    """An error of DuckDB or SQLite about a file as one of ours: no room, no right, no memory, or damage."""
    text = str(error)
    if found := _FULL.search(text):
        return LibraryFull(f"{place} cannot be written: {found[0]}.", hint=ROOM)
    if found := _REFUSED.search(text):
        return LibraryError(f"{place} cannot be used: {found[0]}.", hint="See to the disk.")
    if isinstance(error, duckdb.OutOfMemoryException) or "allocat" in text.lower():
        return LibraryFull(f"{place} needs more memory than it may use.", hint=_SMALLER)
    return LibraryDamaged(f"The database {place} cannot be read: {text.partition(chr(10))[0]}", hint=REPAIR)


def _columns(tables: Sequence[schema.Table]) -> str:
    return "".join(f" Columns of {t.name}: {', '.join(c.name for c in t.columns)}." for t in tables)


def _short(text: str) -> str:
    told = text.partition("\n\nLINE")[0].strip()
    return told if len(told) <= _LONGEST else told[:_LONGEST] + " ..."
