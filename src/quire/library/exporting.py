"""A library as files of its own, of which none needs quire.

    papers/KEY.md (.json, .html, .xml) and KEY_figures/      each paper, as `quire parse` writes it
    tables/KEY-1.csv                                         each table
    data/chunks.parquet ...                                  every public table of rows
    library.bib, library.ris, library.json                   BibTeX, RIS, CSL JSON
    notes/KEY.md                                             a note a paper, for Obsidian: citations are links

KEY is the paper's key in the bibliographies. Papers are read again from their copies, so that they come out
as the parser of today reads them, with the user's corrections over it; what is there and newer is left alone.
The vault of Obsidian is the whole folder: notes link to each other and to the papers' texts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import duckdb

from quire.errors import LibraryError
from quire.library import citing, converting
from quire.library.citing import Cited
from quire.library.converting import Converted, put
from quire.library.intake import copy_of
from quire.library.report import OnProgress
from quire.library.resources import Resources
from quire.pdf.writers.markdown import written
from quire.store import export as results
from quire.store import rows, schema
from quire.store.database import connected_to
from quire.store.schema import ReferenceRow, SectionRow
from quire.types import Document, ResultSet

_UNSAFE = re.compile(r"[^\w.-]+")
_BROKEN = re.compile(r"[\[\]|#^\n]+")  # within a link of a note
_HEADINGS = 60  # of a paper, in its note
_SAID = "title authors abstract year venue volume doi arxiv_id journal issue publisher".split()


@dataclass(frozen=True, slots=True)
class Exported:
    """What became of each paper, and how many files of other kinds were written."""

    folder: Path
    papers: tuple[Converted, ...]
    tables: int
    parquet: tuple[str, ...]
    notes: int
    seconds: float


def export(
    resources: Resources,
    papers: Sequence[str],
    folder: Path,
    *,
    forms: Sequence[str] = ("md",),
    progress: OnProgress | None = None,
) -> Exported:
    """Write papers (ids) and what the library knows of them below a folder; raises as `Library.export`."""
    with resources.database.reading() as connection:
        cited = citing.entries(connection, papers)
    names = {paper: _UNSAFE.sub("-", one.key) or paper[:8] for paper, one in cited.items()}
    try:
        done, seconds = _papers(resources, folder, cited, names, forms, progress)
        for form, (ending, _) in citing.FORMS.items():
            text = citing.bibliography(cited.values(), form)
            put(folder / f"library{ending}", text.encode("utf-8", "replace"))
        with resources.database.reading() as connection:
            tables = _tables(connection, folder / "tables", names)
            texts = {paper: f"{name}{_readable(forms)}" for paper, name in names.items()}
            notes = _notes(connection, folder / "notes", cited, names, texts)
        parquet = _parquet(resources.database.path, folder / "data")
    except OSError as error:
        raise LibraryError(
            f"Cannot write to {folder}: {error.strerror or error}.", hint="Choose another folder with --to."
        ) from error
    return Exported(folder, done, tables, parquet, notes, seconds)


def _papers(
    resources: Resources,
    folder: Path,
    cited: Mapping[str, Cited],
    names: Mapping[str, str],
    forms: Sequence[str],
    progress: OnProgress | None,
) -> tuple[tuple[Converted, ...], float]:
    copies = {copy_of(resources.papers, paper): paper for paper in cited}
    changed = resources.database.path.stat().st_mtime

    def dressed(copy: Path, document: Document) -> Document:
        said = cited[copies[copy]].said  # what was read, with what the library says where that says something
        known = {name: getattr(said, name) for name in _SAID if getattr(said, name)}
        return replace(document, metadata=replace(document.metadata, **known))

    done: list[Converted] = []
    seconds = 0.0
    for form in forms:
        ending = converting.ending(form)
        targets = {copy: folder / "papers" / f"{names[paper]}{ending}" for copy, paper in copies.items()}
        report = converting.write_all(
            targets, form, resources.settings.parsing, progress=progress, changed=changed, dressed=dressed
        )
        done += report.files
        seconds += report.seconds
    return tuple(done), seconds


def _tables(connection: duckdb.DuckDBPyConnection, folder: Path, names: Mapping[str, str]) -> int:
    """Every table as CSV: each cell where it begins."""
    found = connection.execute(
        """SELECT t.ref_paper_id::VARCHAR, t.table_id::VARCHAR, c.row_index, c.column_index, c.cell_content
           FROM tables t JOIN pages p ON p.page_id = t.ref_page_id JOIN cells c ON c.ref_table_id = t.table_id
           WHERE t.ref_paper_id IN (SELECT unnest(?::UUID[]))
           ORDER BY 1, p.page_number, t.ordinal, c.row_index, c.column_index""",
        [list(names)],
    ).fetchall()
    count: Counter[str] = Counter()
    for (paper, _), group in groupby(found, key=lambda row: row[:2]):
        cells = {(row, column): text for _, _, row, column, text in group}
        width = 1 + max(column for _, column in cells)
        lines: list[tuple[str, ...]] = [
            tuple(cells.get((row, column), "") for column in range(width))
            for row in range(1 + max(row for row, _ in cells))
        ]
        result = ResultSet(lines[0], ("VARCHAR",) * width, tuple(lines[1:]))
        count[paper] += 1
        put(folder / f"{names[paper]}-{count[paper]}.csv", results.as_csv(result).encode("utf-8", "replace"))
    return count.total()


def _notes(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    cited: Mapping[str, Cited],
    names: Mapping[str, str],
    texts: Mapping[str, str],
) -> int:
    references = ((paper, row) for paper in cited for row in rows.read(connection, ReferenceRow, paper))
    pairs = {(paper, row.cited_paper_id or "") for paper, row in references}
    links = sorted((paper, other) for paper, other in pairs if other in cited)
    for paper, one in cited.items():
        sections = rows.read(connection, SectionRow, paper)
        own = [(row.section_level, row.section_title) for row in sections if row.section_title]
        to = [(names[other], cited[other].said.title) for of, other in links if of == paper]
        by = [(names[of], cited[of].said.title) for of, other in links if other == paper]
        text = "\n".join(_note(one, texts[paper], own, to, by))
        put(folder / f"{names[paper]}.md", text.encode("utf-8", "replace"))
    return len(cited)


def _readable(forms: Sequence[str]) -> str:
    """The ending of the form that notes link to: Markdown, else the first."""
    return converting.ending("md" if "md" in forms or not forms else forms[0])


Links = Sequence[tuple[str, str]]


def _note(
    one: Cited, text: str, headings: Sequence[tuple[int, str]], cites: Links, cited_by: Links
) -> Iterator[str]:
    """A paper as a note: properties, abstract, contents, and links to the papers that it cites."""
    said = one.said
    properties = {
        "title": said.title, "authors": list(said.authors), "year": said.year, "doi": said.doi,
        "venue": said.journal or said.venue, "citekey": one.key,
        "tags": [re.sub(r"[^\w/-]+", "-", word) for word in said.keywords],
    }  # fmt: skip
    yield "---"
    # JSON is YAML, and nothing in a text can end it.
    yield from (f"{field}: {json.dumps(value)}" for field, value in properties.items() if value)
    yield "---"
    yield f"# {written(said.title or one.key)}\n"
    yield f"[Full text](../papers/{text})\n"
    if said.abstract:
        yield f"{written(said.abstract)}\n"
    for title, links in (("Cites", cites), ("Cited by", cited_by)):
        if links:
            yield f"## {title}\n"
            shown = ((other, _BROKEN.sub(" ", told).strip() or "untitled") for other, told in links)
            yield from (f"- [[notes/{other}|{told}]]" for other, told in shown)
            yield ""
    if headings:
        yield "## Contents\n"
        yield from (
            f"{'  ' * (max(1, level or 1) - 1)}- {written(title)}" for level, title in headings[:_HEADINGS]
        )


def _parquet(database: Path, folder: Path) -> tuple[str, ...]:
    """Every public table as Parquet, written by DuckDB, which reaches these files and no other."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {table.name: folder.resolve() / f".{table.name}.part" for table in schema.TABLES}
    wal = database.with_name(f"{database.name}.wal")
    with connected_to([database, wal, *files.values()]) as connection:
        connection.execute(f"ATTACH {_quoted(database)} AS library (READ_ONLY)")
        for name, file in files.items():
            columns = ", ".join(f'"{column.name}"' for column in schema.table(name).columns)
            file.unlink(missing_ok=True)
            chosen = f"SELECT {columns} FROM library.{name}"
            connection.execute(f"COPY ({chosen}) TO {_quoted(file)} (FORMAT parquet)")
            file.replace(folder / f"{name}.parquet")
    return tuple(files)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
