"""The child process that reads PDFs: `sys.argv` is FD LIMITS (see `quire.worker`).

It gets one JSON task at a time and answers with a pickle that `quire.library.parsing` reads by an allow-list.
Everything that hostile bytes could break happens here: opening, parsing, counting words, rendering.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pickle
import re
import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire import atomic

if TYPE_CHECKING:
    from quire.search.batch import Batch
    from quire.store.schema import MetadataRow, StoredRow
    from quire.types import Document


@dataclass(frozen=True, slots=True)
class Parsed:
    """A paper, ready to be written: its rows, that of its metadata first, and its counted words."""

    rows: tuple[StoredRow, ...]
    batch: Batch
    parser: str
    summaries_by: str
    notes: tuple[str, ...]
    copy_sha256: str

    @property
    def metadata(self) -> MetadataRow:
        """What it says of itself.

        Raises:
            ValueError: it does not say; no child of ours would send that.
        """
        from quire.store.schema import MetadataRow

        if self.rows and isinstance(self.rows[0], MetadataRow):
            return self.rows[0]
        raise ValueError("it has no metadata")


@dataclass(frozen=True, slots=True)
class Whole:
    """A paper as its document, and the pictures of its figures (PNG), if they were asked for."""

    document: Document
    pictures: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a task was not done: the class of the error, its message and hint; `clean` if nothing broke."""

    kind: str
    message: str
    hint: str
    clean: bool = True


Result = Parsed | Whole | Failure | bytes


@dataclass(frozen=True, slots=True)
class ChildAnswer:
    """What the child gives back: a result or a failure, and the most memory that it has used, in MB."""

    result: Result
    peak: int


def main() -> None:
    """Serve tasks until the pipe closes."""
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false")
    from quire import syscalls
    from quire.settings import Parsing
    from quire.worker import limit_cpu, limit_memory

    pipe = Connection(int(sys.argv[1]))
    settings = Parsing.model_validate_json(sys.argv[2])
    limit_memory(settings.memory_limit)
    syscalls.close()
    while True:
        try:
            task = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        limit_cpu(2 * settings.time_limit)
        if task["do"] in ("parse", "whole"):  # nobody waits for it as for a picture
            os.nice(max(0, settings.niceness - os.nice(0)))
        answer = ChildAnswer(_attempt(task, settings), _peak())
        pipe.send_bytes(pickle.dumps(answer, protocol=5))


def _peak() -> int:
    """The most memory in use so far, in MB."""
    with contextlib.suppress(OSError, AttributeError):
        # Of this program alone; getrusage gives the parent's peak when that is higher.
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
        return int(found[1]) // 1024 if found else 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _attempt(task: dict[str, Any], settings: Any) -> Result:
    from quire.errors import QuireError

    try:
        return _DOING[task["do"]](task, settings)
    except QuireError as error:
        # The library's copy has a name of its own, which says nothing to the user.
        told = error.message.replace(Path(task["path"]).name, task.get("file_name", "the PDF"))
        return Failure(type(error).__name__, told, error.hint)
    except MemoryError:
        kind, told = "DocumentLimit", f"It needs more than {settings.memory_limit} MB of memory."
    except RecursionError:
        kind, told = "NotAPdf", "Its parts are nested without end."
    except Exception as error:  # the border of a file: a bug met by one file must not stop the others
        kind, told = "DocumentError", f"It could not be parsed ({type(error).__name__}: {error})."
    return Failure(kind, told, "", False)


def _document(task: dict[str, Any], settings: Any) -> Document:
    from quire import pdf

    if task["parser"]:
        settings = settings.model_copy(update={"parser": task["parser"]})
    return pdf.parse(Path(task["path"]), password=task["password"], settings=settings)


def _parse(task: dict[str, Any], settings: Any) -> Parsed:
    from quire import pdf
    from quire.library.units import units_of
    from quire.library.views import make_views
    from quire.search.batch import analyse
    from quire.search.encoders.tokenizers import count_tokens

    document = _document(task, settings)
    chunks = pdf.chunk(document, count_tokens, settings.chunk_tokens)
    bibtex = pdf.bibtex(document.metadata)
    rows = make_views(document, chunks, task["paper_id"], task["file_name"], bibtex)
    return Parsed(
        rows=rows,
        batch=analyse(task["paper_id"], units_of(task["paper_id"], rows)),
        parser=document.parser,
        summaries_by="extractive",  # sentences of the paper; a model may write others
        notes=document.notes,
        copy_sha256=unlocked(Path(task["path"]), task["password"]),
    )


def _whole(task: dict[str, Any], settings: Any) -> Whole:
    from quire import pdf

    document, path, password = _document(task, settings), Path(task["path"]), task["password"]
    figures = document.images[:_MOST_PICTURES] if task["dpi"] else ()
    pictures = (
        pdf.render(path, image.page, box=image.bbox, dpi=task["dpi"], password=password) for image in figures
    )
    return Whole(document, tuple(pictures))


def _words(task: dict[str, Any], settings: Any) -> bytes:
    from quire.pdf.pdfium.reader import open_pdf

    with open_pdf(Path(task["path"]), None) as pdf:
        words = [
            (word.text, word.x0, word.y0, word.x1, word.y1, word.glued, number)
            for number, line in enumerate(pdf.page(task["page"]).lines)
            for word in line.words
        ]
    return json.dumps(words[:_MOST_WORDS]).encode()


def _links(task: dict[str, Any], settings: Any) -> bytes:
    from quire.pdf.links import page_links

    return json.dumps(page_links(Path(task["path"]), task["page"])).encode()


def _pieces(task: dict[str, Any], settings: Any) -> bytes:
    from quire.pdf.pdfium.places import pieces

    return json.dumps(pieces(Path(task["path"]), task["page"])).encode()


def _render(task: dict[str, Any], settings: Any) -> bytes:
    from quire import pdf
    from quire.types import Box

    return pdf.render(
        Path(task["path"]),
        task["page"],
        box=Box(*task["box"]) if task["box"] else None,
        dpi=task["dpi"],
        marks=[Box(*mark) for mark in task["marks"]],
        password=task["password"],
    )


_MOST_WORDS = 20_000
_MOST_PICTURES = 500
_DOING: dict[str, Callable[[dict[str, Any], Any], Result]] = {
    "parse": _parse,
    "whole": _whole,
    "render": _render,
    "words": _words,
    "links": _links,
    "pieces": _pieces,
}


_REMOVE_SECURITY = 3  # pdfium's FPDF_REMOVE_SECURITY


def unlocked(copy: Path, password: str | None) -> str:
    """Decrypt a copy in place if it needs the password; gives its SHA-256.

    So its pages can be drawn later. Its text stands readable in the library's rows anyway, and the password
    is not kept anywhere.
    """
    if password is not None and _needs_password(copy):
        import pypdfium2

        with pypdfium2.PdfDocument(copy, password=password) as document, atomic.draft(copy) as part:
            with part.open("wb") as target:
                document.save(target, flags=_REMOVE_SECURITY)
    with copy.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _needs_password(path: Path) -> bool:
    import pypdfium2

    try:
        pypdfium2.PdfDocument(path).close()
    except pypdfium2.PdfiumError:
        return True
    return False
