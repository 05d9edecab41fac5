"""Where to search: one (table, column), perhaps some papers, perhaps a filter; as SQL over `entries`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.cells import Pair
from quire.index.filters import Node, compile


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of the entries. No papers means all papers."""

    pair: Pair
    papers: tuple[str, ...] = ()
    filter: Node | None = None

    @property
    def narrowed(self) -> bool:
        """Whether it leaves out some entries of its pair."""
        return bool(self.papers) or self.filter is not None

    def sql(self) -> tuple[str, list[Any]]:
        """A condition on `entries` and its parameters."""
        parts = ["pair = ?"]
        parameters: list[Any] = [self.pair.number]
        if self.papers:
            parts.append(f"pdf_id IN ({', '.join('?' * len(self.papers))})")
            parameters += self.papers
        if self.filter is not None:
            condition, values = compile(self.filter)
            parts.append(f"({condition})")
            parameters += values
        return " AND ".join(parts), parameters

    def ids(self, connection: duckdb.DuckDBPyConnection) -> NDArray[np.int64]:
        """The ids of the entries inside, in ascending order."""
        condition, parameters = self.sql()
        found = connection.execute(f"SELECT id FROM entries WHERE {condition}", parameters).fetchnumpy()
        ids: NDArray[np.int64] = np.asarray(found["id"], dtype=np.int64)
        ids.sort()
        return ids
