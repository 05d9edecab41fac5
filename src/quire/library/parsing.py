"""Reading of PDFs in child processes: a crash, a hang or a flood of memory costs one file or one page.

    with Readers(settings.parsing) as readers:
        for job, result in readers.run(jobs):      # in the order in which they finish
            ...
    pages = Readers(settings.parsing, uses=PAGES)
    pages.render(path, 3)                          # PNG
    pages.words(path, 3)                           # [PageWord("Attention", 72.0, ...), ...]

`quire.library.cluster` reads on other machines in the same way. A child does many tasks and is replaced
after so many of them, after growing past `_FAT` MB, and after anything that went wrong.
"""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeVar

from quire import errors
from quire.errors import DocumentError, DocumentLimit
from quire.library.parse_child import ChildAnswer, Failure, Parsed, Result, Whole
from quire.pdf.links import PageLink
from quire.search.dense import Encoded
from quire.settings import Parsing
from quire.types import Box, Piece
from quire.worker import Child, ChildDied, ChildLate, Pool

T = TypeVar("T")
PAPERS, PAGES = 50, 300  # uses of one child: what a PDF library never gives back goes with it
_FAT = 400
_ALLOWED_MODULES = ("quire.store.rows", "quire.store.schema", "quire.search.batch", "quire.types.document")
_ALLOWED = {
    ("quire.library.parse_child", "ChildAnswer"),
    ("quire.library.parse_child", "Failure"),
    ("quire.library.parse_child", "Parsed"),
    ("datetime", "date"),
    ("quire.library.parse_child", "Whole"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.numeric", "_frombuffer"),
    ("numpy._core.multiarray", "_reconstruct"),
}


@dataclass(frozen=True, slots=True)
class ParseJob:
    """A PDF to read, by the settings' parser or the one named. `origin` is handed back untouched.

    It comes back with the vectors that were made where it was read.
    """

    path: Path
    paper_id: str
    file_name: str
    password: str | None
    origin: Any = None
    parser: str = ""
    vectors: tuple[Encoded, ...] = ()


class _AllowedUnpickler(pickle.Unpickler):
    """The child has read hostile bytes, so its answer may name only plain values of ours."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _ALLOWED or (
            module in _ALLOWED_MODULES and name.isidentifier() and name[:1].isupper()
        ):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed")


class PageWord(NamedTuple):
    """A word of a page and its box in points, origin top left; `glued`: no space before it."""

    text: str
    x0: float
    y0: float
    width: float
    height: float
    glued: bool
    line: int  # its line's number in the order of the file, from 0

    @property
    def box(self) -> Box:
        """Its box."""
        return Box(self.x0, self.y0, self.width, self.height)


class Readers:
    """As many children as the settings let work at once, started when needed. Thread-safe."""

    def __init__(self, settings: Parsing, uses: int = PAPERS) -> None:
        self.settings = settings
        start = [settings.model_dump_json()]
        self._pool = Pool(lambda: Child("quire.library.parse_child", start), settings.children, uses)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.stop()

    def warm(self) -> None:
        """Start all children, so that no caller waits for one."""
        self._pool.warm()

    def close(self) -> None:
        """End the children that do nothing."""
        self._pool.close()

    def run(self, jobs: Iterable[ParseJob]) -> Iterator[tuple[ParseJob, Parsed | DocumentError]]:
        """Read every job; results come as they are ready. Jobs are drawn only when a child is free."""
        for job, result in self._run(jobs, {"do": "parse"}):
            yield job, result if isinstance(result, Parsed) else error_of(result)

    def documents(
        self, jobs: Iterable[ParseJob], dpi: float = 0.0
    ) -> Iterator[tuple[ParseJob, Whole | DocumentError]]:
        """The documents themselves, and with `dpi` the pictures of their figures, as they are ready."""
        for job, result in self._run(jobs, {"do": "whole", "dpi": dpi}):
            yield job, result if isinstance(result, Whole) else error_of(result)

    def render(
        self, path: Path, page: int, box: Box | None = None, marks: Sequence[Box] = (), dpi: float = 150
    ) -> bytes:
        """A PNG of a page (from 1), or of a box of it, with `marks` drawn over it.

        Raises:
            DocumentError: it cannot be drawn within the limits of a file; of all that is read of a page.
        """
        return self._ask("render", path, page, box=box, marks=list(marks), dpi=dpi, password=None)

    def words(self, path: Path, page: int) -> list[PageWord]:
        """The words of a page in the order of its lines."""
        return page_words(self._ask("words", path, page))

    def links(self, path: Path, page: int) -> list[PageLink]:
        """The links of a page, in the order of the file."""
        return _made(
            self._ask("links", path, page),
            lambda box, page, top, url: PageLink(Box(*map(float, box)), int(page), float(top), str(url)),
        )

    def pieces(self, path: Path, page: int) -> list[Piece]:
        """The pieces of the lines of a page, by place."""
        return _made(
            self._ask("pieces", path, page),
            lambda text, u0, u1, v, size, angle: Piece(
                str(text), float(u0), float(u1), float(v), float(size), int(angle)
            ),
        )

    def _ask(
        self, do: Literal["render", "words", "links", "pieces"], path: Path, page: int, **more: Any
    ) -> bytes:
        """What a child makes of a page; a child that could not do it is of no more use."""
        try:
            with self._pool.child() as child:
                result = self._done(child, {"do": do, "path": str(path), "page": page, **more})
                if isinstance(result, bytes):
                    return result
                raise error_of(result)
        except (ChildDied, ChildLate) as error:
            raise DocumentLimit(f"The page could not be drawn ({error or 'it took too long'}).") from error

    def _run(
        self, jobs: Iterable[ParseJob], kind: Mapping[str, Any]
    ) -> Iterator[tuple[ParseJob, Result | DocumentError]]:
        waiting = iter(jobs)
        running: dict[Future[Result | DocumentError], ParseJob] = {}
        with ThreadPoolExecutor(self.settings.children, "quire-read") as threads:
            try:
                while True:
                    for job in islice(waiting, self.settings.children - len(running)):
                        running[threads.submit(self._read, job, kind)] = job
                    if not running:
                        return
                    for done in wait(running, return_when=FIRST_COMPLETED).done:
                        yield running.pop(done), done.result()
            finally:
                while wait(running, 0).not_done:  # whoever stops early waits for nobody
                    self._pool.stop()
                    wait(running, 0.1)

    def _read(self, job: ParseJob, kind: Mapping[str, Any]) -> Result | DocumentError:
        task = {
            **kind,
            "path": str(job.path),
            "paper_id": job.paper_id,
            "file_name": job.file_name,
            "password": job.password,
            "parser": job.parser,
        }
        try:
            with self._pool.child() as child:
                return self._done(child, task)
        except ChildLate:
            return DocumentLimit(
                f"It was not read within {self.settings.time_limit:g} seconds.",
                hint="Raise the setting parsing.time_limit.",
            )
        except ChildDied as error:
            return DocumentLimit(
                f"Reading it broke the process that did it ({error}).",
                hint=f"Raise parsing.memory_limit ({self.settings.memory_limit} MB) if the file is in order.",
            )

    def _done(self, child: Child, task: Mapping[str, Any]) -> Result:
        """What a child makes of a task; it is closed if something broke or it has grown fat."""
        child.send(json.dumps(task).encode())
        answer = unpickled(child.receive(self.settings.time_limit))
        if answer.peak > _FAT or (isinstance(answer.result, Failure) and not answer.result.clean):
            child.close()
        return answer.result


def unpickled(message: bytes) -> ChildAnswer:
    """The answer in a message of the child.

    Raises:
        ChildDied: it is not one.
    """
    try:
        answer = _AllowedUnpickler(io.BytesIO(message)).load()
    except Exception as error:  # whatever a broken or hostile pickle raises
        raise ChildDied(f"its answer made no sense: {error}") from error
    if not isinstance(answer, ChildAnswer):
        raise ChildDied("its answer made no sense")
    return answer


def error_of(result: Result | DocumentError) -> DocumentError:
    """What a child could not do, as an error of its own class, if that is one of documents."""
    if isinstance(result, DocumentError):
        return result
    if not isinstance(result, Failure):
        return DocumentError("It could not be parsed.")
    kind = getattr(errors, result.kind, None)
    made = kind if isinstance(kind, type) and issubclass(kind, DocumentError) else DocumentError
    return made(result.message, hint=result.hint)


def page_words(answer: bytes) -> list[PageWord]:
    """The words in a child's answer.

    Raises:
        DocumentError: they make no sense.
    """
    return _made(
        answer,
        lambda text, x0, y0, x1, y1, glued, line: PageWord(
            str(text), x0, y0, x1 - x0, y1 - y0, bool(glued), int(line)
        ),
    )


def _made(answer: bytes, make: Callable[..., T]) -> list[T]:
    try:
        return [make(*row) for row in json.loads(answer)]
    except (TypeError, ValueError) as error:
        raise DocumentError("What stands on the page could not be read.") from error
