"""What is printed: whatever the terminal's width and encoding, and whoever reads it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from quire.app.cli.output import listing, passage
from quire.app.run_view import where
from quire.library import Library
from tests.app.cli.conftest import Command
from tests.app.conftest import copied
from tests.library.conftest import KEYWORDS, write_pdf

QUIRE = str(Path(sys.executable).parent / "quire")


@pytest.fixture
def narrow(quire: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("COLUMNS", "60")
    return quire


@pytest.fixture
def piped(quire: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.delenv("COLUMNS")
    return quire


def test_the_version_is_told(quire: Command) -> None:
    assert quire("--version").out.startswith("quire 0.")


def test_the_shell_can_complete_commands(quire: Command) -> None:
    told = quire("--help").out
    assert "--install-completion" in told
    assert "Questions and searches are in English" in told


def test_status_is_readable_at_60_columns(narrow: Command, filled: Path) -> None:
    lines = narrow("status", "--library", filled).out.splitlines()
    assert max(map(len, lines)) <= 60
    assert "  file: paper-boats.pdf" in lines
    assert any("Paper Boats: How Hull Folds Change Soaking" in line for line in lines)


def test_sql_is_readable_at_60_columns(narrow: Command, filled: Path) -> None:
    lines = narrow("sql", "SELECT * FROM metadata", "--library", filled).out.splitlines()
    assert max(map(len, lines)) <= 60
    assert "  pub_year: 2024" in lines


def test_what_is_piped_is_complete(piped: Command, filled: Path) -> None:
    title = "Searching a Shoe Box: Keyword and Vector Retrieval for Household Notes"
    assert any(title in line for line in piped("status", "--library", filled).out.splitlines())
    said = piped("sql", "SELECT abstract FROM metadata", "--library", filled).out
    assert len(said.splitlines()) == 5  # a head, and a line for each


def test_runs_are_readable_complete_and_counted(
    narrow: Command, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied(filled, tmp_path / "library")
    for number in range(3):
        narrow("ask", f"How many pages has the paper number {number}?", "--library", folder)
    lines = narrow("runs", "--limit", 2, "--library", folder).out.splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[-1] == "2 of 3 runs; --all shows them."
    assert len(json.loads(narrow("runs", "--all", "--library", folder, "--json").out)) == 3
    assert "There are 3 runs named" in narrow("show", "2", "--library", folder).err
    for last in ((), ("last",)):
        assert "the paper number 2?" in narrow("show", *last, "--library", folder).out
    kept = tmp_path / "kept"
    assert narrow("export", "runs", "last", "-o", kept, "--library", folder).code == 0
    assert "the paper number 2?" in next(kept.iterdir()).read_text()
    monkeypatch.delenv("COLUMNS")
    assert "How many pages has the paper number 1?" in narrow("runs", "--library", folder).out


@pytest.mark.parametrize(("terminal", "everything", "shown"), [(1, 0, 40), (1, 1, 100), (0, 0, 100)])
def test_a_long_table_asks_for_all(terminal: int, everything: int, shown: int) -> None:
    out = Console(force_terminal=bool(terminal), width=100, file=io.StringIO(), record=True)
    listing(out, ("n", "m"), [[str(n), "cell"] for n in range(100)], everything=bool(everything))
    text = out.export_text()
    assert text.count("cell") == shown
    assert ("60 more; --all shows them." in text) == (shown == 40)


def test_hits_in_tables_are_small_tables(quire: Command, filled: Path) -> None:
    column = ("--table", "tables", "--column", "table_content")
    for options in (("--in", "tables"), column):
        told = quire("search", "soaking time keel boat", "--limit", 1, *options, "--library", filled).out
        assert "<t" not in told
        assert " | " not in told
        row = next(line for line in told.splitlines() if "Keel boat" in line)
        assert row.split() == ["Keel", "boat", "9", "57.5", "139.6", "243.8"]


def test_a_bar_in_running_text_makes_no_table() -> None:
    text = Text("as in lmer(Reaction ~ Days + (Days | Subject))\nand on")
    assert passage(text, cells=False) == [
        Text("as in lmer(Reaction ~ Days + (Days | Subject))"),
        Text("and on"),
    ]
    (table,) = passage(Text("Days | Subject"), cells=True)
    assert isinstance(table, Table)


def test_a_page_is_told_by_its_place_and_by_what_is_printed_on_it() -> None:
    assert [where(3, "45"), where(3, "3"), where(3, "")] == ["page 3 (printed 45)", "page 3", "page 3"]


def test_sql_says_what_it_wrote(quire: Command, filled: Path, tmp_path: Path) -> None:
    ran = quire("sql", "SELECT title FROM metadata", "-o", tmp_path / "a.csv", "--library", filled)
    assert ran.err == f"Wrote 4 rows to {tmp_path / 'a.csv'}.\n"
    assert not ran.out
    one = quire("sql", "SELECT title FROM metadata LIMIT 1", "-o", tmp_path / "b.csv", "--library", filled)
    assert one.err == f"Wrote 1 row to {tmp_path / 'b.csv'}.\n"


@pytest.fixture
def greek(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    with Library.open(folder, **KEYWORDS) as library:
        library.add(write_pdf(tmp_path / "\u03b1.pdf", "On the First of all Boats", "It floats."))
    (folder / "quire.toml").write_text('[index]\nencoders = ["text_bm25_en"]\n')
    return folder


def test_signs_that_the_terminal_lacks_are_no_error(greek: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
        command = [QUIRE, *words, "--library", str(greek)]
        return subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)

    told = run("status")
    assert told.returncode == 0
    assert b"?.pdf" in told.stdout
    document = json.loads(run("status", "--json").stdout)
    assert document["papers"][0]["file_name"] == "\u03b1.pdf"


INTERRUPTED = """
import os, signal, sys, threading
from quire.app.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(float(sys.argv.pop(1)), os.kill, (os.getpid(), signal.SIGINT)).start()
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("after", ["0.3"])
def test_an_interrupted_search_ends_in_a_sentence(filled: Path, after: str) -> None:
    words = [after, "search", "keel boat", "--library", str(filled), "--limit", "1000"]
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in ran.stderr
    assert ran.returncode in (130, 0, -signal.SIGINT)


SWALLOWED = """
import ctypes, signal, sys, time
from quire.app import cli
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupted():
    raise KeyboardInterrupt
def run():
    ctypes.CFUNCTYPE(None)(interrupted)()  # compiled code that loses it, as some libraries do
    time.sleep(300)
cli._run = run
cli.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_that_compiled_code_swallows_comes_again() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SWALLOWED], capture_output=True, text=True, timeout=200, check=False
    )
    assert (ran.returncode, ran.stderr.strip().partition(".")[0]) == (130, "Interrupted")
