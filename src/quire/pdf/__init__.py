"""PDF files as `Document`s: parsed, cut into chunks, rendered, summarised.

    document = parse(Path("paper.pdf"))
    document.metadata.title, document.sections[0].title, document.tables[0].html

`pdfium/` gives what stands on a page (`raw`); `line_classifier/` names the role of every line, `layout/` the
reading order; `captions`, `tables/`, `figures` and `equations/` find what is no running text (`floats`);
`front/`, `sections/` and `citations` read what the lines say. `assemble` is the order in which they work.
`chunk`, `summarise`, `bibtex` and `render` make something of a parsed paper.

Parsing runs in this process and trusts nobody: who parses strangers' files does it in a child process
with limits (`quire.library` does).
"""

from __future__ import annotations

from pathlib import Path

from quire.pdf.bibtex import bibtex
from quire.pdf.chunk import chunk
from quire.pdf.render import render
from quire.pdf.summarise import summarise, tags, tldr
from quire.pdf.version import outdated, parser_of
from quire.registry import Registry
from quire.settings import Parsing
from quire.types import Document

__all__ = [
    "PARSERS",
    "bibtex",
    "chunk",
    "outdated",
    "parse",
    "parser_of",
    "render",
    "summarise",
    "tags",
    "tldr",
]

PARSERS = Registry(
    "parser",
    {
        "pdfium": "quire.pdf.parsers.pdfium:parse",
        "ocr": "quire.pdf.parsers.ocr:parse",
    },
    "quire.parsers",
)


def parse(path: Path, *, password: str | None = None, settings: Parsing | None = None) -> Document:
    """Read a PDF with the parser that the settings name.

    Raises:
        PasswordRequired: it is encrypted and the password is missing or wrong.
        NotAPdf: it is not a PDF or is damaged beyond reading.
        DocumentLimit: it is too large for the settings.
        UnknownNameError: there is no such parser.
    """
    settings = settings or Parsing()
    document: Document = PARSERS.load(settings.parser)(path, password, settings)
    return document
