"""Which reference cites which paper of the library: kept up to date as papers come, in any order.

A reference is linked by its DOI, its arXiv id or its title (case, blanks and signs aside). Each is one 64-bit
key, kept in `citation_keys`, so a paper that comes after those that cite it finds them, and the work for a
new paper is that of its own references, not of the library's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator

import duckdb

from quire.library import ids
from quire.store.rows import CitationKeyRow
from quire.store.schema import ReferenceRow, StoredRow

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}|\\^`]+", re.IGNORECASE)
_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf)/|\W{0,3}(?:preprint\W{0,3}arxiv\W{0,3})?)(\d{4}\.\d{4,5}|[a-z-]{1,20}(?:\.[A-Z]{2})?/\d{7})",
    re.IGNORECASE,
)


def number(kind: str, text: str) -> int:
    """A key as the number that it is stored under."""
    digest = hashlib.blake2b(f"{kind}:{text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def paper_keys(title: str, doi: str, arxiv_id: str) -> list[int]:
    """The keys by which a paper can be cited."""
    found = {"title": ids.title_key(title), "doi": doi.lower(), "arxiv": _arxiv(arxiv_id)}
    return [number(kind, text) for kind, text in found.items() if text]


def reference_keys(reference: ReferenceRow) -> Iterator[int]:
    """The keys by which a reference may name its paper."""
    if title := ids.title_key(reference.reference_title):
        yield number("title", title)
    for match in _DOI.finditer(reference.reference_content):
        yield number("doi", match[0].lower().rstrip(".,;)]"))
    for match in _ARXIV.finditer(reference.reference_content):
        yield number("arxiv", _arxiv(match[1]))


def key_rows(rows: Iterable[StoredRow]) -> list[CitationKeyRow]:
    """Rows of `citation_keys` for the references among these rows."""
    return [
        CitationKeyRow(key, row.reference_id, row.ref_paper_id)
        for row in rows
        if isinstance(row, ReferenceRow)
        for key in dict.fromkeys(reference_keys(row))
    ]


def link(connection: duckdb.DuckDBPyConnection, paper: str) -> None:
    """Link the references of a paper just inserted, and those of others that cite it."""
    # Looked up first: most papers cite none of the others, and an update scans the whole table.
    found = connection.execute(
        """SELECT k.reference_id::VARCHAR, min(p.paper_id)::VARCHAR FROM citation_keys k
           JOIN (SELECT paper_id, unnest(cited_by) AS "key" FROM papers WHERE state <> 'failed') p
             USING ("key")
           WHERE k.ref_paper_id = $1::UUID AND p.paper_id <> $1::UUID GROUP BY k.reference_id
           UNION ALL
           SELECT reference_id::VARCHAR, $1 FROM citation_keys
           WHERE "key" IN (SELECT unnest(cited_by) FROM papers WHERE paper_id = $1::UUID)
             AND ref_paper_id <> $1::UUID""",
        [paper],
    ).fetchall()
    for reference, cited in found:
        connection.execute(
            "UPDATE reference SET cited_paper_id = ?::UUID"
            " WHERE reference_id = ?::UUID AND cited_paper_id IS NULL",
            [cited, reference],
        )


def link_anew(connection: duckdb.DuckDBPyConnection, paper: str) -> None:
    """Link a paper whose title, DOI or arXiv id has changed."""
    connection.execute("UPDATE reference SET cited_paper_id = NULL WHERE cited_paper_id = ?::UUID", [paper])
    link(connection, paper)


def _arxiv(text: str) -> str:
    return re.sub(r"v\d+$", "", text.lower().removeprefix("arxiv:").strip())
