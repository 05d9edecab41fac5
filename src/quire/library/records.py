"""Rows of `papers`: what a library remembers of each file, read or failed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

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
    return PaperRow(
        paper_id=taken.paper_id,
        file_name=taken.source.name,
        source_path=taken.source.place,
        sha256=taken.sha256,
        copy_sha256=parsed.copy_sha256,
        file_size=taken.size,
        added=taken.renews.added if taken.renews else _now(),
        state="parsed",
        error_kind="",
        error="",
        notes=parsed.notes,
        parser=parsed.parser,
        encoders=(),
        summaries_by=parsed.summaries_by,
        chunk_tokens=chunk_tokens,
        title=parsed.title,
        doi=parsed.doi,
        arxiv_id=parsed.arxiv_id,
        cited_by=tuple(citations.paper_keys(parsed.title, parsed.doi, parsed.arxiv_id)),
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
        copy_sha256="",
        file_size=size,
        added=_now(),
        state="failed",
        error_kind=type(error).__name__,
        error=str(error),
        notes=(),
        parser="",
        encoders=(),
        summaries_by="",
        chunk_tokens=0,
        title="",
        doi="",
        arxiv_id="",
        cited_by=(),
    )


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
