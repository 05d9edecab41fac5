"""Downloading one file, over a real local server."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.errors import TaskError
from quire_streams.tasks.downloading import Transfer, download
from tasks.server import Place, serving

BODY = bytes(range(256)) * 40


@pytest.fixture
def place() -> Iterator[Place]:
    with serving() as running:
        running.files["/a.bin"] = BODY
        yield running


def test_a_file_comes_whole_and_its_way_is_told(place: Place, tmp_path: Path) -> None:
    seen: list[Transfer] = []
    download(f"{place.url}/a.bin", tmp_path / "a.bin", len(BODY), seen.append)
    assert (tmp_path / "a.bin").read_bytes() == BODY
    assert seen[-1] == Transfer("a.bin", len(BODY), len(BODY))
    assert [path.name for path in tmp_path.iterdir()] == ["a.bin"]


def test_broken_connections_are_taken_up_again(place: Place, tmp_path: Path) -> None:
    place.cuts["/a.bin"] = [3000, 2000]
    download(f"{place.url}/a.bin", tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == BODY
    assert place.asked == ["", "bytes=3000-", "bytes=5000-"]


def test_a_later_call_goes_on(place: Place, tmp_path: Path) -> None:
    place.cuts["/a.bin"] = [1000, 0]
    with pytest.raises(TaskError, match="cut after 1000 of") as failed:
        download(f"{place.url}/a.bin", tmp_path / "a.bin")
    assert "1000 bytes are kept" in failed.value.hint
    download(f"{place.url}/a.bin", tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == BODY
    assert place.asked[-1] == "bytes=1000-"


def test_another_file_by_now_is_fetched_from_the_start(place: Place, tmp_path: Path) -> None:
    place.cuts["/a.bin"] = [1000, 0]
    with pytest.raises(TaskError):
        download(f"{place.url}/a.bin", tmp_path / "a.bin")
    place.files["/a.bin"] = BODY[::-1]
    download(f"{place.url}/a.bin", tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == BODY[::-1]


def test_a_server_without_ranges_starts_again(place: Place, tmp_path: Path) -> None:
    place.ranges = False
    place.cuts["/a.bin"] = [9000]
    download(f"{place.url}/a.bin", tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == BODY


def test_a_part_that_was_whole_already(place: Place, tmp_path: Path) -> None:
    place.cuts["/a.bin"] = [1000, 0]
    with pytest.raises(TaskError):
        download(f"{place.url}/a.bin", tmp_path / "a.bin")
    (tmp_path / "a.bin.part").write_bytes(BODY)  # ended just before it got its name
    download(f"{place.url}/a.bin", tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == BODY


def test_a_damaged_mark_means_from_the_start(place: Place, tmp_path: Path) -> None:
    (tmp_path / "a.bin.part").write_bytes(b"something")
    (tmp_path / "a.bin.part.version").write_text("{oops\n\u2014")
    download(f"{place.url}/a.bin", tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == BODY
    assert place.asked == [""]


@pytest.mark.parametrize("lengths", [True, False])
def test_the_size_must_be_the_published_one(place: Place, tmp_path: Path, lengths: bool) -> None:
    place.lengths = lengths
    with pytest.raises(TaskError, match=f"{len(BODY)} bytes, expected 7"):
        download(f"{place.url}/a.bin", tmp_path / "a.bin", 7)
    assert not (tmp_path / "a.bin").exists()


def test_without_a_length_a_cut_is_seen_by_the_published_size(place: Place, tmp_path: Path) -> None:
    place.lengths = False
    place.cuts["/a.bin"] = [1000]
    download(f"{place.url}/a.bin", tmp_path / "a.bin", len(BODY))
    assert (tmp_path / "a.bin").read_bytes() == BODY


PAGE = b"<!DOCTYPE html><title>Virus scan warning</title><form>Download anyway?</form>"


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/octet-stream"])
def test_a_page_that_wants_a_click_is_not_the_file(place: Place, tmp_path: Path, kind: str) -> None:
    place.files["/uc"] = PAGE
    place.kinds["/uc"] = kind
    with pytest.raises(TaskError, match="a web page, not the file") as failed:
        download(f"{place.url}/uc?id=1", tmp_path / "a.zip")
    assert "in a browser" in failed.value.hint
    assert "quire tasks import" in failed.value.hint
    assert not (tmp_path / "a.zip").exists()


def _zip() -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr("a.txt", "x" * 5000)
    return body.getvalue()


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("a.zip", _zip(), _zip()[:-30]),
        ("a.parquet", b"PAR1....PAR1", b"PAR1...."),
        ("a.json", b' {"a": 1}', b"Not found"),
        ("a.jsonl", b'{"a": 1}\n', b"version https://git-lfs.github.com/spec/v1"),
    ],
)
def test_a_file_must_be_of_its_kind(place: Place, tmp_path: Path, name: str, good: bytes, bad: bytes) -> None:
    place.files["/good"], place.files["/bad"] = good, bad
    download(f"{place.url}/good", tmp_path / name)
    with pytest.raises(TaskError, match="it is kept as"):
        download(f"{place.url}/bad", tmp_path / f"other-{name}")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, f"other-{name}.refused"])


@pytest.mark.parametrize(("code", "hint"), [(403, "asks for a login"), (404, ""), (503, "")])
def test_refusals_are_named(place: Place, tmp_path: Path, code: int, hint: str) -> None:
    place.codes["/a.bin"] = code
    with pytest.raises(TaskError, match=f"HTTP Error {code}") as failed:
        download(f"{place.url}/a.bin", tmp_path / "a.bin")
    assert hint in failed.value.hint


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="Cannot fetch http://127.0.0.1:9/a"):
        download("http://127.0.0.1:9/a", tmp_path / "a")
