"""One number stands for what parsing gives: who changes one must change the other."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from quire import pdf
from quire.pdf import version

EXAMPLES = Path(__file__).parents[2] / "examples" / "papers"
# Texts of the example papers as this version reads them. If the test fails, parsing gives something else than
# before: raise VERSION in `pdf/version.py` and put the digest that the test shows here, in one change.
PINNED = (30, "d65c94d086d8478b")


def digest() -> str:
    said = hashlib.sha256()
    for path in sorted(EXAMPLES.glob("*.pdf")):
        document = pdf.parse(path)
        chunks = pdf.chunk(document, lambda text: len(text.split()), 256)
        told = document.metadata  # its texts and places; how sure the reader is of them is in no row
        places = tuple(replace(place, confidence=None) for place in told.places)
        parts: list[object] = [replace(told, places=places)]
        parts += [page.text for page in document.pages]
        parts += [(section.title, section.level, section.text) for section in document.sections]
        parts += [(chunk.text, [each.text for each in chunk.sentences]) for chunk in chunks]
        parts += [(table.caption, table.html) for table in document.tables]
        parts += [image.caption for image in document.images]
        parts += [equation.text for equation in document.equations]
        parts += [(entry.text, entry.title, entry.year) for entry in document.references]
        said.update(repr(parts).encode())
    return said.hexdigest()[:16]


def test_the_version_changes_with_what_parsing_gives() -> None:
    assert (version.VERSION, digest()) == PINNED


def test_signatures() -> None:
    now = version.signature("pdfium")
    assert version.parser_of(now) == "pdfium"
    assert not version.outdated(now)
    assert not version.outdated(f"pdfium-{version.VERSION + 1}")
    for old in ("pdfium-1", "ocr-0", "", "pdfium", "pdfium-\u00b2", "pdfium-" + "9" * 9999, "a-b"):
        assert version.outdated(old), old
