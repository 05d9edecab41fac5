"""What the child that reads PDFs tells of a task that it could not do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption

from quire.errors import DocumentError, PasswordRequired
from quire.library.parse_child import Failure, Parsed, _attempt, _peak
from quire.library.parsing import ParseJob, Readers
from quire.settings import Parsing
from tests.library.conftest import write_pdf

pytestmark = pytest.mark.usefixtures("own_children")

ID = "00000000-0000-0000-0000-000000000000"


def task(path: Path, **more: object) -> dict[str, object]:
    given = {"do": "parse", "path": str(path), "paper_id": ID, "file_name": "mine.pdf"}
    return {**given, "password": None, "parser": None, **more}


def test_a_failure_names_the_file_of_the_user_and_says_what_to_do(tmp_path: Path) -> None:
    lines = ("A Secret of the Boats that Float", "They float on water.")
    locked = write_pdf(tmp_path / f"{ID}.pdf", *lines, encrypt=StandardEncryption("open", "own"))
    found = _attempt(task(locked), Parsing())
    assert isinstance(found, Failure)
    assert (found.kind, found.clean) == ("PasswordRequired", True)
    assert found.message.startswith("mine.pdf is encrypted")
    assert "--password" in found.hint
    read = _attempt(task(locked, password="open"), Parsing())
    assert isinstance(read, Parsed)
    assert (read.metadata.num_pages, read.summaries_by) == (1, "extractive")
    again = _attempt(task(locked), Parsing())  # the library's copy has become a readable one
    assert isinstance(again, Parsed)
    assert again.copy_sha256 == read.copy_sha256


@pytest.mark.parametrize(
    "broken", [{"page": 1, "box": [1], "marks": [], "dpi": 9, "do": "render"}, {"page": "x", "do": "words"}]
)
def test_a_fault_of_our_own_is_told_and_not_clean(tmp_path: Path, broken: dict[str, object]) -> None:
    found = _attempt(task(write_pdf(tmp_path / "a.pdf", "A Paper"), **broken), Parsing())
    assert isinstance(found, Failure)
    assert (found.kind, found.clean) == ("DocumentError", False)
    assert "could not be parsed (TypeError" in found.message


def test_a_child_in_which_something_broke_reads_no_other_file(tmp_path: Path) -> None:
    good = write_pdf(tmp_path / "good.pdf", "A Paper", "Text.")
    paths = [good, tmp_path / "gone.pdf", good, Path("a\0b.pdf"), good]
    used = []
    with Readers(Parsing(workers=1)) as readers:
        kinds = []
        for _, result in readers.run(ParseJob(path, ID, "mine.pdf", None) for path in paths):
            kinds.append(isinstance(result, DocumentError))
            used.append([child.process.pid for child in readers._pool._free])
    assert kinds == [False, True, False, True, False]
    assert used[0] == used[1] == used[2]  # a file that is no PDF breaks nothing
    assert used[3] == []
    assert used[4] not in ([], used[0])


def test_the_kind_of_a_failure_reaches_the_library(tmp_path: Path) -> None:
    locked = write_pdf(tmp_path / "x.pdf", "A Secret", encrypt=StandardEncryption("open", "own"))
    with Readers(Parsing(workers=1)) as readers:
        ((_, result),) = readers.run(iter([ParseJob(locked, ID, "mine.pdf", None)]))
    assert isinstance(result, PasswordRequired)
    assert "mine.pdf" in result.message


def test_the_most_memory_that_was_used_is_told_in_megabytes() -> None:
    assert 20 < _peak() < 100_000


def test_what_a_child_needs_to_make_rows_brings_no_database() -> None:
    code = (
        "import sys, quire.pdf, quire.search.batch\n"
        "from quire.library import units, views\n"
        "print('duckdb' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
