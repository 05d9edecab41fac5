"""The parser for scans: its own arithmetic always, the real recogniser where it is installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pypdfium2
import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from quire.errors import DocumentError
from quire.pdf import parse
from quire.pdf.parsers.ocr import SCALE, line_of
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


class Recogniser:
    """Stands for RapidOCR: reads a scan of lines that are known, by where there is ink."""

    def __init__(self, lines: list[tuple[str, tuple[float, float, float, float]]]) -> None:
        self._lines = lines

    def __call__(self, picture: Any) -> SimpleNamespace:
        ink = picture.min(axis=2) < 128
        seen = []
        for text, (x0, y0, x1, y1) in self._lines:
            left, top, right, bottom = (round(SCALE * edge) for edge in (x0, y0, x1, y1))
            if ink[top:bottom, left:right].any():
                seen.append((text, [(left, top), (right, top), (right, bottom), (left, bottom)]))
        noise = ("smudge", [(0, 0), (9, 0), (9, 9), (0, 9)])
        return SimpleNamespace(
            boxes=[corners for _, corners in (*seen, noise)],
            txts=[text for text, _ in (*seen, noise)],
            scores=[*(0.9 for _ in seen), 0.2],
        )


def scan(one_column: Path, folder: Path) -> Path:
    """The first page of a paper as a picture, and its second page as it is."""
    document = pypdfium2.PdfDocument(one_column)
    picture = document[0].render(scale=2).to_pil()
    canvas = Canvas(str(folder / "picture.pdf"))
    canvas.drawImage(ImageReader(picture), 0, 0, 595, 842)
    canvas.save()
    both = pypdfium2.PdfDocument(folder / "picture.pdf")
    both.import_pages(document, [1])
    both.save(folder / "scan.pdf")
    return folder / "scan.pdf"


def test_pages_without_a_text_layer_are_recognised_and_no_others(
    tmp_path: Path, one_column: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = parse(one_column).pages
    lines = [("How Stones Become Round in Rivers", (100.0, 70.0, 500.0, 95.0))]
    lines += [("We show that stones become round.", (60.0, 290.0, 540.0, 320.0))]
    lines += [("Nothing is printed here", (10.0, 700.0, 20.0, 710.0))]
    engine = SimpleNamespace(RapidOCR=lambda params: Recogniser(lines))
    monkeypatch.setitem(sys.modules, "rapidocr", engine)
    read = parse(scan(one_column, tmp_path), settings=Parsing(parser="ocr"))
    assert read.pages[0].text.split("\n") == [text for text, _ in lines[:2]]
    assert read.pages[1].text == page[1].text
    assert any("Page 1 was read by optical recognition" in note for note in read.notes)
    assert not any("Page 2" in note for note in read.notes)
    assert read.scanned == ()


@pytest.mark.skipif(not INSTALLED, reason="needs the extra `ocr`")
def test_a_scan_is_read(tmp_path: Path, one_column: Path) -> None:  # pragma: no cover - with the extra only
    read = parse(scan(one_column, tmp_path), settings=Parsing(parser="ocr"))
    assert "stones become round" in read.pages[0].text
    assert read.scanned == ()
