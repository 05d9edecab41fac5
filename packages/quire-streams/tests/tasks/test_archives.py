"""Unpacking what came from elsewhere: whatever is wrong with it is one kind of error."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from quire.errors import TaskError
from quire_streams.tasks.fetching import unpack


def _archive(path: Path) -> bytes:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.txt", "some text " * 200)
    return path.read_bytes()


def _locked(body: bytes) -> bytes:
    """The bit that says that a password is needed, in both headers."""
    local, central = body.index(b"PK\x03\x04") + 6, body.index(b"PK\x01\x02") + 8
    return bytes(byte | (at in (local, central)) for at, byte in enumerate(body))


def _broken(body: bytes) -> bytes:
    """The first bytes of the compressed text are others."""
    start = body.index(b"a.txt") + len("a.txt")
    return body[:start] + b"\xff" * 4 + body[start + 4 :]


@pytest.mark.parametrize("harm", [_locked, _broken, lambda body: body[:-30], lambda body: b"no zip"])
def test_what_is_wrong_with_an_archive_is_told(harm: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    body = _archive(path)
    unpack(path, tmp_path / "good")
    assert (tmp_path / "good" / "a.txt").read_text().startswith("some text")
    path.write_bytes(harm(body))
    with pytest.raises(TaskError, match=r"a\.zip"):
        unpack(path, tmp_path / "bad")
