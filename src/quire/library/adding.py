"""Adding PDFs: copy, parse in children, commit whole papers; beside it `quire.library.encoding` follows.

A paper goes in with all its rows, its counted words and its copy in `papers/`, or not at all. Papers that are
ready within a second of each other share a transaction. Whatever moment the process dies at, the library
holds whole papers, and adding the same files again does what was left undone.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import duckdb
import numpy as np

from quire import pdf
from quire.errors import DocumentError, LibraryFull, LibraryLocked
from quire.library import citations, cluster, corrections, identity, indexing, intake
from quire.library.encoding import Encoding, encode
from quire.library.finding import FoundFiles
from quire.library.intake import KnownPapers, Label, Source, Taken
from quire.library.parse_child import Parsed
from quire.library.parsing import ParseJob
from quire.library.removing import forget, stray_copies, tidy_files
from quire.library.report import AddReport, FileReport, OnProgress, Outcome, StageMeter, missing_file
from quire.library.resources import Resources
from quire.pdf.scans import has_scan
from quire.search import entries
from quire.search.batch import Batch, checked
from quire.search.dense import Encoded
from quire.search.index import IndexWriter
from quire.search.slots import IndexDamaged
from quire.settings import Parsing
from quire.store import WriterLock, rows
from quire.store.rows import PaperRow

_GATHER_SECONDS = 1.0
_GATHER_PAPERS = 16


@dataclass(frozen=True, slots=True)
class Ready:
    """A paper to commit."""

    taken: Taken
    parsed: Parsed
    vectors: tuple[Encoded, ...] = ()  # made where it was read


@dataclass
class Adding:
    """One run of adding. The caller holds the writer's lock."""

    resources: Resources
    meter: StageMeter
    writer: IndexWriter
    on_commit: Callable[[Sequence[Encoded]], None] = lambda _: None  # papers are in, perhaps with vectors
    password: str | None = None
    recovering: bool = False  # from the library's own copies, which stay whatever happens
    reports: list[FileReport] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    damage: IndexDamaged | None = None  # of the index: it is to be made anew
    _met_at: list[tuple[Source, str]] = field(default_factory=list)  # to be kept: sources of papers
    _ready: list[Ready] = field(default_factory=list)
    _failed: list[PaperRow] = field(default_factory=list)
    _since: float = 0.0

    @cached_property
    def _known(self) -> KnownPapers:
        with self.resources.database.reading() as connection:
            return KnownPapers(connection)

    def run(self, found: FoundFiles) -> None:
        """Add the files that were found."""
        self.notes += found.notes
        for path, reason in found.missing:
            self._tell(missing_file(path, reason))
        self._read(self._jobs(found.files))

    def correct(self, paper: str, wanted: Mapping[str, corrections.Said]) -> None:
        """Let the user's word on a paper's metadata count, in its rows, its index and beside its copy."""
        with self.resources.database.writing() as connection:
            placed = corrections.correct(connection, paper, wanted)
            said = corrections.of_paper(connection, paper)
        told = intake.label_of(intake.copy_of(self.resources.papers, paper))
        if told:
            intake.label(self.resources.papers, paper, replace(told, corrections=said))
        if placed:
            self._index([paper], [placed], ())

    def renew(self, paper: PaperRow) -> None:
        """Parse a paper of the library again; it becomes failed where that cannot be done."""
        self._read(self._again(paper, Path(paper.source_path), keeps=False))

    def refresh(self, papers: Iterable[PaperRow]) -> None:
        """Parse papers of the library again, in place; one that cannot be parsed keeps its rows."""
        known = self._known.by_content
        self._read(job for paper in papers for job in self._met(Source.of_row(paper), known[paper.sha256]))

    def recover(self, copies: Iterable[Path]) -> None:
        """Parse copies that have no rows; one that cannot be read stays as it is."""
        self.recovering = True
        self._read(self._recoveries(copies))

    def _read(self, jobs: Iterable[ParseJob]) -> None:
        tidy_files(self.resources.papers, {k.paper_id for k in self._known.by_content.values()})
        with cluster.readers(self.resources) as readers:
            for job, result in readers.run(jobs):
                taken: Taken = job.origin
                if isinstance(result, DocumentError):
                    taken.copy.unlink(missing_ok=True)
                    self._fail(taken.source, result, taken)
                else:
                    if not self._ready:
                        self._since = time.monotonic()
                    self._ready.append(Ready(taken, result, job.vectors))
                    late = time.monotonic() - self._since > _GATHER_SECONDS
                    if late or len(self._ready) >= _GATHER_PAPERS:
                        self._commit()
        self._commit()

    def _jobs(self, files: Iterable[Path]) -> Iterator[ParseJob]:
        for path in files:
            source = Source.of(path)
            try:
                if known := self._known.by_content.get(intake.sha256_of(path)):
                    own, papers = known.copy_sha256, self.resources.papers
                    if own and not intake.holds(intake.copy_of(papers, known.paper_id), own):
                        intake.restore(path, papers, known.paper_id, own)  # it got lost or changed
                    yield from self._met(source, known)
                    continue
                taken = intake.take(source, self.resources.incoming)
            except DocumentError as error:
                self._fail(source, error, None)
                continue
            self._known.coming(taken)
            yield self._job(taken)

    def _job(self, taken: Taken, parser: str = "") -> ParseJob:
        return ParseJob(taken.copy, taken.paper_id, taken.source.name, self.password, taken, parser)

    def _again(
        self, paper: PaperRow, told: Path, parser: str = "", *, keeps: bool = True
    ) -> Iterator[ParseJob]:
        """The job of parsing a paper once more by a parser, told of as that path.

        If it `keeps` what there is, it goes by the parser that read it before, where none is given.
        """
        source = replace(Source.of_row(paper), path=told)
        file = intake.content_of(self.resources.papers, paper)
        if file is None:
            lost = DocumentError("Its PDF is gone.", hint="Add the file again.")
            if keeps:
                self._tell(_failure(told, lost, paper.paper_id))
            else:
                self._failed.append(intake.failed_row(source, lost, paper.sha256, paper.file_size))
            return
        taken = intake.take(replace(source, path=file), self.resources.incoming)
        taken = replace(taken, source=source, sha256=paper.sha256, size=paper.file_size)
        if not keeps:
            yield self._job(taken)
            return
        self._known.by_content[paper.sha256] = replace(paper, parser="")
        yield self._job(replace(taken, renews=paper), parser or pdf.parser_of(paper.parser))

    def _recoveries(self, copies: Iterable[Path]) -> Iterator[ParseJob]:
        for copy in copies:
            told = intake.label_of(copy)
            source = Source(copy, told.file_name, told.source_path) if told else Source.of(copy)
            try:
                known = self._known.by_content.get(intake.sha256_of(copy))
                if known and (known.paper_id != copy.stem or not known.copy_sha256):
                    self._merge(copy, known)
                    continue
                taken = intake.take(source, self.resources.incoming)
            except DocumentError as error:
                self._fail(source, error, None)
                continue
            content = taken.sha256
            if told and told.copy_sha256 == content:  # of an encrypted file the copy is a decrypted one
                taken = replace(taken, sha256=told.sha256, size=told.file_size)
            if self._known.places.setdefault(source.place, taken.paper_id) != taken.paper_id:
                # Its file holds another paper by now: it goes by its copy.
                place = str(intake.copy_of(self.resources.papers, taken.paper_id))
                taken = replace(taken, source=replace(source, place=place))
            self._known.coming(taken, content)
            yield self._job(taken)

    def _merge(self, copy: Path, known: PaperRow) -> None:
        """A second copy of a paper that is in or, where that has no hash yet, is being read from another."""
        own, named = known.copy_sha256, copy.stem == known.paper_id
        if not named and (not own or intake.restore(copy, self.resources.papers, known.paper_id, own)):
            copy.unlink()
        self._tell(FileReport(copy, "duplicate", known.paper_id))

    def _met(self, source: Source, known: PaperRow) -> Iterator[ParseJob]:
        """A file whose paper is in: told to be known, or parsed again.

        That is, if an older parser did it, or if it has pages without text and a parser is asked for that may
        read them: another than the default and the one that did it.
        """
        if self._known.places.get(source.place) != known.paper_id:
            self._met_at.append((source, known.paper_id))
        asked = self.resources.settings.parsing.parser
        unread = has_scan(known.notes) and asked not in (Parsing().parser, pdf.parser_of(known.parser))
        if known.parser and (unread or pdf.outdated(known.parser)):
            yield from self._again(known, source.path, asked if unread else "")
            return
        same = source.name == known.file_name or source.place == known.source_path
        reason = "" if same else f"It has the same content as {known.file_name}."
        self._tell(
            FileReport(source.path, "unchanged" if same else "duplicate", known.paper_id, reason=reason)
        )

    def _fail(self, source: Source, error: DocumentError, taken: Taken | None) -> None:
        if self.recovering or (taken and taken.renews):  # what there is stays
            self._tell(_failure(source.path, error, taken.paper_id if taken and taken.renews else ""))
            return
        row = intake.failed_row(source, error, taken.sha256 if taken else "", taken.size if taken else 0)
        self._known.by_content.pop(row.sha256, None)
        self._failed.append(row)
        if len(self._failed) >= _GATHER_PAPERS:
            self._commit()

    def _commit(self) -> None:
        ready, failed = self._ready, self._failed
        self._ready, self._failed = [], []
        if not ready and not failed and not self._met_at:
            return
        self._label([paper for paper in ready if paper.taken.copy.exists()])
        for paper in ready:
            if paper.taken.copy.exists():
                intake.settle(paper.taken.copy, self.resources.papers, paper.taken.paper_id)
        # What is in already was parsed again from its copy: its file may hold another paper by now.
        taken = [paper.taken for paper in ready if not self._known.has(paper.taken.paper_id)]
        sources = [*((one.source, one.paper_id) for one in taken), *self._met_at]
        before = self._known.places
        replaced = self._known.replaced_by(taken, self._met_at)
        try:
            with intake.leaving(self.resources.papers, replaced):
                written = self._write(ready, failed, sources, replaced)
        except (duckdb.DataError, ValueError) as error:
            self._commit_singly(ready, failed, error)
            return
        self._met_at = []
        self._index(*written)
        if self.recovering:
            self._drop_misnamed(ready)
        for paper_id in replaced:
            self._known.forget(paper_id)
        self._known.places = before | {source.place: paper for source, paper in sources}
        for paper in ready:
            self._tell(_report(paper, before.get(paper.taken.source.place, "")))
        for row in failed:
            place = Path(row.source_path)
            self._tell(FileReport(place, "failed", row.paper_id, kind=row.error_kind, reason=row.error))

    def _drop_misnamed(self, ready: Sequence[Ready]) -> None:
        """Let go copies under a wrong name, whatever that is: they have got their own."""
        own = {paper.taken.paper_id for paper in ready}
        for path in (paper.taken.source.path for paper in ready):
            if path.parent == self.resources.papers and path.stem not in own:
                path.unlink(missing_ok=True)
                path.with_suffix(".json").unlink(missing_ok=True)

    def _label(self, ready: Sequence[Ready]) -> None:
        """Tell beside each copy where it came from, and what the user said of the paper before."""
        with self.resources.database.reading() as connection:
            said = {p.taken.paper_id: corrections.of_paper(connection, p.taken.paper_id) for p in ready}
        for paper in ready:
            own = paper.taken.paper_id
            before = intake.label_of(intake.copy_of(self.resources.papers, own))
            told = said[own] or (before.corrections if before else {})
            taken, copy = paper.taken, paper.parsed.copy_sha256
            label = Label(taken.source.name, taken.source.place, taken.sha256, copy, taken.size, told)
            intake.label(self.resources.papers, own, label)

    def _commit_singly(self, ready: list[Ready], failed: list[PaperRow], error: Exception) -> None:
        """One paper holds something that cannot be stored: it must not take the others with it."""
        if len(ready) == 1:
            taken = ready[0].taken
            if not self.recovering and not taken.renews:
                intake.copy_of(self.resources.papers, taken.paper_id).unlink(missing_ok=True)
            self._failed = failed
            self._fail(taken.source, DocumentError(f"It cannot be stored: {error}"), taken)
            self._commit()
            return
        self._failed = failed
        self._commit()
        for paper in ready:
            self._ready = [paper]
            self._commit()

    def _write(
        self,
        ready: list[Ready],
        failed: list[PaperRow],
        sources: Sequence[tuple[Source, str]],
        replaced: set[str],
    ) -> tuple[list[str], list[tuple[int, Batch]], list[Encoded]]:
        """The rows, in one transaction; gives what the index has to follow: papers gone, entries, vectors."""
        renewed = {paper.taken.paper_id for paper in ready} | {row.paper_id for row in failed}
        gone = sorted(replaced | (renewed & self._known.by_id.keys()))
        chunk_tokens = self.resources.settings.parsing.chunk_tokens
        placed: list[tuple[int, Batch]] = []
        vectors: list[Encoded] = []
        with self.resources.database.writing() as connection:
            kept = [self._told(connection, paper) for paper in ready]
            forget(connection, gone)
            for paper, parsed in zip(ready, kept, strict=True):
                row = intake.parsed_row(paper.taken, parsed, chunk_tokens)
                rows.insert(connection, [*parsed.rows, *citations.key_rows(parsed.rows), row])
                first = entries.write(connection, checked(parsed.batch))
                placed.append((first, parsed.batch))
                if np.array_equal(parsed.batch.hashes, paper.parsed.batch.hashes):  # the same texts
                    vectors += [each._replace(ids=first + each.ids) for each in paper.vectors]
                citations.link(connection, row.paper_id)
            rows.insert(connection, failed)
            intake.forget_sources(connection, sorted(replaced))
            intake.note_sources(connection, sources)
        return gone, placed, vectors

    def _told(self, connection: duckdb.DuckDBPyConnection, paper: Ready) -> Parsed:
        """What was read of a paper, with what the user and, where it was in already, a model said of it."""
        own = paper.taken.paper_id
        if self.recovering and (label := intake.label_of(intake.copy_of(self.resources.papers, own))):
            corrections.restore(connection, own, label.corrections)
        parsed = corrections.laid_over(connection, own, paper.parsed)
        return identity.kept(connection, own, parsed) if paper.taken.renews else parsed

    def _index(
        self, gone: Sequence[str], placed: Sequence[tuple[int, Batch]], vectors: Sequence[Encoded]
    ) -> None:
        """The index follows the rows; what goes wrong there is made up later (`indexing.bring_up`)."""
        try:
            self.writer.remove(gone)
            self.writer.put(placed)
        except IndexDamaged as error:
            self.damage = error
        except LibraryFull as error:
            self.notes.append(f"{error} It is made up by the next command.")
        self.on_commit(vectors)

    def _tell(self, report: FileReport) -> None:
        self.reports.append(report)
        self.meter.step(report.path.name)


def _report(paper: Ready, before: str) -> FileReport:
    """What became of a paper; `before` is the one that its file held."""
    outcome: Outcome = "added" if before in ("", paper.taken.paper_id) else "updated"
    return FileReport(
        paper.taken.source.path,
        "refreshed" if paper.taken.renews else outcome,
        paper.taken.paper_id,
        paper.parsed.metadata.title,
        paper.parsed.metadata.num_pages,
        notes=paper.parsed.notes,
    )


def _failure(path: Path, error: DocumentError, paper_id: str) -> FileReport:
    """The report of a file that was not read and left no row behind."""
    return FileReport(path, "failed", paper_id, kind=type(error).__name__, reason=str(error))


def add(
    resources: Resources, found: FoundFiles, password: str | None, progress: OnProgress | None
) -> AddReport:
    """Add the files that were found; of nothing no library is made."""
    cluster.require(resources.settings)
    if not found.files and not resources.database.exists():
        reports = tuple(missing_file(path, reason) for path, reason in found.missing)
        return AddReport(reports, notes=tuple(found.notes))
    resources.create()
    with WriterLock(resources.folder):
        total = len(found.files) + len(found.missing)
        return run(resources, lambda adding: adding.run(found), total, progress, password)


def run(
    resources: Resources,
    parse: Callable[[Adding], None],
    total: int,
    progress: OnProgress | None = None,
    password: str | None = None,
) -> AddReport:
    """Parse, and encode meanwhile; the caller holds the writer's lock."""
    started = time.monotonic()
    notes = indexing.bring_up(resources)
    with resources.index.writing() as writer, Encoding(resources, progress) as encoding:
        adding = Adding(resources, StageMeter("parse", total, progress), writer, encoding.wake, password)
        parse(adding)
    notes += adding.notes
    made, told = encoding.made, encoding.notes
    if adding.damage or encoding.damage:
        try:
            notes += indexing.bring_up(resources, encoding.damage)
            more, told = encode(resources, progress)
            made += more
        except (IndexDamaged, LibraryFull) as error:
            told = [f"{error} It is made up by the next command."]
    with resources.database.reading() as connection:
        if strays := len(stray_copies(connection, resources)):
            told = [*told, f"{strays} PDFs in papers/ have no rows; `quire repair` reads them again."]
    notes += told
    with contextlib.suppress(LibraryLocked):  # a long reader: all is in, the log is folded next time
        resources.database.checkpoint()
    if resources.learner:
        resources.learner.revive()
    return AddReport(tuple(adding.reports), made, tuple(notes), time.monotonic() - started)
