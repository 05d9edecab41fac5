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
import tomllib
import urllib.request
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from urllib.error import URLError

from quire.errors import OfflineError, TaskError

_PINS = "checksums.json"
_SECONDS = 60
_LARGEST = 8 << 30  # bytes that an archive may unpack to


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a task: from where, under which name, SHA-256 ("" pins on first use), to unpack or not."""

    url: str
    name: str
    sha256: str = ""
    unpack: bool = False


@cache
def sources() -> dict[str, tuple[Source, ...]]:
    """What is published of each task."""
    file = resources.files("quire.tasks").joinpath("sources.toml")
    loaded = tomllib.loads(file.read_text(encoding="utf-8"))
    return {task: tuple(Source(**entry) for entry in entries["files"]) for task, entries in loaded.items()}


def fetch(task: str, folder: Path, *, offline: bool = False) -> list[Path]:
    """Download what is published of a task; files that are there and unchanged are kept.

    Raises:
        OfflineError: quire runs offline; names the first file that is missing.
        TaskError: a place cannot be reached, or a file is not what it was.
    """
    if task not in sources():
        raise TaskError(f"Task `{task}` has nothing to fetch.", hint=f"Known: {', '.join(sources())}.")
    folder.mkdir(parents=True, exist_ok=True)
    return [_fetched(source, folder, offline) for source in sources()[task]]


def import_data(task: str, source: Path, folder: Path) -> list[Path]:
    """Copy a data set from a folder, a file or a zip, and make sure that the task reads it.

    Raises:
        TaskError: the source is missing, or the task cannot read what it holds.
    """
    from quire.tasks.open import open_task

    if not source.exists():
        raise TaskError(f"{source} does not exist.")
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, folder, dirs_exist_ok=True)
    elif source.suffix == ".zip" and not source.name.startswith("release_"):
        _unpack(source, folder)
    else:
        shutil.copy2(source, folder / source.name)
    open_task(task).load(folder)
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _fetched(source: Source, folder: Path, offline: bool) -> Path:
    target = folder / source.name
    expected = source.sha256 or _pins(folder).get(source.name, "")
    if not (target.exists() and (not expected or _digest(target) == expected)):
        if offline:
            raise OfflineError(f"{source.url} was not fetched: quire runs offline.")
        _download(source.url, target)
    digest = _digest(target)
    if expected and digest != expected:
        target.rename(target.with_name(target.name + ".refused"))
        raise TaskError(
            f"{source.url} is not what it was: SHA-256 {digest}, expected {expected}.",
            hint="The file is kept with the ending .refused.",
        )
    _pin(folder, source.name, digest)
    if source.unpack:
        _unpack(target, folder)
    return target


def _download(url: str, target: Path) -> None:
    part = target.with_name(target.name + ".part")
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as reply, part.open("wb") as file:
            shutil.copyfileobj(reply, file)
    except (URLError, OSError) as error:
        part.unlink(missing_ok=True)
        raise TaskError(f"Cannot fetch {url}: {error}.") from error
    part.replace(target)


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
    except zipfile.BadZipFile as error:
        raise TaskError(f"{archive} is not a zip file.") from error


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pins(folder: Path) -> dict[str, str]:
    path = folder / _PINS
    pins: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return pins


def _pin(folder: Path, name: str, digest: str) -> None:
    pins = _pins(folder) | {name: digest}
    (folder / _PINS).write_text(json.dumps(pins, indent=1, sort_keys=True) + "\n", encoding="utf-8")
