"""The whole job: papers in groups, their requests side by side, each paper committed with its entries."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import duckdb

from quire.errors import ContentFiltered, ModelDeclined, ModelError
from quire.library import encoding, indexing
from quire.library.library import Library
from quire.library.resources import Resources
from quire.library.summaries.planning import PaperSummaries, SummaryCell
from quire.library.summaries.requests import REPLY_TOKENS, SummaryRequest, asked_of, messages, requests
from quire.library.units import rows_of, units_of
from quire.llm import Model, spending
from quire.search import ENCODABLE, entries
from quire.search.batch import analyse
from quire.store import WriterLock
from quire.types import Usage


def ask(library: Library, model: Model, see: Model | None, request: SummaryRequest) -> SummaryRequest:
    """Fill in the request's values and usage; a batch that comes back garbled is asked one by one."""
    with spending() as spent:
        try:
            request.values |= _asked(library, model, see, request)
        finally:
            request.usage = spent.usage
    return request


def _asked(
    library: Library, model: Model, see: Model | None, request: SummaryRequest
) -> dict[tuple[str, str, str], Any]:
    def picture(part: SummaryCell) -> bytes:
        return library.render(request.work.paper, part.page, box=part.box)

    try:
        reply = asked_of(request, model, see).complete(
            messages(request, picture), max_tokens=REPLY_TOKENS * 2 * len(request.parts)
        )
    except (ContentFiltered, ModelDeclined):
        return {}
    values = None if reply.finish_reason == "length" else _values(request, reply.text)
    if values is None and len(request.parts) > 1:
        singles = [SummaryRequest(request.work, (part,)) for part in request.parts]
        return {key: cell for each in singles for key, cell in _asked(library, model, see, each).items()}
    return values or {}


def _values(request: SummaryRequest, reply: str) -> dict[tuple[str, str, str], Any] | None:
    """The cells that a reply fills; None if it is garbled."""
    first = request.parts[0]
    if first.kind == "paper":
        value = _json(reply, "{", "}")
        if not isinstance(value, dict):
            return None
        tags = value.get("tags")
        cells: dict[tuple[str, str, str], Any] = {}
        if isinstance(said := value.get("tldr"), str) and said.strip():
            cells["metadata", first.key, "tldr"] = said.strip()
        if isinstance(tags, list) and tags and all(isinstance(tag, str) for tag in tags):
            cells["metadata", first.key, "tags"] = [tag.strip() for tag in tags[:10]]
        return cells or None
    texts = [reply] if len(request.parts) == 1 else _json(reply, "[", "]")
    if not isinstance(texts, list) or len(texts) != len(request.parts):
        return None
    if not all(isinstance(text, str) and text.strip() for text in texts):
        return None
    pairs = zip(request.parts, texts, strict=True)
    return {(part.table, part.key, part.column): text.strip() for part, text in pairs}


def _json(reply: str, opening: str, closing: str) -> Any:
    start, end = reply.find(opening), reply.rfind(closing)
    try:
        return json.loads(reply[start : end + 1], strict=False) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None


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
    todo: Sequence[PaperSummaries],
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
            indexing.bring_up(resources)
            encoding.encode(resources)
    return SummaryReport(tuple(done), written, kept, usage, stopped)


def _merged(requests: Iterable[SummaryRequest]) -> dict[tuple[str, str, str], Any]:
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
        entries.delete(connection, [paper])
        entries.write(connection, analyse(paper, units_of(paper, list(rows_of(connection, paper)))))
    connection.execute(
        "UPDATE papers SET summaries_by = ?, state = CASE WHEN ? THEN 'parsed' ELSE state END"
        " WHERE paper_id = ?::UUID",
        [author, bool(values), paper],
    )
