"""PDFs that a catalogue names: file fields of BibTeX (`.bib`) and RIS (`.ris`), and a Zotero library.

    pdfs_of_bibliography(Path("refs.bib"))     # file = {Full text:files/12/Vaswani 2017.pdf:application/pdf}
    pdfs_of_bibliography(Path("refs.ris"))     # L1  - files/12/Vaswani 2017.pdf
    pdfs_of_zotero(Path("~/Zotero"))           # the folder with zotero.sqlite

Zotero, JabRef and Mendeley write bibliographies; relative paths are meant from where the bibliography is.
Zotero's database and storage folder are read and never changed. It may be running: a copy of the database is
read. Attachments in the bin are left out.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LARGEST = 64 << 20  # bytes
_FIELD = re.compile(r"(?:^|[\s,{])file\s*=\s*([{\"])", re.IGNORECASE)
_RIS = re.compile(r"^L[14]\s{1,4}-\s?(.+)$", re.MULTILINE)
_TITLE = re.compile(r"^(?:TI|T1)\s{1,4}-\s?(.+)$", re.M)
_ENTRY = re.compile(r"^[ \t]{0,20}@([A-Za-z]{1,40})\s{0,20}[{(]\s{0,20}([^,\s{}()]{0,200})", re.M)
_SPLIT = {sign: re.compile(rf"(?<!\\){sign}") for sign in ";:"}
_ADDRESS = re.compile(r"https?:", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(.)")
ENDINGS = (".bib", ".ris")


def pdfs_of_bibliography(file: Path) -> list[Path]:
    """The PDFs that a bibliography names, there or not.

    Raises:
        OSError: it cannot be read.
        ValueError: it is too large to be one.
    """
    if file.stat().st_size > _LARGEST:
        raise ValueError("this is too large to be a bibliography")
    text = file.read_text(encoding="utf-8-sig", errors="surrogateescape")
    named = _of_ris(text) if file.suffix.lower() == ".ris" else _of_bibtex(text)
    return [_place(name, file.parent) for name in dict.fromkeys(named)]


def without_pdf(file: Path) -> list[str]:
    """The keys (in RIS the titles) of the entries that name no PDF."""
    text = file.read_text(encoding="utf-8-sig", errors="surrogateescape")
    if file.suffix.lower() == ".ris":
        records = [part for part in re.split(r"^ER\s{1,4}-", text, flags=re.M) if part.strip()]
        titles = [(_TITLE.search(part), part) for part in records]
        return [title[1].strip() if title else "?" for title, part in titles if not _of_ris(part)]
    starts = [one for one in _ENTRY.finditer(text) if one[1].lower() not in ("comment", "string", "preamble")]
    ends = [*(one.start() for one in starts[1:]), len(text)]
    parts = [(one[2] or "?", text[one.start() : end]) for one, end in zip(starts, ends, strict=True)]
    return [key for key, part in parts if not _of_bibtex(part)]


def _of_ris(text: str) -> list[str]:
    values = (value.strip() for value in _RIS.findall(text))
    return [value for value in values if _is_pdf(value)]


def _of_bibtex(text: str) -> list[str]:
    found = []
    for match in _FIELD.finditer(text):
        for part in _SPLIT[";"].split(_value(text, match.end(), match[1])):
            pieces = [_ESCAPED.sub(r"\1", piece).strip() for piece in _SPLIT[":"].split(part)]
            whole = _ESCAPED.sub(r"\1", part).strip()
            if _ADDRESS.match(whole):
                continue
            named = [piece for piece in pieces if _is_pdf(piece)] or ([whole] if _is_pdf(whole) else [])
            found += named[:1]
    return found


def _value(text: str, start: int, opening: str) -> str:
    """What stands in the braces or quotes that open before `start`."""
    depth = 0
    for place in range(start, min(len(text), start + 10_000)):
        sign = text[place]
        if depth == 0 and sign == ("}" if opening == "{" else '"') and text[place - 1] != "\\":
            return text[start:place]
        depth += (sign == "{") - (sign == "}")
    return ""


def _is_pdf(name: str) -> bool:
    return name.lower().endswith(".pdf") and not _ADDRESS.match(name)


def _place(name: str, folder: Path) -> Path:
    if name.lower().startswith("file:"):
        name = unquote(urlsplit(name).path)
    path = Path(name).expanduser()
    if path.is_absolute() or (folder / path).exists():
        return folder / path
    rooted = Path("/") / path  # Mendeley leaves the first slash out
    return rooted if rooted.exists() else folder / path


ZOTERO = "zotero.sqlite"
_QUERY = """
    SELECT items.key, itemAttachments.path FROM itemAttachments JOIN items USING (itemID)
    WHERE itemAttachments.path IS NOT NULL AND items.itemID NOT IN (SELECT itemID FROM deletedItems)
      AND coalesce(itemAttachments.parentItemID, -1) NOT IN (SELECT itemID FROM deletedItems)
      AND (itemAttachments.contentType = 'application/pdf' OR lower(itemAttachments.path) LIKE '%.pdf')
    ORDER BY items.itemID
"""


def pdfs_of_zotero(folder: Path) -> list[Path]:
    """The PDFs that a Zotero library has, in the order in which they came in; there or not.

    Raises:
        OSError: the database cannot be read.
        ValueError: it is no database of Zotero's.
    """
    with tempfile.TemporaryDirectory(prefix="quire-") as place:
        copy = Path(shutil.copy(folder / ZOTERO, place))
        wal = folder / f"{ZOTERO}-wal"
        if wal.exists():  # what Zotero has written, but not yet folded in
            shutil.copy(wal, place)
        try:
            with closing(sqlite3.connect(copy)) as connection:
                rows = connection.execute(_QUERY).fetchall()
        except sqlite3.Error as error:
            raise ValueError(f"this is no database of Zotero's ({error})") from error
    found = (_attachment(folder, str(key), str(path)) for key, path in rows)
    return [path for path in found if path is not None]


def _attachment(folder: Path, key: str, path: str) -> Path | None:
    """Where an attachment is; None for one that lies nowhere that we know."""
    kind, _, name = path.partition(":")
    if kind == "storage":
        home = (folder / "storage" / key).resolve()
        inside = (home / name).resolve()
        return inside if inside.is_relative_to(home) and inside != home else None
    linked = Path(path)
    return linked if linked.is_absolute() else None
