"""Files that came in, until the library has them; and removed papers, until nobody can want them back.

    batch = uploads.receive([("paper.pdf", stream)])      # on disk, flushed, when it returns
    uploads.files(batch)
    uploads.tidy(library, jobs)                           # what is in the library or was never accepted goes

    uploads.keep(library, paper)                          # before it is removed
    uploads.kept(paper.id)

Both are in `serve/` of the library's folder. A name that a browser sent is cut down to its last part, without
signs that a file system or terminal could take for more.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from quire.errors import DocumentLimit, LibraryError, NotAPdf, PaperNotFound
from quire.interfaces.server.jobs import new_id
from quire.interfaces.server.store import Store, now
from quire.library import Paper

_BLOCK = 1 << 20
_LONGEST_NAME = 120  # characters
_HEAD = 1024  # bytes in which a PDF says that it is one


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """What one request may bring: number of files, bytes of each and of all."""

    files: int = 200
    file_bytes: int = 200 << 20
    total_bytes: int = 2 << 30


class Uploads:
    """The incoming files and the trash of one library."""

    def __init__(self, folder: Path, store: Store, limits: UploadLimits) -> None:
        self.limits = limits
        self._incoming = folder / "serve" / "uploads"
        self._trash = folder / "serve" / "trash"
        self._store = store

    def receive(self, files: Sequence[tuple[str, BinaryIO]]) -> str:
        """Write a batch to disk, flushed to the medium; gives its id.

        Raises:
            DocumentLimit: there are too many, or one is too large.
            NotAPdf: one is no PDF; nothing is kept then.
            LibraryError: the disk does not take them.
        """
        if not files or len(files) > self.limits.files:
            raise DocumentLimit(
                f"{len(files)} files came in.", hint=f"Send 1 to {self.limits.files} at once."
            )
        batch = new_id()
        folder = self._incoming / batch
        try:
            folder.mkdir(parents=True)
            for number, (name, stream) in enumerate(files):
                self._write(folder / f"{number:03}", safe_name(name), stream)
            _flush(folder)
            _flush(self._incoming)
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise LibraryError(
                    f"The upload cannot be stored: {error.strerror or error}.", hint="Make room on the disk."
                ) from error
            raise
        return batch

    def files(self, batch: str) -> list[Path]:
        """The files of a batch, in the order in which they came."""
        return sorted((self._incoming / batch).glob("*/*"))

    def taken(self, files: Iterable[Path]) -> None:
        """Remove files of a batch that the library has; failed ones stay, for retry."""
        for file in files:
            shutil.rmtree(file.parent, ignore_errors=True)
            with contextlib.suppress(OSError):  # not empty: others failed
                file.parent.parent.rmdir()

    def tidy(self, wanted: Collection[Path], open_batches: Collection[str]) -> None:
        """Remove what is neither of a batch in work nor one of the `wanted` files (failed: for retry)."""
        needed = {str(path) for path in wanted}
        for folder in self._incoming.glob("*"):
            if folder.name in open_batches:
                continue
            for file in folder.glob("*/*"):
                if str(file) not in needed:
                    shutil.rmtree(file.parent, ignore_errors=True)
            with contextlib.suppress(OSError):  # not empty: something in it is wanted
                folder.rmdir()

    # ------------------------------------------------------------------ the trash

    def keep(self, paper: Paper, copy: Path) -> None:
        """Keep a paper that is about to be removed. `copy` is its file in the library."""
        folder = self._trash / paper.id
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        place = folder / safe_name(paper.file_name)
        try:
            place.hardlink_to(copy)
        except OSError:  # a file system without links
            shutil.copyfile(copy, place)
        with self._store.transaction() as db:
            row = (paper.id, paper.name, paper.file_name, now())
            db.execute("INSERT OR REPLACE INTO trash VALUES (?, ?, ?, ?)", row)

    def kept(self, paper: str) -> Path:
        """The file of a removed paper.

        Raises:
            PaperNotFound: it is not in the trash.
        """
        known = self._store.read("SELECT 1 FROM trash WHERE paper = ?", (paper,))
        files = list((self._trash / paper).glob("*")) if known else []
        if len(files) != 1:
            raise PaperNotFound(f"No removed paper `{paper[:80]}` is kept.", hint="Add its file again.")
        return files[0]

    def forget(self, paper: str) -> None:
        """Empty the trash of one paper."""
        with self._store.transaction() as db:
            db.execute("DELETE FROM trash WHERE paper = ?", (paper,))
        shutil.rmtree(self._trash / paper, ignore_errors=True)

    def purge(self, before: str) -> None:
        """Empty the trash of all that was removed before that time."""
        for row in self._store.read("SELECT paper FROM trash WHERE removed < ?", (before,)):
            self.forget(row["paper"])

    def _write(self, folder: Path, name: str, stream: BinaryIO) -> None:
        folder.mkdir()
        head, size = b"", 0
        with (folder / name).open("xb") as file:
            while block := stream.read(_BLOCK):
                head = head or block[:_HEAD]
                size += len(block)
                if size > self.limits.file_bytes:
                    raise DocumentLimit(
                        f"{name} is larger than {self.limits.file_bytes >> 20} MB.",
                        hint="`quire add` takes it.",
                    )
                file.write(block)
            if b"%PDF-" not in head:
                raise NotAPdf(f"{name} is no PDF.", hint="Nothing of this upload was taken.")
            file.flush()
            os.fsync(file.fileno())
        _flush(folder)


def safe_name(name: str) -> str:
    """A file's own name, as it may stand in a folder of ours: never empty, hidden, or leading elsewhere."""
    last = name.replace("\\", "/").rpartition("/")[2]
    shown = "".join(letter if letter.isprintable() else " " for letter in last)
    stem = " ".join(shown.removesuffix(".pdf").removesuffix(".PDF").split()).lstrip(".")
    while len(os.fsencode(stem)) > _LONGEST_NAME:
        stem = stem[:-1]
    return f"{stem or 'unnamed'}.pdf"


def _flush(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
