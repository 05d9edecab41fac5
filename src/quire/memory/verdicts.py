"""The personal memory of a library: answers that people judged, itemised, with what became of each.

    verdicts = Verdicts(store)
    verdicts.judge(item, Ruling("ann", "right"))
    verdicts.listed()                         # newest first, each with its label
    verdicts.forget([item.id])                # rows, vectors, verdicts; no import brings it back
    verdicts.forget([item.id], keep=True)     # the same, and `trash.take_back` undoes it for 30 days
    for point in curve(store): print(point.number, point.so_far, point.recent)

Contract: every verdict is kept; of one person the newest counts, and what people disagree on is "unknown".
Each change is one transaction. Items that an import brought are nobody's but their origin's: ids are hashes
over the origin, so no import can touch a row of another. The learning curve has one point per run, by the
newest verdict on it, in the order of the first verdicts; forgotten ones are gone.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from quire.memory import trash
from quire.memory.codes import REMOVALS, SPACE, drop_files
from quire.memory.items import (
    COLUMNS,
    JudgedAnswer,
    as_line,
    as_row,
    folded,
    of_line,
    of_row,
    scope_text,
)
from quire.memory.same_question import VERSION, meaning_words
from quire.memory.searches import Shown, refit, teach, teaches
from quire.memory.store import MemoryStore

_HANGING = ("item_papers", "item_words", "item_lessons", "uses", "verdicts", "search_evidence")
_MISLEADS = 2  # an item is retired when so many more of its answers were wrong than right


@dataclass(frozen=True, slots=True)
class Ruling:
    """One person's word on one answer."""

    author: str
    label: Literal["right", "wrong"]
    note: str = ""


class Tally(NamedTuple):
    """Answers that an item took part in: judged right, judged wrong."""

    helped: int
    hurt: int


class Verdicts:
    """Items and verdicts of one memory file."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store

    # ---------------------------------------------------------------- judging

    def judge(self, item: JudgedAnswer, ruling: Ruling, shown: Shown | None = None) -> str:
        """Keep the item, if it is new, and the verdict on it; its id.

        Judged right by somebody, it is in use again however it was retired, and what the same question was
        answered with before is retired. `shown` is what a search showed of its evidence.
        """
        item = item.identified()
        with self.store.transaction() as db:
            db.execute("DELETE FROM forgotten WHERE id = ?", (item.id,))
            trash.drop(self.store, [item.id])
            self._insert(db, item)
            if ruling.label == "right":
                # The newest word on what an answer rests on: papers may have come back otherwise.
                evidence = as_row(item)["evidence"]
                db.execute("UPDATE items SET retired = '', evidence = ? WHERE id = ?", (evidence, item.id))
                db.execute("DELETE FROM item_papers WHERE item = ?", (item.id,))
                self._rest(db, item)
                self._supersede(item)
                if shown is not None and not item.origin:
                    teach(self.store, item.id, shown)
            self._rule(db, item, ruling)
            self._refit([item.id])
        return item.id

    def draw(self, item: str, lesson: str, model: str) -> None:
        """Keep what a model made of a wrong answer; while it is wrong, the lesson may be shown."""
        with self.store.transaction() as db:
            db.execute("INSERT OR REPLACE INTO item_lessons VALUES (?, ?, ?)", (item, lesson, model))
            self.store.revise(SPACE)

    def used(self, run: str, items: Mapping[str, str]) -> None:
        """Note which items took part in a run, and how: "example" or "remembered"."""
        with self.store.transaction() as db:
            known = [(one, run, how) for one, how in items.items() if self._there(one)]
            db.executemany("INSERT OR IGNORE INTO uses VALUES (?, ?, ?)", known)

    def retire_misleading(self, run: str) -> list[tuple[str, Tally]]:
        """Retire the items of a run whose answers went wrong too often; those retired now."""
        gone = []
        with self.store.transaction():
            for item, how in self.store.read("SELECT item, how FROM uses WHERE run = ?", (run,)):
                tally = self.tally(item)
                # A remembered answer is the item's own: one verdict says all.
                most = _MISLEADS if how == "example" else 1
                if tally.hurt - tally.helped >= most and self.retire(
                    [item], f"it misled: {tally.hurt} answers with it were wrong, {tally.helped} right"
                ):
                    gone.append((item, tally))
        return gone

    def retire(self, items: Iterable[str], why: str) -> int:
        """Use these items no more; how many were in use."""
        gone = []
        with self.store.transaction() as db:
            for item in items:
                sql = "UPDATE items SET retired = ? WHERE id = ? AND retired = ''"
                if db.execute(sql, (why, item)).rowcount:
                    gone.append(item)
                    self.relabel(item)
            self._refit(gone)
        return len(gone)

    def revive(self, why: str, present: Mapping[str, str]) -> None:
        """Use items again that were retired for that reason and rest on papers that are all in `present`."""
        gone = [item for (item,) in self.store.read("SELECT id FROM items WHERE retired = ?", (why,))]
        with self.store.transaction() as db:
            for item in gone:
                rests = db.execute("SELECT paper, sha256 FROM item_papers WHERE item = ?", (item,)).fetchall()
                if all(present.get(paper) == sha for paper, sha in rests):
                    db.execute("UPDATE items SET retired = '' WHERE id = ?", (item,))
                    self.relabel(item)
            self._refit(gone)

    def relabel(self, item: str) -> None:
        """Bring the label of an item in step with its verdicts."""
        ((retired,),) = self.store.read("SELECT retired FROM items WHERE id = ?", (item,))
        right, wrong = self.opinions(item)
        label: Literal["right", "wrong", "unknown"] = "unknown"
        if not retired and right != wrong:
            label = "right" if right > wrong else "wrong"
        with self.store.transaction() as db:
            sql = "UPDATE items SET label = ? WHERE id = ? AND label != ?"
            if db.execute(sql, (label, item, label)).rowcount:
                self.store.revise(SPACE)

    def opinions(self, item: str) -> tuple[int, int]:
        """How many people hold it right and wrong, by the newest verdict of each."""
        return self._count_labels("SELECT max(seq) FROM verdicts WHERE item = ? GROUP BY author", item)

    def tally(self, item: str) -> Tally:
        """How often it helped and hurt, by the newest verdict of each person on each run it took part in."""
        newest = (
            "SELECT max(v.seq) FROM verdicts v JOIN uses u ON u.run = v.run"
            " WHERE u.item = ? AND v.run != '' GROUP BY v.run, v.author"
        )
        return Tally(*self._count_labels(newest, item))

    def _count_labels(self, newest: str, item: str) -> tuple[int, int]:
        rows = self.store.read(f"SELECT label FROM verdicts WHERE seq IN ({newest})", (item,))
        right = sum(label == "right" for (label,) in rows)
        return right, len(rows) - right

    # ---------------------------------------------------------------- reading

    def listed(self) -> list[JudgedAnswer]:
        """All items, the newest first."""
        return self._items("ORDER BY i.seq DESC")

    def found(self, ids: Iterable[str]) -> dict[str, JudgedAnswer]:
        """The items of these ids, as far as there are any."""
        every = [self._items("WHERE i.id = ?", (one,)) for one in ids]
        return {one[0].id: one[0] for one in every if one}

    def usable(self, ids: Sequence[str]) -> dict[str, str]:
        """Those of some items that may be shown: right ones, and wrong ones with a lesson, which is told."""
        marks = ", ".join("?" * len(ids))
        rows = self.store.read(
            "SELECT i.id, i.label, l.text FROM items i LEFT JOIN item_lessons l ON l.item = i.id"
            f" WHERE i.id IN ({marks}) AND (i.label = 'right' OR (i.label = 'wrong' AND l.text IS NOT NULL))",
            (*ids,),
        )
        return {id: text if label == "wrong" else "" for id, label, text in rows}

    def begins(self, id: str) -> list[JudgedAnswer]:
        """The items whose ids begin so."""
        return self._items("WHERE substr(i.id, 1, ?) = ?", (len(id), id))

    def asked(self, question: str, scope: Iterable[str]) -> list[JudgedAnswer]:
        """Items that asked the same words about the same papers, the newest first."""
        where = "WHERE i.scope = ? AND i.folded = ? ORDER BY i.seq DESC LIMIT 8"
        return self._items(where, (scope_text(sorted(scope)), folded(question)))

    def alike(self, question: str) -> list[JudgedAnswer]:
        """Right items whose question has the same words that carry meaning, the newest first."""
        if not (words := meaning_words(question)):
            return []
        where = "WHERE i.id IN (SELECT item FROM item_words WHERE words = ?) AND i.label = 'right'"
        return self._items(f"{where} ORDER BY i.seq DESC LIMIT 32", (words,))

    def resters(self, present: Mapping[str, str]) -> list[str]:
        """Items in use that rest on a paper which is not in `present` (id to hash) as it was."""
        sql = "SELECT p.item, p.paper, p.sha256 FROM item_papers p JOIN items i ON i.id = p.item"
        rows = self.store.read(f"{sql} WHERE i.retired = ''")
        return list(dict.fromkeys(item for item, paper, sha in rows if present.get(paper) != sha))

    def counts(self) -> dict[str, int]:
        """How many items, verdicts, uses and retired items there are."""
        ((items, retired, verdicts, uses),) = self.store.read(
            "SELECT (SELECT count(*) FROM items), (SELECT count(*) FROM items WHERE retired != ''),"
            " (SELECT count(*) FROM verdicts), (SELECT count(*) FROM uses)"
        )
        return {"items": items, "retired": retired, "verdicts": verdicts, "uses": uses}

    # ---------------------------------------------------------------- forgetting

    def forget(self, ids: Iterable[str], *, keep: bool = False) -> int:
        """Delete items with all that hangs on them; how many there were. Deleted bytes are overwritten.

        What was learned of them goes too, and the files that repeat vectors are made anew. With `keep` they
        can be taken back for 30 days (`trash`); without it nothing of them stays there either.
        """
        wanted = list(ids)
        self.store.read("PRAGMA secure_delete = ON")
        with self.store.transaction() as db:
            # Whoever imports it as whose: the same words do not come back.
            said = [replace(item, origin="").identified().id for item in self.found(wanted).values()]
            taught = teaches(self.store, wanted)
            dropped = trash.drop(self.store, [] if keep else wanted)
            if keep:
                trash.put(self.store, wanted)
            count = dropped
            for one in wanted:
                count += db.execute("DELETE FROM items WHERE id = ?", (one,)).rowcount
                db.execute("DELETE FROM vectors WHERE space = ? AND id = ?", (SPACE, one))
                db.execute("DELETE FROM vector_rows WHERE id = ?", (one,))
                for table in _HANGING:
                    db.execute(f"DELETE FROM {table} WHERE item = ?", (one,))
            db.executemany("INSERT OR IGNORE INTO forgotten VALUES (?)", [(one,) for one in (*wanted, *said)])
            if taught:
                refit(self.store)
            self.store.revise(SPACE)
            self.store.revise(REMOVALS)
        drop_files(self.store)
        self.store.read("PRAGMA wal_checkpoint(TRUNCATE)")
        return count

    def reread(self) -> None:
        """Bring the words of all questions in step with how this version of quire reads them."""
        stale = self.store.read(
            "SELECT i.id, i.question FROM items i LEFT JOIN item_words w ON w.item = i.id"
            " WHERE w.version IS NOT ?",
            (VERSION,),
        )
        with self.store.transaction() as db:
            rows = [(id, VERSION, meaning_words(question)) for id, question in stale]
            db.executemany("INSERT OR REPLACE INTO item_words VALUES (?, ?, ?)", rows)

    # ---------------------------------------------------------------- elsewhere and back

    def export_lines(self) -> Iterator[str]:
        """A line of JSON for every item that is in use and right, the oldest first."""
        return (as_line(item) for item in reversed(self.listed()) if item.label == "right")

    def import_lines(self, lines: Iterable[str]) -> int:
        """Take in what `export_lines` wrote; how many items were new. Items are added, none is changed.

        Raises:
            MemoryStoreError: a line is not such an item; nothing is kept then.
        """
        items = [of_line(line, number) for number, line in enumerate(lines, 1) if line.strip()]
        with self.store.transaction():
            return sum(self.take(item, Ruling(item.author, "right")) for item in items)

    def take(self, item: JudgedAnswer, ruling: Ruling) -> bool:
        """Keep an imported item with its origin's verdict; False if it is known, or was forgotten here."""
        item = item.identified()
        if not item.origin:
            raise ValueError("An imported item has an origin.")
        with self.store.transaction() as db:
            known = "SELECT 1 FROM forgotten WHERE id IN (?, ?)"
            said = replace(item, origin="").identified().id
            if self._there(item.id) or self.store.read(known, (item.id, said)):
                return False
            self._insert(db, item)
            self._rest(db, item)
            self._rule(db, item, ruling)
        return True

    # ---------------------------------------------------------------- inside

    def _insert(self, db: sqlite3.Connection, item: JudgedAnswer) -> None:
        row = {**as_row(item), "folded": folded(item.question), "label": "unknown"}
        marks = ", ".join("?" * len(row))
        db.execute(f"INSERT OR IGNORE INTO items ({', '.join(row)}) VALUES ({marks})", (*row.values(),))
        db.execute(
            "INSERT OR REPLACE INTO item_words VALUES (?, ?, ?)",
            (item.id, VERSION, meaning_words(item.question)),
        )

    def _rest(self, db: sqlite3.Connection, item: JudgedAnswer) -> None:
        rows = [(item.id, paper, sha) for paper, sha in item.papers.items()]
        db.executemany("INSERT OR IGNORE INTO item_papers VALUES (?, ?, ?)", rows)

    def _rule(self, db: sqlite3.Connection, item: JudgedAnswer, ruling: Ruling) -> None:
        # A correction, or another library's word, says nothing of how this run went.
        run = "" if item.kind == "correction" or item.origin else item.run
        now = datetime.now(UTC).isoformat(timespec="seconds")
        db.execute(
            "INSERT INTO verdicts (run, item, author, label, note, created) VALUES (?, ?, ?, ?, ?, ?)",
            (run, item.id, ruling.author, ruling.label, ruling.note, now),
        )
        self.relabel(item.id)

    def _supersede(self, item: JudgedAnswer) -> None:
        rows = self.store.read(
            "SELECT id FROM items WHERE scope = ? AND folded = ? AND form = ? AND origin = ? AND author = ?"
            " AND id != ?",
            (scope_text(item.scope), folded(item.question), item.form, item.origin, item.author, item.id),
        )
        self.retire(
            [one for (one,) in rows], f"a newer verdict answers the question otherwise: {item.id[:8]}"
        )

    def _refit(self, items: Iterable[str]) -> None:
        """Make anew what the search learned, if any of these items taught it."""
        if teaches(self.store, items):
            refit(self.store)

    def _there(self, item: str) -> bool:
        return bool(self.store.read("SELECT 1 FROM items WHERE id = ?", (item,)))

    def _items(self, ending: str, parameters: tuple[object, ...] = ()) -> list[JudgedAnswer]:
        rows = self.store.read(f"SELECT {', '.join(COLUMNS)} FROM items i {ending}", parameters)
        papers = "SELECT paper, sha256 FROM item_papers WHERE item = ?"
        try:
            return [of_row(row, dict(self.store.read(papers, (row[0],)))) for row in rows]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self.store.unreadable(repr(error)) from error


RECENT = 20  # judged answers that `recent` looks back on


@dataclass(frozen=True, slots=True)
class Point:
    """One judged answer: which (from 1), when, whether it was right, and whether the memory took part.

    `so_far` is the share right of all answers up to this one, `recent` of the last `RECENT`.
    """

    number: int
    run: str
    created: str  # ISO 8601, UTC
    right: bool
    used: bool
    so_far: float
    recent: float


def curve(store: MemoryStore) -> list[Point]:
    """The points of all judged runs, the first judged first."""
    rows = store.read(
        "SELECT v.run, v.created, v.label, EXISTS (SELECT 1 FROM uses u WHERE u.run = v.run)"
        " FROM verdicts v JOIN (SELECT min(seq) AS first, max(seq) AS newest FROM verdicts"
        " WHERE run != '' GROUP BY run) w ON v.seq = w.newest ORDER BY w.first"
    )
    points: list[Point] = []
    last: deque[bool] = deque(maxlen=RECENT)
    count = 0
    for number, (run, created, label, used) in enumerate(rows, 1):
        right = label == "right"
        last.append(right)
        count += right
        points.append(Point(number, run, created, right, bool(used), count / number, sum(last) / len(last)))
    return points
