"""What a hit shows: the unit that speaks and what stands around it on its page, in whole units.

A sentence comes with the sentences before and after it, a row or a caption of a table with caption, heads
and rows as lines, a heading with the text under it, a title with the abstract. About 400 tokens at most, or
as many words as are asked for.

    around = Surroundings(connection, ranked)
    around.passage(ranked[0]).text
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from typing import NamedTuple

import duckdb
import numpy as np

from quire.search.cells import CELL_JOINT, Unit
from quire.search.ranking import Ranked

WORDS = 300  # about 400 tokens
Read = Callable[[int], Unit]
"""The sentences of a page by their number; each is read when it is asked for."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The text of a hit, and the keys of the units that it shows."""

    text: str
    shows: frozenset[str]


class _Row(NamedTuple):
    head: bool
    text: str
    key: str  # of its first cell


class Surroundings:
    """What stands around ranked units; cells and the texts of sections are read when first asked for.

    Then those of all `expected` are read at once.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, expected: Sequence[Ranked], words: int = WORDS
    ) -> None:
        self._connection = connection
        self._expected = expected
        self._words = words
        self._tables: dict[str, list[_Row]] = {}
        self._below: dict[str, str] = {}

    def passage(self, ranked: Ranked, shown: Set[str] = frozenset()) -> Passage:
        """The passage around a unit, without rows and sentences that are `shown` by their keys already."""
        unit = ranked.unit
        if unit.kind in ("row", "table"):
            return self._table(unit, shown)
        if unit.kind in ("title", "heading"):
            below = cut(self._text_below(ranked), self._words)
            return Passage("\n".join(filter(None, (unit.text, below))), frozenset({unit.key}))
        ids = ranked.view.of_page(ranked.id, "sentence")
        read = cache(lambda number: ranked.view.unit(int(ids[number])))
        if unit.kind == "sentence":
            return window(read, len(ids), int(np.searchsorted(ids, ranked.id)), self._words, shown)
        return _with_mentions(unit, map(read, range(len(ids))), self._words)

    def _units(self, kinds: Sequence[str], unit: Unit) -> list[Unit]:
        return [unit, *(each.unit for each in self._expected if each.unit.kind in kinds)]

    def _text_below(self, ranked: Ranked) -> str:
        unit = ranked.unit
        if unit.kind == "title":
            return ranked.view.said(ranked.page[0], "abstract")
        if unit.key not in self._below:
            found = self._connection.execute(
                """SELECT section_id::VARCHAR, section_content FROM sections
                   WHERE section_id IN (SELECT unnest(?::UUID[]))""",
                [sorted({each.key for each in self._units(("heading",), unit)})],
            ).fetchall()
            self._below |= dict(found)
        return self._below.get(unit.key, "")

    def _table(self, unit: Unit, before: Set[str]) -> Passage:
        if unit.group not in self._tables:
            groups = {each.group for each in self._units(("row", "table"), unit)}
            self._tables |= _tables(self._connection, sorted(groups))
        caption = unit.context if unit.kind == "row" else unit.text
        rows = self._tables.get(unit.group, [])
        at = next((n for n, row in enumerate(rows) if row.key == unit.key), 0)
        room = self._words - len(caption.split())
        kept = {n for n, row in enumerate(rows) if row.head}
        room -= sum(len(rows[n].text.split()) for n in kept)
        for n in sorted(range(len(rows)), key=lambda n: (abs(n - at), n)):
            if n in kept or rows[n].key in before:
                continue
            room -= len(rows[n].text.split())
            if room < 0 and n != at:
                break
            kept.add(n)
        shown = [rows[n] for n in sorted(kept)]
        lines = [caption, *(row.text for row in shown)]
        if left_out := len(rows) - len(shown):
            lines.append(f"[rows of this table not shown here: {left_out}]")
        keys = {unit.key, unit.group, *(row.key for row in shown)}
        return Passage("\n".join(filter(None, lines)), frozenset(keys))


def window(read: Read, count: int, at: int, words: int, shown: Set[str] = frozenset()) -> Passage:
    """Of the sentences of a page, those around the one `at`: as far before as after, up to one `shown`."""

    def room_of(number: int) -> int | None:
        """The words of a sentence, none where there is no such sentence or it is shown already."""
        fresh = 0 <= number < count and read(number).key not in shown
        return len(read(number).text.split()) if fresh else None

    first = last = at
    room = words - len(read(at).text.split())
    before, after = room_of(at - 1), room_of(at + 1)
    while True:
        backward = before is not None and before <= room and (at - first < last - at or after is None)
        if not backward and after is not None and after <= room:
            last, room = last + 1, room - after
            after = room_of(last + 1)
        elif before is not None and before <= room:
            first, room = first - 1, room - before
            before = room_of(first - 1)
        else:
            break
    return _joined([read(number) for number in range(first, last + 1)])


def _joined(sentences: Sequence[Unit]) -> Passage:
    from quire.text import space_after

    text = sentences[0].text
    for before, each in pairwise(sentences):
        text += (space_after(before.text) if each.group == before.group else "\n") + each.text
    return Passage(text, frozenset(each.key for each in sentences))


def _with_mentions(unit: Unit, sentences: Iterable[Unit], words: int) -> Passage:
    """The caption of a figure with the sentences of its page that name it."""
    label = " ".join(unit.text.split()[:2]).rstrip(".:,").lower()
    room = words - len(unit.text.split())
    kept = [unit.text]
    for each in sentences:
        size = len(each.text.split())
        if label and label in each.text.lower() and size <= room:
            kept.append(each.text)
            room -= size
    return Passage("\n".join(kept), frozenset({unit.key}))


def cut(text: str, most: int) -> str:
    """A text cut at the last whole sentence that fits."""
    from quire.text import sentences

    end, words = 0, 0
    for start, stop in sentences(text):
        words += len(text[start:stop].split())
        if words > most and end:
            break
        end = stop
    return text[:end] or text


def _tables(connection: duckdb.DuckDBPyConnection, keys: Sequence[str]) -> dict[str, list[_Row]]:
    """The rows of tables, by the tables' keys."""
    cells = connection.execute(
        """SELECT ref_table_id::VARCHAR, row_index, column_index, is_head, cell_content, cell_id::VARCHAR
           FROM cells WHERE ref_table_id IN (SELECT unnest(?::UUID[]))""",
        [list(keys)],
    ).fetchall()
    cells.sort(key=lambda cell: cell[:3])  # grouped here: DuckDB takes twice as long for it
    found: dict[str, list[_Row]] = {key: [] for key in keys}
    for (key, _), row in groupby(cells, key=lambda cell: cell[:2]):
        _, _, columns, heads, texts, ids = zip(*row, strict=True)
        said = dict(zip(columns, texts, strict=True))
        # Empty cells, too: without them a row's values stand under the heads of others.
        text = CELL_JOINT.join(said.get(n, "") for n in range(max(columns) + 1))
        found[key].append(_Row(all(heads), text, ids[0]))
    return found
