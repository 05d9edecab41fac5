"""Nothing is lost: what one stage or one strange page costs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from quire.pdf import parse
from quire.pdf.guard import Guard
from quire.pdf.layout.columns import FlowItem, find_gutter
from quire.pdf.raw import Edges
from tests.pdf.paper import words
from tests.pdf.tabled import cells, paper_with_text


def fails(value: str) -> list[str]:
    raise ValueError(f"bad\n{value}")


def test_a_stage_that_fails_leaves_a_remark() -> None:
    guard = Guard()
    assert guard.run("tables of page 3", ["none"], fails, "cell") == ["none"]
    assert guard.notes == ["The tables of page 3 could not be read (ValueError: bad cell)."]
    for k in range(100):
        guard.run(f"page {k}", [], fails, "x" * 10_000)
    assert sum(map(len, guard.notes)) < 5000


def test_errors_of_memory_are_not_held_back() -> None:
    def stage() -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        Guard().run("tables", None, stage)


def test_a_stage_that_breaks_does_not_lose_the_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.text(words(200, 3))
    path = paper.save()
    monkeypatch.setattr("quire.pdf.floats.tables.find", fails)
    document = parse(path)
    assert document.pages[0].text
    assert any(note.startswith("The tables of page 1 could not be read") for note in document.notes)


def test_digits_that_are_no_numbers(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1: Powers", size=9)
    rows = [["Base", "128²", "256²"], ["two", "128²", "²²²²"], ["three", "٣٤٥٦", "1024"], ["four", "5", "6"]]
    cells(paper, rows, (80, 180, 260), paper.y + 15)
    document = parse(paper.save())
    assert not document.notes
    assert document.tables


def test_thousands_of_labels_on_a_page_take_little_time() -> None:
    boxes = [Edges(x, y, x + 9, y + 5) for x in range(20, 580, 7) for y in range(40, 780, 29)]
    boxes.append(Edges(10, 30, 14, 790))
    atoms = [FlowItem(box, k, False) for k, box in enumerate(boxes)]
    start = time.process_time()
    find_gutter(atoms, 8.0)
    assert time.process_time() - start < 2


def test_objects_beyond_the_limit_are_told(tmp_path: Path) -> None:
    path = tmp_path / "map.pdf"
    canvas = Canvas(str(path), invariant=1)
    canvas.drawString(60, 700, "A map with many points and a title")
    for k in range(20_050):
        canvas.rect(60 + k % 400, 100 + k // 400, 0.5, 0.5, stroke=0, fill=1)
    canvas.save()
    document = parse(path)
    assert any("more than 20000 drawn objects" in note for note in document.notes)
