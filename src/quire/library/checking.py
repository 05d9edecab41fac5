"""Is every row, entry, vector and copy accounted for, and making good what is not.

`check` only reads. `repair` has these means: a lost or changed PDF is copied again from the user's file, if
that still has the same content (else the rows stay and the loss is told); a paper with damaged rows is parsed
again from its copy, or from the user's file, and replaces itself in one transaction; a copy without rows is
parsed like a new file, so that a library whose database is gone is made again from `papers/`. A damaged index
is made anew from the rows first; vectors that are lost or damaged are made again last.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import numpy as np

from quire.errors import VectorsAway
from quire.library import corrections, encoding, indexing, intake
from quire.library.adding import Adding
from quire.library.ids import ID
from quire.library.intake import Label
from quire.library.removing import drop, forget, garbled_notes, stray_copies, tidy_files, write_notes
from quire.library.report import OnProgress, StageMeter
from quire.library.resources import Resources
from quire.search import ENCODABLE, entries
from quire.search.dense import waiting
from quire.search.slots import EMPTY, IndexDamaged, damaged, journal
from quire.store import WriterLock, rows, schema


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
        told = [row for sql in _queries() for row in connection.execute(sql).fetchall()]
        problems = [Problem(kind, detail, paper or "") for kind, paper, detail in told]
        problems += audit_index(connection, resources)
        problems += [*_vectors(connection, resources), *_copies(connection, resources)]
        counts = rows.count_rows(connection)
        sql = "SELECT table_name || '.' || column_name, count(*) FROM entries GROUP BY ALL ORDER BY ALL"
        counts |= dict(connection.execute(sql).fetchall())
        with contextlib.suppress(IndexDamaged, VectorsAway):
            counts |= encoding.count_held(resources, resources.index.view(connection))
    return Health(tuple(problems), counts)


def repair(resources: Resources, progress: OnProgress | None = None) -> Health:
    """Make good what `check` finds; gives what is still amiss, and what to tell."""
    if any(resources.papers.glob("*.pdf")):
        resources.create()
    with WriterLock(resources.existing()):
        notes = _repaired(resources, progress)
        resources.database.checkpoint()
    if resources.learner:
        resources.learner.revive()
    return replace(check(resources), notes=tuple(notes))


def _repaired(resources: Resources, progress: OnProgress | None) -> list[str]:
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
        forget(connection, [paper for paper in orphans if ID.fullmatch(paper)])
    drop(resources, orphans)
    tidy_files(resources.papers, {key for key, paper in known.items() if paper.state != "failed"})
    for paper, kinds in sorted(damaged.items()):
        if paper not in known or known[paper].state == "failed":
            continue
        row = known[paper]
        if "label" in kinds:
            with resources.database.reading() as connection:
                said = corrections.of_paper(connection, paper)
            label = Label(row.file_name, row.source_path, row.sha256, row.copy_sha256, row.file_size, said)
            intake.label(resources.papers, paper, label)
        if kinds == {"copy"} or kinds == {"copy", "label"}:
            intake.restore(Path(row.source_path), resources.papers, paper, row.copy_sha256)
        elif kinds != {"label"}:
            with resources.index.writing() as writer:
                Adding(resources, StageMeter("parse", 1, progress), writer).renew(row)
    write_notes(resources.folder)
    notes += _recover(resources, progress)
    encoding.encode(resources, progress)
    return notes


def _mend_index(resources: Resources) -> list[str]:
    """Make a damaged index anew, or one most of which has gone, and drop vectors that are not sound."""
    alive, notes, index = None, list[str](), resources.index
    with resources.database.reading() as connection:
        broken = [problem for problem in audit_index(connection, resources) if not problem.waiting]
        if any("damaged" in problem.detail or not problem.paper_id for problem in broken):
            index.forget(entries.end(connection))
        elif not broken:
            found = index.view(connection)
            there, now = found.slots.pairs != EMPTY, found.selected(ENCODABLE)
            if np.count_nonzero(there & ~now) > np.count_nonzero(now):
                alive = np.flatnonzero(now)
                index.forget(entries.end(connection))
                notes.append("Most of the index was of papers that are gone; it was made anew without them.")
    notes += indexing.bring_up(resources)
    for name in resources.dense:
        files = index.files(name)
        files.remove(files.unsound())
        if alive is not None:
            files.keep(alive)
    index.close()
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


_NOT_BLANK = r"[^\s\p{Z}\x1c-\x1f\x85]"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something amiss. `paper_id` is "" when it belongs to none; `waiting` things are only not done yet."""

    kind: str
    detail: str
    paper_id: str = ""
    waiting: bool = False


def _queries() -> Iterator[str]:
    """SQL for kind, paper and detail of every row and entry that has not what it belongs to, once."""
    yield """SELECT 'metadata', p.paper_id::VARCHAR, format('{} metadata rows, not 1', count(m.paper_id))
             FROM papers p LEFT JOIN metadata m USING (paper_id) WHERE p.state <> 'failed'
             GROUP BY p.paper_id HAVING count(m.paper_id) <> 1"""
    yield """SELECT 'pages', m.paper_id::VARCHAR, format('{} pages, not {}', count(g.page_id), m.num_pages)
             FROM metadata m LEFT JOIN pages g ON g.ref_paper_id = m.paper_id
             GROUP BY m.paper_id, m.num_pages HAVING count(g.page_id) <> m.num_pages"""
    for table in schema.TABLES:
        name, key, owner = table.name, table.key, _owner(table.name)
        yield f"""SELECT 'orphans', {owner}::VARCHAR, format('{{}} rows of {name} without a paper', count(*))
                  FROM {name} WHERE {owner} NOT IN (SELECT paper_id FROM papers WHERE state <> 'failed')
                  GROUP BY {owner}"""
        yield f"""SELECT 'twice', min({owner})::VARCHAR,
                         format('{name}.{key} {{}} is there {{}} times', {key}::VARCHAR, count(*))
                  FROM {name} GROUP BY {key} HAVING count(*) > 1"""
        for column in table.columns:  # whatever it points to is there
            other, _, own = column.refers.partition(".")
            if other and column.name != "ref_paper_id":
                yield f"""SELECT 'dangling', ref_paper_id::VARCHAR,
                                 format('{{}} values of {name}.{column.name} point to no {other}', count(*))
                          FROM {name} WHERE {column.name} IS NOT NULL
                            AND {column.name} NOT IN (SELECT {own} FROM {other}) GROUP BY ref_paper_id"""
    for pair in ENCODABLE:  # every cell has exactly one entry, and every entry its cell
        # The same notion of "empty" as Python's strip, by which entries are made.
        filled = "true" if pair.modality == "image" else f"regexp_matches({pair.column}, '{_NOT_BLANK}')"
        yield f"""WITH c AS (SELECT {_owner(pair.table)}::VARCHAR AS paper, {pair.key}::VARCHAR AS k
                             FROM {pair.table} WHERE {filled}),
                       e AS (SELECT pdf_id AS paper, primary_key AS k FROM entries WHERE pair = {pair.number})
                  SELECT 'entries', coalesce(c.paper, e.paper),
                         format('{{}} cells of {pair.table}.{pair.column}, {{}} entries',
                                count(c.k), count(e.k))
                  FROM c FULL JOIN e ON c.k = e.k AND c.paper = e.paper
                  GROUP BY 2 HAVING count(c.k) <> count(*) OR count(e.k) <> count(*)"""


def _owner(table: str) -> str:
    return "paper_id" if table == "metadata" else "ref_paper_id"


def audit_index(connection: duckdb.DuckDBPyConnection, resources: Resources) -> list[Problem]:
    """The index has every paper, what it holds is what was written, and every entry its words."""
    index = resources.index
    try:
        states = journal(index.folder / "units")
        found = index.view(connection)
        wrong = [
            Problem("index", "what is kept of it is damaged", paper)
            for state in damaged(index.folder / "units", states)
            for paper in state.papers or ("",)
        ]
        if files := found.words.damaged():
            told = f"words/{', '.join(files)} are not what was written"
            wrong.append(Problem("index", f"{told}; `quire repair` makes it anew"))
        wrong += [
            Problem("index", f"{last - first} entries are not in the index", paper)
            for paper, first, last in index.behind(entries.runs(connection))
        ]
        said = found.words_expected()
        if said != len(found.words):
            detail = f"the index of words has {len(found.words)} entries, not {said}"
            wrong.append(Problem("index", f"{detail}; `quire repair` makes it anew"))
        return wrong
    except (IndexDamaged, OSError) as error:
        return [Problem("index", f"{error} `quire repair` makes it anew.")]


def _vectors(connection: duckdb.DuckDBPyConnection, resources: Resources) -> list[Problem]:
    """Every entry of a paper that was encoded has a sound vector."""
    problems = []
    with contextlib.suppress(IndexDamaged):  # which `audit_index` tells
        found = resources.index.view(connection)
        for name in resources.dense:
            try:
                left = waiting(found, name, resources.index.vectors(name))
                unsound = resources.index.files(name).unsound()
            except VectorsAway as error:
                return [Problem("waiting", str(error), waiting=True)]
            except IndexDamaged as error:
                problems.append(Problem("vectors", f"{error} `quire repair` makes them anew."))
                continue
            if len(left):
                problems.append(Problem("waiting", f"{len(left)} entries wait for {name}", waiting=True))
            if len(unsound):
                told = f"{len(unsound)} vectors of {name} are damaged; `quire repair` makes them"
                problems.append(Problem("vectors", told))
    return problems


def _copies(connection: duckdb.DuckDBPyConnection, resources: Resources) -> Iterator[Problem]:
    """Every paper has its PDF, unchanged, and every PDF its paper."""
    for paper in rows.papers_where(connection, "state <> 'failed'"):
        copy = intake.copy_of(resources.papers, paper.paper_id)
        if not copy.exists():
            yield Problem("copy", "its PDF is not in papers/; add the file again", paper.paper_id)
        elif not intake.holds(copy, paper.copy_sha256):
            told = f"papers/{copy.name} is not what was added; add the file again"
            yield Problem("copy", told, paper.paper_id)
        if copy.with_suffix(".json").exists() and intake.label_of(copy) is None:
            told = f"papers/{copy.stem}.json makes no sense; `quire repair` writes it anew"
            yield Problem("label", told, paper.paper_id)
    for copy in garbled_notes(resources.folder):
        yield Problem("note", f"trash/{copy.stem}.note makes no sense; `quire repair` writes what is known")
    for copy in stray_copies(connection, resources):
        yield Problem("copy", f"papers/{copy.name} has no rows; `quire repair` reads it again", copy.stem)
