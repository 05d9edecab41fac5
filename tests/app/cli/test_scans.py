"""Scans are marked in `status`, and told when they are asked about, with the line that installs OCR."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from quire.library import Library
from tests.app.cli.conftest import Command
from tests.library.conftest import KEYWORDS, write_pdf

INSTALL = "pip install 'quire[ocr]'"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of one paper with text and one scan."""
    tmp_path = tmp_path_factory.mktemp("scans")
    picture = Image.new("L", (600, 850), 255)
    ImageDraw.Draw(picture).text((60, 60), "The keel boat floats for 243.8 seconds.", fill=0)
    picture.save(tmp_path / "scan.png")
    canvas = Canvas(str(tmp_path / "scan.pdf"), pagesize=A5, invariant=1)
    canvas.drawImage(str(tmp_path / "scan.png"), 0, 0, *A5)
    canvas.showPage()
    canvas.save()
    text = write_pdf(tmp_path / "text.pdf", "On the First of all Boats", "It floats.")
    with Library.open(tmp_path / "library", **KEYWORDS) as library:
        assert not library.add([tmp_path / "scan.pdf", text]).failed
    (tmp_path / "library" / "quire.toml").write_text('[index]\nencoders = ["text_bm25_en"]\n')
    return tmp_path / "library"


def test_scans_are_marked_and_told(quire: Command, folder: Path) -> None:
    told = quire("status", "--library", folder).out
    marked = [line for line in told.splitlines() if ", scan" in line]
    assert len(marked) == 1
    assert "scan.pdf" in marked[0]
    assert "1 paper is scanned in part or whole" in told
    assert INSTALL in told
    asked = quire("ask", "How many seconds does the keel boat float?", "--library", folder).out
    assert "Not read, because scanned: pages of scan.pdf" in asked
    assert INSTALL in asked


@pytest.mark.skipif(importlib.util.find_spec("rapidocr") is not None, reason="the extra is installed")
def test_pages_that_could_not_be_read_are_tried_by_another_parser(quire: Command, folder: Path) -> None:
    files = [folder.parent / "scan.pdf", folder.parent / "text.pdf"]
    again = quire("add", *files, "--parser", "ocr", "--library", folder, "--json")
    told = {Path(file["path"]).name: file for file in json.loads(again.out)["files"]}
    assert told["text.pdf"]["outcome"] == "unchanged"
    assert (told["scan.pdf"]["outcome"], again.code) == ("failed", 1)
    assert INSTALL in told["scan.pdf"]["reason"]
    assert "scan.pdf" in quire("status", "--library", folder).out, "what there was stays"
    default = json.loads(quire("add", *files, "--library", folder, "--json").out)
    assert default["unchanged"] == 2


def test_other_papers_are_not_said_to_be_scans(quire: Command, folder: Path) -> None:
    asked = quire("ask", "Why does the keel boat sink?", "--paper", "text.pdf", "--library", folder).out
    assert "scanned" not in asked
