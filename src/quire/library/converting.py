"""PDFs as files of other forms, without a library: read in children with the limits of `add`, written here.

    report = convert(["papers/"], "md", Path("out"), settings.parsing)
    [file.outcome for file in report.files]        # ["written", "there", "failed", ...]

What is there and newer than its PDF is left alone, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from quire import atomic
from quire.errors import DocumentError, LibraryError
from quire.library.finding import find
from quire.library.parse_child import Whole
from quire.library.parsing import ParseJob, Readers
from quire.library.report import OnProgress, StageMeter
from quire.settings import Parsing
from quire.types import Document
from quire.types.forms import FORMS

DPI = 150.0  # of pictures of figures
_ENDINGS = {"jats": ".xml"}
_WITH_PICTURES = frozenset({"md", "html", "json", "jsonl", "jats"})


@dataclass(frozen=True, slots=True)
class Converted:
    """What became of one PDF: where it was written, or why it was not."""

    path: Path
    outcome: Literal["written", "there", "failed"]
    target: Path | None = None
    pages: int = 0
    reason: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversion:
    """What became of all, in the order in which they were done."""

    files: tuple[Converted, ...]
    seconds: float
    notes: tuple[str, ...] = ()  # what was passed over

    def of(self, outcome: str) -> tuple[Converted, ...]:
        """The files with that outcome."""
        return tuple(file for file in self.files if file.outcome == outcome)


def parse(
    path: Path | str,
    *,
    password: str | None = None,
    pictures: Path | str | None = None,
    settings: Parsing | None = None,
) -> Document:
    """Read one PDF in a child process with limits, without a library.

    With `pictures`, the figures are cut out and written to that folder; `Image.picture` tells where.

    Raises:
        DocumentError: it cannot be read: PasswordRequired, NotAPdf or DocumentLimit.
    """
    file = Path(path).expanduser()
    if not file.is_file():
        raise DocumentError(f"There is no file {file}.")
    with Readers(settings or Parsing()) as readers:
        ((_, result),) = readers.documents([_job(file, password)], DPI if pictures else 0.0)
    if isinstance(result, DocumentError):
        raise result
    return _illustrated(result, Path(pictures), str(Path(pictures))) if pictures else result.document


def documents(
    files: Sequence[Path], settings: Parsing, password: str | None = None
) -> Iterator[tuple[Path, Document | DocumentError]]:
    """The documents of many PDFs, without pictures, as they are ready."""
    with Readers(settings) as readers:
        for job, result in readers.documents(_job(file, password) for file in files):
            yield job.path, result.document if isinstance(result, Whole) else result


def convert(
    named: Sequence[str | Path],
    form: str,
    output: Path,
    settings: Parsing,
    *,
    password: str | None = None,
    progress: OnProgress | None = None,
) -> Conversion:
    """Write files, folders and globs of PDFs to the folder `output`, each in a file of its own.

    Files of a folder keep their place below it. Never raises for a PDF: each is in the report.

    Raises:
        UnknownNameError: there is no such form.
        LibraryError: the folder cannot be written.
    """
    targets, missing, notes = _targets(named, form, output)
    done = write_all(targets, form, settings, password=password, progress=progress, missing=missing)
    return replace(done, notes=tuple(notes))


def write_all(
    targets: Mapping[Path, Path],
    form: str,
    settings: Parsing,
    *,
    password: str | None = None,
    progress: OnProgress | None = None,
    missing: Sequence[Converted] = (),
    changed: float = 0.0,
    dressed: Callable[[Path, Document], Document] = lambda _, document: document,
) -> Conversion:
    """Write PDFs to the places named for them, each `dressed` before.

    What was written before its PDF, or before the time `changed`, is written anew.
    """
    FORMS.load(form)
    started = time.monotonic()
    meter = StageMeter("parse", len(targets) + len(missing), progress)
    done = list(missing)
    todo = []
    for file, target in targets.items():
        if _is_newer(target, file, changed):
            done.append(Converted(file, "there", target))
        else:
            todo.append(_job(file, password))
    meter.reached(len(done))
    dpi = DPI if form in _WITH_PICTURES else 0.0
    with Readers(settings) as readers:
        for job, result in readers.documents(todo, dpi):
            if isinstance(result, DocumentError):
                done.append(Converted(job.path, "failed", reason=str(result)))
            else:
                own = replace(result, document=dressed(job.path, result.document))
                done.append(_written(job.path, targets[job.path], form, own))
            meter.step(job.path.name)
    return Conversion(tuple(done), time.monotonic() - started)


def _job(file: Path, password: str | None) -> ParseJob:
    return ParseJob(file, "", file.name, password)


def _targets(
    named: Sequence[str | Path], form: str, output: Path
) -> tuple[dict[Path, Path], list[Converted], list[str]]:
    """Where each PDF is written; two of one name get numbers. What is missing, and what was passed over."""
    targets: dict[Path, Path] = {}
    taken: set[str] = set()
    missing: list[Converted] = []
    notes: list[str] = []
    for name in named:
        found = find([name])
        notes += found.notes
        missing += [Converted(path, "failed", reason=reason) for path, reason in found.missing]
        top = Path(name).expanduser()
        for file in found.files:
            if file in targets:
                continue
            inside = top.is_dir() and file.is_relative_to(top)
            place = output / (file.relative_to(top) if inside else Path(file.name))
            target, number = place.with_suffix(ending(form)), 1
            while str(target).casefold() in taken:
                number += 1
                target = place.with_name(f"{place.stem}-{number}{ending(form)}")
            taken.add(str(target).casefold())
            targets[file] = target
    return targets, missing, notes


def ending(form: str) -> str:
    """How the names of files of a form end."""
    return _ENDINGS.get(form, f".{form}")


def _is_newer(target: Path, file: Path, changed: float) -> bool:
    try:
        return target.stat().st_mtime >= max(changed, file.stat().st_mtime)
    except OSError:
        return False


def _written(file: Path, target: Path, form: str, whole: Whole) -> Converted:
    folder = target.with_name(f"{target.stem}_figures")
    try:
        document = _illustrated(whole, folder, folder.name)
        put(target, document.to(form).encode("utf-8", "replace"))
    except OSError as error:
        raise LibraryError(
            f"Cannot write {target}: {error.strerror or error}.", hint="Choose another folder with -o."
        ) from error
    return Converted(file, "written", target, len(document.pages), notes=document.notes)


def _illustrated(whole: Whole, folder: Path, told: str) -> Document:
    """The document with its pictures written, each figure telling where."""
    images = list(whole.document.images)
    for at, picture in enumerate(whole.pictures):
        name = f"figure-{at + 1}.png"
        put(folder / name, picture)
        images[at] = replace(images[at], picture=f"{told}/{name}")
    return replace(whole.document, images=tuple(images))


def put(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write(path, content)
