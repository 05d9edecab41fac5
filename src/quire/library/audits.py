"""The audits of a library: each looks at one promise and lists where it is broken.

An audit is `(connection, resources) -> list[Problem]`; another one is a function and a place in `AUDITS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

from quire.index import BM25, ENCODABLE, outbox
from quire.index.pending import count_waiting, encoded
from quire.library import intake
from quire.library.resources import Resources
from quire.store import rows, schema

_NOT_BLANK = r"[^\s\p{Z}\x1c-\x1f\x85]"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something amiss. `paper_id` is "" when it belongs to none; `waiting` things are only not done yet."""

    kind: str
    detail: str
    paper_id: str = ""
    waiting: bool = False


def _rows(connection: duckdb.DuckDBPyConnection, resources: Resources) -> list[Problem]:
    """Every paper has its metadata row and its pages; every row has its paper; no key is there twice."""
    problems = [
        Problem("metadata", f"{n} metadata rows, not 1", paper)
        for paper, n in connection.execute(
            """SELECT p.paper_id::VARCHAR, count(m.paper_id) AS n FROM papers p
               LEFT JOIN metadata m USING (paper_id) WHERE p.state <> 'failed' GROUP BY 1 HAVING n <> 1"""
        ).fetchall()
    ]
    problems += [
        Problem("pages", f"{have} pages, not {want}", paper)
        for paper, want, have in connection.execute(
            """SELECT m.paper_id::VARCHAR, m.num_pages, count(g.page_id) AS have FROM metadata m
               LEFT JOIN pages g ON g.ref_paper_id = m.paper_id GROUP BY 1, 2 HAVING have <> m.num_pages"""
        ).fetchall()
    ]
    for table in schema.TABLES:
        owner = "paper_id" if table.name == "metadata" else "ref_paper_id"
        problems += [
            Problem("orphans", f"{n} rows of {table.name} without a paper", paper or "")
            for paper, n in connection.execute(
                f"""SELECT {owner}::VARCHAR, count(*) FROM {table.name}
                    WHERE {owner} NOT IN (SELECT paper_id FROM papers WHERE state <> 'failed') GROUP BY 1"""
            ).fetchall()
        ]
        problems += [
            Problem("twice", f"{table.name}.{table.key} {key} is there {n} times", paper)
            for key, paper, n in connection.execute(
                f"SELECT {table.key}::VARCHAR, min({owner})::VARCHAR, count(*) FROM {table.name} GROUP BY 1"
                " HAVING count(*) > 1"
            ).fetchall()
        ]
    return problems


def _references(connection: duckdb.DuckDBPyConnection, resources: Resources) -> list[Problem]:
    """Whatever a column points to is there."""
    problems = []
    for table in schema.TABLES:
        for column in table.columns:
            if not column.refers or column.name == "ref_paper_id":
                continue
            other, _, key = column.refers.partition(".")
            problems += [
                Problem("dangling", f"{n} values of {table.name}.{column.name} point to no {other}", paper)
                for paper, n in connection.execute(
                    f"""SELECT ref_paper_id::VARCHAR, count(*) FROM {table.name}
                        WHERE {column.name} IS NOT NULL
                          AND {column.name} NOT IN (SELECT {key} FROM {other}) GROUP BY 1"""
                ).fetchall()
            ]
    return problems


def _entries(connection: duckdb.DuckDBPyConnection, resources: Resources) -> list[Problem]:
    """Every encodable cell has exactly one entry, and every entry its cell."""
    problems = []
    for pair in ENCODABLE:
        owner = "paper_id" if pair.table == "metadata" else "ref_paper_id"
        # The same notion of "empty" as Python's strip, by which entries are made.
        filled = "true" if pair.modality == "image" else f'regexp_matches("{pair.column}", ?)'
        problems += [
            Problem("entries", f"{cells} cells of {pair.table}.{pair.column}, {entries} entries", paper)
            for paper, cells, entries in connection.execute(
                f"""WITH c AS (SELECT {owner}::VARCHAR AS paper, {pair.key}::VARCHAR AS k FROM {pair.table}
                               WHERE {filled}),
                         e AS (SELECT pdf_id AS paper, primary_key AS k FROM entries WHERE pair = ?)
                    SELECT coalesce(c.paper, e.paper), count(c.k), count(e.k) FROM c FULL JOIN e
                      ON c.k = e.k AND c.paper = e.paper
                    GROUP BY 1 HAVING count(c.k) <> count(*) OR count(e.k) <> count(*)""",
                [pair.number] if pair.modality == "image" else [_NOT_BLANK, pair.number],
            ).fetchall()
        ]
    return problems


def _postings(connection: duckdb.DuckDBPyConnection, resources: Resources) -> list[Problem]:
    """The counted words of every entry add up to its length, and no posting is without an entry."""
    return [
        Problem("words", f"{n} entries whose counted words do not add up", paper or "")
        for paper, n in connection.execute(
            """WITH p AS (SELECT id, sum(tf) AS n FROM (FROM postings UNION ALL FROM postings_recent)
                         GROUP BY id)
               SELECT e.pdf_id, count(*) FROM entries e FULL JOIN p USING (id)
               WHERE e.id IS NULL OR coalesce(p.n, 0) <> e.length GROUP BY 1"""
        ).fetchall()
    ]


def _vectors(connection: duckdb.DuckDBPyConnection, resources: Resources) -> list[Problem]:
    """Every entry that was encoded has one sound vector where vectors are, and no vector is left over."""
    problems = []
    for name in collections(resources):
        waiting = count_waiting(connection, name, remote=resources.remote)
        if waiting:
            problems.append(Problem("waiting", f"{waiting} entries wait for {name}", waiting=True))
        held = resources.backend.held(connection, name)
        lost = len(np.setdiff1d(encoded(connection, name, remote=resources.remote), held.ids))
        if lost:
            problems.append(
                Problem("vectors", f"{lost} vectors of {name} are lost; `quire repair` makes them")
            )
        told = np.setdiff1d(held.strays, outbox.unsent(connection))
        if len(told):
            problems.append(Problem("vectors", f"{len(told)} vectors of {name} belong to nothing"))
    untold = len(outbox.unsent(connection))
    if untold:
        detail = f"{untold} entries that went are still in `{resources.settings.index.vectors}`"
        problems.append(Problem("waiting", detail, waiting=True))
    return problems


def collections(resources: Resources) -> tuple[str, ...]:
    """The collections whose vectors a library keeps: dense ones, and BM25 in a remote backend."""
    return (BM25, *resources.dense) if resources.remote else resources.dense


def _copies(connection: duckdb.DuckDBPyConnection, resources: Resources) -> list[Problem]:
    """Every paper has its PDF, unchanged, and every PDF its paper."""
    problems = []
    for paper in rows.papers_where(connection, "state <> 'failed'"):
        copy = intake.copy_of(resources.papers, paper.paper_id)
        if not copy.exists():
            told = "its PDF is not in papers/; add the file again"
        elif not intake.intact(resources.papers, paper.paper_id, paper.copy_sha256):
            told = f"papers/{copy.name} is not what was added; add the file again"
        else:
            continue
        problems.append(Problem("copy", told, paper.paper_id))
    return problems + [
        Problem("copy", f"papers/{copy.name} has no rows; `quire repair` reads it again", copy.stem)
        for copy in stray_copies(connection, resources)
    ]


def stray_copies(connection: duckdb.DuckDBPyConnection, resources: Resources) -> list[Path]:
    """The PDFs in `papers/` that have no rows: of an `add` that was killed, or the rows were lost."""
    wanted = {paper.paper_id for paper in rows.papers_where(connection, "state <> 'failed'")}
    return sorted(copy for copy in resources.papers.glob("*.pdf") if copy.stem not in wanted)


AUDITS = (_rows, _references, _entries, _postings, _vectors, _copies)
