"""A library of somebody else's: what it names, links to and wants done is not touched, followed or done."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quire.app.server.keys import Keys
from quire.app.server.serving import only_server
from quire.app.server.store import Store, below
from quire.errors import LibraryError, LibraryUnsafe, SettingsError
from tests.app.server.conftest import Serve, finished
from tests.library.conftest import write_pdf

OLD = "2020-01-01T00:00:00+00:00"
BATCH = "0123456789abcdef" * 2
PAPER = "5fe5a1b2-0000-4000-8000-000000000001"


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A folder of the user's with a file."""
    folder = tmp_path / "precious"
    folder.mkdir()
    (folder / "thesis.pdf").write_text("years of work")
    return folder


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The folder of a library with a server's file in it, made by somebody else."""
    folder = tmp_path / "library"
    folder.mkdir()
    Store(folder / "serve.sqlite").close()
    return folder


@contextmanager
def rows(folder: Path) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(folder / "serve.sqlite")
    with db:
        yield db
    db.close()


def add_job(folder: Path, batch: str) -> None:
    with rows(folder) as db:
        sql = "INSERT INTO jobs (id, kind, state, created, spec) VALUES (?, 'add', 'waiting', ?, ?)"
        db.execute(sql, (BATCH, OLD, f'{{"batch": "{batch}"}}'))


def test_their_jobs_are_not_done(serve: Serve, precious: Path, theirs: Path) -> None:
    add_job(theirs, str(precious))
    sent = theirs / "serve" / "uploads" / BATCH / "000" / "sent.pdf"
    sent.parent.mkdir(parents=True)
    sent.write_text("%PDF-")
    web = serve(empty=True)
    assert web.get("/api/v1/jobs").json()["jobs"] == []
    assert (precious / "thesis.pdf").read_text() == "years of work"
    assert [each.read_text() for each in theirs.glob("serve/uploads-*/*/*/sent.pdf")] == ["%PDF-"]


def test_what_is_ours_is_done_and_its_ids_lead_nowhere_all_the_same(
    serve: Serve, precious: Path, theirs: Path
) -> None:
    serve(empty=True).__exit__(None, None, None)
    add_job(theirs, str(precious))
    web = serve(empty=True)
    while (job := web.get(f"/api/v1/jobs/{BATCH}").json())["state"] in ("waiting", "running"):
        pass
    assert job["error"]["type"] == "NotFound"
    assert (precious / "thesis.pdf").read_text() == "years of work"


def test_the_trash_of_an_older_server_is_taken_over_once(
    serve: Serve, precious: Path, theirs: Path, tmp_path: Path
) -> None:
    with rows(theirs) as db:
        db.execute("CREATE TABLE trash (paper TEXT PRIMARY KEY, title TEXT, file_name TEXT, removed TEXT)")
        for paper in (str(precious), f"../../../{precious.name}", PAPER):
            db.execute("INSERT INTO trash VALUES (?, 't', 'f.pdf', ?)", (paper, OLD))
        for later in ("notes", "shelf", "labels"):
            db.execute(f"DROP TABLE {later}")
        db.execute("ALTER TABLE threads DROP COLUMN removed")
        db.execute("PRAGMA user_version = 2")
    kept = theirs / "serve" / "trash" / PAPER
    kept.mkdir(parents=True)
    write_pdf(kept / "boats.pdf", "On the Rowing of Boats", "Boats are rowed with oars.")
    (theirs / "serve" / "trash" / "empty" / "x.pdf").parent.mkdir()
    (theirs / "serve" / "trash" / "empty" / "x.pdf").touch()
    web = serve(empty=True)
    assert not kept.parent.exists()
    (removed,) = web.app.state.context.library.removed()  # type: ignore[attr-defined]
    finished(web, web.post(f"/api/v1/papers/{removed.id}/restore"))
    (paper,) = web.get("/api/v1/papers").json()["papers"]
    assert (paper["id"], paper["file_name"]) == (removed.id, "boats.pdf")
    assert (precious / "thesis.pdf").read_text() == "years of work"


@pytest.mark.parametrize(
    "place", ["serve", "serve/uploads", "serve/trash", "serve.sqlite", "serve.sqlite-wal"]
)
def test_links_are_refused_with_a_reason(serve: Serve, precious: Path, tmp_path: Path, place: str) -> None:
    folder = tmp_path / "library"
    link = folder / place
    link.parent.mkdir(parents=True)
    link.symlink_to(precious if "." not in place else precious / "thesis.pdf")
    with pytest.raises(LibraryError, match="link"):
        serve(empty=True)
    assert (precious / "thesis.pdf").read_text() == "years of work"


def test_links_among_what_came_in_are_not_followed(serve: Serve, precious: Path, tmp_path: Path) -> None:
    serve(empty=True).__exit__(None, None, None)
    uploads = tmp_path / "library" / "serve" / "uploads"
    (uploads / ("a" * 32)).mkdir(parents=True)
    (uploads / BATCH).symlink_to(precious.parent)
    (uploads / ("a" * 32) / "000").symlink_to(precious)
    with pytest.raises(LibraryUnsafe, match="link"):
        serve(empty=True)
    assert (precious / "thesis.pdf").read_text() == "years of work"


def test_the_locks_are_no_links(precious: Path, tmp_path: Path) -> None:
    for name in ("serve.lock", "keys.lock", f".keys.json.{os.getpid()}.draft"):
        (tmp_path / name).symlink_to(precious / "thesis.pdf")
    with pytest.raises(LibraryError, match="link"), only_server(tmp_path):
        pass
    for name in ("keys.lock", f".keys.json.{os.getpid()}.draft"):
        with pytest.raises(SettingsError, match="Cannot write"):
            Keys(tmp_path, tmp_path).add("ann", "read")
        (tmp_path / name).unlink()
    assert (precious / "thesis.pdf").read_text() == "years of work"


@pytest.mark.parametrize("part", ["", ".", "..", "a/b", "/etc", "a\0b"])
def test_what_leads_elsewhere_is_no_place_below(tmp_path: Path, part: str) -> None:
    with pytest.raises(LibraryError):
        below(tmp_path, "serve", part)


@pytest.mark.parametrize("content", [b"nonsense" * 999, b"SQLite format 3\0" + bytes(5000)])
def test_a_damaged_file_of_the_server_is_set_aside_at_once(
    serve: Serve, theirs: Path, content: bytes
) -> None:
    (theirs / "serve.sqlite").write_bytes(content)
    web = serve(empty=True)
    assert web.get("/api/v1/health").status_code == 200
    assert len(list(theirs.glob("serve.sqlite.damaged-*"))) == 1


def test_damage_behind_a_sound_first_page_is_set_aside_too(
    serve: Serve, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    serve(empty=True).__exit__(None, None, None)
    folder = tmp_path / "library"
    sent = folder / "serve" / "uploads" / BATCH / "000" / "sent.pdf"
    sent.parent.mkdir(parents=True)
    sent.write_text("%PDF-")
    file = folder / "serve.sqlite"
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
    caplog.clear()
    web = serve(empty=True)
    assert web.get("/api/v1/health").status_code == 200
    assert len(list(folder.glob("serve.sqlite.damaged-*"))) == 1
    assert [each.read_text() for each in folder.glob("serve/uploads-*/*/*/sent.pdf")] == ["%PDF-"]
    assert "serve.sqlite began anew; what was sent lies in" in caplog.text
    assert "another server's user" not in caplog.text
