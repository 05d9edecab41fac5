"""Taking papers out and putting them back: rows and entries in one transaction, the copy with them.

    remove(resources, papers)             # their PDFs, labels and a note of what they were go to `trash/`
    list_removed(folder)                  # [Removed(id="5fe57755-...", title="On Boats", ...)], newest first
    tidy(resources)                       # what has rows is not removed; what is too old goes for good

Whether a paper is in or removed is told by its rows alone. A copy is in `papers/` until its rows are gone and
in `trash/` until they are back, so a process may die at any moment. Copies are links where the disk has them:
to remove a paper needs no room for a second one.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from quire import atomic, jsontext
from quire.errors import DocumentError, LibraryFull, LibraryLocked, PaperNotFound, VectorsAway
from quire.library import corrections, intake
from quire.library.ids import ID, paper_id
from quire.library.intake import Label, Source
from quire.library.papers import Paper, one_of, several
from quire.library.papers import find as paper_named
from quire.library.resources import Resources
from quire.search import entries
from quire.search.slots import IndexDamaged
from quire.settings import RESTORABLE
from quire.store import WriterLock, rows

_LONGEST_NOTE = 1_000_000  # bytes
_PARTS = (".pdf", ".json", ".note")


@dataclass(frozen=True, slots=True)
class Removed:
    """A removed paper that can be put back. Times are UTC; `places` are its files, place to file name."""

    id: str
    title: str
    file_name: str
    removed: datetime
    added: datetime
    places: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What to call it: its title, else its file name."""
        return self.title or self.file_name

    @property
    def until(self) -> datetime:
        """When it goes for good."""
        return self.removed + RESTORABLE


def forget(connection: duckdb.DuckDBPyConnection, papers: Sequence[str]) -> None:
    """Delete all that the database has of these papers; the index follows after the commit."""
    if papers:
        entries.delete(connection, papers)
        rows.delete_paper(connection, papers)


def remove(resources: Resources, names: str | Iterable[str], *, keep: bool = True) -> list[Paper]:
    """Remove papers from the library, into its trash if they are to be kept. The user's files stay.

    From the commit on no search finds them; the index drops its words of them then.
    """
    asked = several(names)
    with WriterLock(resources.existing()):
        with resources.database.reading() as connection:
            found = [paper_named(connection, name, failed=True) for name in asked]
        _remove(resources, found, keep)
        with contextlib.suppress(LibraryLocked):
            resources.database.checkpoint()
    return found


def _remove(resources: Resources, papers: Sequence[Paper], keep: bool) -> None:
    ids = [paper.id for paper in papers]
    if keep:
        sql = "SELECT place, file_name FROM sources WHERE paper_id = ?::UUID"
        with resources.database.reading() as connection:
            places = {paper: dict(connection.execute(sql, [paper]).fetchall()) for paper in ids}
        keep_removed(resources.folder, papers, places)
    else:  # what a killed removal or restore left of them there
        for paper in ids:
            _let_go(resources.folder, paper)
    with intake.leaving(resources.papers, ids), resources.database.writing() as connection:
        forget(connection, ids)
        intake.forget_sources(connection, ids)
        if not keep:
            corrections.forget(connection, ids)
    tidy(resources)
    drop(resources, ids)


def drop(resources: Resources, papers: Sequence[str]) -> None:
    """Take papers out of the index, after their rows. What cannot be told now is made good later."""
    with contextlib.suppress(IndexDamaged, LibraryFull, VectorsAway):
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
    tidy_files(resources.papers, known)


def tidy_files(papers: Path, known: set[str]) -> None:
    """Finish what a killed process began. `known` papers have rows; the caller has the writer's lock.

    A copy in `papers/` is never removed unless the trash has it: without rows it is damage, and what the rows
    are made from again. The trash lets go what is too old; a clock that was set back keeps papers longer,
    never shorter.
    """
    papers.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(papers / ".incoming", ignore_errors=True)
    for file in (papers / ".leaving").glob("*"):
        if file.stem in known and not (papers / file.name).exists():
            file.replace(papers / file.name)
        else:
            file.unlink(missing_ok=True)
    folder, now = papers.parent, intake.now()
    for removed in list_removed(folder):
        copy = papers / f"{removed.id}.pdf"
        if removed.id in known:
            if not copy.exists():
                _link(kept_copy(folder, removed.id), copy)
            _let_go(folder, removed.id)
            continue
        for file in (copy, copy.with_suffix(".json")):
            file.unlink(missing_ok=True)
        if now > removed.until:
            _let_go(folder, removed.id)


def stray_copies(connection: duckdb.DuckDBPyConnection, resources: Resources) -> list[Path]:
    """The PDFs in `papers/` that have no rows: of an `add` that was killed, or the rows were lost."""
    wanted = {paper.paper_id for paper in rows.papers_where(connection, "state <> 'failed'")}
    return sorted(copy for copy in resources.papers.glob("*.pdf") if copy.stem not in wanted)


def take_over(folder: Path, old: Path) -> None:
    """Put into the trash what an older server kept as `old/ID/NAME.pdf`; the caller has the writer's lock.

    Raises:
        OSError: the disk does not take it; what is not taken stays where it is.
    """
    for file in old.glob("*/*.pdf"):
        with contextlib.suppress(DocumentError):  # it is empty
            when = datetime.fromtimestamp(file.parent.stat().st_mtime, UTC).replace(tzinfo=None)
            note = Removed(paper_id(intake.sha256_of(file)), "", file.name, when, when)
            if not kept_copy(folder, note.id).exists():
                put_away(folder, note, file)
    shutil.rmtree(old)


def find(folder: Path, name: str) -> Removed:
    """The removed paper of that id, unique beginning of an id, file name, title or part of a title.

    Raises:
        PaperNotFound: none, or several.
    """
    kept, asked = list_removed(folder), name.strip().lower()
    fitting = (
        [one for one in kept if one.id == asked],
        [one for one in kept if asked in (one.file_name.lower(), one.file_name.lower().rpartition(".")[0])],
        [one for one in kept if one.title.lower() == asked],
        [one for one in kept if len(asked) >= 4 and one.id.startswith(asked)],
        [one for one in kept if asked and asked in one.title.lower()],
    )
    if found := one_of(fitting, name, lambda one: f"{one.id[:8]} {one.file_name}", "removed papers"):
        return found
    raise PaperNotFound(
        f"No removed paper is named `{name[:200]}`.", hint="`quire restore` lists those that are kept."
    )


def sources_of(resources: Resources, papers: Sequence[Removed]) -> list[Path]:
    """The kept PDFs of papers, ready to be read in again."""
    copies = []
    for paper in papers:
        copy = kept_copy(resources.folder, paper.id)
        told = intake.label_of(copy)
        own = str(intake.copy_of(resources.papers, paper.id))
        if told is None:
            sha256 = intake.sha256_of(copy)
            told = Label(paper.file_name, own, sha256, sha256, copy.stat().st_size)
            intake.label(copy.parent, paper.id, told)
        copies.append(copy)
    return copies


def put_back(resources: Resources, papers: Sequence[Removed]) -> None:
    """Once their rows are in: when they were added and from where, as it was; the trash lets them go."""
    with resources.database.writing() as connection:
        taken = intake.places(connection)
        for paper in papers:
            connection.execute(
                "UPDATE papers SET added = ? WHERE paper_id = ?::UUID", [paper.added, paper.id]
            )
            others = [
                (Source(Path(place), name, place), paper.id)
                for place, name in paper.places.items()
                if taken.get(place, paper.id) == paper.id
            ]
            intake.note_sources(connection, others)
    for paper in papers:
        _let_go(resources.folder, paper.id)


def kept_copy(folder: Path, paper_id: str) -> Path:
    """Where the PDF of a removed paper is."""
    return _part(folder, paper_id, ".pdf")


def keep_removed(folder: Path, papers: Iterable[Paper], places: Mapping[str, Mapping[str, str]]) -> None:
    """Keep papers that are about to be removed; `places` are the files of each, by its id.

    Raises:
        OSError: the disk does not take them.
    """
    now = intake.now()
    for paper in papers:
        copy = folder / "papers" / f"{paper.id}.pdf"
        if not ID.fullmatch(paper.id) or not copy.is_file():
            continue  # of a file that could not be read there is nothing to keep
        note = Removed(paper.id, paper.title, paper.file_name, now, paper.added, places.get(paper.id, {}))
        put_away(folder, note, copy)


def put_away(folder: Path, note: Removed, copy: Path) -> None:
    """Keep one paper, whose PDF and label are there.

    Raises:
        OSError: the disk does not take it.
    """
    (folder / "trash").mkdir(exist_ok=True)
    atomic.write(_part(folder, note.id, ".note"), json.dumps(asdict(note), default=str))
    for file in (copy, copy.with_suffix(".json")):
        if file.is_file():
            _link(file, _part(folder, note.id, file.suffix))


def list_removed(folder: Path) -> list[Removed]:
    """The removed papers that can be put back, the newest first."""
    found = (_note_of(copy.with_suffix(".note")) or _made_up(copy) for copy in _kept(folder))
    there = [one for one in found if one]
    return sorted(there, key=lambda one: (one.removed, one.id), reverse=True)


def garbled_notes(folder: Path) -> list[Path]:
    """The PDFs in the trash whose note is lost or makes no sense."""
    return [copy for copy in _kept(folder) if not _note_of(copy.with_suffix(".note"))]


def write_notes(folder: Path) -> None:
    """Write what can be told of those whose note makes no sense."""
    for copy in garbled_notes(folder):
        if told := _made_up(copy):
            atomic.write(copy.with_suffix(".note"), json.dumps(asdict(told), default=str))


def _kept(folder: Path) -> list[Path]:
    """The PDFs of removed papers."""
    files = sorted((folder / "trash").glob("*.pdf"))
    return [file for file in files if ID.fullmatch(file.stem) and file.is_file()]


def _made_up(copy: Path) -> Removed | None:
    """What is known of a removed paper without its note, by its label and its copy; None if that is gone."""
    told = intake.label_of(copy)
    try:
        when = datetime.fromtimestamp(copy.stat().st_ctime, UTC).replace(tzinfo=None)
    except FileNotFoundError:  # let go for good meanwhile
        return None
    places = {told.source_path: told.file_name} if told else {}
    return Removed(copy.stem, "", told.file_name if told else copy.name, when, when, places)


def _let_go(folder: Path, paper_id: str) -> None:
    """Let a removed paper go for good. The note goes last: without it nothing knows of the rest."""
    for ending in _PARTS:
        _part(folder, paper_id, ending).unlink(missing_ok=True)


def _link(file: Path, place: Path) -> None:
    """The file at a second place, whole or not at all."""
    with atomic.draft(place) as draft:
        draft.unlink(missing_ok=True)
        try:
            draft.hardlink_to(file)
        except OSError:  # a file system without links
            shutil.copyfile(file, draft)
        # Two names of one file cannot replace each other: rename would do nothing and leave the draft.
        place.unlink(missing_ok=True)


def _part(folder: Path, paper_id: str, ending: str) -> Path:
    return intake.copy_of(folder / "trash", paper_id).with_suffix(ending)


def _note_of(place: Path) -> Removed | None:
    """The note of a removed paper; None if it makes no sense."""
    try:
        note = jsontext.of_json(Removed, jsontext.read(place, largest=_LONGEST_NOTE))
    except (OSError, ValueError):
        return None
    sound = note.id == place.stem and bool(ID.fullmatch(note.id)) and note.removed.year < 9999
    return note if sound and not (note.removed.tzinfo or note.added.tzinfo) else None
