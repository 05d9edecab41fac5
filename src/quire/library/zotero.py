"""PDFs of a Zotero library: its database and its storage folder, which are read and never changed.

    pdfs(Path("~/Zotero"))         # the folder with zotero.sqlite

Zotero may be running: a copy of the database is read. Attachments in the bin are left out.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

DATABASE = "zotero.sqlite"
_QUERY = """
    SELECT items.key, itemAttachments.path FROM itemAttachments JOIN items USING (itemID)
    WHERE itemAttachments.path IS NOT NULL AND items.itemID NOT IN (SELECT itemID FROM deletedItems)
      AND coalesce(itemAttachments.parentItemID, -1) NOT IN (SELECT itemID FROM deletedItems)
      AND (itemAttachments.contentType = 'application/pdf' OR lower(itemAttachments.path) LIKE '%.pdf')
    ORDER BY items.itemID
"""


def pdfs(folder: Path) -> list[Path]:
    """The PDFs that a Zotero library has, in the order in which they came in; there or not.

    Raises:
        OSError: the database cannot be read.
        ValueError: it is no database of Zotero's.
    """
    with tempfile.TemporaryDirectory(prefix="quire-") as place:
        copy = Path(shutil.copy(folder / DATABASE, place))
        wal = folder / f"{DATABASE}-wal"
        if wal.exists():  # what Zotero has written, but not yet folded in
            shutil.copy(wal, place)
        try:
            with closing(sqlite3.connect(copy)) as connection:
                rows = connection.execute(_QUERY).fetchall()
        except sqlite3.Error as error:
            raise ValueError(f"this is no database of Zotero's ({error})") from error
    found = (_place(folder, str(key), str(path)) for key, path in rows)
    return [path for path in found if path is not None]


def _place(folder: Path, key: str, path: str) -> Path | None:
    """Where an attachment is; None for one that lies nowhere that we know."""
    kind, _, name = path.partition(":")
    if kind == "storage":
        home = (folder / "storage" / key).resolve()
        inside = (home / name).resolve()
        return inside if inside.is_relative_to(home) and inside != home else None
    linked = Path(path)
    return linked if linked.is_absolute() else None
