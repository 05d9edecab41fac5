"""Children that draw pages and read their words, several at once, each for one caller at a time.

readers = PageReaders(settings.parsing)
readers.ask(render_task(path, page=3, box=None))               # PNG
page_words(readers.ask(page_task("words", path, page=3)))      # [PageWord("Attention", 72.0, ...), ...]
page_pieces(readers.ask(page_task("pieces", path, page=3)))    # [Piece("Attention is all", 72.0, ...), ...]
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from quire.errors import DocumentError, DocumentLimit
from quire.library import parsing
from quire.pdf.links import PageLink
from quire.settings import Parsing
from quire.types import Box, Piece
from quire.worker import Child, ChildDied, ChildLate

T = TypeVar("T")
_USES = 300  # of one child: what a PDF library never gives back goes with it


class PageWord(NamedTuple):
    """A word of a page and its box in points, origin top left; `glued`: no space before it."""

    text: str
    x0: float
    y0: float
    width: float
    height: float
    glued: bool
    line: int  # its line's number in the order of the file, from 0


class PageReaders:
    """As many children as the settings let parse at once, started when needed. Thread-safe."""

    def __init__(self, settings: Parsing) -> None:
        self._settings = settings
        self._guard = threading.Lock()
        self._slots = threading.BoundedSemaphore(settings.children)
        self._free: list[tuple[Child, int]] = []  # with the number of their uses

    def ask(self, task: Mapping[str, Any]) -> bytes:
        """What a child makes of a task.

        Raises:
            DocumentError: it could not be done within the limits of a file.
        """
        with self._slots:
            child, uses = self._take()
            try:
                answer = parsing.ask(child, task, self._settings.time_limit)
            except (ChildDied, ChildLate) as error:
                child.close()
                raise DocumentLimit(
                    f"The page could not be drawn ({error or 'it took too long'})."
                ) from error
            except BaseException:
                child.close()
                raise
            self._give_back(child, uses + 1)
            return answer

    def warm(self) -> None:
        """Start all children, so that no caller waits for one."""
        children = [self._take() for _ in range(self._settings.children)]
        for child, uses in children:
            self._give_back(child, uses)

    def close(self) -> None:
        """End the children that do nothing; those at work end after it."""
        with self._guard:
            free, self._free = self._free, []
        for child, _ in free:
            child.close()

    def _take(self) -> tuple[Child, int]:
        with self._guard:
            if self._free:
                return self._free.pop()
        return parsing.start(self._settings), 0

    def _give_back(self, child: Child, uses: int) -> None:
        if uses >= _USES:
            child.close()
            return
        with self._guard:
            self._free.append((child, uses))


def render_task(
    path: Path,
    page: int,
    box: tuple[float, ...] | None,
    marks: list[tuple[float, ...]] | None = None,
    dpi: float = 150,
) -> dict[str, Any]:
    """The task of rendering a page, as the child reads it."""
    return {
        "do": "render",
        "path": str(path),
        "page": page,
        "box": box,
        "marks": marks or [],
        "dpi": dpi,
        "password": None,
    }


def page_task(do: Literal["words", "links", "pieces"], path: Path, page: int) -> dict[str, Any]:
    """The task of reading the words of a page, its links, or the pieces of its lines, by place."""
    return {"do": do, "path": str(path), "page": page}


def page_pieces(answer: bytes) -> list[Piece]:
    """The pieces in a child's answer.

    Raises:
        DocumentError: they make no sense.
    """
    return _made(
        answer,
        lambda text, u0, u1, v, size, angle: Piece(
            str(text), float(u0), float(u1), float(v), float(size), int(angle)
        ),
    )


def links_of(answer: bytes) -> list[PageLink]:
    """The links in a child's answer.

    Raises:
        DocumentError: they make no sense.
    """
    return _made(
        answer,
        lambda box, page, top, url: PageLink(Box(*map(float, box)), int(page), float(top), str(url)),
    )


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
