"""Scans by optical recognition (the extra `quire[ocr]`): RapidOCR's words in place of a missing text layer.

Pages with a usable text layer are read as the default parser reads them; only the others are rendered and
recognised, at about five seconds a page on one core. The recogniser gives lines; words are cut from them
at spaces, in proportion. Its models are inside its wheel: nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from quire.errors import DocumentError
from quire.pdf.assemble import assemble
from quire.pdf.parsers.pdfium import checked
from quire.pdf.pdfium.reader import Pdf, open_pdf
from quire.pdf.raw import ASCENT, DESCENT, FileFacts, Line, RawPage, Word, make_line
from quire.pdf.scans import is_scanned
from quire.pdf.version import signature
from quire.settings import Parsing
from quire.types import Document

SCALE = 2.5  # 180 dpi: smaller type is misread, larger pictures are slow
MIN_SCORE = 0.5


def parse(path: Path, password: str | None, settings: Parsing) -> Document:
    """Read a PDF, recognising the pages that have no usable text layer.

    Raises:
        PasswordRequired, NotAPdf: as the default parser does.
        DocumentError: the extra is not installed.
    """
    engine = _engine()
    with open_pdf(path, password) as pdf:
        pages, notes = checked(pdf, path, settings)
        read = [_recognised(page, pdf, engine) if is_scanned(page) else page for page in pages]
        return assemble(read, FileFacts(signature("ocr"), pdf.info(), pdf.outline(), notes))


def _engine() -> Any:
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise DocumentError(
            "The parser `ocr` needs RapidOCR.", hint="Install it with `pip install 'quire[ocr]'`."
        ) from error
    return RapidOCR(params={"Global.log_level": "error"})


def _recognised(page: RawPage, pdf: Pdf, engine: Any) -> RawPage:
    picture = pdf.picture(page.number, SCALE)
    found = engine(picture)
    nothing = found is None or found.boxes is None
    read = () if nothing else zip(found.boxes, found.txts, found.scores, strict=False)
    lines = list(_lines(read, SCALE))
    note = f"Page {page.number} was read by optical recognition."
    return replace(page, lines=tuple(lines), pictures=(), broken=0.0, notes=(*page.notes, note))


def _lines(triples: Iterable[tuple[Any, str, float]], scale: float) -> Iterator[Line]:
    """The recogniser's lines, from corners in pixels to points."""
    for corners, text, score in triples:
        xs = [float(c[0]) / scale for c in corners]
        ys = [float(c[1]) / scale for c in corners]
        if text.strip() and score >= MIN_SCORE and max(ys) > min(ys):
            yield line_of(text, (min(xs), min(ys), max(xs), max(ys)))


def line_of(text: str, box: Sequence[float]) -> Line:
    """A recognised line cut into words in proportion to their letters."""
    x0, y0, x1, y1 = box
    # The detector's boxes reach over ascenders and descenders by a little: the type is smaller than they are.
    size = round((y1 - y0) * 0.78 * 2) / 2 or 1.0
    baseline = y1 - 0.24 * (y1 - y0)
    step = (x1 - x0) / max(1, len(text))
    words: list[Word] = []
    at = 0
    for part in text.split(" "):
        if part:
            left, right = x0 + at * step, x0 + (at + len(part)) * step
            words.append(
                Word(part, left, baseline - ASCENT * size, right, baseline + DESCENT * size, baseline, size,
                     bold=False, italic=False, font="")
            )  # fmt: skip
        at += len(part) + 1
    return make_line(words, size, baseline)
