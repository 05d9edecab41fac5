"""Conversations: questions that follow each other about the same papers.

    thread = threads.add("", papers=("5fe5...",))
    number = threads.begin(thread.id, "How many authors?", ask_id)
    threads.end(thread.id, number, "answered", run_id)
    threads.thread(thread.id).turns[0].run

A turn is stored when it is asked, so that a server which dies meanwhile still shows the question.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from quire.app.server.jobs import new_id
from quire.app.server.store import NotFound, Store, now

_TITLE = 120  # characters
_KEPT = timedelta(days=30)  # of what was removed


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
    """All conversations of one server."""

    def __init__(self, store: Store) -> None:
        self._store = store
        with store.transaction() as db:
            db.execute("UPDATE turns SET state = 'interrupted' WHERE state = 'asking'")
            day = (datetime.now(UTC) - _KEPT).isoformat()
            db.execute("DELETE FROM threads WHERE removed > '' AND removed < ?", (day,))

    def add(self, title: str = "", papers: Sequence[str] = ()) -> Thread:
        """Begin a conversation; without a title its first question names it."""
        id, time = new_id(), now()
        with self._store.transaction() as db:
            row = (id, title[:_TITLE], json.dumps(list(papers)), time, time)
            db.execute("INSERT INTO threads VALUES (?, ?, ?, ?, ?, '')", row)
        return self.thread(id)

    def thread(self, id: str) -> Thread:
        """The conversation of that id, with its turns.

        Raises:
            NotFound: there is none.
        """
        found = self._store.read("SELECT * FROM threads WHERE id = ? AND removed = ''", (id,))
        if not found:
            raise NotFound(f"There is no conversation `{id[:80]}`.")
        turns = self._store.read(
            "SELECT number, question, state, run, ask FROM turns WHERE thread = ? ORDER BY number", (id,)
        )
        return replace(_thread(found[0]), turns=tuple(ThreadTurn(*row) for row in turns))

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

    def runs(self) -> set[str]:
        """The runs of all conversations, also of those that were removed."""
        return {row["run"] for row in self._store.read("SELECT run FROM turns WHERE run > ''")}

    def change(self, id: str, *, title: str | None = None, papers: Sequence[str] | None = None) -> Thread:
        """Give it another title or other papers.

        Raises:
            NotFound: there is none.
        """
        thread = self.thread(id)
        with self._store.transaction() as db:
            kept = thread.title if title is None else title[:_TITLE]
            about = thread.papers if papers is None else papers
            db.execute(
                "UPDATE threads SET title = ?, papers = ?, updated = ? WHERE id = ?",
                (kept, json.dumps(list(about)), now(), id),
            )
        return self.thread(id)

    def remove(self, id: str) -> None:
        """Put a conversation away; for 30 days it can be restored. The runs of its questions stay.

        Raises:
            NotFound: there is none.
        """
        self.thread(id)
        with self._store.transaction() as db:
            db.execute("UPDATE threads SET removed = ? WHERE id = ?", (now(), id))

    def restore(self, id: str) -> Thread:
        """Take a removed conversation back.

        Raises:
            NotFound: none of that id is kept.
        """
        with self._store.transaction() as db:
            db.execute("UPDATE threads SET removed = '' WHERE id = ?", (id,))
        return self.thread(id)

    def begin(self, id: str, question: str, ask: str) -> int:
        """Store a question as asked; gives its number.

        Raises:
            NotFound: there is no such conversation.
        """
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
        with self._store.transaction() as db:
            db.execute(
                "UPDATE turns SET state = ?, run = ? WHERE thread = ? AND number = ?",
                (state, run, id, number),
            )


def _thread(row: Any) -> Thread:
    return Thread(row["id"], row["title"], tuple(json.loads(row["papers"])), row["created"], row["updated"])
