"""The child that runs SQL against SQLite files (see `quire.worker`): one JSON message in, one out.

Databases are opened read-only and immutable; an authorizer lets only reading
through; a progress handler ends a query at its time limit, whatever SQLite is doing; memory is limited by the
system. Gold and answer run separately, so that a slow answer never takes the gold's time.

    {"db": "...", "said": "SELECT 1", "gold": "select 1", "seconds": 30}
    -> {"said": "ok", "gold": "ok", "strict": true, "loose": true, "message": ""}
"""

from __future__ import annotations

import contextlib
import json
import re
import resource
import sqlite3
import sys
import time
from collections import Counter
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from quire import syscalls

# Comments and quoted texts, up to the end where they are not closed.
_APART = re.compile(
    r"""--[^\n]*|/\*.*?(?:\*/|\Z)|'[^']*(?:'|\Z)|"[^"]*(?:"|\Z)|`[^`]*(?:`|\Z)|\[[^\]]*(?:\]|\Z)""", re.DOTALL
)
MEMORY = 2 << 30
MAX_ROWS = 2_000_000
_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, 33}  # 33: SQLITE_RECURSIVE


def authorize(
    action: int, first: str | None, second: str | None, database: str | None, trigger: str | None
) -> int:
    """Only reading, and no function that reaches outside."""
    if action == sqlite3.SQLITE_FUNCTION and second in ("load_extension", "readfile", "writefile", "edit"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY


def rows_of(path: str, sql: str, seconds: float) -> tuple[str, list[tuple[Any, ...]], str]:
    """(status, rows, message); status is ok, error, timeout or limit."""
    if not Path(path).exists():
        return "missing", [], "the database is not there"
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    try:
        db.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        db.set_authorizer(authorize)
        deadline = time.monotonic() + seconds
        db.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
        cursor = db.execute(sql)
        if cursor.description is None:
            return "error", [], "the statement gives no rows"
        rows = cursor.fetchmany(MAX_ROWS + 1)
        if len(rows) > MAX_ROWS:
            return "limit", [], "too many rows"
        return "ok", rows, ""
    except sqlite3.OperationalError as error:
        late = str(error) == "interrupted"
        return ("timeout" if late else "error"), [], ("over the time limit" if late else str(error))
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        return "error", [], str(error)
    except MemoryError:
        return "limit", [], "out of memory"
    finally:
        db.close()


def is_ordered(sql: str) -> bool:
    """Whether the outermost query has ORDER BY: then the order of rows is part of what was asked."""
    depth = 0
    words: list[str] = []
    for token in re.findall(r"\w+|[()]", strip(sql).lower()):
        depth += (token == "(") - (token == ")")
        if depth == 0 and token != ")":
            words.append(token)
    return ("order", "by") in pairwise(words)


def strip(sql: str) -> str:
    """The SQL without comments and with quoted texts emptied."""
    return _APART.sub(lambda part: " " if part[0][:2] in ("--", "/*") else "''", sql)


def compare(said: list[tuple[Any, ...]], gold: list[tuple[Any, ...]], ordered: bool) -> tuple[bool, bool]:
    """(strict, loose): same rows in the asked order, and the paper's same set of rows."""
    strict = said == gold if ordered else Counter(said) == Counter(gold)
    return strict, set(said) == set(gold)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run both and compare."""
    gold_status, gold_rows, gold_message = rows_of(request["db"], request["gold"], request["seconds"])
    status, rows, message = rows_of(request["db"], request["said"], request["seconds"])
    strict = loose = False
    if status == gold_status == "ok":
        strict, loose = compare(rows, gold_rows, is_ordered(request["gold"]))
    return {
        "said": status,
        "gold": gold_status,
        "strict": strict,
        "loose": loose,
        "rows": len(rows),
        "message": gold_message if gold_status != "ok" else message,
    }


def main() -> None:
    """Serve until the wire closes."""
    wire = Connection(int(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.dont_write_bytecode = True  # it would be cut to nothing
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    syscalls.close()
    with contextlib.suppress(EOFError):
        while request := wire.recv_bytes():
            wire.send_bytes(json.dumps(answer(json.loads(request))).encode("ascii"))
