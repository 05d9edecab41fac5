"""What people keep on a server: conversations, notes and highlights, stars, tags, collections.

    thread = threads.add("", papers=("5fe5...",))
    number = threads.begin(thread.id, "How many authors?", ask_id)
    threads.end(thread.id, number, "answered", run_id)

    desk.shelve(paper, starred=True, tags=["folds"])
    note = desk.add(Note(paper, 3, (Box(72, 90, 200, 12),), quote="Boats sink.", text="Really?"))

A conversation is questions that follow each other about the same papers; a turn is stored when it is asked,
so that a server which dies meanwhile still shows the question. The rest hangs on a paper's id, which is made
of its content: a paper that is restored has it again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from typing import Any

from quire.app.finding import says
from quire.app.server.jobs import new_id
from quire.app.server.store import Store, now
from quire.search.analyzer import term_numbers
from quire.settings import RESTORABLE
from quire.types import Box, Evidence

_TITLE = 120  # characters
_GONE = "for good"  # stands after all dates


@dataclass(frozen=True, slots=True)
class ThreadTurn:
    """One question. `state`: asking, answered, cancelled, failed, interrupted; `run` is its stored run."""

    number: int
    question: str
    state: str
    run: str
    ask: str


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation. Without `papers` it is about the whole library."""

    id: str
    title: str
    papers: tuple[str, ...]
    created: str
    updated: str
    turns: tuple[ThreadTurn, ...] = ()


class Threads:
    """All conversations of one server. An id that names none raises NotFound."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.change("UPDATE turns SET state = 'interrupted' WHERE state = 'asking'")
        day = (datetime.now(UTC) - RESTORABLE).isoformat()
        # Nothing is kept of them but which runs they had: else those stood there as asked in the shell.
        gone = "removed > '' AND removed < ?"
        store.change(
            f"UPDATE turns SET question = '' WHERE thread IN (SELECT id FROM threads WHERE {gone})", day
        )
        store.change(f"UPDATE threads SET title = '', papers = '[]', removed = '{_GONE}' WHERE {gone}", day)

    def add(self, title: str = "", papers: Sequence[str] = ()) -> Thread:
        """Begin a conversation; without a title its first question names it."""
        id, time, about = new_id(), now(), json.dumps(list(papers))
        self._store.change(
            "INSERT INTO threads VALUES (?, ?, ?, ?, ?, '')", id, title[:_TITLE], about, time, time
        )
        return self.thread(id)

    def of_run(
        self, run: str, question: str, asked: str, papers: Sequence[str] = (), title: str = ""
    ) -> Thread:
        """The conversation of a run, taken back if it was removed.

        A run of the shell becomes one, of the time when it was asked; without a title its question names it.
        """
        sql = (
            "SELECT id FROM threads JOIN turns ON thread = id WHERE run = ? AND removed < ? ORDER BY removed"
        )
        with self._store.transaction() as db:
            if found := db.execute(sql, (run, _GONE)).fetchone():
                id = found["id"]
                db.execute("UPDATE threads SET removed = '' WHERE id = ?", (id,))
            else:
                id, named = new_id(), " ".join((title or question).split())[:_TITLE]
                row = (id, named, json.dumps(list(papers)), asked, asked)
                db.execute("INSERT INTO threads VALUES (?, ?, ?, ?, ?, '')", row)
                db.execute("INSERT INTO turns VALUES (?, 1, ?, 'answered', ?, '')", (id, question, run))
        return self.thread(id)

    def thread(self, id: str) -> Thread:
        """The conversation of that id, with its turns."""
        thread = _thread(self._store.row("threads", id, "conversation", "AND removed = ''"))
        turns = self._store.read(
            "SELECT number, question, state, run, ask FROM turns WHERE thread = ? ORDER BY number", (id,)
        )
        return replace(thread, turns=tuple(ThreadTurn(*row) for row in turns))

    def listed(self, limit: int = 50, offset: int = 0, q: str = "") -> tuple[list[Thread], int]:
        """The conversations without their turns, the latest first, and how many there are.

        With `q` those whose name or one of whose questions has all of its words.
        """
        where, words = "removed = ''", q.lower().split()[:20]
        for _ in words:
            where += """ AND (instr(lower(title), ?) OR EXISTS
                (SELECT 1 FROM turns WHERE thread = threads.id AND instr(lower(question), ?)))"""
        sought = [word for word in words for _ in range(2)]
        ((total,),) = self._store.read(f"SELECT count(*) FROM threads WHERE {where}", sought)
        sql = f"SELECT * FROM threads WHERE {where} ORDER BY updated DESC, id LIMIT ? OFFSET ?"
        return [_thread(row) for row in self._store.read(sql, (*sought, limit, offset))], total

    def removed(self) -> list[tuple[Thread, str]]:
        """Those that can be restored, each with when it was removed, the latest first."""
        sql = "SELECT * FROM threads WHERE removed > '' AND removed < ? ORDER BY removed DESC"
        return [(_thread(row), row["removed"]) for row in self._store.read(sql, (_GONE,))]

    def runs(self) -> set[str]:
        """The runs of all conversations, also of those that were removed."""
        return {row["run"] for row in self._store.read("SELECT run FROM turns WHERE run > ''")}

    def change(self, id: str, *, title: str | None = None, papers: Sequence[str] | None = None) -> Thread:
        """Give it another title or other papers."""
        thread = self.thread(id)
        kept = thread.title if title is None else title[:_TITLE]
        about = json.dumps(list(thread.papers if papers is None else papers))
        self._store.change("UPDATE threads SET title = ?, papers = ? WHERE id = ?", kept, about, id)
        return self.thread(id)

    def remove(self, id: str) -> None:
        """Put a conversation away; for 30 days it can be restored. The runs of its questions stay."""
        self.thread(id)
        self._store.change("UPDATE threads SET removed = ? WHERE id = ?", now(), id)

    def restore(self, id: str) -> Thread:
        """Take a removed conversation back."""
        self._store.change("UPDATE threads SET removed = '' WHERE id = ? AND removed < ?", id, _GONE)
        return self.thread(id)

    def begin(self, id: str, question: str, ask: str) -> int:
        """Store a question as asked; gives its number."""
        self.thread(id)
        with self._store.transaction() as db:
            sql = "SELECT coalesce(max(number), 0) + 1 FROM turns WHERE thread = ?"
            ((number,),) = db.execute(sql, (id,)).fetchall()
            db.execute("INSERT INTO turns VALUES (?, ?, ?, 'asking', '', ?)", (id, number, question, ask))
            db.execute(
                """UPDATE threads SET updated = ?, title = CASE title WHEN '' THEN ? ELSE title END
                   WHERE id = ?""",
                (now(), " ".join(question.split())[:_TITLE], id),
            )
        return int(number)

    def end(self, id: str, number: int, state: str, run: str = "") -> None:
        """Store what became of a question; nothing happens if the conversation is gone."""
        sql = "UPDATE turns SET state = ?, run = ? WHERE thread = ? AND number = ?"
        self._store.change(sql, state, run, id, number)


def _thread(row: Any) -> Thread:
    return Thread(row["id"], row["title"], tuple(json.loads(row["papers"])), row["created"], row["updated"])


_NAME = 60  # characters of a tag
_FITS = 2  # words of a question that a note says at least
_SHOWN = 3  # notes beside an answer


@dataclass(frozen=True, slots=True)
class Note:
    """A place on a page, the words that stand there, and what was noted; without boxes the whole page."""

    paper: str
    page: int
    boxes: tuple[Box, ...] = ()
    quote: str = ""
    text: str = ""
    author: str = ""
    id: str = ""
    created: str = ""

    @property
    def place(self) -> Evidence:
        """The place as evidence of an answer; whether its words stand there is for others to check."""
        box = reduce(Box.union, self.boxes) if self.boxes else None
        return Evidence(self.paper, self.page, box, self.quote, verified=False)


@dataclass(frozen=True, slots=True)
class Shelved:
    """What somebody made of a paper."""

    starred: bool = False
    read: bool = False
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


class Desk:
    """Notes and what was made of papers, in a server's file. An id that names no note raises NotFound."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def notes(self, paper: str = "", q: str = "", limit: int = 1000) -> list[Note]:
        """The notes of a paper, in the order of its pages, or of all; those with all words of `q`."""
        order = "page, created" if paper else "created DESC"
        rows = self._store.read(
            f"SELECT * FROM notes WHERE ? IN ('', paper) ORDER BY {order}, rowid LIMIT ?",
            (paper, 100_000 if q else limit),
        )
        found = (_note(row) for row in rows)
        return [note for note in found if says(f"{note.quote} {note.text}", q)][:limit]

    def fitting(self, question: str, papers: Sequence[str] = ()) -> list[Note]:
        """The notes (of these papers, if any) that say most words of a question, the best first, a few."""
        asked = set(term_numbers(question))
        weighed = [
            (len(asked.intersection(term_numbers(f"{note.quote} {note.text}"))), note)
            for note in self.notes()
            if not papers or note.paper in papers
        ]
        least = min(_FITS, len(asked))
        best = sorted((each for each in weighed if each[0] >= max(1, least)), key=lambda each: -each[0])
        return [note for _, note in best[:_SHOWN]]

    def note(self, id: str) -> Note:
        """The note of that id."""
        return _note(self._store.row("notes", id, "note"))

    def add(self, note: Note) -> Note:
        """Keep a note; gives it with its id."""
        kept = replace(note, id=new_id(), created=now())
        boxes, words = json.dumps(kept.boxes), (kept.quote, kept.text, kept.author, kept.created)
        sql = "INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        self._store.change(sql, kept.id, kept.paper, kept.page, boxes, *words)
        return kept

    def write(self, id: str, text: str) -> Note:
        """Give a note other words."""
        self._store.change("UPDATE notes SET text = ? WHERE id = ?", text, id)
        return self.note(id)

    def remove(self, id: str) -> Note:
        """Remove a note; what it was is given, so that it can be added again."""
        note = self.note(id)
        self._store.change("DELETE FROM notes WHERE id = ?", id)
        return note

    def shelf(self) -> dict[str, Shelved]:
        """What was made of every paper of which something was, by its id."""
        found = {
            row["paper"]: Shelved(bool(row["starred"]), bool(row["read"]))
            for row in self._store.read("SELECT * FROM shelf")
        }
        for row in self._store.read("SELECT * FROM labels ORDER BY name COLLATE NOCASE"):
            held, name = found.get(row["paper"], Shelved()), row["name"]
            if row["kind"] == "tag":
                found[row["paper"]] = replace(held, tags=(*held.tags, name))
            else:
                found[row["paper"]] = replace(held, collections=(*held.collections, name))
        return found

    def shelve(
        self,
        paper: str,
        *,
        starred: bool | None = None,
        read: bool | None = None,
        tags: Sequence[str] | None = None,
        collections: Sequence[str] | None = None,
    ) -> Shelved:
        """Change what is named; gives all of it."""
        with self._store.transaction() as db:
            db.execute("INSERT OR IGNORE INTO shelf (paper) VALUES (?)", (paper,))
            for column, value in (("starred", starred), ("read", read)):
                if value is not None:
                    db.execute(f"UPDATE shelf SET {column} = ? WHERE paper = ?", (value, paper))
            for kind, names in (("tag", tags), ("collection", collections)):
                if names is not None:
                    db.execute("DELETE FROM labels WHERE paper = ? AND kind = ?", (paper, kind))
                    rows = [(paper, kind, name) for name in _names(names)]
                    db.executemany("INSERT OR IGNORE INTO labels VALUES (?, ?, ?)", rows)
        return self.shelf()[paper]


def _names(names: Sequence[str]) -> list[str]:
    """Names as they are kept: one line each, none empty, each once."""
    shown = (" ".join(name.split())[:_NAME] for name in names)
    return list(dict.fromkeys(name for name in shown if name))


def _note(row: Any) -> Note:
    return Note(**{**row, "boxes": tuple(Box(*box) for box in json.loads(row["boxes"]))})
