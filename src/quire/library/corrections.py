"""A user's word on what a paper says of itself: kept beside the rows, laid over whatever is read of the file.

    wanted = checked({"title": "On Boats", "year": "2021", "keywords": "oars; sails", "received": None})
    correct(connection, paper_id, wanted)      # None takes a correction back; "" says that there is none
    laid_over(connection, paper_id, parsed)    # when the paper is read (again)

A correction is told by paper and column. It outlives the rows: the paper's id is made of its content, so it
counts again when the same file comes back. What was read in its place is kept, and comes back with `None`.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import duckdb

from quire import jsontext, pdf
from quire.errors import QueryError, UnknownNameError
from quire.library import citations
from quire.library.parse_child import Parsed
from quire.library.units import units_of
from quire.library.views import UNKNOWN, download_url
from quire.search import entries
from quire.search.batch import Batch, analyse
from quire.store import rows, schema
from quire.store.schema import IntBox, MetadataRow
from quire.types import Metadata

_OWN = (
    "paper_id", "num_pages", "download_url", "bibtex", "pdf_path", "tldr", "tags", "corrected",
)  # fmt: skip
"""Columns that are no word of the paper's, or follow from others."""
FIELDS = {column.name: column for column in schema.columns(MetadataRow) if column.name not in _OWN}
_ALIASES = {"year": "pub_year", "venue": "conference_full", "license": "licence"}
_LONGEST, _MOST = 20_000, 500  # signs of a text, values of a list
_YEARS = range(1000, 3000)
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_FILLED = {"conference_full": UNKNOWN, "conference_abbreviation": UNKNOWN}
_TEXTS = ("title", "abstract", "volume", "doi", "arxiv_id", "language")
"""Columns that say '' where nothing is told; later ones are NULL there."""
_NAMED_ALIKE = (*_TEXTS, "journal", "issue", "first_page", "last_page", "publisher")
"""Columns that are texts of `Metadata`, too."""
Said = str | int | list[str] | None
"""A value as JSON has it; dates are ISO 8601."""


@dataclass(frozen=True, slots=True)
class Printed:
    """Where a value is printed, and the words there."""

    text: str
    page: int
    bbox: IntBox


@dataclass(frozen=True, slots=True)
class Told:
    """A column of a paper's metadata. `read`: what the file says, where a user has corrected it."""

    field: str
    value: Said
    corrected: bool
    read: Said
    places: tuple[Printed, ...]


def checked(changes: Mapping[str, object]) -> dict[str, Said]:
    """Changes by column, their values as JSON has them; None stands for "take it back". Raises as `edit`."""
    wanted: dict[str, Said] = {}
    for name, value in changes.items():
        column = FIELDS.get(_ALIASES.get(name, name))
        if column is None:
            known = ", ".join([*FIELDS, *_ALIASES])
            raise UnknownNameError(f"`{name[:80]}` cannot be corrected.", hint=f"Choose from: {known}.")
        wanted[column.name] = None if value is None else _fitting(column, value)
    return wanted


def _fitting(column: schema.Column, value: object) -> Said:
    if column.type == "VARCHAR[]":
        parts = value.split(";") if isinstance(value, str) else value
        if not isinstance(parts, list | tuple) or len(parts) > _MOST:
            raise _unfit(column, f"a list of at most {_MOST} texts, or texts parted by semicolons")
        return [text for part in parts if (text := _text(column, part))]
    if column.type == "INTEGER" and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    text = _text(column, value)
    if not text or column.type == "VARCHAR":
        return text
    if column.type == "INTEGER":
        if not re.fullmatch(r"[0-9]{4}", text) or int(text) not in _YEARS:
            raise _unfit(column, "a year")
        return int(text)
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise _unfit(column, "a date such as 2021-03-28") from None


def _text(column: schema.Column, value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise _unfit(column, f"a text of at most {_LONGEST} signs")
    return " ".join(_UNSEEN.sub(" ", value).encode("utf-8", "replace").decode().split())


def _unfit(column: schema.Column, wanted: str) -> QueryError:
    return QueryError(f"`{column.name}` takes {wanted}.")


def laid_over(connection: duckdb.DuckDBPyConnection, paper: str, parsed: Parsed) -> Parsed:
    """What was read of a paper, with the user's corrections over it; what they cover is remembered."""
    said = of_paper(connection, paper)
    if not said:
        return parsed
    read = parsed.metadata
    for field in said:
        connection.execute(
            "UPDATE corrections SET was = ? WHERE paper_id = ?::UUID AND field = ?",
            [json.dumps(_as_json(getattr(read, field))), paper, field],
        )
    told = _with(read, said, tuple(said))
    found = tuple(told if row is read else row for row in parsed.rows)
    return replace(parsed, rows=found, batch=analyse(paper, units_of(paper, found)))


def correct(
    connection: duckdb.DuckDBPyConnection, paper: str, wanted: Mapping[str, Said]
) -> tuple[int, Batch] | None:
    """Correct the row of a paper and all that hangs on it, inside the caller's transaction.

    Gives its new entries, for the index, where what is searched has changed.
    """
    found = rows.rows_of(connection, paper)
    before = next(row for row in found if isinstance(row, MetadataRow))
    changed = _remember(connection, paper, before, _with_venue(connection, paper, before, wanted))
    after = _with(before, changed, tuple(of_paper(connection, paper)))
    connection.execute("DELETE FROM metadata WHERE paper_id = ?::UUID", [paper])
    rows.insert(connection, [after])
    keys = citations.paper_keys(after.title, after.doi, after.arxiv_id)
    connection.execute(
        "UPDATE papers SET title = ?, doi = ?, arxiv_id = ?, cited_by = ? WHERE paper_id = ?::UUID",
        [after.title, after.doi, after.arxiv_id, keys, paper],
    )
    citations.link_anew(connection, paper)
    now = [after if row is before else row for row in found]
    units = units_of(paper, now)
    if units == units_of(paper, found):
        return None
    connection.execute("UPDATE papers SET state = 'parsed' WHERE paper_id = ?::UUID", [paper])
    entries.delete(connection, [paper])
    batch = analyse(paper, units)
    return entries.write(connection, batch), batch


def _with_venue(
    connection: duckdb.DuckDBPyConnection, paper: str, before: MetadataRow, wanted: Mapping[str, Said]
) -> dict[str, Said]:
    """The changes, and what they make of the other name of where a paper appeared.

    A journal stands in `conference_full`, too: who corrects one corrects both, and takes both back.
    """
    told = dict(wanted)
    there = of_paper(connection, paper)
    for field, other in (("journal", "conference_full"), ("conference_full", "journal")):
        if field not in wanted or other in wanted:
            continue
        if wanted[field] is None:
            together = field in there and there.get(other) == there[field]
        else:
            together = there.get(other) == there.get(field) and (
                other == "conference_full" or before.journal is not None
            )
        if together:
            told[other] = wanted[field]
    return told


def _remember(
    connection: duckdb.DuckDBPyConnection, paper: str, before: MetadataRow, wanted: Mapping[str, Said]
) -> dict[str, Said]:
    """Write down what a user says; gives the values that the columns have now."""
    there = _kept(connection, paper)
    now: dict[str, Said] = {}
    for field, said in wanted.items():
        was = there[field][1] if field in there else _as_json(getattr(before, field))
        connection.execute("DELETE FROM corrections WHERE paper_id = ?::UUID AND field = ?", [paper, field])
        if said is not None:
            connection.execute(
                "INSERT INTO corrections VALUES (?::UUID, ?, ?, ?, now())",
                [paper, field, json.dumps(said), json.dumps(was)],
            )
        if said is not None or field in there:
            now[field] = was if said is None else said
    return now


def of_paper(connection: duckdb.DuckDBPyConnection, paper: str) -> dict[str, Said]:
    """The corrections of a paper by column, in the order of the columns."""
    return {field: said for field, (said, _) in _kept(connection, paper).items()}


def _kept(connection: duckdb.DuckDBPyConnection, paper: str) -> dict[str, tuple[Said, Said]]:
    """What was corrected, and what was read in its place."""
    found = connection.execute(
        "SELECT field, said, was FROM corrections WHERE paper_id = ?::UUID", [paper]
    ).fetchall()
    kept = {field: (json.loads(said), json.loads(was)) for field, said, was in found}
    return {field: kept[field] for field in FIELDS if field in kept}


def restore(connection: duckdb.DuckDBPyConnection, paper: str, told: Mapping[str, object]) -> None:
    """Take over corrections from beside a paper's copy, where the database has lost them."""
    if not told or of_paper(connection, paper):
        return
    for name, value in told.items():
        with contextlib.suppress(QueryError, UnknownNameError):  # the file may be anybody's
            for field, said in checked({name: value}).items():
                connection.execute(
                    "INSERT INTO corrections VALUES (?::UUID, ?, ?, 'null', now())",
                    [paper, field, json.dumps(said)],
                )


def forget(connection: duckdb.DuckDBPyConnection, papers: list[str]) -> None:
    """Forget what was said of papers that are gone for good."""
    connection.execute("DELETE FROM corrections WHERE paper_id IN (SELECT unnest(?::UUID[]))", [papers])


def told(connection: duckdb.DuckDBPyConnection, paper: str) -> tuple[Told, ...]:
    """Every column that can be corrected, with its value and the places where that is printed."""
    if not (found := rows.read(connection, MetadataRow, paper)):
        return ()
    row = found[0]
    kept = _kept(connection, paper)
    places: dict[str, list[Printed]] = {}
    for field, text, page, box in connection.execute(
        """SELECT m.field, m.printed, p.page_number, m.bounding_box
           FROM metadata_places m JOIN pages p ON p.page_id = m.ref_page_id
           WHERE m.ref_paper_id = ?::UUID ORDER BY m.field, m.ordinal""",
        [paper],
    ).fetchall():
        places.setdefault(field, []).append(Printed(text, page, tuple(box)))
    now = {field: _as_json(getattr(row, field)) for field in FIELDS}
    return tuple(
        Told(field, value, field in kept, kept.get(field, ("", value))[1], tuple(places.get(field, ())))
        for field, value in now.items()
    )


def _with(row: MetadataRow, said: Mapping[str, Said], corrected: tuple[str, ...]) -> MetadataRow:
    """The row with these values, and with what follows from them."""
    values: dict[str, Any] = {field: _as_value(FIELDS[field], value) for field, value in said.items()}
    new = replace(row, **values, corrected=corrected or None)
    metadata = metadata_of(new)
    url = download_url(metadata) if {"doi", "arxiv_id"} & said.keys() else new.download_url
    return replace(new, bibtex=pdf.bibtex(metadata), download_url=url)


def metadata_of(row: MetadataRow) -> Metadata:
    """What the rows say of a paper, as its document would."""
    doi, arxiv = row.doi, row.arxiv_id
    alike: dict[str, Any] = {name: getattr(row, name) or "" for name in _NAMED_ALIKE}
    return Metadata(
        authors=tuple(row.authors),
        keywords=tuple(row.keywords or row.tags),
        year=row.pub_year,
        venue="" if row.conference_full == UNKNOWN else row.conference_full,
        url=f"https://doi.org/{doi}" if doi else f"https://arxiv.org/abs/{arxiv}" if arxiv else "",
        **alike,
    )


def _as_value(column: schema.Column, said: Said) -> object:
    if isinstance(said, list):
        return tuple(said) if said or column.name == "authors" else None
    if said in ("", None):
        return _FILLED.get(column.name, "" if column.name in _TEXTS else None)
    if column.type == "DATE":
        return date.fromisoformat(str(said))
    return str(said).lower() if column.name == "doi" else said


def _as_json(value: object) -> Said:
    said: Said = "" if value == UNKNOWN else jsontext.as_json(value)
    return said


def in_words(value: Said) -> str:
    """A value as it is typed."""
    return "; ".join(value) if isinstance(value, list) else "" if value is None else str(value)
