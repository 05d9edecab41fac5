"""What a library's folder and database may consist of: files, folders and tables that quire itself makes.

    refuse_links(folder)                        # LibraryUnsafe: serve/uploads is a link to another place
    refuse_strange(connection, path)            # LibraryUnsafe: the view `pages`

A library may come from somebody else. A link in it would have quire read, overwrite or delete what it leads
to, and a view, macro or trigger would run its maker's SQL at every question.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import duckdb

from quire.errors import LibraryUnsafe

_DEEPEST = 6  # folders within each other; quire makes four
_AGAIN = "Make another library from its PDFs: `quire add {}/papers --library DIR`."
_STRANGE = """
SELECT 'view', view_name FROM duckdb_views() WHERE NOT internal
UNION ALL SELECT 'trigger', trigger_name FROM duckdb_triggers()
UNION ALL SELECT 'macro', function_name FROM duckdb_functions() WHERE NOT internal
LIMIT 1"""


def refuse_links(folder: Path) -> None:
    """Look through a library's folder for links, and other things that are neither files nor folders.

    Raises:
        LibraryUnsafe: there is one; the message names it.
    """
    if strange := next(_strange(folder, _DEEPEST), None):
        raise LibraryUnsafe(
            f"{strange} is a link to another place, or no file: quire follows none in a library.",
            hint="Put the file or folder itself there, or remove it.",
        )


def _strange(folder: Path | str, deep: int) -> Iterator[str]:
    try:
        entries = os.scandir(folder)
    except OSError:
        return  # not there yet, or not ours to read: whoever needs it says so
    with entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if deep:
                    yield from _strange(entry.path, deep - 1)
            elif not entry.is_file(follow_symlinks=False):
                yield entry.path


def refuse_strange(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Look through a library's database for what is no table.

    Raises:
        LibraryUnsafe: there is a view, a trigger or a macro; the message names it.
    """
    for kind, name in connection.execute(_STRANGE).fetchall():
        raise LibraryUnsafe(
            f"{path} holds the {kind} `{str(name)[:100]}`, which quire never makes; it is not opened.",
            hint=_AGAIN.format(path.parent),
        )
