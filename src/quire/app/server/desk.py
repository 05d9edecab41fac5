"""What people write on their papers: notes and highlights, stars, tags, collections, what was read.

    desk.shelve(paper, starred=True, tags=["folds"])
    note = desk.add(Note(paper, 3, (Box(72, 90, 200, 12),), quote="Boats sink.", text="Really?"))
    desk.notes(q="boats sink")

All of it hangs on a paper's id, which is made of its content: a paper that is restored has it again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from quire.app.server.jobs import new_id
from quire.app.server.store import NotFound, Store, now
from quire.search.analyzer import term_numbers
from quire.types import Box

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


@dataclass(frozen=True, slots=True)
class Shelved:
    """What somebody made of a paper."""

    starred: bool = False
    read: bool = False
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


class Desk:
    """All of it, in a server's file."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # ------------------------------------------------------------------ notes

    def notes(self, paper: str = "", q: str = "", limit: int = 1000) -> list[Note]:
        """The notes of a paper, in the order of its pages, or of all; those with all words of `q`."""
        order = "page, created" if paper else "created DESC"
        rows = self._store.read(
            f"SELECT * FROM notes WHERE ? IN ('', paper) ORDER BY {order}, rowid LIMIT ?",
            (paper, 100_000 if q else limit),
        )
        words = q.casefold().split()
        found = (_note(row) for row in rows)
        return [
            note for note in found if all(word in f"{note.quote} {note.text}".casefold() for word in words)
        ][:limit]

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
        """The note of that id.

        Raises:
            NotFound: there is none.
        """
        found = self._store.read("SELECT * FROM notes WHERE id = ?", (id,))
        if not found:
            raise NotFound(f"There is no note `{id[:80]}`.")
        return _note(found[0])

    def add(self, note: Note) -> Note:
        """Keep a note; gives it with its id."""
        kept = replace(note, id=new_id(), created=now())
        row = (kept.id, kept.paper, kept.page, json.dumps(kept.boxes), kept.quote, kept.text, kept.author)
        with self._store.transaction() as db:
            db.execute("INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, kept.created))
        return kept

    def write(self, id: str, text: str) -> Note:
        """Give a note other words.

        Raises:
            NotFound: there is none.
        """
        self.note(id)
        with self._store.transaction() as db:
            db.execute("UPDATE notes SET text = ? WHERE id = ?", (text, id))
        return self.note(id)

    def remove(self, id: str) -> Note:
        """Remove a note; what it was is given, so that it can be added again.

        Raises:
            NotFound: there is none.
        """
        note = self.note(id)
        with self._store.transaction() as db:
            db.execute("DELETE FROM notes WHERE id = ?", (id,))
        return note

    # ------------------------------------------------------------------ the shelf

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
    boxes = tuple(Box(*box) for box in json.loads(row["boxes"]))
    return Note(
        row["paper"],
        row["page"],
        boxes,
        row["quote"],
        row["text"],
        row["author"],
        row["id"],
        row["created"],
    )
