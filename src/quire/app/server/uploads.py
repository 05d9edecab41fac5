"""Files that came in, until the library has them.

    batch = uploads.receive([("paper.pdf", stream)])      # on disk, flushed, when it returns
    uploads.files(batch)
    uploads.tidy(wanted, batches)                         # what is in the library or was never accepted goes

They are in `serve/` of the library's folder. A name that a browser sent is cut down to its last part, without
signs that a file system or terminal could take for more.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from quire.app.server.jobs import new_id
from quire.app.server.store import NotFound, below
from quire.errors import DocumentLimit, LibraryError, NotAPdf

_BLOCK = 1 << 20
_LONGEST_NAME = 120  # characters
_HEAD = 1024  # bytes in which a PDF says that it is one
_BATCH = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """What one request may bring: number of files, bytes of each and of all."""

    files: int = 200
    file_bytes: int = 200 << 20
    total_bytes: int = 2 << 30


class Uploads:
    """The incoming files of one library."""

    def __init__(self, folder: Path, limits: UploadLimits) -> None:
        """Raises LibraryError where a place of theirs is a link."""
        self.limits = limits
        self._folder = folder
        for place in ("uploads", "quizzes"):
            below(folder, "serve", place)

    def _incoming(self, *batch: str) -> Path:
        """Where what came in is, or a batch of it.

        Raises:
            LibraryError: it is a link.
            NotFound: that is no id of a batch.
        """
        if not all(_BATCH.fullmatch(each) for each in batch):
            raise NotFound(f"There is no upload `{batch[0][:80]}`.")
        return below(self._folder, "serve", "uploads", *batch)

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
        folder = self._incoming(batch)
        try:
            folder.mkdir(parents=True)
            for number, (name, stream) in enumerate(files):
                self._write(folder / f"{number:03}", safe_name(name), stream)
            _flush(folder)
            _flush(folder.parent)
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
        found = sorted(self._incoming(batch).glob("*/*"))
        return [
            file for file in found if file.is_file() and not (file.is_symlink() or file.parent.is_symlink())
        ]

    def taken(self, files: Iterable[Path]) -> None:
        """Remove files of a batch that the library has; failed ones stay, for retry."""
        for file in files:
            shutil.rmtree(file.parent, ignore_errors=True)
            with contextlib.suppress(OSError):  # not empty: others failed
                file.parent.parent.rmdir()

    def tidy(self, wanted: Collection[Path], open_batches: Collection[str]) -> None:
        """Remove what is neither of a batch that is not in yet nor one of the `wanted` files."""
        needed = {str(path) for path in wanted}
        for folder in self._incoming().glob("*"):
            if folder.name in open_batches or folder.is_symlink() or not _BATCH.fullmatch(folder.name):
                continue
            for file in folder.glob("*/*"):
                if str(file) not in needed:
                    shutil.rmtree(file.parent, ignore_errors=True)
            with contextlib.suppress(OSError):  # not empty: something in it is wanted
                folder.rmdir()

    def set_aside(self) -> Path | None:
        """Keep apart what came in for another user's server; gives where, if there is anything."""
        incoming = self._incoming()
        if not any(incoming.glob("*")):
            return None
        return incoming.rename(below(self._folder, "serve", f"uploads-{new_id()}"))

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
