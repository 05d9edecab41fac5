"""All entries that one search looks through, side by side in memory: whose they are, and where they stand.

Sentences, rows of tables, captions, headings, abstracts and titles; they are numbered as the paper has them,
so the neighbours of a sentence are the entries next to it. Read again when somebody wrote.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.cells import Pair, pair

if TYPE_CHECKING:
    from quire.index.everything.units import Unit

KINDS: dict[str, Pair] = {
    "sentence": pair("sentences", "sentence_content"),
    "row": pair("cells", "row_content"),
    "table": pair("tables", "table_caption"),
    "figure": pair("images", "image_caption"),
    "heading": pair("sections", "section_title"),
    "abstract": pair("metadata", "abstract"),
    "title": pair("metadata", "title"),
}
NAMES: tuple[str, ...] = tuple(KINDS)
_NUMBERS = [each.number for each in KINDS.values()]
_MAX_POSTINGS = 5_000_000  # kept at once, 12 bytes each


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Parallel arrays, in the order of the ids. `kind` counts in `NAMES`, `paper` in `papers`."""

    ids: NDArray[np.int64]
    paper: NDArray[np.int32]
    page: NDArray[np.int32]
    kind: NDArray[np.int8]
    length: NDArray[np.int32]
    papers: tuple[str, ...]
    place: NDArray[np.int32]  # id -> its place in the arrays, -1 if it is not searched
    last_page: NDArray[np.int32]  # of each paper

    def of_papers(self, wanted: Sequence[str]) -> NDArray[np.int64]:
        """The places of the entries of some papers; of all for none."""
        if not wanted:
            return np.arange(len(self.ids), dtype=np.int64)
        numbers = [self.papers.index(paper) for paper in wanted if paper in self.papers]
        return np.flatnonzero(np.isin(self.paper, numbers))


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Where one word stands: places in `Entries`, and how often."""

    places: NDArray[np.int32]
    tf: NDArray[np.uint16]


class EntryCache:
    """The entries and postings of one library in one process. Not for use by several threads at once."""

    def __init__(self) -> None:
        self._generation = -1
        self._entries: Entries | None = None
        self._postings: OrderedDict[int, Postings] = OrderedDict()
        self._kept = 0
        self.units: dict[int, Unit] = {}  # what was read of entries, by id

    def entries(self, connection: duckdb.DuckDBPyConnection) -> Entries:
        """All entries, read at the first call and after every change of the library."""
        ((generation,),) = connection.execute("SELECT generation FROM index_state").fetchall()
        if self._entries is None or generation != self._generation:
            self._entries = _read(connection)
            self._postings.clear()
            self.units.clear()
            self._kept, self._generation = 0, generation
        return self._entries

    def postings(self, connection: duckdb.DuckDBPyConnection, terms: Iterable[int]) -> dict[int, Postings]:
        """The postings of each word, the missing ones read in one query. Call `entries` first."""
        wanted = list(terms)
        if missing := [term for term in wanted if term not in self._postings]:
            self._load(connection, missing)
        found = {}
        for term in wanted:
            self._postings.move_to_end(term)
            found[term] = self._postings[term]
        while self._kept > _MAX_POSTINGS and len(self._postings) > 1:
            _, dropped = self._postings.popitem(last=False)
            self._kept -= len(dropped.places)
        return found

    def _load(self, connection: duckdb.DuckDBPyConnection, terms: list[int]) -> None:
        assert self._entries is not None
        columns = connection.execute(
            """SELECT term, id, tf FROM (FROM postings UNION ALL FROM postings_recent)
               WHERE term IN (SELECT unnest(?::INTEGER[])) AND pair IN (SELECT unnest(?::INTEGER[]))""",
            [terms, _NUMBERS],
        ).fetchnumpy()
        term, ids, tf = (np.asarray(columns[name]) for name in ("term", "id", "tf"))
        order = np.lexsort((ids, term))
        term, places, tf = term[order], self._entries.place[ids[order]], tf[order]
        for each in terms:
            begin, end = np.searchsorted(term, [each, each + 1])
            self._postings[each] = Postings(places[begin:end].copy(), tf[begin:end].copy())
            self._kept += int(end - begin)


def _read(connection: duckdb.DuckDBPyConnection) -> Entries:
    papers = connection.execute(
        "SELECT DISTINCT pdf_id FROM entries WHERE pair IN (SELECT unnest(?::INTEGER[])) ORDER BY pdf_id",
        [_NUMBERS],
    ).fetchall()
    columns = connection.execute(
        """SELECT id, dense_rank() OVER (ORDER BY pdf_id) - 1 AS paper, page_number AS page, pair, length
           FROM entries WHERE pair IN (SELECT unnest(?::INTEGER[])) ORDER BY id""",
        [_NUMBERS],
    ).fetchnumpy()
    ids = np.asarray(columns["id"], dtype=np.int64)
    kinds = np.zeros(max(_NUMBERS) + 1, dtype=np.int8)
    kinds[_NUMBERS] = np.arange(len(_NUMBERS))
    place = np.full(int(ids[-1]) + 1 if len(ids) else 1, -1, dtype=np.int32)
    place[ids] = np.arange(len(ids))
    paper, page = (np.asarray(columns[name], dtype=np.int32) for name in ("paper", "page"))
    page = np.maximum(page, 1)  # a title is told by no page; it stands on the first
    last_page = np.zeros(len(papers), dtype=np.int32)
    np.maximum.at(last_page, paper, page)
    return Entries(
        ids,
        paper,
        page,
        kinds[np.asarray(columns["pair"])],
        np.asarray(columns["length"], dtype=np.int32),
        tuple(str(paper) for (paper,) in papers),
        place,
        last_page,
    )
