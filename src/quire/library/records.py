"""What a library remembers of each file, read or failed, and of the files that papers were added from.

Files with the same content are sources of one paper: it answers to the names of all of them, and goes only
when the last of them is replaced. What another file still holds is never lost.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from quire import pdf
from quire.errors import DocumentError
from quire.library import citations, ids
from quire.library.parse_child import Parsed
from quire.store.rows import PaperRow


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the user's: its path as told, the name that the paper keeps, and its real place as text."""

    path: Path
    name: str
    place: str

    @classmethod
    def of(cls, path: Path) -> Source:
        """The source of a file that is being added."""
        # Names that are not UTF-8 are kept readable, because DuckDB holds UTF-8 only.
        place = os.path.realpath(path).encode("utf-8", "backslashreplace").decode()
        return cls(path, path.name.encode("utf-8", "backslashreplace").decode(), place)


@dataclass(frozen=True, slots=True)
class Taken:
    """A file that was copied in; `sha256` is that of the user's file, the copy may be a decrypted one."""

    source: Source
    sha256: str
    size: int
    copy: Path
    renews: PaperRow | None = None  # the paper, where it is in already and is parsed again

    @property
    def paper_id(self) -> str:
        """The id that the paper has or will have."""
        return ids.paper_id(self.sha256)


@dataclass(frozen=True, slots=True)
class Label:
    """Where a copy came from, in `papers/<paper_id>.json`; read only when the rows are lost.

    `corrections` are the user's, of its metadata, by column.
    """

    file_name: str
    source_path: str
    sha256: str
    copy_sha256: str
    file_size: int
    corrections: Mapping[str, object] = field(default_factory=dict)


def parsed_row(taken: Taken, parsed: Parsed, chunk_tokens: int) -> PaperRow:
    """The row of a paper whose rows go in with it."""
    said = parsed.metadata
    return PaperRow(
        paper_id=taken.paper_id,
        file_name=taken.source.name,
        source_path=taken.source.place,
        sha256=taken.sha256,
        copy_sha256=parsed.copy_sha256,
        file_size=taken.size,
        added=taken.renews.added if taken.renews else _now(),
        state="parsed",
        notes=parsed.notes,
        parser=parsed.parser,
        summaries_by=parsed.summaries_by,
        chunk_tokens=chunk_tokens,
        title=said.title,
        doi=said.doi,
        arxiv_id=said.arxiv_id,
        cited_by=tuple(citations.paper_keys(said.title, said.doi, said.arxiv_id)),
    )


def label(taken: Taken, parsed: Parsed) -> Label:
    """What the label beside a paper's copy tells."""
    return Label(taken.source.name, taken.source.place, taken.sha256, parsed.copy_sha256, taken.size)


def failed_row(source: Source, error: DocumentError, sha256: str = "", size: int = 0) -> PaperRow:
    """The row of a file that could not be read; without a hash its id comes from its place."""
    return PaperRow(
        paper_id=ids.paper_id(sha256) if sha256 else ids.unread_id(source.place),
        file_name=source.name,
        source_path=source.place,
        sha256=sha256,
        file_size=size,
        added=_now(),
        state="failed",
        error_kind=type(error).__name__,
        error=str(error),
    )


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def places(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
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


def note_sources(connection: duckdb.DuckDBPyConnection, found: Iterable[tuple[Source, str]]) -> None:
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


def forget_sources(connection: duckdb.DuckDBPyConnection, papers: Iterable[str]) -> None:
    """Delete the sources of papers that go."""
    connection.execute("DELETE FROM sources WHERE paper_id IN (SELECT unnest(?::UUID[]))", [list(papers)])


@dataclass(frozen=True, slots=True)
class Known:
    """A paper with its content, or a file that could not be read."""

    paper_id: str
    sha256: str
    file_name: str
    source_path: str
    state: str
    copy_sha256: str = ""
    parser: str = ""  # "" once it is (being) read in this run

    @property
    def old(self) -> bool:
        """Whether an older parser parsed it."""
        return bool(self.parser) and pdf.outdated(self.parser)


class KnownPapers:
    """All of them, kept up to date while files are added."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        found = connection.execute(
            "SELECT paper_id::VARCHAR, sha256, file_name, source_path, state, copy_sha256, parser FROM papers"
        ).fetchall()
        self.by_id = {row[0]: Known(*row) for row in found}
        self.by_content = {k.sha256: k for k in self.by_id.values() if k.state != "failed"}
        self.places = places(connection)  # of sources, to the ids of their papers

    def replaced_by(self, taken: Taken) -> tuple[Known, ...]:
        """The papers that go when a file has other content than before: it was their last source."""
        return () if taken.renews else tuple(self._other(taken))

    def _other(self, taken: Taken) -> Iterator[Known]:
        place = taken.source.place
        for known in self.by_id.values():
            if known.sha256 == taken.sha256:
                continue
            if known.state == "failed":
                gone = known.source_path == place
            else:
                mine = self.places.get(place) == known.paper_id
                gone = mine and orphaned(self.places, place, known.paper_id)
            if gone:
                yield known

    def forget(self, paper_id: str) -> None:
        """The paper is not in any more."""
        if known := self.by_id.pop(paper_id, None):
            self.by_content.pop(known.sha256, None)
