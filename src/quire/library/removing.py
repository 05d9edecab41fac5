"""Taking papers out and putting them back: rows and entries in one transaction, the copy with them."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from quire.errors import DocumentError, PaperNotFound, VectorsAway
from quire.library import corrections, intake, records, trash
from quire.library.ids import paper_id
from quire.library.papers import Paper
from quire.library.records import Label, Source
from quire.library.resources import Resources
from quire.library.trash import Removed
from quire.search import entries
from quire.search.slots import IndexDamaged
from quire.store import rows


def forget(connection: duckdb.DuckDBPyConnection, papers: Sequence[str]) -> None:
    """Delete all that the database has of these papers; the index follows after the commit."""
    if papers:
        entries.delete(connection, papers)
        rows.delete_paper(connection, papers)


def remove(resources: Resources, papers: Sequence[Paper], *, keep: bool = True) -> None:
    """Remove papers from the library, into its trash if they are to be kept. The user's files stay.

    From the commit on no search finds them; the index drops its words of them then.
    """
    ids = [paper.id for paper in papers]
    if keep:
        trash.keep(resources.folder, papers, _places(resources, ids))
    else:  # what a killed removal or restore left of them there
        for paper in ids:
            trash.forget(resources.folder, paper)
    with intake.leaving(resources.papers, ids), resources.database.writing() as connection:
        forget(connection, ids)
        records.forget_sources(connection, ids)
        if not keep:
            corrections.forget(connection, ids)
    tidy(resources)
    drop(resources, ids)


def drop(resources: Resources, papers: Sequence[str]) -> None:
    """Take papers out of the index, after their rows. What cannot be told now is made good later."""
    with contextlib.suppress(IndexDamaged, VectorsAway):
        with resources.index.writing() as writer:
            writer.remove(papers)
        with resources.database.reading() as connection:
            found = resources.index.view(connection)
        for name in resources.dense:
            resources.index.vectors(name).settle(found)


def tidy(resources: Resources) -> None:
    """Bring `papers/` and `trash/` in step with the rows; the caller has the writer's lock."""
    with resources.database.reading() as connection:
        known = {paper.paper_id for paper in rows.papers_where(connection, "state <> 'failed'")}
    intake.tidy(resources.papers, known)


def take_over(folder: Path, old: Path) -> None:
    """Put into the trash what an older server kept as `old/ID/NAME.pdf`; the caller has the writer's lock.

    Raises:
        OSError: the disk does not take it; what is not taken stays where it is.
    """
    for file in old.glob("*/*.pdf"):
        with contextlib.suppress(DocumentError):  # it is empty
            when = datetime.fromtimestamp(file.parent.stat().st_mtime, UTC).replace(tzinfo=None)
            note = Removed(paper_id(intake.sha256_of(file)), "", file.name, when, when)
            if not trash.copy_of(folder, note.id).exists():
                trash.put(folder, note, file)
    shutil.rmtree(old)


def find(folder: Path, name: str) -> Removed:
    """The removed paper of that id, unique beginning of an id, file name, title or part of a title.

    Raises:
        PaperNotFound: none, or several.
    """
    kept, asked = trash.kept(folder), name.strip().lower()
    tries = (
        [one for one in kept if one.id == asked],
        [one for one in kept if asked in (one.file_name.lower(), one.file_name.lower().rpartition(".")[0])],
        [one for one in kept if one.title.lower() == asked],
        [one for one in kept if len(asked) >= 4 and one.id.startswith(asked)],
        [one for one in kept if asked and asked in one.title.lower()],
    )
    found = next((each for each in tries if each), [])
    if len(found) == 1:
        return found[0]
    if found:
        told = "; ".join(f"{one.id[:8]} {one.file_name}" for one in found[:6])
        raise PaperNotFound(
            f"{len(found)} removed papers are named `{name[:200]}`: {told}.", hint="Use an id."
        )
    raise PaperNotFound(
        f"No removed paper is named `{name[:200]}`.", hint="`quire restore` lists those that are kept."
    )


def sources_of(resources: Resources, papers: Sequence[Removed]) -> list[Path]:
    """The kept PDFs of papers, ready to be read in again.

    A file that holds another paper by now stays that paper's: the old one goes by its copy in the library.
    """
    with resources.database.reading() as connection:
        taken = records.places(connection)
    copies = []
    for paper in papers:
        copy = trash.copy_of(resources.folder, paper.id)
        told = intake.label_of(copy)
        own = str(intake.copy_of(resources.papers, paper.id))
        if told is None:
            sha256 = intake.sha256_of(copy)
            told = Label(paper.file_name, own, sha256, sha256, copy.stat().st_size)
            intake.label(copy.parent, paper.id, told)
        elif taken.get(told.source_path, paper.id) != paper.id:
            intake.label(copy.parent, paper.id, replace(told, source_path=own))
        copies.append(copy)
    return copies


def put_back(resources: Resources, papers: Sequence[Removed]) -> None:
    """Once their rows are in: when they were added and from where, as it was; the trash lets them go."""
    with resources.database.writing() as connection:
        taken = records.places(connection)
        for paper in papers:
            connection.execute(
                "UPDATE papers SET added = ? WHERE paper_id = ?::UUID", [paper.added, paper.id]
            )
            others = [
                (Source(Path(place), name, place), paper.id)
                for place, name in paper.places.items()
                if taken.get(place, paper.id) == paper.id
            ]
            records.note_sources(connection, others)
    for paper in papers:
        trash.forget(resources.folder, paper.id)


def _places(resources: Resources, papers: Sequence[str]) -> dict[str, dict[str, str]]:
    """The files that papers were added from, place to name, by paper."""
    places: dict[str, dict[str, str]] = {}
    with resources.database.reading() as connection:
        found = connection.execute(
            "SELECT paper_id::VARCHAR, place, file_name FROM sources"
            " WHERE paper_id IN (SELECT unnest(?::UUID[]))",
            [list(papers)],
        ).fetchall()
    for paper, place, name in found:
        places.setdefault(paper, {})[place] = name
    return places
