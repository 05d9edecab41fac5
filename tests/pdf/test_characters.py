"""Characters that are read in bulk are those that PDFium tells of one by one."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from quire.pdf.pdfium import calls
from quire.pdf.pdfium.fonts import Style
from quire.pdf.pdfium.text import _encoding, _text
from tests.pdf.tabled import words_of
from tests.pdf.test_nameless import bitmap_paper


def test_words_of_a_tilted_line_stand_on_baselines_of_their_own(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(600, 800))
    canvas.translate(50, 300)
    canvas.rotate(3)
    canvas.drawString(0, 0, "words on a line that rises slowly")
    canvas.save()
    first, *_, last = words_of(tmp_path / "a.pdf")
    rise = (first.baseline - last.baseline) / (last.x0 - first.x0)
    assert rise == pytest.approx(math.tan(math.radians(3)), abs=0.01)


def test_codes_that_stand_for_nothing_move_no_others(tmp_path: Path) -> None:
    paper = bitmap_paper(tmp_path / "a.pdf", ("CMR10", 10, b"one\x03two three\x04 four"))
    assert [word.text for word in words_of(paper)] == ["one", "two", "three", "four"]


def test_all_characters_of_a_full_page_are_read(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(600, 800))
    canvas.setFont("Courier", 5)
    for k in range(90):
        canvas.drawString(50 + k, 780 - 8 * k, f"{k:03d}" + "x" * 50)
    canvas.save()
    words = words_of(tmp_path / "a.pdf")
    assert sum(len(word.text) for word in words) > 2 * calls._AT_ONCE
    assert [word.text[:3] for word in words] == [f"{k:03d}" for k in range(90)]
    assert [round(word.x0) for word in words] == [50 + k for k in range(90)]
    assert [round(word.baseline) for word in words] == [20 + 8 * k for k in range(90)]


def test_braces_of_latin_modern_are_no_paragraph_signs() -> None:
    style = Style(
        10.0, 0, bold=False, italic=False, font="LMMathSymbols10-Regular", hidden=False, symbols=True
    )
    assert [_text(ord(sign), style, _encoding(set())) for sign in "¶♣♢"] == ["{", "|", "}"]
    assert _text(ord("♢"), style._replace(font="CMSY8"), _encoding(set())) == "♢"
    for font in ("LMRoman10-Regular", "LMMathItalic10-Regular"):  # the mark of an author, a delta
        assert _text(ord("¶"), style._replace(font=font), _encoding(set())) == "¶"
