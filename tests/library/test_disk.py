"""Disks that are full or cannot be written, and databases that are damaged: typed errors, no lost answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.errors import LibraryDamaged, LibraryError, QuireError
from quire.library import Library
from quire.store import linger
from tests.library.conftest import KEYWORDS, write_pdf

RUN = """
import resource, signal, sys
limit, *arguments = sys.argv[1:]
if int(limit):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
from quire.interfaces.cli import main
sys.argv = ["quire", *arguments]
main()
"""
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def command(limit: int, *arguments: object) -> list[str]:
    """`quire` where no file can grow beyond `limit` bytes (0: any)."""
    return [sys.executable, "-c", RUN, str(limit), *map(str, arguments)]


def run(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        env={**os.environ, "COLUMNS": "300"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user may enter, with a library of one paper and one more PDF."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    with Library.open(folder / "library", **KEYWORDS) as library:
        library.add(write_pdf(folder / "first.pdf", "On the First of all Boats", "It floats."))
        linger.drop(library.folder / "library.duckdb")
    (folder / "library" / "quire.toml").write_text('[index]\nencoders = ["text_bm25_en"]\n')
    write_pdf(folder / "second.pdf", "On the Second of all Boats", "It floats.")
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")
@pytest.mark.parametrize("limit", [300, 30_000])
def test_a_full_disk_is_told_and_tears_nothing(public: Path, limit: int) -> None:
    library = public / "library"
    ran = run(command(limit, "add", public / "second.pdf", "--library", library))
    assert ran.returncode == 1, ran.stderr
    assert "Traceback" not in ran.stderr
    assert "LibraryError" in ran.stderr
    asked = run(command(300, "ask", "How many papers are there?", "--library", library))
    assert "Traceback" not in asked.stderr
    assert asked.returncode == 0, asked.stderr
    assert "cannot be stored" in asked.stdout
    with Library.open(library) as after:
        assert len(after.papers()) in (1, 2)
        assert [problem for problem in after.check().problems if problem.kind != "copy"] == []
        assert after.repair().ok


def test_a_read_only_library_is_read_but_not_changed(public: Path) -> None:
    library = public / "library"
    closed = ["unshare", "--mount", "sh", "-c", READ_ONLY, str(library)]
    if shutil.which("unshare") is None or run([*closed, "true"]).returncode:
        pytest.skip("this machine mounts nothing for us")
    for changing in (["add", public / "second.pdf"], ["repair"], ["remove", "first.pdf"], ["retry"]):
        ran = run([*closed, *command(0, *changing, "--library", library)])
        assert (ran.returncode, "Traceback" in ran.stderr) == (1, False), (changing, ran.stderr)
        assert "LibraryError" in ran.stderr
        assert "Read-only file system" in ran.stderr
    asked = run([*closed, *command(0, "ask", "How many papers are there?", "--library", library)])
    assert asked.returncode == 0, asked.stderr
    assert "cannot be stored" in asked.stdout
    assert run([*closed, *command(0, "search", "boats", "--library", library)]).returncode == 0


@pytest.mark.parametrize("at", [0.05, 0.3, 0.6, 0.9])
def test_a_damaged_database_is_called_damaged(public: Path, at: float) -> None:
    library = Library.open(public / "library", **KEYWORDS)
    file = public / "library" / "library.duckdb"
    whole = file.read_bytes()
    start = int(len(whole) * at)
    file.write_bytes(
        whole[:start] + bytes(b ^ 0xFF for b in whole[start : start + 4000]) + whole[start + 4000 :]
    )
    told = set()
    for use in (
        library.papers,
        library.check,
        lambda: library.search("boats"),
        lambda: library.sql("SELECT * FROM chunks"),
        lambda: library.sql("SELECT * FROM metadata, pages, sections"),
        library.status,
        lambda: library.add(public / "second.pdf"),
    ):
        try:
            use()
        except QuireError as error:
            told.add((type(error), "memory" in str(error)))
    assert told <= {(LibraryDamaged, False), (LibraryError, False)}
    library.close()
