"""What is published of a task's data: places, sizes, checksums, licence. Read from `sources.toml`.

published("toolbench").licence                    # "MIT"
published("toolbench").edition("streambench")     # its files there
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from quire.errors import TaskError, UnknownNameError
from quire_streams.tasks import TASKS

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
    return {task: _publication(entry) for task, entry in loaded.items()}


def published(task: str) -> Publication:
    """What is published of a task; of one without an entry only what its docs say.

    Raises:
        UnknownNameError: there is no such task.
    """
    if found := publications().get(task):
        return found
    about = inspect.getdoc(TASKS.load(task)) or task
    return Publication(about.splitlines()[0], "not told", "", "its data, given with --data")


def _publication(entry: Mapping[str, Any]) -> Publication:
    files = (
        DataSource(**{**file, "editions": tuple(file.get("editions", EDITIONS))})
        for file in entry.get("files", ())
    )
    return Publication(entry["what"], entry["licence"], entry["page"], entry["needs"], tuple(files))
