"""The parts of one library that its jobs share: folder, settings, database, index, encoders, children."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from quire.errors import EncoderUnavailable, LibraryError
from quire.search import BM25, Encoder, load
from quire.search.encoders import MINILM, Precision
from quire.search.index import Index
from quire.search.ranking import Ranker
from quire.search.slots import IndexDamaged
from quire.search.vectors import About, Floats
from quire.settings import Settings
from quire.store import Database, WriterLock
from quire.store.database import missing
from quire.types import Piece

if TYPE_CHECKING:  # what one search does not need, and a reader, which brings onnxruntime
    from quire.library.parsing import Readers
    from quire.library.searching import Adjust
    from quire.search.reader import Reader
    from quire.store import Sandbox

_KEPT_PAGES = 16


class Learner(Protocol):
    """What learned from a library's users and takes part in it."""

    def adjustment(self) -> Adjust | None:
        """What it adds to the scores of a search; None for nothing."""

    def revive(self) -> None:
        """Papers may be there that were not, or are back."""


class Resources:
    """A library folder. Nothing is opened or loaded before it is needed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder: Path = settings.library
        self.papers = self.folder / "papers"
        self.incoming = self.papers / ".incoming"
        self.database = Database(
            self.folder / "library.duckdb", config={"memory_limit": f"{settings.index.memory_limit}MB"}
        )
        self.told: tuple[str, ...] = ()  # what became of the index, to be told with the next search
        self.made = 0  # how often what was damaged was made anew
        self.learner: Learner | None = None
        self._encoders: dict[str, Encoder] = {}
        self._unavailable: dict[str, EncoderUnavailable] = {}
        self._loading = Lock()

    def create(self) -> None:
        """Make the library, if there is none yet; LibraryError where the folder cannot be used."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not self.database.exists():
                with WriterLock(self.folder):
                    self.database.create()
        except OSError as error:
            raise LibraryError(
                f"The folder {self.folder} cannot be used: {error.strerror or error}.",
                hint="Choose another with --library.",
            ) from error

    def existing(self) -> Path:
        """The folder; LibraryError where there is no library in it."""
        if not self.database.exists():
            raise missing(self.database.path)
        return self.folder

    @cached_property
    def sandbox(self) -> Sandbox:
        """The children that run SQL of users."""
        from quire.store import Sandbox

        sandbox = Sandbox(self.database.path, self.settings.sql)
        weakref.finalize(self, sandbox.close)
        return sandbox

    @cached_property
    def pages(self) -> Readers:
        """The children that draw and read single pages."""
        from quire.library.parsing import PAGES, Readers

        readers = Readers(self.settings.parsing, PAGES)
        weakref.finalize(self, readers.close)
        return readers

    @cached_property
    def pieces(self) -> Callable[[Path, int], list[Piece]]:
        """The pieces of a page of a PDF; those of the last pages are kept."""
        return lru_cache(_KEPT_PAGES)(self.pages.pieces)

    def close(self) -> None:
        """End the children that were started, and let go of the index."""
        for started in ("sandbox", "pages"):
            if started in self.__dict__:
                self.__dict__[started].close()
        self.index.close()

    @cached_property
    def index(self) -> Index:
        """What searches read; vectors where the setting `index.vectors` says."""
        return Index(self.folder / "index", self.settings.index.vectors)

    @property
    def dense(self) -> tuple[str, ...]:
        """The dense collections that the settings ask for."""
        return tuple(name for name in self.settings.index.encoders if name != BM25)

    def encoder(self, name: str) -> Encoder:
        """The encoder of a collection, loaded at the first call.

        Raises:
            EncoderUnavailable: its weights are not on this machine (tried once, told every time).
            UnknownNameError: there is no such encoder.
        """
        if name in self._unavailable:
            raise self._unavailable[name]
        if name not in self._encoders:
            index, about = self.settings.index, None
            with contextlib.suppress(IndexDamaged):  # made anew as the settings say
                about = self.index.about(name)
            try:
                self._encoders[name] = load(
                    name,
                    models=index.models,
                    batch_tokens=index.batch_tokens,
                    # A question is compared with vectors that were made alike.
                    precision=about.precision if about else index.precision,
                )
            except EncoderUnavailable as error:
                self._unavailable[name] = error
                raise
        return self._encoders[name]

    def encoded(self, query: str, read: bool) -> Future[Floats] | None:
        """The vector of a query, which is made while the index is opened; None if that must be mended."""
        with contextlib.suppress(IndexDamaged):
            return self.ranker.encoded(query, read=read)
        return None

    def reader(self) -> Reader | None:
        """What reads the best of a search beside its question; None where its graph cannot be kept.

        Its graph is drawn once on a machine, which takes a second. Its precision is what is fastest, whatever
        that of the vectors: nothing of what it says is kept.
        """
        from quire.search.models import MINILM_SOURCE, require
        from quire.search.reader import Reader

        try:
            return Reader(require(MINILM_SOURCE, self.settings.index.models))
        except EncoderUnavailable:
            return None

    @cached_property
    def ranker(self) -> Ranker:
        """What ranks a search over everything."""
        return Ranker(self.available()[0].get(MINILM), self.reader)

    def about(self, name: str, encoder: Encoder) -> About:
        """What the vectors of a collection are; before the first one, what they will be."""
        precision: Precision = "int8" if encoder.precision == "int8" else "float32"
        made = About(encoder.dim, precision, pooled=self.settings.index.pooling == "parts")
        return self.index.about(name) or made

    def available(self) -> tuple[dict[str, Encoder], list[EncoderUnavailable]]:
        """The dense encoders of the settings that can be had here, and why the others cannot."""
        there: dict[str, Encoder] = {}
        missing = []
        with self._loading:  # once, though reading and encoding both ask
            for name in self.dense:
                try:
                    there[name] = self.encoder(name)
                except EncoderUnavailable as error:
                    missing.append(error)
        return there, missing
