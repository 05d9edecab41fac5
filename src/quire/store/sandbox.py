"""SQL from users and agents: read-only, in a child process, within limits of time, memory, rows and bytes.

    with Sandbox(folder / "library.duckdb", Sql()) as sandbox:
        sandbox.query("SELECT title FROM metadata").rows       ->  (("Attention Is All You Need",), ...)
        sandbox.query("COPY metadata TO '/tmp/x'")             ->  SqlRefused

The child lives from question to question (starting one takes 0.2 s) and is replaced when a query had to be
stopped. Values are JSON values: ids, dates and times are text.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quire import errors
from quire.errors import QueryError, QueryLimit, QuireError
from quire.settings import Sql
from quire.store.database import missing
from quire.types import ResultSet
from quire.worker import Child, ChildDied, ChildLate, Pool

_LOCK_WAIT = 20.0  # seconds that a child may need to start and to get the file
_GRACE = 0.5  # seconds that an interrupted query has to stop by itself
_AT_ONCE = 3  # children, so that a slow query holds up nobody else
_LESS = "Ask for less, or filter earlier."
_LONGEST = 200_000  # characters of a statement


class Sandbox:
    """Queries to one library. Thread-safe: a few run at once, each in a child of its own."""

    def __init__(self, path: Path, settings: Sql | None = None) -> None:
        self.path = path
        self.limits = settings or Sql()
        start = [str(path), self.limits.model_dump_json()]
        self._children = Pool(lambda: Child("quire.store.sandbox_child", start), _AT_ONCE)

    def query(self, sql: str) -> ResultSet:
        """The rows of one read-only statement over the public tables.

        Raises:
            SqlError: it does not run; the message names the nearest table or column.
            SqlRefused: it tries something other than reading the public tables.
            QueryLimit: it ran into the limit of time, memory or bytes.
            LibraryError: there is no library, or another process is writing to it for too long.
        """
        if len(sql) > _LONGEST:
            raise QueryLimit(
                f"The statement has more than {_LONGEST} characters.", hint="Write a shorter one."
            )
        if not self.path.exists():
            raise missing(self.path)
        answer = self._answer(sql)
        if "error" in answer:
            kind = getattr(errors, answer["error"], QueryError)
            raise (kind if issubclass(kind, QuireError) else QueryError)(
                answer["message"], hint=answer["hint"]
            )
        return ResultSet(
            columns=tuple(answer["columns"]),
            types=tuple(answer["types"]),
            rows=tuple(tuple(row) for row in answer["rows"]),
            truncated=answer["truncated"],
            total=None if answer["truncated"] else len(answer["rows"]),
        )

    def close(self) -> None:
        """End the children that do nothing. The next query starts a new one."""
        self._children.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, sql: str) -> dict[str, Any]:
        try:
            with self._children.child() as child:
                child.send(sql.encode("utf-8", "replace"))
                said = child.receive(_LOCK_WAIT)
                if said == b"started":
                    said = child.receive(self.limits.time_limit + _GRACE)
                answer: dict[str, Any] = json.loads(said)
                if answer.get("error") == "QueryLimit":
                    child.close()  # what the query mapped stays mapped
                return answer
        except ChildLate as error:
            raise QueryLimit(
                f"The query was stopped after {self.limits.time_limit:g} seconds.", hint=_LESS
            ) from error
        except ChildDied as error:
            raise QueryLimit(
                f"The query broke the process that ran it ({error}).",
                hint=f"{_LESS} If small queries break it too, see `quire check`.",
            ) from error
