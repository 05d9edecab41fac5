"""The durable store behind every memory: one SQLite file in WAL mode that several processes may write.

Rows are itemised (task, instance, step, author, verdict, when) and deduplicated by content.

    with MemoryStore(Path("memory.sqlite")) as store:
        store.add("library", experience, vector, "hash-512")
        store.relabel("library", experience_id, Verdict("wrong", source="human"))
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.errors import MemoryStoreError
from quire.store.sqlite import SqliteFile
from quire.types import Experience, Verdict

_COLUMNS = "id, task, instance_id, key, fields, output, label, reason, source, step, model, created"


class MemoryStore(SqliteFile):
    """One memory file. Safe to share between threads; other processes open their own."""

    def __init__(self, path: Path | None) -> None:
        """Open or create the file; None keeps everything in this process's memory.

        Raises:
            MemoryStoreError: the file is not a memory of quire, or of a newer version.
        """
        super().__init__(path, "quire.memory", MemoryStoreError)

    # ---------------------------------------------------------------- experiences

    def add(
        self,
        space: str,
        experience: Experience,
        vector: NDArray[np.float32] | None = None,
        encoder: str = "",
    ) -> str:
        """Keep an experience and return its id; one of the same content is kept once."""
        row = replace(experience, id=experience.id or content_id(experience))
        verdict = row.verdict
        fields = json.dumps(dict(row.prompt_fields), ensure_ascii=False)
        judged = (verdict.label, verdict.reason, verdict.source)
        what = (space, row.id, row.task, row.instance_id, row.key, fields, row.output)
        values = (*what, *judged, row.step, row.model, row.created)
        with self.transaction() as db:
            db.execute(
                f"INSERT OR IGNORE INTO experiences (space, {_COLUMNS}) VALUES ({', '.join('?' * 13)})",
                values,
            )
            if vector is not None:
                blob = np.ascontiguousarray(vector, dtype="<f4").tobytes()
                db.execute(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)", (space, row.id, encoder, blob)
                )
        return row.id

    def experiences(self, space: str, after: int = 0) -> list[tuple[int, Experience]]:
        """(seq, experience) in the order they came, those after `after`."""
        rows = self.read(
            f"SELECT seq, {_COLUMNS} FROM experiences WHERE space = ? AND seq > ? ORDER BY seq",
            (space, after),
        )
        return [(row[0], _experience(row[1:])) for row in rows]

    def vectors(self, space: str, encoder: str, ids: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """The stored vectors of those ids, where there are any."""
        found: dict[str, NDArray[np.float32]] = {}
        wanted = list(ids)
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ", ".join("?" * len(part))
            rows = self.read(
                f"SELECT id, vector FROM vectors WHERE space = ? AND encoder = ? AND id IN ({marks})",
                (space, encoder, *part),
            )
            found.update((row[0], np.frombuffer(row[1], dtype="<f4").astype(np.float32)) for row in rows)
        return found

    def remove(self, space: str, ids: Iterable[str]) -> int:
        """Forget experiences for good; returns how many there were."""
        removed = 0
        with self.transaction() as db:
            for one in ids:
                removed += db.execute("DELETE FROM experiences WHERE space=? AND id=?", (space, one)).rowcount
                db.execute("DELETE FROM vectors WHERE space = ? AND id = ?", (space, one))
            self.revise(space)
        return removed

    def relabel(self, space: str, id: str, verdict: Verdict) -> bool:
        """Judge an experience anew, e.g. when a person changes their mind. False if there is none."""
        with self.transaction() as db:
            changed = db.execute(
                "UPDATE experiences SET label = ?, reason = ?, source = ? WHERE space = ? AND id = ?",
                (verdict.label, verdict.reason, verdict.source, space, id),
            ).rowcount
            self.revise(space)
        return bool(changed)

    def state(self, space: str) -> tuple[int, int]:
        """(last seq, revision) of a space: when neither moved, nothing changed."""
        rows = self.read(
            "SELECT (SELECT seq FROM experiences WHERE space = ?1 ORDER BY seq DESC LIMIT 1),"
            " (SELECT revision FROM revisions WHERE space = ?1)",
            (space,),
        )
        return (rows[0][0] or 0, rows[0][1] or 0)

    # ---------------------------------------------------------------- steps

    def mark_learned(self, space: str, step: int) -> bool:
        """Note that a step was taken in; False if it was noted before. Call it inside a transaction."""
        with self.transaction() as db:
            return bool(db.execute("INSERT OR IGNORE INTO learned VALUES (?, ?)", (space, step)).rowcount)

    def has_learned(self, space: str, step: int) -> bool:
        """Whether a step was noted."""
        return bool(self.read("SELECT 1 FROM learned WHERE space = ? AND step = ?", (space, step)))

    def learned(self, space: str) -> frozenset[int]:
        """Steps noted so far."""
        return frozenset(row[0] for row in self.read("SELECT step FROM learned WHERE space = ?", (space,)))

    def revise(self, space: str) -> int:
        """Note that rows changed in place, so that whoever holds a copy reads them; the new revision."""
        with self.transaction() as db:
            ((revision,),) = db.execute(
                "INSERT INTO revisions VALUES (?, 1)"
                " ON CONFLICT (space) DO UPDATE SET revision = revision + 1 RETURNING revision",
                (space,),
            ).fetchall()
        return int(revision)


def content_id(experience: Experience) -> str:
    """Hash of what was asked, what was said and how it was judged."""
    parts = (experience.task, experience.key, experience.output, experience.verdict.label)
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _experience(row: Sequence[Any]) -> Experience:
    id, task, instance_id, key, fields, output, label, reason, source, step, model, created = row
    verdict = Verdict(label, reason, source)
    return Experience(
        key, task, instance_id, json.loads(fields), output, verdict, int(step), model, created, id
    )
