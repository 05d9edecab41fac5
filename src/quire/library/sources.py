"""The files that papers were added from. Files with the same content are sources of one paper.

A paper answers to the names of all its sources, and goes only when the last of them is replaced: what another
file still holds is never lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import duckdb

from quire.library.records import Source


def known(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The paper of every source, by the file's place."""
    rows = connection.execute("SELECT place, paper_id::VARCHAR FROM sources").fetchall()
    return dict(rows)


def named(connection: duckdb.DuckDBPyConnection, name: str) -> set[str]:
    """Ids of the papers with a source of that file name (its ending may lack) or place."""
    rows = connection.execute(
        """SELECT paper_id::VARCHAR FROM sources
           WHERE $1 IN (file_name, place, regexp_replace(file_name, '\\.[^.]*$', ''))""",
        [name],
    ).fetchall()
    return {paper for (paper,) in rows}


def orphaned(places: dict[str, str], place: str, paper_id: str) -> bool:
    """Whether a paper whose file at `place` has other content now has no other file left."""
    others = (other for other, paper in places.items() if paper == paper_id and other != place)
    return not any(Path(other).is_file() for other in others)


def note(connection: duckdb.DuckDBPyConnection, found: Iterable[tuple[Source, str]]) -> None:
    """Keep where papers are from; a place that another paper was added from is that paper's no more.

    A paper that loses the place that it is told of as goes by another of its sources.
    """
    for source, paper_id in found:
        connection.execute("DELETE FROM sources WHERE place = ?", [source.place])
        row = [source.place, source.name, paper_id]
        connection.execute("INSERT INTO sources VALUES (?, ?, ?::UUID)", row)
    connection.execute(
        """UPDATE papers SET source_path = other.place, file_name = other.file_name
           FROM (SELECT paper_id, min(place) AS place, arg_min(file_name, place) AS file_name
                 FROM sources GROUP BY paper_id) other
           WHERE papers.paper_id = other.paper_id AND state <> 'failed'
             AND NOT EXISTS (FROM sources s
                             WHERE s.place = papers.source_path AND s.paper_id = papers.paper_id)"""
    )


def forget(connection: duckdb.DuckDBPyConnection, papers: Iterable[str]) -> None:
    """Delete the sources of papers that go."""
    connection.execute("DELETE FROM sources WHERE paper_id IN (SELECT unnest(?::UUID[]))", [list(papers)])
