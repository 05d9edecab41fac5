"""Files that are written whole or not at all."""

from __future__ import annotations

import gc
import os
import stat
from pathlib import Path

import pytest

from quire import atomic


def test_readers_see_the_old_or_the_new(tmp_path: Path) -> None:
    place = tmp_path / "state.json"
    atomic.write(place, "first, ü")
    with place.open(encoding="utf-8") as held:
        atomic.write(place, b"second", lasting=True)
        assert (held.read(), place.read_text()) == ("first, ü", "second")
    assert [file.name for file in tmp_path.iterdir()] == ["state.json"]


def test_what_fails_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kept").write_text("kept")
    with pytest.raises(OSError):  # noqa: PT011  # whichever the system gives
        atomic.write(tmp_path / "folder", "text")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]
    assert (tmp_path / "folder" / "kept").read_text() == "kept"


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("years of work")
    (tmp_path / f".place.{os.getpid()}.draft").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError):  # noqa: PT011
        atomic.write(tmp_path / "place", "text")
    assert (tmp_path / "precious").read_text() == "years of work"


def test_a_secret_is_its_owners(tmp_path: Path) -> None:
    atomic.write(tmp_path / "key", "secret", mode=0o600)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_a_scratch_folder_goes_with_its_owner() -> None:
    class Owner: ...

    owner = Owner()
    folder = atomic.scratch(owner)
    (folder / "rows").write_text("1")
    assert folder.is_dir()
    del owner
    gc.collect()
    assert not folder.exists()
