"""Moving a library's vectors to another backend, and remembering where they are.

    move(resources, "milvus:/data/vectors.db", progress)      # then `index.vectors` in DIR/quire.toml says so

The vectors are copied before they are removed, and the setting is written last: a move that is interrupted is
begun again and leaves nothing behind.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from quire import settings as configuration
from quire.errors import SettingsError
from quire.index.moving import move as move_entries
from quire.library.resources import Resources, open_backend


def move(resources: Resources, uri: str, progress: Callable[[str, int], None] | None = None) -> int:
    """Move all vectors to the backend that `uri` names; gives the number of dense vectors moved.

    Raises:
        SettingsError: they are there already, or the library's settings file cannot be changed.
        UnknownNameError: there is no such backend.
    """
    if uri == resources.settings.index.vectors:
        raise SettingsError(f"The vectors are in `{uri}` already.")
    settings = resources.folder / "quire.toml"
    changed = with_vectors(settings.read_text(encoding="utf-8") if settings.exists() else "", uri)
    database = resources.database
    resources.tell()
    moved = move_entries(
        database.reading, database.writing, resources.backend, open_backend(uri), progress=progress
    )
    _replace(settings, changed)
    configuration.trust(resources.folder)  # who moves vectors has named the place
    return moved


def with_vectors(text: str, uri: str) -> str:
    """A settings file that says where the vectors are, all else left as it stands.

    Raises:
        SettingsError: the file is laid out in a way that cannot be changed safely.
    """
    try:
        document = tomlkit.parse(text)
        document.setdefault("index", tomlkit.table())["vectors"] = uri
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError) as error:
        raise SettingsError(
            f"The library's quire.toml cannot be changed safely: {error}.",
            hint=f"Write `vectors = {json.dumps(uri, ensure_ascii=False)}` under [index] yourself.",
        ) from error


def _replace(file: Path, text: str) -> None:
    draft = file.with_suffix(f".{os.getpid()}.draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)
