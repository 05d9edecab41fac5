"""The parts of one library that its jobs share: folder, settings, database, index, encoders."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from quire.errors import EncoderUnavailable
from quire.search import BM25, Encoder, load
from quire.search.encoders import Precision
from quire.search.index import Index
from quire.search.vectors import About
from quire.settings import Settings
from quire.store import Database

if TYPE_CHECKING:  # it brings onnxruntime
    from quire.search.reader import Reader


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
        self._encoders: dict[str, Encoder] = {}
        self._unavailable: dict[str, EncoderUnavailable] = {}
        self._loading = Lock()

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
            index, about = self.settings.index, self.index.about(name)
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
