"""Which files a user means: files, folders, globs, lists of paths, bibliographies, Zotero, and the network.

    find(["papers/", "more/*.pdf", "@list.txt", "odd name.dat", "refs.bib", "~/Zotero", "arxiv:1706.03762"])

Folders are searched for `*.pdf` (any case) through links too, each real folder once, so a loop of links ends.
A file that is named outright is taken whatever its ending. Hidden folders are skipped, and so is the library.

Of a catalogue it is the PDFs that it names: the file fields of BibTeX and RIS, as Zotero, JabRef and Mendeley
write them (relative paths are meant from where the bibliography is), and the attachments of a Zotero library.
Zotero's files are read and never changed. It may be running: a copy of its database is read.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from quire.errors import DocumentError, OfflineError
from quire.library import fetching

_GLOB = re.compile(r"[*?\[]")
_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_MAX_LIST = 64 << 20  # bytes of a list of paths
_LONGEST_PATH = 4000
_NAMED = 6  # files left out that are named
_PANDOC = "pandoc {name} -o {stem}.pdf"
_OFFICE = "soffice --headless --convert-to pdf {name}"
_BROWSER = "print it to a PDF in a browser"
# Kinds of documents that people have beside PDFs, and what makes a PDF of one.
_OTHERS = {
    **dict.fromkeys((".md", ".markdown", ".rst", ".txt", ".epub", ".org"), _PANDOC),
    **dict.fromkeys((".docx", ".doc", ".odt", ".rtf", ".pptx", ".ppt", ".odp", ".xlsx", ".ods"), _OFFICE),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".mhtml"), _BROWSER),
    ".tex": "pdflatex {name}",
    ".ps": "ps2pdf {name}",
    ".djvu": "ddjvu -format=pdf {name} {stem}.pdf",
}


@dataclass
class FoundFiles:
    """Files in the order in which they were named, each once; what could not be found, and why.

    `left` are documents of other kinds in the folders that were searched; `notes` say what else to know.
    """

    files: list[Path] = field(default_factory=list)
    missing: list[tuple[Path, str]] = field(default_factory=list)
    left: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def find(
    paths: Iterable[str | Path], *, skip: Path | None = None, fetch: Callable[[str], Path] | None = None
) -> FoundFiles:
    """Expand what a user named.

    `skip` is a folder that is never searched (the library itself); `fetch` gets what is in the network.
    """
    found = FoundFiles()
    skipped = skip.resolve() if skip else None
    for path in paths:
        if fetch and fetching.remote(str(path)) and not Path(path).exists():
            try:
                found.files.append(fetch(str(path)))
            except (OfflineError, DocumentError) as error:
                found.missing.append((Path(path), str(error).rstrip(".")))
        else:
            _expand(str(path), found, skipped, lists=True)
    unique: dict[str, Path] = {}
    for file in found.files:
        unique.setdefault(os.path.realpath(file), file)
    found.files = list(unique.values())
    if found.left:
        found.notes.append(_left_out(found.left))
    return found


def _left_out(files: Sequence[Path]) -> str:
    named = ", ".join(file.name for file in files[:_NAMED])
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    whats = "document is no PDF and was" if len(files) == 1 else "documents are no PDFs and were"
    how = how_to_make(files[0])
    return f"{len(files)} {whats} left out: {named}{more}. To have one in, make a PDF of it: {how}."


def how_to_make(file: Path) -> str:
    """What makes a PDF of a document of another kind; "" where it is of no kind that is known."""
    how = _OTHERS.get(file.suffix.lower(), "").format(name=file.name, stem=file.stem)
    return how if how in ("", _BROWSER) else f"`{how}`"


def _expand(text: str, found: FoundFiles, skip: Path | None, *, lists: bool) -> None:
    path = Path(text).expanduser()
    try:
        if lists and text.startswith("@") and not path.exists():
            _expand_list(Path(text[1:]).expanduser(), found, skip)
        elif _URL.match(text) and not path.exists():
            found.missing.append((path, "this is a URL, not a file; download it first"))
        elif path.name == ZOTERO or (path / ZOTERO).is_file():
            folder = path if path.is_dir() else path.parent
            _expand_catalogue(path, pdfs_of_zotero(folder), found)
        elif path.is_dir():
            _expand_folder(path, found, skip)
        elif path.is_file() and not _is_pdf(path):
            _expand_other(path, found, skip, lists=lists)
        elif path.exists() or path.is_symlink():
            found.files.append(path)
        elif _GLOB.search(text):
            _expand_glob(path, found, skip)
        else:
            found.missing.append((path, "there is no such file"))
    except (OSError, ValueError) as error:
        found.missing.append((path, f"cannot be read: {getattr(error, 'strerror', None) or error}"))


def _expand_folder(path: Path, found: FoundFiles, skip: Path | None) -> None:
    before = len(found.files)
    for file in _walk(path, skip):
        (found.files if file.suffix.lower() == ".pdf" else found.left).append(file)
    if len(found.files) == before:
        found.missing.append((path, "there is no PDF in this folder"))


def _expand_other(path: Path, found: FoundFiles, skip: Path | None, *, lists: bool) -> None:
    """A file that is no PDF inside: a bibliography, a list of paths, or a document of another kind."""
    ending = path.suffix.lower()
    if ending in ENDINGS:
        named = entries_of_bibliography(path)
        _expand_catalogue(path, list(dict.fromkeys(pdf for _, pdfs in named for pdf in pdfs)), found)
        if bare := [key for key, pdfs in named if not pdfs]:
            shown = ", ".join(bare[:_NAMED]) + (", ..." if len(bare) > _NAMED else "")
            entries = "entry names" if len(bare) == 1 else "entries name"
            found.notes.append(f"{path.name}: {len(bare)} {entries} no PDF: {shown}.")
    elif lists and ending == ".txt" and _is_list(path):
        _expand_list(path, found, skip)
    elif ending in _OTHERS:
        list_of_none = "this is neither a PDF nor a list of paths, one a line"
        what = list_of_none if ending == ".txt" else "quire reads PDFs"
        found.missing.append((path, f"{what}; make a PDF of it: {how_to_make(path)}"))
    else:
        found.files.append(path)


def _expand_catalogue(catalogue: Path, named: Sequence[Path], found: FoundFiles) -> None:
    """The PDFs that a bibliography or reference manager names."""
    if not named:
        found.missing.append((catalogue, "no entry of it names a PDF"))
    for path in named:
        if path.is_file():
            found.files.append(path)
        else:
            found.missing.append((path, f"{catalogue.name} names it, but there is no such file"))


def _expand_glob(path: Path, found: FoundFiles, skip: Path | None) -> None:
    matches = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 (Path.glob takes no absolute pattern)
    if not matches:
        found.missing.append((path, "nothing fits this pattern"))
    for match in matches:
        _expand(match, found, skip, lists=False)


def _expand_list(file: Path, found: FoundFiles, skip: Path | None) -> None:
    if file.stat().st_size > _MAX_LIST:
        found.missing.append((file, "this list is too long to be a list of paths"))
        return
    for line in file.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        name = line.strip()
        if name and not name.startswith("#"):
            # Paths of a list are meant from where the list is.
            _expand(str(file.parent / Path(name).expanduser()), found, skip, lists=False)


def _is_list(file: Path) -> bool:
    """Whether the first line that says something names a file, or could: prose is no list."""
    with file.open(encoding="utf-8", errors="surrogateescape") as lines:
        first = next((line.strip() for line in lines if line.strip() and not line.startswith("#")), "")
    if first.lower().endswith(".pdf") or (_GLOB.search(first) and " " not in first):
        return True
    places = (Path(first[:_LONGEST_PATH]).expanduser(), file.parent / first[:_LONGEST_PATH])
    return bool(first) and any(os.path.exists(place) for place in places)  # noqa: PTH110 (it never raises)


def _walk(folder: Path, skip: Path | None) -> Iterator[Path]:
    """The PDFs below a folder, and what people may take for one."""
    entered: set[tuple[int, int]] = set()
    for root, folders, files in os.walk(folder, followlinks=True):
        here = Path(root).stat()
        if (here.st_dev, here.st_ino) in entered or Path(root).resolve() == skip:
            folders.clear()
            continue
        entered.add((here.st_dev, here.st_ino))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (
            Path(root) / name
            for name in sorted(files)
            if not name.startswith(".") and Path(name).suffix.lower() in (".pdf", *_OTHERS)
        )


def _is_pdf(path: Path) -> bool:
    with path.open("rb") as file:
        return b"%PDF-" in file.read(1024)


_LARGEST = 64 << 20  # bytes of a bibliography
_FIELD = re.compile(r"(?:^|[\s,{])file\s*=\s*([{\"])", re.IGNORECASE)
_RIS = re.compile(r"^L[14]\s{1,4}-\s?(.+)$", re.MULTILINE)
_TITLE = re.compile(r"^(?:TI|T1)\s{1,4}-\s?(.+)$", re.M)
_ENTRY = re.compile(r"^[ \t]{0,20}@([A-Za-z]{1,40})\s{0,20}[{(]\s{0,20}([^,\s{}()]{0,200})", re.M)
_SPLIT = {sign: re.compile(rf"(?<!\\){sign}") for sign in ";:"}
_ADDRESS = re.compile(r"https?:", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(.)")
ENDINGS = (".bib", ".ris")


def entries_of_bibliography(file: Path) -> list[tuple[str, list[Path]]]:
    """The entries of a bibliography by key (in RIS by title), each with the PDFs that it names, there or not.

    Raises:
        OSError: it cannot be read.
        ValueError: it is too large to be one.
    """
    if file.stat().st_size > _LARGEST:
        raise ValueError("this is too large to be a bibliography")
    text = file.read_text(encoding="utf-8-sig", errors="surrogateescape")
    if file.suffix.lower() == ".ris":
        records = [part for part in re.split(r"^ER\s{1,4}-", text, flags=re.M) if part.strip()]
        titles = [(_TITLE.search(part), part) for part in records]
        named = [(title[1].strip() if title else "?", _of_ris(part)) for title, part in titles]
    else:
        found = _ENTRY.finditer(text)
        starts = [one for one in found if one[1].lower() not in ("comment", "string", "preamble")]
        ends = [*(one.start() for one in starts[1:]), len(text)]
        parts = [(one[2] or "?", text[one.start() : end]) for one, end in zip(starts, ends, strict=False)]
        named = [(key, _of_bibtex(part)) for key, part in parts]
    return [(key, [_place(name, file.parent) for name in names]) for key, names in named]


def _of_ris(text: str) -> list[str]:
    values = (value.strip() for value in _RIS.findall(text))
    return [value for value in values if _names_pdf(value)]


def _of_bibtex(text: str) -> list[str]:
    found = []
    for match in _FIELD.finditer(text):
        for part in _SPLIT[";"].split(_value(text, match.end(), match[1])):
            pieces = [_ESCAPED.sub(r"\1", piece).strip() for piece in _SPLIT[":"].split(part)]
            whole = _ESCAPED.sub(r"\1", part).strip()
            if _ADDRESS.match(whole):
                continue
            named = [piece for piece in pieces if _names_pdf(piece)] or ([whole] if _names_pdf(whole) else [])
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


def _names_pdf(name: str) -> bool:
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
