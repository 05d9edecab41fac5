"""A library of quire 0.1.0 (commit 20a759a): today's quire opens it, migrates it and answers the same.

`of_0_1_0.tar.xz` was made by that commit from three of the example papers: added with MiniLM, three questions
asked, the answers judged right, right by the first piece, and wrong with the answer told.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import duckdb
import pytest

from quire import Library
from quire.ask import runs
from quire.errors import LibraryError
from quire.store import migrate

ARCHIVE = Path(__file__).with_name("of_0_1_0.tar.xz")
ROWS = {
    "metadata": 3, "pages": 4, "images": 2, "chunks": 20, "tables": 4, "sections": 25, "equations": 1,
    "reference": 6, "cells": 82, "sentences": 59,
}  # fmt: skip
QUESTION = "how fast does water creep along a fold?"
POINTS = 10


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The library as 0.1.0 left it."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "lib010"


def test_it_is_small() -> None:
    assert ARCHIVE.stat().st_size < 300_000


def test_rows_vectors_runs_and_verdicts_are_as_they_were(old: Path) -> None:
    with Library.open(old) as library:
        hit = library.search(QUESTION)[0]
        assert (hit.paper_title, hit.page) == ("Paper Boats: How Hull Folds Change Soaking Time", 1)
        counts = {name: library.sql(f"SELECT count(*) FROM {name}").rows[0][0] for name in ROWS}
        assert counts == ROWS
        status = library.status()
        assert set(status.vectors.values()) == {199}
        assert not sum(status.waiting.values())  # nothing is encoded again
        assert status.old == 3  # ... until the user refreshes
        told = [run.value for run in runs.listed(library.folder, None)]
        assert ["Li Specimen", "Maria Example"] in told
        again = library.ask("Why does a fold that is pressed longer soak faster?", save=False)
        assert again.answer.value == "the crease tears fibres"
        assert library.check().ok


def test_refreshing_reads_its_papers_with_the_parser_of_today(old: Path) -> None:
    with Library.open(old, index__encoders=("text_bm25_en",)) as library:
        report = library.refresh()
        assert len(report.refreshed) == 3
        assert library.status().old == 0
        assert library.check().ok


KILLED = """
import json, os, shutil, signal, sys
from pathlib import Path
from quire.library import Library, adding, encoding, indexing, checking  # so that no import is killed

archive, scratch, points = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])

def use(folder):
    with Library.open(folder, index__encoders=("text_bm25_en",)) as library:
        library.add([])
        found = library.search(sys.argv[4])
        rows = library.sql("SELECT count(*) FROM sentences").rows
        return [[hit.key, round(hit.score, 4)] for hit in found], library.check().ok, rows[0][0]

def forked(work):
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException as error:
            print(error, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]

def counted(folder, last, kept):
    seen = [0]
    def hook(event, arguments):
        seen[0] += 1
        if seen[0] == last:
            os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)
    told = use(folder)
    kept.write_text(json.dumps([seen[0], told]))

def fresh(name):
    return Path(shutil.copytree(archive, scratch / name))

whole = scratch / "whole.json"
assert forked(lambda: counted(fresh("whole"), 0, whole)) == 0
events, wanted = json.loads(whole.read_text())
killed = 0
for point in range(points):
    folder = fresh(f"at-{point}")
    ended = forked(lambda: counted(folder, 1 + point * events // points, scratch / "never.json"))
    killed += os.WIFSIGNALED(ended)
    after = scratch / f"after-{point}.json"
    assert forked(lambda: counted(folder, 0, after)) == 0, point
    assert json.loads(after.read_text())[1] == wanted, point
    shutil.rmtree(folder)
print(json.dumps([events, killed, wanted]))
"""


@pytest.mark.skipif(not hasattr(sys, "addaudithook") or sys.platform == "win32", reason="forks")
def test_a_migration_killed_anywhere_goes_on(old: Path, tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    command = [sys.executable, "-c", KILLED, str(old), str(tmp_path / "scratch"), str(POINTS), QUESTION]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    events, killed, (hits, ok, _) = json.loads(done.stdout)
    assert events > 10 * POINTS
    assert killed == POINTS
    assert hits
    assert ok


def _made_newer(file: Path) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute("INSERT INTO schema_version VALUES (9999, 'of the future', now())")


@pytest.mark.parametrize("use", ["search", "status", "add"])
def test_a_library_of_a_newer_quire_is_refused_and_named(old: Path, use: str) -> None:
    _made_newer(old / "library.duckdb")
    calls: dict[str, Any] = {
        "search": lambda library: library.search(QUESTION),
        "status": lambda library: library.status(),
        "add": lambda library: library.add([]),
    }
    with Library.open(old) as library, pytest.raises(LibraryError, match="newer quire") as told:
        calls[use](library)
    assert "Upgrade" in told.value.hint
    assert str(migrate.newest()) in told.value.message
