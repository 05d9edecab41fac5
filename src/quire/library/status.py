"""How a library stands: papers by state, rows, entries, vectors, what still waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quire.errors import VectorsAway
from quire.library.encoding import count_held, count_waiting
from quire.library.indexing import view_of
from quire.library.papers import Paper, listed
from quire.library.resources import Resources
from quire.store import migrate, schema


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of one library. `vectors` and `waiting` are per collection; `bytes` are those on disk."""

    folder: Path
    schema_version: int
    papers: tuple[Paper, ...]
    states: Mapping[str, int]
    old: int  # papers that an older parser parsed
    rows: Mapping[str, int]
    vectors: Mapping[str, int]
    waiting: Mapping[str, int]
    unavailable: Mapping[str, str]
    bytes: int


def status(resources: Resources) -> Status:
    """Count what is there."""
    with resources.database.reading() as connection:
        papers = tuple(listed(connection))
        counts = {
            table.name: connection.execute(f"SELECT count(*) FROM {table.name}").fetchall()[0][0]
            for table in schema.TABLES
        }
        found = view_of(resources, connection)
        away: dict[str, str] = {}
        vectors: dict[str, int] = {}
        waiting: dict[str, int] = {}
        try:
            vectors = count_held(resources, found)
            waiting = count_waiting(resources, found)
        except VectorsAway as error:
            away = {error.message: error.hint}
        number = migrate.version(connection)
    states = {state: sum(p.state == state for p in papers) for state in ("parsed", "encoded", "failed")}
    _, missing = resources.available()
    unavailable = {str(error.message): error.hint for error in missing} | away
    size = sum(file.stat().st_size for file in resources.folder.rglob("*") if file.is_file())
    old = sum(paper.old for paper in papers)
    return Status(resources.folder, number, papers, states, old, counts, vectors, waiting, unavailable, size)
