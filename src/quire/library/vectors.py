"""Moving a library's vectors to another backend, and remembering where they are.

    move(resources, "milvus:/data/vectors.db", progress)      # then `index.vectors` in DIR/quire.toml says so

The vectors are copied before they are removed, and the setting is written last: a move that is interrupted is
begun again and leaves nothing behind.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from quire import atomic, trust
from quire import settings as configuration
from quire.errors import SettingsError
from quire.library import indexing
from quire.library.resources import Resources
from quire.search.cells import ENCODABLE
from quire.search.index import HERE, STORES, Index
from quire.search.slots import Ids
from quire.search.view import View

_BATCH = 2000


def move(resources: Resources, uri: str, progress: Callable[[str, int], None] | None = None) -> int:
    """Move all vectors to the backend that `uri` names; gives the number of dense vectors moved.

    Raises:
        SettingsError: they are there already, or the library's settings file cannot be changed.
        UnknownNameError: there is no such backend.
    """
    uri = HERE if uri == "duckdb" else uri  # as older settings name it
    if uri.removesuffix("?words") == resources.settings.index.vectors.removesuffix("?words"):
        raise SettingsError(
            f"The vectors are in `{uri}` already.", hint="Words come and go with them: move to `files` first."
        )
    if uri != HERE:
        STORES[uri.partition(":")[0].partition("+")[0]]  # an unknown one is told with the choices
    settings = resources.folder / "quire.toml"
    changed = with_vectors(settings.read_text(encoding="utf-8") if settings.exists() else "", uri)
    indexing.bring_up(resources)
    source, target = resources.index, Index(resources.index.folder, uri)
    with resources.database.reading() as connection:
        view = source.view(connection)
    moved = [_copy(source, target, name, view, progress) for name in resources.dense]
    atomic.write(settings, changed)
    configuration.trust(resources.folder)  # who moves vectors has named the place
    for name in resources.dense:
        source.vectors(name).drop()
    source.close()
    target.close()
    return sum(moved)


def _copy(
    source: Index, target: Index, name: str, view: View, progress: Callable[[str, int], None] | None
) -> int:
    """Copy the vectors of one collection; gives how many."""
    alive = view.selected(ENCODABLE)
    ids: Ids = np.flatnonzero(alive & source.vectors(name).held(len(alive)))
    for start in range(0, len(ids), _BATCH):
        some = ids[start : start + _BATCH]
        target.vectors(name).put(some, source.vectors(name).rows(some), view)
        if progress:
            progress(name, start + len(some))
    target.vectors(name).settle(view)
    return len(ids)


def with_vectors(text: str, uri: str) -> str:
    """A settings file that says where the vectors are, all else left as it stands.

    Raises:
        SettingsError: the file is laid out in a way that cannot be changed safely.
    """
    try:
        return trust.with_values(text, "index", vectors=uri)
    except ValueError as error:
        raise SettingsError(
            f"The library's quire.toml cannot be changed safely: {error}.",
            hint=f"Write `vectors = {json.dumps(uri, ensure_ascii=False)}` under [index] yourself.",
        ) from error
