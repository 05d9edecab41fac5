"""Vectors for whatever still lacks them, resumable at any moment, beside the reading of further papers.

with Encoding(resources, progress) as encoding:
...; encoding.wake(vectors)         # papers are in: they are encoded while the next ones are read
encoding.made, encoding.notes
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from quire.errors import VectorsAway
from quire.library import intake
from quire.library.indexing import bring_up
from quire.library.parsing import PAGES, Readers
from quire.library.report import OnProgress, StageMeter
from quire.library.resources import Resources
from quire.search import BM25, ENCODABLE, Encoder, Unit, entries
from quire.search.dense import Encoded, encode_waiting, waiting
from quire.search.search import modality
from quire.search.slots import Ids, IndexDamaged
from quire.search.view import View


class _Stopped(Exception):
    """Whoever asked for the vectors does not want them any more."""


class Encoding:
    """One run of encoding, in a thread of its own. The caller holds the writer's lock."""

    def __init__(self, resources: Resources, progress: OnProgress | None = None) -> None:
        self.made = 0
        self.notes: list[str] = []
        self.damage: IndexDamaged | None = None
        self._resources, self._progress = resources, progress
        self._stopped = False
        self._meters: dict[str, StageMeter] = {}
        self._thread = ThreadPoolExecutor(1, "quire-encode")
        self._runs: list[Future[None]] = []

    def __enter__(self) -> Encoding:
        self.wake()  # for what waited before
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._stopped = self._stopped or error is not None
        self.wake(last=True)
        self._thread.shutdown(wait=False)
        try:
            failed = [run.exception() for run in self._runs]
        except BaseException:  # Ctrl-C
            self._stopped = True
            raise
        for each in failed:
            if each is not None and error is None:
                raise each

    def wake(self, given: Sequence[Encoded] = (), last: bool = False) -> None:
        """There are new entries, some with vectors that were made where their papers were read."""
        self._runs.append(self._thread.submit(self._run, given, last))

    def _run(self, given: Sequence[Encoded], last: bool) -> None:
        if not self._stopped:
            try:
                self._encode(given, last)
            except _Stopped:
                pass
            except BaseException:
                self._stopped = True
                raise

    def _encode(self, given: Sequence[Encoded], last: bool) -> None:
        there, missing = self._resources.available()
        self.notes = [f"{error} Until then search goes by keywords ({BM25})." for error in missing]
        with contextlib.closing(Readers(self._resources.settings.parsing, PAGES)) as pictures:
            try:
                for name, encoder in there.items():
                    index = self._resources.index
                    about = index.about(name)
                    if about and about.dim != encoder.dim:
                        index.vectors(name).drop()
                        index.files(name).forget()
                        index.close()
                        about = None
                    if about is None:
                        index.files(name).create(self._resources.about(name, encoder))
                    with self._resources.database.reading() as connection:
                        found = index.view(connection, [name])
                    self.made += self._put(found, [each for each in given if each.collection == name])
                    self.made += self._encode_waiting(name, encoder, found, pictures)
                    if last:
                        told = index.vectors(name).settle(found)
                        self.notes += [told] if told else []
                if last and not missing:
                    mark_encoded(self._resources)
            except VectorsAway as error:  # papers go in all the same; the last one told of it counts
                self.notes.append(f"{error} Until then search goes by keywords ({BM25}).")
            except IndexDamaged as error:  # whoever asked makes it anew, and asks again
                self.damage = error

    def _put(self, found: View, given: Sequence[Encoded]) -> int:
        """Store what was made elsewhere, of entries that still wait; gives how many."""
        made = 0
        for name, ids, rows in given:
            wanted = np.isin(ids, waiting(found, name))
            if wanted.any():
                self._resources.index.vectors(name).put(ids[wanted], rows[wanted], found)
            made += int(np.count_nonzero(wanted))
        return made

    def _encode_waiting(self, name: str, encoder: Encoder, found: View, pictures: Readers) -> int:
        index = self._resources.index
        left = len(waiting(found, name))
        if not left:
            return 0
        meter = self._meters.setdefault(name, StageMeter("encode", left, self._progress))
        before = meter.done
        meter.reached(before, name, before + left)  # told before it begins: the first vectors take a while

        def step(done: int, total: int) -> None:
            meter.reached(before + done, name, before + total)
            if self._stopped:
                raise _Stopped

        def render(unit: Unit) -> bytes:
            copy = intake.copy_of(self._resources.papers, unit.paper_id)
            return pictures.render(copy, unit.page, unit.box)

        about = index.about(name)
        return encode_waiting(
            found,
            encoder,
            index.vectors(name),
            texts=None if about is None or about.pooled else self._texts,
            render=render if modality(name) == "image" else None,
            progress=step,
        )

    def _texts(self, ids: Ids) -> Sequence[str]:
        with self._resources.database.reading() as connection:
            found = entries.texts(connection, ids.tolist())
        return [found.get(id, "") for id in ids.tolist()]


def encode(resources: Resources, progress: OnProgress | None = None) -> tuple[int, list[str]]:
    """Encode all that waits; gives the number of vectors made and what a user should know.

    A collection without weights is told once and waits; BM25 and SQL work without it.
    """
    with Encoding(resources, progress) as encoding:
        pass
    if encoding.damage is None:
        return encoding.made, encoding.notes
    notes = bring_up(resources, encoding.damage)
    with Encoding(resources, progress) as again:
        pass
    if again.damage:
        raise again.damage
    return encoding.made + again.made, [*notes, *again.notes]


def count_waiting(resources: Resources, found: View) -> dict[str, int]:
    """How many entries still need a vector, by collection."""
    return {name: len(waiting(found, name, resources.index.vectors(name))) for name in resources.dense}


def count_held(resources: Resources, found: View) -> dict[str, int]:
    """How many entries can be found by each collection."""
    counts = {}
    for name in resources.settings.index.encoders:
        pairs = [pair for pair in ENCODABLE if pair.modality == modality(name)]
        selected = found.selected(pairs)
        if name != BM25:
            selected = selected & resources.index.vectors(name).held(len(selected))
        counts[name] = int(np.count_nonzero(selected))
    return counts


def mark_encoded(resources: Resources) -> None:
    """Set the state of papers all of whose entries have been encoded."""
    names = list(resources.dense)
    with resources.database.reading() as connection:
        left = connection.execute("SELECT count(*) FROM papers WHERE state = 'parsed'").fetchall()[0][0]
        if not left or any(count_waiting(resources, resources.index.view(connection, names)).values()):
            return
    with resources.database.writing() as connection:
        connection.execute(
            "UPDATE papers SET state = 'encoded', encoders = ?::VARCHAR[] WHERE state = 'parsed'",
            [[BM25, *names]],
        )
