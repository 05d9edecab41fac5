"""Removed papers, kept for a while in `trash/` of the library: the PDF, its label, and a note of what it was.

    trash.keep(folder, papers, places)    # before their rows go
    trash.kept(folder)                    # [Removed(id="5fe57755-...", title="On Boats", ...)], newest first
    trash.tidy(folder, known)             # what has rows is not removed; what is too old goes for good

Whether a paper is in or removed is told by its rows alone. A copy is in `papers/` until its rows are gone and
in `trash/` until they are back, so a process may die at any moment. Copies are links where the disk has them:
to remove a paper needs no room for a second one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from quire import atomic
from quire.library.ids import ID
from quire.library.papers import Paper

KEPT = timedelta(days=30)
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
        return self.removed + KEPT


def copy_of(folder: Path, paper_id: str) -> Path:
    """Where the PDF of a removed paper is."""
    return _part(folder, paper_id, ".pdf")


def keep(folder: Path, papers: Iterable[Paper], places: Mapping[str, Mapping[str, str]]) -> None:
    """Keep papers that are about to be removed; `places` are the files of each, by its id.

    Raises:
        OSError: the disk does not take them.
    """
    now = datetime.now(UTC).replace(tzinfo=None)
    for paper in papers:
        copy = folder / "papers" / f"{paper.id}.pdf"
        if not ID.fullmatch(paper.id) or not copy.is_file():
            continue  # of a file that could not be read there is nothing to keep
        note = Removed(paper.id, paper.title, paper.file_name, now, paper.added, places.get(paper.id, {}))
        put(folder, note, copy)


def put(folder: Path, note: Removed, copy: Path) -> None:
    """Keep one paper, whose PDF and label are there.

    Raises:
        OSError: the disk does not take it.
    """
    (folder / "trash").mkdir(exist_ok=True)
    atomic.write(_part(folder, note.id, ".note"), json.dumps(asdict(note), default=str))
    for file in (copy, copy.with_suffix(".json")):
        if file.is_file():
            link(file, _part(folder, note.id, file.suffix))


def kept(folder: Path) -> list[Removed]:
    """The removed papers that can be put back, the newest first."""
    found = [_note_of(place) for place in (folder / "trash").glob("*.note")]
    there = [one for one in found if one and copy_of(folder, one.id).is_file()]
    return sorted(there, key=lambda one: (one.removed, one.id), reverse=True)


def tidy(folder: Path, known: Collection[str]) -> None:
    """Finish what a killed process began, and let go what is too old. `known` papers have rows.

    A clock that was set back keeps papers longer, never shorter.
    """
    now = datetime.now(UTC).replace(tzinfo=None)
    for removed in kept(folder):
        copy = folder / "papers" / f"{removed.id}.pdf"
        if removed.id in known:
            if not copy.exists():
                link(copy_of(folder, removed.id), copy)
            forget(folder, removed.id)
            continue
        for file in (copy, copy.with_suffix(".json")):
            file.unlink(missing_ok=True)
        if now > removed.until:
            forget(folder, removed.id)


def forget(folder: Path, paper_id: str) -> None:
    """Let a removed paper go for good. The note goes last: without it nothing knows of the rest."""
    for ending in _PARTS:
        _part(folder, paper_id, ending).unlink(missing_ok=True)


def link(file: Path, place: Path) -> None:
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
    if not ID.fullmatch(paper_id):
        raise ValueError(f"{paper_id[:80]!r} is no id of a paper")
    return folder / "trash" / f"{paper_id}{ending}"


def _note_of(place: Path) -> Removed | None:
    """The note of a removed paper; None if it makes no sense."""
    try:
        if place.stat().st_size > _LONGEST_NOTE:
            return None
        told = json.loads(place.read_text(encoding="utf-8"))
        removed, added = (datetime.fromisoformat(told.pop(name)) for name in ("removed", "added"))
        places = {str(key): str(value) for key, value in told.pop("places").items()}
        note = Removed(**told, removed=removed, added=added, places=places)
        texts = (note.id, note.title, note.file_name)
        sound = all(isinstance(text, str) for text in texts) and not (removed.tzinfo or added.tzinfo)
        sound = sound and note.id == place.stem and bool(ID.fullmatch(note.id)) and removed.year < 9999
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None
    return note if sound else None
