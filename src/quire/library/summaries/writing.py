"""The whole job: papers in groups, their requests side by side, each paper committed with its entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import duckdb

from quire.errors import ModelError
from quire.index import ENCODABLE, Cell, writing
from quire.index.postings import analyse
from quire.library import encoding
from quire.library.library import Library
from quire.library.resources import Resources
from quire.library.summaries.asking import ask
from quire.library.summaries.planning import Work
from quire.library.summaries.requests import Request, requests
from quire.models import Model
from quire.store import WriterLock
from quire.types import Box, Usage

OnProgress = Callable[[int, int, str], None]  # papers done, papers in all, title


@dataclass(frozen=True, slots=True)
class SummaryReport:
    """What was done. `stopped` says why it ended early, "" if it did not."""

    papers: tuple[str, ...] = ()
    written: int = 0  # cells
    kept: int = 0  # parts that keep their extractive summary
    usage: Usage = Usage()
    stopped: str = ""


def summarise(
    library: Library,
    todo: Sequence[Work],
    model: Model,
    see: Model | None = None,
    *,
    on_progress: OnProgress | None = None,
) -> SummaryReport:
    """Do the work, papers in order; ends early at an error that the next request would meet too.

    Raises:
        LibraryLocked: another process is changing the library.
        OfflineError: quire runs offline.
    """
    resources, tell = Resources(library.settings), on_progress or (lambda done, total, label: None)
    at_once = library.settings.model.concurrency
    done: list[str] = []
    written = kept = 0
    usage, stopped = Usage(), ""
    with ThreadPoolExecutor(at_once) as pool:
        for start in range(0, len(todo), at_once):
            group = todo[start : start + at_once]
            asked = list(requests(group, see))
            futures = [pool.submit(ask, library, model, see, request) for request in asked]
            wait(futures)
            usage += sum((request.usage for request in asked), Usage())
            try:
                for future in futures:
                    future.result()
            except ModelError as error:
                stopped = str(error)
                break
            for work in group:
                values = _merged(request for request in asked if request.work is work)
                with WriterLock(library.folder), resources.database.writing() as connection:
                    _write(connection, work.paper, values, model.name)
                done.append(work.paper)
                written += len(values)
                kept += sum((part.table, part.key, part.column) not in values for part in work.parts)
                tell(len(done), len(todo), work.title)
    if done:
        with WriterLock(library.folder):
            encoding.encode(resources)
    return SummaryReport(tuple(done), written, kept, usage, stopped)


def _merged(requests: Iterable[Request]) -> dict[tuple[str, str, str], Any]:
    return {cell: value for request in requests for cell, value in request.values.items()}


def _write(
    connection: duckdb.DuckDBPyConnection,
    paper: str,
    values: Mapping[tuple[str, str, str], Any],
    author: str,
) -> None:
    """Cells, entries and author of one paper, in the caller's transaction."""
    keys = {pair.table: pair.key for pair in ENCODABLE}
    for (table, key, column), value in values.items():
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {keys[table]} = ?::UUID", [value, key])
    if values:
        writing.delete(connection, [paper])
        writing.write(connection, analyse(_cells(connection, paper)))
    connection.execute(
        "UPDATE papers SET summaries_by = ?, state = CASE WHEN ? THEN 'parsed' ELSE state END"
        " WHERE paper_id = ?::UUID",
        [author, bool(values), paper],
    )


def _cells(connection: duckdb.DuckDBPyConnection, paper: str) -> Iterator[Cell]:
    """Every encodable cell of a paper, from its rows."""
    for pair in ENCODABLE:
        page, join, owner = "coalesce(p.page_number, -1)", "", "ref_paper_id"
        if pair.table == "metadata":
            page, owner = "-1", "paper_id"
        elif pair.table == "pages":
            page = "e.page_number"
        else:
            join = "LEFT JOIN pages p ON e.ref_page_id = p.page_id"
        rows = connection.execute(
            f"SELECT e.{pair.key}::VARCHAR, {page}, e.{pair.column} FROM {pair.table} e {join}"
            f" WHERE e.{owner} = ?::UUID",
            [paper],
        ).fetchall()
        for key, number, value in rows:
            if pair.modality == "image":
                yield Cell(pair.table, pair.column, key, paper, number, bbox=Box(*value))
            elif value and value.strip():
                yield Cell(pair.table, pair.column, key, paper, number, value)
