"""Is every row, entry, vector and copy accounted for, and making good what is not.

`check` only reads. `repair` has these means: a lost or changed PDF is copied again from the user's file, if
that still has the same content (else the rows stay and the loss is told); a paper with damaged rows is parsed
again from its copy, or from the user's file, and replaces itself in one transaction; a copy without rows is
parsed like a new file, so that a library whose database is gone is made again from `papers/`. A damaged index
is made anew from the rows first; vectors that are lost or damaged are made again last.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from quire.errors import VectorsAway
from quire.library import encoding, indexing, intake
from quire.library.adding import Adding
from quire.library.audits import AUDITS, Problem, audit_index, stray_copies
from quire.library.removing import drop, forget
from quire.library.report import OnProgress, StageMeter
from quire.library.resources import Resources
from quire.search import entries
from quire.search.slots import IndexDamaged
from quire.store import rows, schema


@dataclass(frozen=True, slots=True)
class Health:
    """What a check found. `counts` are rows per table, entries per `table.column`, vectors per collection.

    `notes` tell what `repair` made again, and what it could not.
    """

    problems: tuple[Problem, ...]
    counts: Mapping[str, int]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is damaged (things may still wait to be encoded)."""
        return all(problem.waiting for problem in self.problems)


def check(resources: Resources) -> Health:
    """Account for everything in a library."""
    with resources.database.reading() as connection:
        problems = [problem for audit in AUDITS for problem in audit(connection, resources)]
        counts = _counts(connection, resources)
    return Health(tuple(problems), counts)


def repair(resources: Resources, progress: OnProgress | None = None) -> list[str]:
    """Make good what `check` finds; gives what to tell. The caller holds the writer's lock."""
    notes = _mend_index(resources)
    found = check(resources)
    damaged: dict[str, set[str]] = {}
    for problem in found.problems:
        if problem.paper_id and not problem.waiting:
            damaged.setdefault(problem.paper_id, set()).add(problem.kind)
    with resources.database.reading() as connection:
        known = {paper.paper_id: paper for paper in rows.papers_where(connection)}
    orphans = [paper for paper in damaged if paper not in known]
    with resources.database.writing() as connection:
        forget(connection, [paper for paper in orphans if _is_id(paper)])
    drop(resources, orphans)
    intake.tidy(resources.papers, {key for key, paper in known.items() if paper.state != "failed"})
    for paper, kinds in sorted(damaged.items()):
        if paper not in known or known[paper].state == "failed":
            continue
        if kinds == {"copy"}:
            row = known[paper]
            intake.restore(Path(row.source_path), resources.papers, paper, row.copy_sha256)
        else:
            _parse_again(resources, known[paper], progress)
    notes += _recover(resources, progress)
    encoding.encode(resources, progress)
    return notes


def _mend_index(resources: Resources) -> list[str]:
    """Make a damaged index anew, and drop vectors that are not what was written: those wait again."""
    with resources.database.reading() as connection:
        broken = [problem for problem in audit_index(connection, resources) if not problem.waiting]
        if any("damaged" in problem.detail or not problem.paper_id for problem in broken):
            resources.index.forget(entries.end(connection))
    notes = indexing.bring_up(resources)
    for name in resources.dense:
        files = resources.index.files(name)
        files.remove(files.unsound())
    return notes


def _recover(resources: Resources, progress: OnProgress | None) -> list[str]:
    with resources.database.reading() as connection:
        strays = stray_copies(connection, resources)
    if not strays:
        return []
    with resources.index.writing() as writer:
        adding = Adding(resources, StageMeter("parse", len(strays), progress), writer)
        adding.recover(strays)
    failed = [file for file in adding.reports if file.outcome == "failed"]
    read = len(adding.reports) - len(failed)
    notes = [f"{read} papers were read again from their PDFs in papers/."] if read else []
    return notes + [f"papers/{file.path.name} could not be read. {file.reason}" for file in failed]


def strays_told(resources: Resources) -> list[str]:
    """A sentence about copies without rows, if there are any."""
    with resources.database.reading() as connection:
        strays = len(stray_copies(connection, resources))
    return [f"{strays} PDFs in papers/ have no rows; `quire repair` reads them again."] if strays else []


def _parse_again(resources: Resources, paper: rows.PaperRow, progress: OnProgress | None) -> None:
    with resources.index.writing() as writer:
        adding = Adding(resources, StageMeter("parse", 1, progress), writer)
        adding.renew(paper, intake.content_of(resources.papers, paper))


def _is_id(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


def _counts(connection: duckdb.DuckDBPyConnection, resources: Resources) -> dict[str, int]:
    counts = {
        table.name: int(connection.execute(f"SELECT count(*) FROM {table.name}").fetchall()[0][0])
        for table in schema.TABLES
    }
    for table, column, n in connection.execute(
        "SELECT table_name, column_name, count(*) FROM entries GROUP BY ALL ORDER BY ALL"
    ).fetchall():
        counts[f"{table}.{column}"] = int(n)
    with contextlib.suppress(IndexDamaged, VectorsAway):
        counts |= encoding.count_held(resources, resources.index.view(connection))
    return counts
