"""Getting the data of a task: from the published places with checksums, or from files that a user has.

    fetch("ddxplus", folder)              # downloads; asks `quire`'s offline switch first
    import_data("spider", source, folder) # copies what the task reads out of a folder, file or zip

Places that publish no checksum are pinned on first use: the digest is written beside the file and a later
fetch that gets something else is refused. Databases of BIRD, Spider and CoSQL come as archives.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

from quire.errors import OfflineError, TaskError
from quire.tasks.archives import unpack
from quire.tasks.downloading import Transfer, download
from quire.tasks.publication import Source, published

_PINS = "checksums.json"


def fetch(
    task: str,
    folder: Path,
    *,
    edition: str = "streambench",
    offline: bool = False,
    listen: Callable[[Transfer], None] | None = None,
) -> list[Path]:
    """Download an edition of a task's data; files that are there and unchanged are kept.

    Raises:
        OfflineError: quire runs offline; names the address of the first file that is missing.
        UnknownNameError: there is no such task or edition.
        TaskError: a place cannot be reached, or a file is not what it was.
    """
    files = published(task).edition(edition)
    folder.mkdir(parents=True, exist_ok=True)
    return [_fetched(source, folder, offline, listen) for source in files]


def import_data(task: str, source: Path, folder: Path) -> list[Path]:
    """Copy a data set from a folder, a file or a zip, and make sure that the task reads it.

    Raises:
        TaskError: the source is missing, or the task cannot read what it holds.
    """
    from quire.tasks.open import open_task

    if not source.exists():
        raise TaskError(f"{source} does not exist.")
    if source.is_dir():
        open_task(task).load(source)  # before anything is copied
        if source.resolve() in folder.resolve().parents:
            raise TaskError(f"{folder} lies within {source}.", hint="Choose a folder elsewhere with -o.")
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_dir() and source.resolve() != folder.resolve():
        shutil.copytree(source, folder, dirs_exist_ok=True)
    elif source.is_dir():
        pass  # it is there
    elif source.suffix == ".zip" and not source.name.startswith("release_"):
        unpack(source, folder)
    else:
        shutil.copy2(source, folder / source.name)
    open_task(task).load(folder)
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _fetched(source: Source, folder: Path, offline: bool, listen: Callable[[Transfer], None] | None) -> Path:
    target = folder / source.name
    expected = source.checksum or _pins(folder).get(source.name, "")
    there = target.exists() and (not expected or _digest(target, expected) == expected)
    if not there:
        if offline:
            raise OfflineError(f"{source.url} was not fetched: quire runs offline.")
        download(source.url, target, source.bytes, listen)
    digest = _digest(target, expected)
    if expected and digest != expected:
        target.rename(target.with_name(target.name + ".refused"))
        raise TaskError(
            f"{source.url} is not what it was: {digest}, expected {expected}.",
            hint="The file is kept with the ending .refused.",
        )
    _pin(folder, source.name, digest)
    unpacked = target.with_name(target.name + ".unpacked")  # written last: a cut unpacking is done again
    if source.unpack and not (there and unpacked.exists()):
        unpack(target, folder, source.inner)
        unpacked.touch()
    return target


def _digest(path: Path, like: str = "") -> str:
    """`kind:hex` of a file, of the kind of another digest, else SHA-256."""
    kind = like.partition(":")[0] or "sha256"
    with path.open("rb") as file:
        return f"{kind}:{hashlib.file_digest(file, kind).hexdigest()}"


def _pins(folder: Path) -> dict[str, str]:
    path = folder / _PINS
    try:
        pins: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except ValueError as error:
        raise TaskError(f"{path} is damaged: {error}.", hint="Remove it to pin the files anew.") from error
    return {name: pin if ":" in pin else f"sha256:{pin}" for name, pin in pins.items()}


def _pin(folder: Path, name: str, digest: str) -> None:
    pins = _pins(folder) | {name: digest}
    (folder / _PINS).write_text(json.dumps(pins, indent=1, sort_keys=True) + "\n", encoding="utf-8")
