"""PDFs made on the spot, and one library of the example papers that tests only read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from quire.library import Library

EXAMPLES = Path(__file__).parents[2] / "examples" / "papers"
KEYWORDS: dict[str, Any] = {
    "index__encoders": ("text_bm25_en",)
}  # no vectors: loading the model takes a second


def write_pdf(path: Path, *lines: str, pages: int = 1, **options: Any) -> Path:
    """A small PDF with these lines on every page."""
    canvas = Canvas(str(path), pagesize=A5, invariant=1, **options)
    for _ in range(pages):
        for number, line in enumerate(lines):
            canvas.setFont("Helvetica", 16 if number == 0 else 10)
            canvas.drawString(50, 520 - 20 * number, line)
        canvas.showPage()
    canvas.save()
    return path


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The example papers, with vectors. Do not change it."""
    with Library.open(tmp_path_factory.mktemp("filled") / "library") as library:
        report = library.add(EXAMPLES)
        assert not report.failed
        yield library


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Library]:
    """A library of a test's own, without vectors."""
    with Library.open(tmp_path / "library", **KEYWORDS) as library:
        yield library
