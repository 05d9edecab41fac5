"""From a file of the user's to a private copy in the library: hashed, then copied, never moved or changed.

The copy is what gets parsed, so a file that changes meanwhile cannot mix two contents. It waits in
`papers/.incoming` and takes its final name, with a label beside it that tells where it came from, just before
its rows are committed. From then on it is the one thing from which all else can be made again: it leaves
only by way of `papers/.leaving` or into the `trash`, together with its rows.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from quire import atomic
from quire.errors import DocumentError, DocumentLimit, LibraryUnsafe, NotAPdf
from quire.library.ids import ID
from quire.library.records import Label, Source, Taken
from quire.store.rows import PaperRow

_BLOCK = 1 << 20
MAX_BYTES = 4 << 30
_LONGEST_LABEL = 100_000


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
    place = copy.with_suffix(".json")
    try:
        if place.stat().st_size > _LONGEST_LABEL:
            return None
        told = Label(**json.loads(place.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    kinds = (str, str, str, str, int, dict)
    return told if all(isinstance(v, k) for v, k in zip(asdict(told).values(), kinds, strict=True)) else None


def content_of(papers: Path, paper: PaperRow) -> Path | None:
    """A file that still has a paper's content: its copy, else the user's file."""
    places = ((copy_of(papers, paper.paper_id), paper.copy_sha256), (Path(paper.source_path), paper.sha256))
    for place, sha256 in places:
        try:
            if sha256_of(place) == sha256:
                return place
        except DocumentError:
            continue
    return None


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


def intact(papers: Path, paper_id: str, sha256: str) -> bool:
    """Whether the copy of a paper is there and has that hash."""
    try:
        return sha256_of(copy_of(papers, paper_id)) == sha256
    except DocumentError:
        return False


def copy_of(papers: Path, paper_id: str) -> Path:
    """Where the copy of a paper is.

    Raises:
        LibraryUnsafe: that is no id of a paper, and may lead anywhere.
    """
    if not ID.fullmatch(paper_id):
        raise LibraryUnsafe(
            f"{paper_id[:80]!r} is no id of a paper.", hint="The library's rows were not made by quire."
        )
    return papers / f"{paper_id}.pdf"


def _unreadable(error: OSError) -> DocumentError:
    return DocumentError(f"It cannot be read: {error.strerror or error}.", hint="")
