"""What a question in SQL may be: one statement that reads the public tables and nothing else.

    check(connection, "SELECT title FROM metadata")             ->  Checked(the same text, ("metadata",))
    check(connection, "SELECT * FROM read_csv('/etc/passwd')")  ->  SqlRefused

DuckDB's own parser gives the syntax tree (`json_serialize_sql`); every table, table function and function
in it is looked up in short lists of what is allowed. What the parser cannot show is refused. The child
that runs the query is locked down besides; this is the half that gives clear errors and hides the catalogue.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import duckdb

from quire.errors import SqlError, SqlRefused
from quire.store import hints, schema

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


class Checked(NamedTuple):
    """A statement that may run, and the public tables that it reads."""

    sql: str
    tables: tuple[str, ...]


def check(connection: duckdb.DuckDBPyConnection, sql: str) -> Checked:
    """The statement to run for `sql`.

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
        return Checked("DESCRIBE SELECT * FROM main.tables" if described else _SHOW_TABLES, ())
    nodes = list(_nodes(tree))
    own = {entry["key"].lower() for node in nodes for entry in (node.get("cte_map") or {}).get("map") or ()}
    if own:
        _check_own_names(connection, own)
    for node in nodes:
        _check_node(node, own)
    read = {str(node.get("table_name", "")).lower() for node in nodes if node.get("type") == "BASE_TABLE"}
    return Checked(sql, tuple(t.name for t in schema.TABLES if t.name in read))


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
