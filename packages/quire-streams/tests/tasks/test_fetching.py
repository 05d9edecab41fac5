"""Fetching and importing data, over a real local server."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.errors import OfflineError, TaskError, UnknownNameError
from quire_streams.tasks import TASKS, fetching
from quire_streams.tasks.fetching import (
    EDITIONS,
    DataSource,
    Publication,
    fetch,
    import_data,
    publications,
    published,
)
from tasks.datasets import MAKERS
from tasks.server import Place, serving


@pytest.fixture
def place() -> Iterator[Place]:
    with serving() as running:
        yield running


def _publish(monkeypatch: pytest.MonkeyPatch, *files: DataSource) -> None:
    toy = Publication("Toys.", "none", "", "nothing", files)
    monkeypatch.setattr(fetching, "published", lambda task: toy)


def _zip(**members: bytes | str) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return body.getvalue()


def test_files_are_pinned_and_kept(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.files["/a.json"] = b"[1]"
    _publish(monkeypatch, DataSource(f"{place.url}/a.json", "a.json"))
    (got,) = fetch("toy", tmp_path / "data")
    assert got.read_text() == "[1]"
    place.files["/a.json"] = b"[2]"
    assert fetch("toy", tmp_path / "data", offline=True)[0].read_text() == "[1]"
    got.write_text("damaged")
    with pytest.raises(TaskError, match="not what it was"):
        fetch("toy", tmp_path / "data")


def test_damaged_pins_are_told(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _publish(monkeypatch, DataSource(f"{place.url}/a.txt", "a.txt"))
    (tmp_path / "checksums.json").write_text('{"a.txt": "sha')
    with pytest.raises(TaskError, match="damaged"):
        fetch("toys", tmp_path)


def test_pins_of_earlier_versions_hold(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.files["/a.json"] = b"[1]"
    (tmp_path / "checksums.json").write_text(json.dumps({"a.json": "0" * 64}))
    _publish(monkeypatch, DataSource(f"{place.url}/a.json", "a.json"))
    with pytest.raises(TaskError, match="expected sha256:0000"):
        fetch("toy", tmp_path)


@pytest.mark.parametrize(
    ("checksum", "good"),
    [
        ("sha256:" + "0" * 64, False),
        ("md5:" + "0" * 32, False),
        ("md5:35dba5d75538a9bbe0b4da4422759a0e", True),
    ],
)
def test_a_published_checksum_must_hold(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checksum: str, good: bool
) -> None:
    place.files["/a.json"] = b"[1]"
    _publish(monkeypatch, DataSource(f"{place.url}/a.json", "a.json", checksum=checksum))
    if good:
        assert fetch("toy", tmp_path / "data")
        return
    with pytest.raises(TaskError, match=f"expected {checksum[:9]}"):
        fetch("toy", tmp_path / "data")
    assert not (tmp_path / "data" / "a.json").exists()


def test_archives_stay_in_their_folder(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.files |= {"/good.zip": _zip(**{"in/a.txt": "x"}), "/bad.zip": _zip(**{"../../a.txt": "x"})}
    _publish(monkeypatch, DataSource(f"{place.url}/good.zip", "good.zip", unpack=True))
    fetch("toy", tmp_path / "data")
    assert (tmp_path / "data" / "in" / "a.txt").read_text() == "x"
    _publish(monkeypatch, DataSource(f"{place.url}/bad.zip", "bad.zip", unpack=True))
    with pytest.raises(TaskError, match="outside its folder"):
        fetch("toy", tmp_path / "data")


def test_archives_in_archives_are_unpacked_once(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    databases = _zip(**{"dev_databases/zoo/zoo.sqlite": b"SQLite"})
    members: dict[str, bytes | str] = {"dev_1/dev.json": "[]", "dev_1/dev_databases.zip": databases}
    place.files["/dev.zip"] = _zip(**members)
    _publish(
        monkeypatch,
        DataSource(f"{place.url}/dev.zip", "dev.zip", unpack=True, inner="dev*/dev_databases.zip"),
    )
    fetch("toy", tmp_path)
    file = tmp_path / "dev_1" / "dev_databases" / "zoo" / "zoo.sqlite"
    assert file.read_bytes() == b"SQLite"
    file.write_bytes(b"changed since")
    fetch("toy", tmp_path, offline=True)
    assert file.read_bytes() == b"changed since"
    (tmp_path / "dev.zip.unpacked").unlink()  # as if the unpacking had been cut
    fetch("toy", tmp_path, offline=True)
    assert file.read_bytes() == b"SQLite"


def test_offline_names_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _publish(monkeypatch, DataSource("http://127.0.0.1:9/a.json", "a.json"))
    with pytest.raises(OfflineError, match="http://127.0.0.1:9/a.json .* offline"):
        fetch("toy", tmp_path, offline=True)
    with pytest.raises(TaskError, match="Cannot fetch"):
        fetch("toy", tmp_path)


def test_what_is_not_published_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="toolbench"):
        fetch("other", tmp_path)
    with pytest.raises(UnknownNameError, match="original"):
        fetch("spider", tmp_path, edition="newest")
    with pytest.raises(TaskError, match="There is the edition `streambench`"):
        fetch("cosql", tmp_path, edition="original")
    with pytest.raises(TaskError, match="quire quiz"):
        fetch("papers", tmp_path)


@pytest.mark.parametrize("name", ["spider", "hotpotqa", "ddxplus"])
def test_import_of_a_folder_and_a_zip(name: str, tmp_path: Path) -> None:
    made = MAKERS[name](tmp_path / "source")
    assert import_data(name, made, tmp_path / "data")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in made.rglob("*"):
            archive.write(path, path.relative_to(made))
    assert import_data(name, tmp_path / "all.zip", tmp_path / "unpacked")


def test_import_of_a_folder_into_itself_or_below(tmp_path: Path) -> None:
    made = MAKERS["hotpotqa"](tmp_path / "source")
    before = sorted(made.iterdir())
    assert import_data("hotpotqa", made, made) == before
    with pytest.raises(TaskError, match="lies within"):
        import_data("hotpotqa", made, made / "copy")
    assert sorted(made.iterdir()) == before


def test_a_folder_of_another_data_set_is_not_copied(tmp_path: Path) -> None:
    made = MAKERS["hotpotqa"](tmp_path / "source")
    with pytest.raises(TaskError, match="source holds none of"):
        import_data("ddxplus", made, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_import_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("x")
    with pytest.raises(TaskError, match="holds none of"):
        import_data("toolbench", tmp_path / "x.txt", tmp_path / "data")
    with pytest.raises(TaskError, match="does not exist"):
        import_data("toolbench", tmp_path / "nothing", tmp_path / "data")


def test_every_task_says_what_it_is_and_where_it_comes_from() -> None:
    assert set(publications()) == set(TASKS)
    for name in TASKS:
        data = published(name)
        assert data.what
        assert data.licence
        assert data.needs
        assert data.files or name == "papers"
        for edition in EDITIONS:
            names = [file.name for file in data.files if edition in file.editions]
            assert len(set(names)) == len(names)
    for source in (file for data in publications().values() for file in data.files):
        assert source.url.startswith(("https://", "http://curtis.ml.cmu.edu/"))
        assert "/" not in source.name
        kind, _, digest = source.checksum.partition(":")
        assert len(digest) == {"": 0, "md5": 32, "sha256": 64}[kind]


def _bad_zip(path: Path, harm: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA if harm == "lzma" else zipfile.ZIP_STORED) as made:
        made.writestr("good.json", "[]" * 1000)
        if harm == "conflict":
            made.writestr("good.json/below.json", "[]")
        elif harm == "long name":
            made.writestr("x" * 300 + ".json", "[]")
        elif harm == "no name":
            made.writestr("E", "[]")
    if harm == "no name":  # the length of the name is 0, in both headers
        body = path.read_bytes()
        local, central = body.rindex(b"PK\x03\x04") + 26, body.rindex(b"PK\x01\x02") + 28
        path.write_bytes(bytes(0 if at in (local, central) else byte for at, byte in enumerate(body)))
    if harm == "lzma":
        body = path.read_bytes()
        path.write_bytes(body.replace(body[60:64], b"\xff\xff\xff\xff", 1))
    return path


@pytest.mark.parametrize("harm", ["conflict", "long name", "no name", "lzma"])
@pytest.mark.parametrize("there", [False, True])
def test_an_import_that_fails_is_told_and_leaves_nothing(harm: str, there: bool, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    if there:
        folder.mkdir()
        (folder / "mine.txt").write_text("mine")
    with pytest.raises(TaskError):
        import_data("hotpotqa", _bad_zip(tmp_path / "bad.zip", harm), folder)
    left = sorted(path.name for path in tmp_path.rglob("*"))
    assert left == (["bad.zip", "data", "mine.txt"] if there else ["bad.zip"])


def test_pipes_link_loops_and_deep_json_are_told(tmp_path: Path) -> None:
    source, folder = tmp_path / "source", tmp_path / "data"
    source.mkdir()
    os.mkfifo(source / "train.json")
    with pytest.raises(TaskError, match="is no file"):
        import_data("hotpotqa", source, folder)
    with pytest.raises(TaskError, match="neither a file nor a folder"):
        import_data("hotpotqa", source / "train.json", folder)
    (source / "train.json").unlink()
    (source / "loop").symlink_to(source)
    (source / "self").symlink_to("self")
    (source / "hotpot_dev_distractor_v1.json").write_text("[" * 200_000)
    for name in ("hotpotqa", "spider", "ddxplus"):
        with pytest.raises(TaskError):
            import_data(name, source, folder)
    assert not folder.exists()
