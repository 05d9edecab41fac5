"""From a file of the user's to a private copy in the library, and what the library remembers of both.

A file is hashed, then copied, never moved or changed. The copy is what gets parsed, so a file that changes
meanwhile cannot mix two contents. It waits in `papers/.incoming` and takes its final name, with a label
beside it that tells where it came from, just before its rows are committed. From then on it is the one thing
from which all else can be made again: it leaves only by way of `papers/.leaving` or into the `trash`,
together with its rows.

Files with the same content are sources of one paper: it answers to the names of all of them, and goes only
when the last of them is replaced. What another file still holds is never lost.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from quire import atomic, jsontext
from quire.errors import DocumentError, DocumentLimit, LibraryUnsafe, NotAPdf
from quire.library import citations, ids
from quire.library.parse_child import Parsed
from quire.store.rows import PaperRow, papers_where

_BLOCK = 1 << 20
MAX_BYTES = 4 << 30
_LONGEST_LABEL = 100_000


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

    @classmethod
    def of_row(cls, row: PaperRow) -> Source:
        """The file that a paper goes by."""
        return cls(Path(row.source_path), row.file_name, row.source_path)


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


def sha256_of(path: Path) -> str:
    """SHA-256 of a regular file, in hex.

    Raises:
        DocumentError: it is not a file, or cannot be read; the message says why.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise NotAPdf("It is not a regular file.")
        if found.st_size == 0:
            raise NotAPdf("The file is empty.")
        if found.st_size > MAX_BYTES:
            raise DocumentLimit(f"The file has {found.st_size >> 30} GB, more than {MAX_BYTES >> 30}.")
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(error) from error


def take(source: Source, incoming: Path) -> Taken:
    """Copy a file into `incoming`, where `removing.tidy_files` finds it if it cannot be finished.

    Raises:
        DocumentError: it cannot be read.
        OSError: the copy cannot be written.
    """
    part = incoming / f"{os.getpid()}-{hashlib.sha256(os.fsencode(source.path)).hexdigest()[:24]}.pdf"
    digest = hashlib.sha256()
    size = 0
    incoming.mkdir(parents=True, exist_ok=True)
    with part.open("wb") as target:
        for block in _blocks(source.path):
            digest.update(block)
            target.write(block)
            size += len(block)
    return Taken(source, digest.hexdigest(), size, part)


def _blocks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block
    except OSError as error:
        raise _unreadable(error) from error


def settle(copy: Path, papers: Path, paper_id: str) -> None:
    """Give a copy its final name, all at once and so that it survives a power cut."""
    with copy.open("rb") as file:
        os.fsync(file.fileno())
    copy.replace(copy_of(papers, paper_id))


def restore(original: Path, papers: Path, paper_id: str, sha256: str) -> bool:
    """Copy a paper's PDF again that is gone, if `original` has its content; whether it did."""
    try:
        taken = take(Source.of(original), papers / ".incoming")
    except DocumentError:
        return False
    if taken.sha256 != sha256:
        taken.copy.unlink(missing_ok=True)
        return False
    settle(taken.copy, papers, paper_id)
    return True


def label(papers: Path, paper_id: str, told: Label) -> None:
    """Tell where a copy came from."""
    place = copy_of(papers, paper_id).with_suffix(".json")
    atomic.write(place, json.dumps(asdict(told), ensure_ascii=False))


def label_of(copy: Path) -> Label | None:
    """The label of a copy; None if it has none that makes sense."""
    try:
        told = jsontext.read(copy.with_suffix(".json"), largest=_LONGEST_LABEL)
        return jsontext.of_json(Label, told)
    except (OSError, ValueError):
        return None


def holds(file: Path, sha256: str) -> bool:
    """Whether a file is there and has that hash."""
    try:
        return sha256_of(file) == sha256
    except DocumentError:
        return False


def content_of(papers: Path, paper: PaperRow) -> Path | None:
    """A file that still has a paper's content: its copy, else the user's file."""
    places = ((copy_of(papers, paper.paper_id), paper.copy_sha256), (Path(paper.source_path), paper.sha256))
    return next((place for place, sha256 in places if holds(place, sha256)), None)


@contextmanager
def leaving(papers: Path, paper_ids: Iterable[str]) -> Iterator[None]:
    """Take copies away with what the block does: they are gone after it, and back if it raises.

    A process that dies inside leaves them in `papers/.leaving`, where `removing.tidy_files` finds them.
    """
    aside = papers / ".leaving"
    files = [copy_of(papers, paper_id) for paper_id in paper_ids]
    there = [file for copy in files for file in (copy, copy.with_suffix(".json")) if file.exists()]
    if there:
        aside.mkdir(exist_ok=True)
    for file in there:
        file.replace(aside / file.name)
    try:
        yield
    except BaseException:
        for file in there:
            (aside / file.name).replace(file)
        raise
    for file in there:
        (aside / file.name).unlink(missing_ok=True)


def copy_of(papers: Path, paper_id: str) -> Path:
    """Where the copy of a paper is.

    Raises:
        LibraryUnsafe: that is no id of a paper, and may lead anywhere.
    """
    if not ids.ID.fullmatch(paper_id):
        raise LibraryUnsafe(
            f"{paper_id[:80]!r} is no id of a paper.", hint="The library's rows were not made by quire."
        )
    return papers / f"{paper_id}.pdf"


def _unreadable(error: OSError) -> DocumentError:
    return DocumentError(f"It cannot be read: {error.strerror or error}.", hint="")


def parsed_row(taken: Taken, parsed: Parsed, chunk_tokens: int) -> PaperRow:
    """The row of a paper whose rows go in with it."""
    said = parsed.metadata
    return replace(
        _row(taken.source, taken.paper_id, taken.sha256, taken.size, "parsed"),
        copy_sha256=parsed.copy_sha256,
        added=taken.renews.added if taken.renews else now(),
        notes=parsed.notes,
        parser=parsed.parser,
        summaries_by=parsed.summaries_by,
        chunk_tokens=chunk_tokens,
        title=said.title,
        doi=said.doi,
        arxiv_id=said.arxiv_id,
        cited_by=tuple(citations.paper_keys(said.title, said.doi, said.arxiv_id)),
    )


def failed_row(source: Source, error: DocumentError, sha256: str = "", size: int = 0) -> PaperRow:
    """The row of a file that could not be read; without a hash its id comes from its place."""
    own = ids.paper_id(sha256) if sha256 else ids.unread_id(source.place)
    row = _row(source, own, sha256, size, "failed")
    return replace(row, error_kind=type(error).__name__, error=str(error))


def _row(source: Source, own: str, sha256: str, size: int, state: str) -> PaperRow:
    return PaperRow(own, source.name, source.place, sha256, size, now(), state)


def now() -> datetime:
    """The time in UTC, as rows have it."""
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


class KnownPapers:
    """All papers and failed files that are in, kept up to date while files are added.

    A paper that is (being) read in this run has no parser here.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.by_id = {row.paper_id: row for row in papers_where(connection)}
        self.by_content = {row.sha256: row for row in self.by_id.values() if row.state != "failed"}
        self.places = places(connection)  # of sources, to the ids of their papers

    def has(self, paper_id: str) -> bool:
        """Whether a paper was in, and could be read, before this run."""
        row = self.by_id.get(paper_id)
        return row is not None and row.state != "failed"

    def coming(self, taken: Taken, content: str = "") -> None:
        """From now on another file with this content (by default its own) is a duplicate."""
        content, source = content or taken.sha256, taken.source
        self.by_content[content] = _row(source, taken.paper_id, content, taken.size, "parsed")

    def replaced_by(self, taken: Iterable[Taken], met: Iterable[tuple[Source, str]]) -> set[str]:
        """The papers that go as files were `taken` in with other content than before, or `met` as another's.

        It is those of which no file holds the content any more, and what could not be read in their place.
        """
        contents = {one.source.place: one for one in taken}
        became = {place: one.paper_id for place, one in contents.items()}
        became |= {source.place: paper for source, paper in met}
        now = self.places | became
        lost = {self.places.get(place, paper) for place, paper in became.items()} - set(became.values())
        held = {paper for place, paper in now.items() if paper in lost and Path(place).is_file()}
        unread = (row for row in self.by_id.values() if row.state == "failed" and row.source_path in contents)
        return (lost - held) | {r.paper_id for r in unread if r.sha256 != contents[r.source_path].sha256}

    def forget(self, paper_id: str) -> None:
        """The paper is not in any more."""
        if row := self.by_id.pop(paper_id, None):
            self.by_content.pop(row.sha256, None)
