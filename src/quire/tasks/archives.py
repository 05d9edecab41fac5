"""Unpacking archives that come from elsewhere: nothing outside the folder, no more than a limit."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from pathlib import Path

from quire.errors import TaskError

_LARGEST = 8 << 30  # bytes that an archive may unpack to
# What a damaged archive meets: RuntimeError is a password or a compression that Python lacks, LookupError a
# member without a name.
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, LookupError, RuntimeError, ValueError)


def unpack(archive: Path, folder: Path, inner: str = "") -> None:
    """Unpack into the folder, then the archives in it that match `inner`, each where it stands.

    Raises:
        TaskError: it is no zip file, is damaged or encrypted, is too large, or holds a path outside the
            folder.
    """
    _unpack(archive, folder)
    for nested in sorted(folder.glob(inner)) if inner else ():
        _unpack(nested, nested.parent)


def _unpack(archive: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
            if sum(member.file_size for member in members) > _LARGEST:
                raise TaskError(f"{archive} would unpack to more than {_LARGEST >> 30} GB.")
            for member in members:
                place = (folder / member.filename).resolve()
                if not place.is_relative_to(folder.resolve()):
                    raise TaskError(f"{archive} holds a path outside its folder: {member.filename}.")
            opened.extractall(folder)
    except DAMAGED as error:
        raise TaskError(f"{archive} is not a zip file, or is damaged or locked: {error}.") from error
    except OSError as error:
        raise TaskError(f"{archive} cannot be unpacked: {error}.", hint="Is the disk full?") from error
