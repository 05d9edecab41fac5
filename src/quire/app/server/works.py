"""What the jobs of a server do, and the files that came in for them, until the library has them.

    batch = uploads.receive([("paper.pdf", stream)])      # on disk, flushed, when it returns
    uploads.files(batch)
    uploads.tidy(wanted, batches)                         # what is in the library or was never accepted goes

Work may be ended at any moment and begun again. Files are in `serve/` of the library's folder. A name that a
browser sent is cut down to its last part, without signs that a file system or terminal could take for more.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from quire.app.server.jobs import Running, Work, new_id
from quire.app.server.store import NotFound, below
from quire.build import Library
from quire.errors import DocumentLimit, LibraryError, NotAPdf
from quire.library.finding import how_to_make
from quire.library.report import AddReport

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
        self.lost: dict[str, Path] = {}  # what could not be read and was removed since this server began
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
            hint = f"Send 1 to {self.limits.files} at once."
            raise DocumentLimit(f"{len(files)} files came in.", hint=hint)
        batch = new_id()
        folder = self._incoming(batch)
        try:
            folder.mkdir(parents=True)
            for number, (name, stream) in enumerate(files):
                self._write(folder / f"{number:03}", name, stream)
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
        with (folder / safe_name(name)).open("xb") as file:
            while block := stream.read(_BLOCK):
                head = head or block[:_HEAD]
                size += len(block)
                if size > self.limits.file_bytes:
                    told = f"{own_name(name)} is larger than {self.limits.file_bytes >> 20} MB."
                    raise DocumentLimit(told, hint="`quire add` takes it.")
                file.write(block)
            if b"%PDF-" not in head:
                how = how_to_make(Path(own_name(name)))
                hint = f"Nothing of this upload was taken.{f' Make a PDF of it: {how}.' if how else ''}"
                raise NotAPdf(f"{own_name(name)} is no PDF.", hint=hint)
            file.flush()
            os.fsync(file.fileno())
        _flush(folder)


def own_name(name: str) -> str:
    """The last part of a name, without signs that a file system or terminal could take for more."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return " ".join("".join(letter if letter.isprintable() else " " for letter in last).split())


def safe_name(name: str) -> str:
    """A PDF's own name, as it may stand in a folder of ours: never empty, hidden, or leading elsewhere."""
    stem = own_name(name).removesuffix(".pdf").removesuffix(".PDF").strip().lstrip(".")
    while len(os.fsencode(stem)) > _LONGEST_NAME:
        stem = stem[:-1]
    return f"{stem or 'unnamed'}.pdf"


def _flush(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


LANES: Mapping[str, str] = {
    **dict.fromkeys(("add", "retry", "refresh", "restore"), "library"),
    **dict.fromkeys(("quiz", "evaluate"), "measure"),
}
QUIZZES = ("serve", "quizzes")  # in the library's folder
_QUIZ = re.compile(r"(sent-)?[0-9a-f]{32}")


def works(library: Library, uploads: Uploads) -> Mapping[str, Work]:
    """The work of every kind of job."""

    def taken_in(files: Sequence[Path], task: Running) -> dict[str, Any]:
        report = library.add(files, progress=task.report)
        uploads.taken(file.path for file in report.files if file.outcome != "failed")
        return report_document(report)

    def add(task: Running) -> Any:
        return taken_in(uploads.files(task.spec["batch"]), task)

    def retry(task: Running) -> Any:
        """What failed in the library, and what was sent to jobs that failed as a whole; or what is named."""
        names = task.spec.get("papers", ())
        again = report_document(library.retry(names, progress=task.report))
        failed = () if names else task.ids("add", "failed")
        sent = [file for batch in failed for file in uploads.files(batch)]
        return {name: again[name] + value for name, value in taken_in(sent, task).items()} if sent else again

    def refresh(task: Running) -> Any:
        return report_document(library.refresh(task.spec.get("papers", ()), progress=task.report))

    def restore(task: Running) -> Any:
        if (file := uploads.lost.get(task.spec["paper"])) and file.is_file():
            report = library.add([file], progress=task.report)
            # Not before: where another process holds the library, this is done again.
            uploads.lost.pop(task.spec["paper"], None)
            return report_document(report)
        wanted = [one.id for one in library.removed() if one.id == task.spec["paper"]]  # else it is in
        return report_document(library.restore(wanted, progress=task.report))

    def quiz(task: Running) -> Any:
        from quire.eval.quiz import make_quiz

        asked = task.spec
        made = make_quiz(library, asked["papers"], each=asked["each"], seed=asked["seed"])
        rows = [question.as_row() for question in made]
        write_quiz(library, task.job.id, rows)
        return {"quiz": task.job.id, "questions": len(rows)}

    def evaluate(task: Running) -> Any:
        from quire.eval.report.summary import summarise

        file = quiz_file(library, task.spec["quiz"])
        run, folder = library.evaluate(file, limit=task.spec["limit"], resume=True, progress=task.report)
        return {"evaluation": folder.name, **summarise(run.records).as_json()}

    return {work.__name__: work for work in (add, retry, refresh, restore, quiz, evaluate)}


def write_quiz(library: Library, quiz: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Keep the questions of a quiz, for `evaluate`."""
    file = below(library.folder, *QUIZZES, f"{quiz}.jsonl")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def quiz_file(library: Library, quiz: str) -> Path:
    """Where a quiz is.

    Raises:
        NotFound: there is none of that id.
    """
    if _QUIZ.fullmatch(quiz) and (file := below(library.folder, *QUIZZES, f"{quiz}.jsonl")).is_file():
        return file
    raise NotFound(f"There is no quiz `{quiz[:80]}`.", hint="POST /api/v1/quiz makes one.")


def report_document(report: AddReport) -> dict[str, Any]:
    """What became of all files, without the server's own paths."""
    files = [
        {
            "file_name": file.path.name,
            "outcome": file.outcome,
            "paper": file.paper_id,
            "title": file.title,
            "pages": file.pages,
            "error": file.reason,
            "remarks": file.notes,
        }
        for file in report.files
    ]
    return {"files": files, "encoded": report.encoded, "notes": report.notes, "seconds": report.seconds}


def waiting_files(library: Library) -> list[Path]:
    """Where the files of failed papers are, which a retry will read."""
    return [Path(paper.source_path) for paper in library.papers() if paper.state == "failed"]
