"""Fetching and importing data, over a real local server."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from quire.errors import OfflineError, TaskError
from quire.tasks import fetching
from quire.tasks.fetching import Source, fetch, import_data, sources
from tests.tasks.datasets import MAKERS


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def published(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    folder = tmp_path / "published"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def _publish(monkeypatch: pytest.MonkeyPatch, *files: Source) -> None:
    monkeypatch.setattr(fetching, "sources", lambda: {"toy": files})


def test_files_are_pinned_and_kept(
    published: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, url = published
    (folder / "a.json").write_text("[1]")
    _publish(monkeypatch, Source(f"{url}/a.json", "a.json"))
    (got,) = fetch("toy", tmp_path / "data")
    assert got.read_text() == "[1]"
    (folder / "a.json").write_text("[2]")
    assert fetch("toy", tmp_path / "data", offline=True)[0].read_text() == "[1]"
    got.write_text("damaged")
    with pytest.raises(TaskError, match="not what it was"):
        fetch("toy", tmp_path / "data")


def test_a_published_checksum_must_hold(
    published: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, url = published
    (folder / "a.json").write_text("[1]")
    _publish(monkeypatch, Source(f"{url}/a.json", "a.json", sha256="0" * 64))
    with pytest.raises(TaskError, match="expected 0000"):
        fetch("toy", tmp_path / "data")
    assert not (tmp_path / "data" / "a.json").exists()


def test_archives_stay_in_their_folder(
    published: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, url = published
    for name, member in (("good.zip", "in/a.txt"), ("bad.zip", "../../a.txt")):
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.writestr(member, "x")
    _publish(monkeypatch, Source(f"{url}/good.zip", "good.zip", unpack=True))
    fetch("toy", tmp_path / "data")
    assert (tmp_path / "data" / "in" / "a.txt").read_text() == "x"
    _publish(monkeypatch, Source(f"{url}/bad.zip", "bad.zip", unpack=True))
    with pytest.raises(TaskError, match="outside its folder"):
        fetch("toy", tmp_path / "data")


def test_offline_and_unreachable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _publish(monkeypatch, Source("http://127.0.0.1:9/a.json", "a.json"))
    with pytest.raises(OfflineError, match="offline"):
        fetch("toy", tmp_path, offline=True)
    with pytest.raises(TaskError, match="Cannot fetch"):
        fetch("toy", tmp_path)
    with pytest.raises(TaskError, match="nothing to fetch"):
        fetch("other", tmp_path)


@pytest.mark.parametrize("name", ["spider", "hotpotqa", "ddxplus"])
def test_import_of_a_folder_and_a_zip(name: str, tmp_path: Path) -> None:
    made = MAKERS[name](tmp_path / "source")
    assert import_data(name, made, tmp_path / "data")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in made.rglob("*"):
            archive.write(path, path.relative_to(made))
    assert import_data(name, tmp_path / "all.zip", tmp_path / "unpacked")


def test_import_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("x")
    with pytest.raises(TaskError, match="holds none of"):
        import_data("toolbench", tmp_path / "x.txt", tmp_path / "data")
    with pytest.raises(TaskError, match="does not exist"):
        import_data("toolbench", tmp_path / "nothing", tmp_path / "data")


def test_every_published_place_is_https_or_the_authors_own() -> None:
    for files in sources().values():
        assert all(source.url.startswith(("https://", "http://curtis.ml.cmu.edu/")) for source in files)
