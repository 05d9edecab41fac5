"""Getting the data of a task: from the published places with checksums, or from files that a user has.

    fetch("ddxplus", folder)              # downloads; asks `quire`'s offline switch first
    import_data("spider", source, folder) # copies what the task reads out of a folder, file or zip

Places that publish no checksum are pinned on first use: the digest is written beside the file and a later
fetch that gets something else is refused. Databases of BIRD, Spider and CoSQL come as archives.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import os
import shutil
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from pydantic import TypeAdapter

from quire.errors import OfflineError, TaskError, UnknownNameError
from quire.eval.files import DAMAGED
from quire_streams.tasks import TASKS
from quire_streams.tasks.downloading import Transfer, download
from quire_streams.tasks.protocol import open_task, read_as

_LARGEST = 8 << 30  # bytes that an archive may unpack to
# What a damaged archive meets: RuntimeError is a password or a compression that Python lacks, LookupError a
# member without a name.


def unpack(archive: Path, folder: Path, inner: str = "") -> None:
    """Unpack into the folder, then the archives in it that match `inner`, each where it stands.

    Raises:
        TaskError: it is no zip file, is damaged or encrypted, is too large, or holds a path outside the
            folder.
    """
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
    for nested in sorted(folder.glob(inner)) if inner else ():
        unpack(nested, nested.parent)


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

    What is no file (a pipe, a device) is refused, each folder behind links is copied once, and nothing stays
    of an import that fails.

    Raises:
        TaskError: the source is missing or cannot be copied, or the task cannot read what it holds.
    """
    if not source.is_dir() and not source.is_file():
        raise TaskError(
            f"{source} is neither a file nor a folder." if source.exists() else f"{source} does not exist."
        )
    copies = {source: folder / source.name}
    if source.is_dir():
        copies = {file: folder / file.relative_to(source) for file in _files(source)}
        _check_readable(task, source)  # before anything is copied
        if source.resolve() in folder.resolve().parents:
            raise TaskError(f"{folder} lies within {source}.", hint="Choose a folder elsewhere with -o.")
    before = {*folder.rglob("*")} if folder.exists() else None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".zip" and source.is_file() and not source.name.startswith("release_"):
            unpack(source, folder)
        elif source.resolve() != folder.resolve():  # else it is there
            for file, target in copies.items():
                _copy(file, target)
        _check_readable(task, folder)
    except BaseException:
        _remove_new(folder, before)
        raise
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _check_readable(task: str, folder: Path) -> None:
    with read_as(task, folder):
        open_task(task).load(folder)


def _files(folder: Path) -> Iterator[Path]:
    """The files of a folder, through links too, each real folder once."""
    entered: set[Path] = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        here = Path(root)
        if here.resolve() in entered:
            folders.clear()
            continue
        entered.add(here.resolve())
        for path in (here / name for name in names):
            if path.is_file():
                yield path
            elif path.exists():
                raise TaskError(f"{path} is no file.", hint="Remove it.")


def _copy(file: Path, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target)
    except (OSError, shutil.Error) as error:
        raise TaskError(f"{file} cannot be copied to {target}: {error}.") from error


def _remove_new(folder: Path, before: set[Path] | None) -> None:
    if before is None:
        shutil.rmtree(folder, ignore_errors=True)
        return
    for path in sorted(folder.rglob("*"), reverse=True):
        if path not in before:
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def _fetched(
    source: DataSource, folder: Path, offline: bool, listen: Callable[[Transfer], None] | None
) -> Path:
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
    pins = _pins(folder) | {source.name: digest}
    (folder / _PINS).write_text(json.dumps(pins, indent=1, sort_keys=True) + "\n", encoding="utf-8")
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


EDITIONS = ("streambench", "original")


@dataclass(frozen=True, slots=True)
class DataSource:
    """One file: from where, under which name, and what it must be.

    `bytes` is its exact size and `checksum` "sha256:..." or "md5:..." ("": pinned at the first download);
    `about` is a size that is only shown. An archive with `unpack` is unpacked, and after it the archives in
    it that match `inner`.
    """

    url: str
    name: str
    bytes: int = 0
    about: int = 0
    checksum: str = ""
    unpack: bool = False
    inner: str = ""
    editions: tuple[str, ...] = EDITIONS


@dataclass(frozen=True, slots=True)
class Publication:
    """A data set: what it is, its licence and page, what a run needs besides, and its files."""

    what: str
    licence: str
    page: str
    needs: str
    files: tuple[DataSource, ...] = ()

    def edition(self, name: str) -> tuple[DataSource, ...]:
        """The files of an edition.

        Raises:
            UnknownNameError: there is no such edition.
            TaskError: nothing is published of it.
        """
        if name not in EDITIONS:
            raise UnknownNameError(
                f"There is no edition `{name}`.", hint=f"Choose from: {', '.join(EDITIONS)}."
            )
        files = tuple(file for file in self.files if name in file.editions)
        if not files:
            others = [each for each in EDITIONS if any(each in file.editions for file in self.files)]
            hint = f"There is the edition `{others[0]}`." if others else f"It needs {self.needs}."
            raise TaskError(f"Nothing is published as the edition `{name}`.", hint=hint)
        return files

    def size(self, name: str) -> int:
        """Bytes of an edition as far as they are known; 0 if of none."""
        return sum(file.bytes or file.about for file in self.files if name in file.editions)


@cache
def publications() -> Mapping[str, Publication]:
    """All tasks, by name."""
    file = resources.files("quire_streams.tasks").joinpath("sources.toml")
    loaded = tomllib.loads(file.read_text(encoding="utf-8"))
    return TypeAdapter(dict[str, Publication]).validate_python(loaded)


def published(task: str) -> Publication:
    """What is published of a task; of one without an entry only what its docs say.

    Raises:
        UnknownNameError: there is no such task.
    """
    if found := publications().get(task):
        return found
    about = inspect.getdoc(TASKS.load(task)) or task
    return Publication(about.splitlines()[0], "not told", "", "its data, given with --data")
