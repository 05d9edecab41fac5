"""The parser for scans: its own arithmetic always, the real recogniser where it is installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from quire.documents import parse
from quire.documents.parsers.ocr import line_of
from quire.errors import DocumentError
from quire.settings import Parsing

INSTALLED = importlib.util.find_spec("rapidocr") is not None


def test_words_share_their_line_in_proportion() -> None:
    line = line_of("ab cd efgh", (100.0, 50.0, 200.0, 64.0))
    assert [w.text for w in line.words] == ["ab", "cd", "efgh"]
    assert [(round(w.x0), round(w.x1)) for w in line.words] == [(100, 120), (130, 150), (160, 200)]
    assert 50 <= line.y0 < line.baseline < line.y1 <= 66


@pytest.mark.skipif(INSTALLED, reason="the extra is installed")
def test_without_the_extra_it_says_what_to_install(one_column: Path) -> None:
    with pytest.raises(DocumentError, match=r"quire\[ocr\]"):
        parse(one_column, settings=Parsing(parser="ocr"))


@pytest.mark.skipif(not INSTALLED, reason="needs the extra `ocr`")
def test_a_scan_is_read(tmp_path: Path, one_column: Path) -> None:  # pragma: no cover - with the extra only
    document = pypdfium2.PdfDocument(one_column)
    picture = document[0].render(scale=2).to_pil()
    path = tmp_path / "scan.pdf"
    canvas = Canvas(str(path))
    canvas.drawImage(ImageReader(picture), 0, 0, 595, 842)
    canvas.save()
    read = parse(path, settings=Parsing(parser="ocr"))
    assert "stones become round" in read.pages[0].text
    assert read.scanned == ()
