"""`quire parse`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.app.cli.conftest import Command
from tests.library.conftest import EXAMPLES, write_pdf


def test_one_paper_on_standard_output(quire: Command) -> None:
    ran = quire("parse", EXAMPLES / "paper-boats.pdf")
    assert ran.code == 0
    assert ran.out.startswith("# Paper Boats")


def test_several_want_a_folder_or_lines(quire: Command, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_pdf(tmp_path / f"{name}.pdf", f"On {name.upper()} Boats", "Boats float.")
    assert "-o" in quire("parse", tmp_path).err
    lines = quire("parse", tmp_path, "--to", "jsonl").out.splitlines()
    assert sum(json.loads(line)["kind"] == "document" for line in lines) == 2


def test_a_folder_with_a_bad_file_ends_in_1_and_the_rest_is_there(quire: Command, tmp_path: Path) -> None:
    write_pdf(tmp_path / "good.pdf", "On Boats", "Boats float.")
    (tmp_path / "bad.pdf").write_bytes(b"no")
    ran = quire("parse", tmp_path, "--to", "jats", "-o", tmp_path / "out")
    assert ran.code == 1
    assert (tmp_path / "out" / "good.xml").exists()
    assert "bad.pdf" in ran.out
    told = json.loads(quire("parse", tmp_path, "--to", "jats", "-o", tmp_path / "out", "--json").out)
    assert {file["outcome"] for file in told["files"]} == {"there", "failed"}
    assert quire("parse", tmp_path / "bad.pdf").code == 1


def test_what_is_passed_over_is_named(quire: Command, tmp_path: Path) -> None:
    write_pdf(tmp_path / "good.pdf", "On Boats", "Boats float.")
    for name in ("notes.docx", "talk.md"):
        (tmp_path / name).write_text("no PDF")
    ran = quire("parse", tmp_path, "-o", tmp_path / "out")
    assert "2 documents are no PDFs and were left out: notes.docx, talk.md" in ran.out
    assert "notes.docx, talk.md" in quire("parse", tmp_path).err
