"""From a file of the user's to a private copy in the library: hashed, then copied, never moved or changed.

The copy is what gets parsed, so a file that changes meanwhile cannot mix two contents. It waits in
`papers/.incoming` and takes its final name just before its rows are committed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from pathlib import Path

from quire.errors import DocumentError, DocumentLimit, NotAPdf
from quire.library.records import Source, Taken

_BLOCK = 1 << 20
MAX_BYTES = 4 << 30


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
    """Copy a file into `incoming`.

    Raises:
        DocumentError: it cannot be read, or there is no room for the copy.
    """
    incoming.mkdir(parents=True, exist_ok=True)
    part = incoming / f"{os.getpid()}-{hashlib.sha256(os.fsencode(source.path)).hexdigest()[:24]}.pdf"
    digest = hashlib.sha256()
    size = 0
    try:
        with source.path.open("rb") as original, part.open("wb") as target:
            while block := original.read(_BLOCK):
                digest.update(block)
                target.write(block)
                size += len(block)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise _unreadable(error) from error
    return Taken(source, digest.hexdigest(), size, part)


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


def copy_of(papers: Path, paper_id: str) -> Path:
    """Where the copy of a paper is."""
    return papers / f"{paper_id}.pdf"


def tidy(papers: Path, known: set[str]) -> None:
    """Remove what a killed process left behind: copies without a paper. The caller has the writer's lock."""
    papers.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(papers / ".incoming", ignore_errors=True)
    for copy in papers.glob("*.pdf"):
        if copy.stem not in known:
            copy.unlink(missing_ok=True)


def _unreadable(error: OSError) -> DocumentError:
    return DocumentError(f"It cannot be read: {error.strerror or error}.", hint="")
