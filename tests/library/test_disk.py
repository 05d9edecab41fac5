"""Disks that are full or cannot be written, and databases that are damaged: typed errors, no lost answers."""

from __future__ import annotations

import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

import quire as quire_package
from quire.errors import LibraryDamaged, LibraryError, QuireError
from quire.library import Library
from quire.store import locks
from tests.app.cli.conftest import Ran
from tests.library.conftest import KEYWORDS, write_pdf

RUN = """
import contextlib, io, json, resource, signal, sys
limit, commands = int(sys.argv[1]), json.loads(sys.argv[2])
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
from quire.app.cli import main
for arguments in commands:
    sys.argv = ["quire", *arguments]
    code, out, err = 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def run(*words: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "300"}
    command = [*map(str, words)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def quire(*commands: Sequence[object], limit: int = 0, inside: Sequence[object] = ()) -> list[Ran]:
    """These commands, one after the other in a process of their own, `inside` the command given.

    No file of the process can grow beyond `limit` bytes (0: any).
    """
    if limit:
        compile_package()
    words = json.dumps([[str(word) for word in command] for command in commands])
    ran = run(*inside, sys.executable, "-c", RUN, limit, words)
    assert ran.returncode == 0, ran.stderr
    return [Ran(*json.loads(line)) for line in ran.stdout.splitlines()]


@cache
def compile_package() -> None:
    """Compile quire: Python keeps a module that was cut at the limit, for every process after this one."""
    compileall.compile_dir(Path(quire_package.__file__).parent, quiet=1)


@pytest.fixture(scope="module")
def one_paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of one paper and one more PDF. Do not change it."""
    folder = tmp_path_factory.mktemp("one_paper")
    with Library.open(folder / "library", **KEYWORDS) as library:
        library.add(write_pdf(folder / "first.pdf", "On the First of all Boats", "It floats."))
        locks.shared_file(library.folder / "library.duckdb").drop()
    (folder / "library" / "quire.toml").write_text('[index]\nencoders = ["text_bm25_en"]\n')
    write_pdf(folder / "second.pdf", "On the Second of all Boats", "It floats.")
    return folder


@pytest.fixture
def public(one_paper: Path) -> Iterator[Path]:
    """A copy of it that every user may enter."""
    folder = Path(tempfile.mkdtemp())
    shutil.copytree(one_paper, folder, dirs_exist_ok=True)
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")
@pytest.mark.parametrize("limit", [300, 30_000])
def test_a_full_disk_is_told_and_tears_nothing(public: Path, limit: int) -> None:
    library = public / "library"
    (added,) = quire(["add", public / "second.pdf", "--library", library], limit=limit)
    assert added.code == 1, added.err
    assert "Traceback" not in added.err
    assert "LibraryFull" in added.err
    (asked,) = quire(["ask", "How many papers are there?", "--library", library], limit=300)
    assert "Traceback" not in asked.err
    assert asked.code == 0, asked.err
    assert "cannot be stored" in asked.out
    with Library.open(library) as after:
        assert len(after.papers()) in (1, 2)
        assert [problem for problem in after.check().problems if problem.kind != "copy"] == []
        assert after.repair().ok


def test_a_read_only_library_is_read_but_not_changed(
    public: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    library = public / "library"
    shutil.rmtree(library / "index")  # made anew elsewhere, for as long as a process lasts
    closed = ["unshare", "--mount", "sh", "-c", READ_ONLY, library]
    if shutil.which("unshare") is None or run(*closed, "true").returncode:
        pytest.skip("this machine mounts nothing for us")
    changing = (["add", public / "second.pdf"], ["repair"], ["remove", "first.pdf"], ["retry"])
    reading = (["ask", "How many papers are there?"], ["search", "boats"])
    *refused, asked, sought = quire(
        *([*words, "--library", library] for words in (*changing, *reading)), inside=closed
    )
    assert len(refused) == 4
    for words, ran in zip(changing, refused, strict=True):
        assert (ran.code, "Traceback" in ran.err) == (1, False), (words, ran.err)
        assert "LibraryError" in ran.err
        assert "Read-only file system" in ran.err
    assert asked.code == 0, asked.err
    assert "cannot be stored" in asked.out
    assert sought.code == 0
    assert list(tmp_path.glob("quire-*")) == []  # copies go with the process


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
