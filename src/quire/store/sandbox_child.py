"""The child process of `quire.store.sandbox`: looks at one query at a time and runs it within limits.

`sys.argv` is FD LIBRARY.DUCKDB LIMITS (see `quire.worker`). It reads statements from that pipe and
writes JSON answers. A new connection per query: nothing that a query leaves behind (temporary tables,
variables, transactions) meets the next one.

A question in SQL may be one statement that reads the public tables and nothing else:

    check(connection, "SELECT title FROM metadata")             ->  the same text, ("metadata",)
    check(connection, "SELECT * FROM read_csv('/etc/passwd')")  ->  SqlRefused

DuckDB's own parser gives the syntax tree (`json_serialize_sql`); every table, table function and function
in it is looked up in short lists of what is allowed. What the parser cannot show is refused. The process is
locked down besides; this is the half that gives clear errors and hides the catalogue.
"""

from __future__ import annotations

import json
import math
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import duckdb

from quire import jsontext, syscalls
from quire.errors import QueryLimit, QuireError, SqlError, SqlRefused
from quire.store import hints, schema
from quire.store.database import Config, Database
from quire.worker import limit_cpu, limit_memory

_FETCHED = 128  # rows fetched at once
_TIMES = ("TIME", "DATE", "INTERVAL")
TABLE_FUNCTIONS = frozenset(
    "unnest range generate_series generate_subscripts json_each json_tree repeat repeat_row".split()
)
# Functions of one value that tell of the machine, keep state, or run text as SQL.
_FUNCTIONS = frozenset(
    "current_setting getenv getvariable current_query json_execute_serialized_sql json_serialize_plan "
    "nextval currval setval setseed write_log sleep_ms current_connection_id current_query_id txid_current "
    "current_transaction_id parse_duckdb_log_message in_search_path current_schemas".split()
)
_FAMILIES = ("pg_", "has_", "duckdb_", "pragma_")
_HARMLESS = frozenset({"pg_typeof", "pg_size_pretty"})
_ONLY = "Only reading is allowed here: one SELECT, WITH, VALUES, DESCRIBE, SUMMARIZE, SHOW TABLES or EXPLAIN."
_SEE = "Readable tables: " + ", ".join(t.name for t in schema.TABLES) + "."
_SHOW_TABLES = "SELECT unnest([{}]) AS name".format(", ".join(f"'{t.name}'" for t in schema.TABLES))


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
        statement, tables = check(connection, sql)
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


def check(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[str, tuple[str, ...]]:
    """The statement to run for `sql`, and the public tables that it reads.

    Raises:
        SqlError: it is empty, has a syntax error or asks a table that is not there.
        SqlRefused: it does more than read the public tables.
    """
    query = _query(connection, sql)
    tree = _tree(connection, query)
    source = tree["statements"][0]["node"].get("from_table") or {}
    if source.get("type") == "SHOW_REF" and source.get("table_name", "").strip('"') == "tables":
        # DuckDB reads `DESCRIBE tables` as SHOW TABLES, but here `tables` is a table.
        described = sql.lstrip().upper().startswith("DESC")
        return ("DESCRIBE SELECT * FROM main.tables" if described else _SHOW_TABLES), ()
    nodes = list(_nodes(tree))
    own = {entry["key"].lower() for node in nodes for entry in (node.get("cte_map") or {}).get("map") or ()}
    if own:
        _check_own_names(connection, own)
    for node in nodes:
        _check_node(node, own)
    read = {str(node.get("table_name", "")).lower() for node in nodes if node.get("type") == "BASE_TABLE"}
    return sql, tuple(t.name for t in schema.TABLES if t.name in read)


def _query(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """The one query inside `sql`: itself, or what EXPLAIN explains."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise hints.explained(error, []) from error
    if not statements:
        raise SqlError("There is no SQL statement in it.", hint="Write one SELECT.")
    if len(statements) > 1:
        raise SqlRefused(f"These are {len(statements)} statements.", hint="Send one at a time.")
    kind = statements[0].type.name
    if kind == "EXPLAIN":
        return _query(connection, _explained(sql))
    if kind != "SELECT":
        raise SqlRefused(f"{kind} is refused.", hint=_ONLY)
    return sql


def _explained(sql: str) -> str:
    """`sql` without its EXPLAIN [ANALYZE] [(options)]."""
    tokens = [offset for offset, _ in duckdb.tokenize(sql)] + [len(sql)]
    words = [sql[a:b].strip() for a, b in zip(tokens, tokens[1:], strict=False)]
    start = 1
    if start < len(words) and words[start].upper() == "ANALYZE":
        start += 1
    if start < len(words) and words[start].startswith("("):
        raise SqlRefused("EXPLAIN with options is refused.", hint="Write EXPLAIN SELECT ...")
    return sql[tokens[start] :]


def _tree(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Any]:
    row = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    try:
        tree: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    except RecursionError as error:
        raise SqlRefused("The query is nested too deeply.", hint="Use WITH to lay it flat.") from error
    if tree.get("error"):
        raise SqlRefused("This form of query is refused (PIVOT, for one).", hint=_ONLY)
    return tree


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    rest = [tree]
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            yield value
            rest.extend(value.values())
        elif isinstance(value, list):
            rest.extend(value)


def _check_own_names(connection: duckdb.DuckDBPyConnection, own: set[str]) -> None:
    # A WITH name is allowed as a table everywhere in the query, so it must not be one of a hidden table.
    hidden = connection.execute(
        "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views()"
    ).fetchall()
    if taken := own & ({str(row[0]).lower() for row in hidden} - schema.NAMES):
        raise SqlRefused(f"`{min(taken)}` cannot be a name in WITH.", hint="Choose another name.")


def _check_node(node: dict[str, Any], own: set[str]) -> None:
    kind = node.get("type")
    if kind == "BASE_TABLE":
        _check_table(node, own)
    elif kind == "TABLE_FUNCTION":
        name = str(node["function"].get("function_name", "")).lower()
        if name not in TABLE_FUNCTIONS:
            raise SqlRefused(f"The table function `{name}` is refused.", hint=_SEE)
    elif kind == "SHOW_REF" and node.get("show_type") not in ("DESCRIBE", "SUMMARY"):
        raise SqlRefused("This SHOW is refused.", hint="Use SHOW TABLES or DESCRIBE a table.")
    elif isinstance(kind, str) and kind.endswith("_QUERY_NODE"):
        raise SqlRefused(f"{kind.removesuffix('_QUERY_NODE')} is refused.", hint=_ONLY)
    elif "function_name" in node:
        name = str(node["function_name"]).lower()
        if name in _FUNCTIONS or (name.startswith(_FAMILIES) and name not in _HARMLESS):
            raise SqlRefused(f"The function `{name}` is refused.", hint="It does not read the papers.")


def _check_table(node: dict[str, Any], own: set[str]) -> None:
    name = str(node.get("table_name", ""))
    outside = str(node.get("catalog_name") or "") or str(node.get("schema_name") or "main").lower() != "main"
    if outside:
        raise SqlRefused(f"`{name}` of another schema is refused.", hint=_SEE)
    if name.lower() not in schema.NAMES | own:
        raise SqlError(f"There is no table `{name[:100]}`.", hint=hints.nearest_table(name))
