"""A PDF file as a stream of `RawPage`s, one page in memory at a time.

    with open_pdf(path) as pdf:
        for page in pdf.pages(limit=2000):
            ...

Raises `PasswordRequired`, `NotAPdf` and `DocumentLimit`, each with what to do next.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quire.errors import NotAPdf, PasswordRequired
from quire.pdf.pdfium.calls import frame_of
from quire.pdf.pdfium.lines import build_lines, merge_lines
from quire.pdf.pdfium.objects import MAX_OBJECTS, read_objects
from quire.pdf.pdfium.text import read_characters, read_glyphs
from quire.pdf.raw import OutlineEntry, RawPage

_MAX_PIXELS = 20_000_000
_MOST_BOOKMARKS = 2000
_CUT = "Page {} has more than {} drawn objects; lines and pictures beyond them are not read."


class Pdf:
    """An open PDF; made by `open_pdf`."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self.page_count = len(document)

    def pages(self, limit: int) -> Iterator[RawPage]:
        """Pages in order, at most `limit`. A page that cannot be loaded is given empty, with a note."""
        yield from map(self.page, range(1, min(self.page_count, limit) + 1))

    def page(self, number: int) -> RawPage:
        """Page `number`, from 1; one that cannot be loaded is given empty, with a note."""
        import pypdfium2 as pdfium

        try:
            page = self._document[number - 1]
        except pdfium.PdfiumError:
            return RawPage(number, 0.0, 0.0, notes=(f"Page {number} could not be loaded.",))
        try:
            frame = frame_of(page)
            objects = read_objects(page.raw, frame)
            text_page = page.get_textpage()  # closed with its page
            found = read_characters(text_page.raw, frame, objects.clips)
            lines = merge_lines(build_lines(found))
            glyphs = read_glyphs(text_page.raw, frame, found, lines)
            return RawPage(
                number=number,
                width=frame.width,
                height=frame.height,
                label=self._label(number),
                lines=tuple(lines),
                rules=tuple(objects.rules),
                pictures=tuple(objects.pictures),
                drawings=tuple(objects.drawings),
                shades=tuple(objects.shades),
                broken=found.broken,
                glyphs=tuple(glyphs),
                notes=(_CUT.format(number, MAX_OBJECTS),) if objects.cut else (),
            )
        finally:
            page.close()

    def picture(self, number: int, scale: float) -> Any:
        """Page `number` as an array of RGB pixels, `scale` pixels to the point (fewer for huge pages)."""
        page = self._document[number - 1]
        try:
            width, height = page.get_size()
            scale = min(scale, (_MAX_PIXELS / max(1.0, width * height)) ** 0.5)
            return page.render(scale=scale, rev_byteorder=True).to_numpy()[:, :, :3]
        finally:
            page.close()

    def _label(self, number: int) -> str:
        try:
            return str(self._document.get_page_label(number - 1) or "")
        except (UnicodeDecodeError, ValueError):
            return ""

    def info(self) -> dict[str, str]:
        """The file's own metadata (Title, Author, Subject, Keywords, CreationDate, ...)."""
        try:
            return {str(k): str(v) for k, v in self._document.get_metadata_dict().items() if v}
        except (UnicodeDecodeError, ValueError):
            return {}

    def outline(self) -> list[OutlineEntry]:
        """The file's bookmarks, in order."""
        entries: list[OutlineEntry] = []
        with contextlib.suppress(UnicodeDecodeError, ValueError, RuntimeError):
            for bookmark in self._document.get_toc(max_depth=8):
                target = bookmark.get_dest()
                page = target.get_index() if target is not None else None
                entries.append(OutlineEntry(bookmark.get_title() or "", 0 if page is None else page + 1))
                if len(entries) >= _MOST_BOOKMARKS:
                    break
        return entries


@contextlib.contextmanager
def open_pdf(path: Path, password: str | None = None) -> Iterator[Pdf]:
    """Open a PDF for reading its pages; raises what `open_document` raises."""
    with open_document(path, password) as document:
        yield Pdf(document)


@contextlib.contextmanager
def open_document(path: Path, password: str | None = None) -> Iterator[Any]:
    """Open a file with PDFium.

    Raises:
        PasswordRequired: it is encrypted and the password is missing or wrong.
        NotAPdf: it is not a PDF, is damaged beyond reading, or cannot be read at all.
    """
    import pypdfium2 as pdfium
    import pypdfium2.raw as raw

    try:
        document = pdfium.PdfDocument(path, password=password)
    except pdfium.PdfiumError as error:
        raise _reason(path, password, raw.FPDF_GetLastError()) from error
    except OSError as error:
        raise NotAPdf(f"Cannot read {path.name}: {error.strerror or error}.") from error
    try:
        yield document
    finally:
        document.close()


def _reason(path: Path, password: str | None, code: int) -> NotAPdf | PasswordRequired:
    import pypdfium2.raw as raw

    if code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
        problem = "needs a password" if not password else "does not open with that password"
        return PasswordRequired(f"{path.name} is encrypted and {problem}.", hint="Give it with `--password`.")
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        return NotAPdf(f"Cannot read {path.name}: {error.strerror or error}.", hint="Check its permissions.")
    if not head:
        return NotAPdf(f"{path.name} is empty.")
    if b"%PDF-" not in head:
        return NotAPdf(f"{path.name} is not a PDF, whatever its name says.")
    return NotAPdf(
        f"{path.name} is damaged: its structure cannot be read.", hint="Try to get or print it again."
    )
