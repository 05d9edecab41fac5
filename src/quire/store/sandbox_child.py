"""The child process of `quire.store.sandbox`: runs one checked query at a time, within limits.

`sys.argv` is FD LIBRARY.DUCKDB LIMITS (see `quire.worker`). It reads statements from that pipe and
writes JSON answers. A new connection per query: nothing that a query leaves behind (temporary tables,
variables, transactions) meets the next one.
"""

from __future__ import annotations

import json
import math
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import duckdb

from quire import jsontext, syscalls
from quire.errors import QueryLimit, QuireError
from quire.store import guard, hints
from quire.store.database import Config, Database
from quire.worker import limit_cpu, limit_memory

_FETCHED = 128  # rows fetched at once
_TIMES = ("TIME", "DATE", "INTERVAL")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one query may use: seconds, megabytes, rows, bytes of the answer."""

    time_limit: float
    memory_limit: int
    max_rows: int
    max_bytes: int


def main() -> None:
    """Serve requests until the pipe closes."""
    pipe = Connection(int(sys.argv[1]))
    limits = Limits(**json.loads(sys.argv[3]))
    hostile: Config = {  # queries cannot change it
        "allow_community_extensions": "false",
        "memory_limit": f"{limits.memory_limit // 2}MB",
        "threads": "2",
        "temp_directory": "",
    }
    database = Database(Path(sys.argv[2]), patience=5.0, config=hostile)
    limit_memory(limits.memory_limit + 256)  # DuckDB maps stacks and arenas that it never fills
    syscalls.close()
    while True:
        try:
            sql = pipe.recv_bytes().decode("utf-8", "replace")
        except (EOFError, OSError):
            return
        pipe.send_bytes(_answer(pipe, database, sql, limits))


def _answer(pipe: Connection, database: Database, sql: str, limits: Limits) -> bytes:
    try:
        with database.reading() as connection:
            pipe.send_bytes(b"started")  # the parent's clock runs from here, not from the wait for a lock
            limit_cpu(2 * limits.time_limit + 2)
            result = _run(connection, sql, limits)
    except QuireError as error:
        result = {"error": type(error).__name__, "message": error.message, "hint": error.hint}
    except MemoryError:
        result = {"error": "QueryLimit", "message": "The query ran into the memory limit.", "hint": ""}
    return json.dumps(result).encode()


def _run(connection: duckdb.DuckDBPyConnection, sql: str, limits: Limits) -> dict[str, Any]:
    timer = threading.Timer(limits.time_limit, connection.interrupt)
    timer.daemon = True
    tables: tuple[str, ...] = ()
    timer.start()
    try:
        statement, tables = guard.check(connection, sql)
        cursor = connection.execute(statement)
        try:
            return _fetch(cursor, limits)
        except (ImportError, OverflowError, ValueError, duckdb.InvalidInputException):
            return _fetch_as_text(connection, statement, cursor.description or [], limits)
    except duckdb.Error as error:
        raise hints.explained(error, tables) from error
    finally:
        timer.cancel()


def _fetch(cursor: duckdb.DuckDBPyConnection, limits: Limits) -> dict[str, Any]:
    description = cursor.description or []
    rows: list[list[Any]] = []
    size, truncated = 0, False
    while not truncated and (batch := cursor.fetchmany(min(_FETCHED, limits.max_rows + 1 - len(rows)))):
        for row in batch:
            plain = [json_value(value) for value in row]
            size += len(json.dumps(plain, ensure_ascii=False))
            truncated = size > limits.max_bytes or len(rows) == limits.max_rows
            if truncated:
                break
            rows.append(plain)
    if truncated and not rows:
        raise QueryLimit(
            f"One row of the result is larger than {limits.max_bytes} bytes.", hint="Ask for less of it."
        )
    names = [str(column[0]) for column in description]
    return {
        "columns": names,
        "types": [str(column[1]) for column in description],
        "rows": rows,
        "truncated": truncated,
    }


def _fetch_as_text(
    connection: duckdb.DuckDBPyConnection, statement: str, description: Sequence[Any], limits: Limits
) -> dict[str, Any]:
    """The rows again, times as text: Python knows neither the year 300 000 nor, without pytz, time zones."""
    types = [str(column[1]) for column in description]
    names = [f"c{number}" for number in range(len(types))]
    chosen = ", ".join(
        f"{name}::VARCHAR" if any(word in kind for word in _TIMES) else name
        for name, kind in zip(names, types, strict=True)
    )
    inner = statement.rstrip().rstrip(";")
    rows = connection.execute(f"SELECT {chosen} FROM (\n{inner}\n) AS result({', '.join(names)})")
    return _fetch(rows, limits) | {"columns": [str(column[0]) for column in description], "types": types}


def json_value(value: Any) -> Any:
    """A value of DuckDB as JSON has it: ids, dates and times as text, decimals as numbers, blobs in hex."""
    return jsontext.as_json(value, _leaf)


def _leaf(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value.as_tuple().exponent == 0 else float(value)
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, float) and math.isfinite(value) else str(value)
