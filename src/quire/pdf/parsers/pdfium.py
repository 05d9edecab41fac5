"""The default parser: text and drawings by PDFium, structure by this room.

Limits: pages beyond `settings.max_pages` are not read (a note says so); scans have no text here.
"""

from __future__ import annotations

from pathlib import Path

from quire.errors import NotAPdf
from quire.pdf.assemble import assemble
from quire.pdf.pdfium.reader import Pdf, open_pdf
from quire.pdf.raw import FileFacts, RawPage
from quire.pdf.scans import legible
from quire.pdf.version import signature
from quire.settings import Parsing
from quire.types import Document


def parse(path: Path, password: str | None, settings: Parsing) -> Document:
    """Read a PDF.

    Raises:
        PasswordRequired: it is encrypted and the password is missing or wrong.
        NotAPdf: it is not a PDF, is damaged beyond reading, or has no pages.
    """
    with open_pdf(path, password) as pdf:
        pages, notes = checked(pdf, path, settings)
        return assemble(pages, FileFacts(signature("pdfium"), pdf.info(), pdf.outline(), notes))


def checked(pdf: Pdf, path: Path, settings: Parsing) -> tuple[list[RawPage], tuple[str, ...]]:
    """The pages of an open file within the limits, and what to tell about the rest.

    Raises:
        NotAPdf: it has no pages, or none that can be read.
    """
    if pdf.page_count == 0:
        raise NotAPdf(f"{path.name} has no pages.", hint="Try to get or print it again.")
    pages = [legible(page) for page in pdf.pages(settings.max_pages)]
    if all(page.width == 0 for page in pages):
        raise NotAPdf(
            f"{path.name} is damaged: none of its pages can be read.", hint="Try to get or print it again."
        )
    if pdf.page_count <= settings.max_pages:
        return pages, ()
    told = f"Read the first {settings.max_pages} of {pdf.page_count} pages"
    return pages, (f"{told}; raise `parsing.max_pages` to read more.",)
