"""The parts of one library that its jobs share: folder, settings, database, vector backend, encoders."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from quire.errors import EncoderUnavailable
from quire.index import BM25, Encoder, load, outbox
from quire.index.backends import BACKENDS, Backend
from quire.settings import Settings
from quire.store import Database


def open_backend(uri: str) -> Backend:
    """The vector backend that a setting names: `duckdb`, `milvus:PATH`, `milvus+http://HOST:PORT`.

    Raises:
        UnknownNameError: there is no such backend.
    """
    backend: Backend = BACKENDS.load(uri.partition(":")[0].partition("+")[0])(uri)
    return backend


class Resources:
    """A library folder. Nothing is opened or loaded before it is needed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder: Path = settings.library
        self.papers = self.folder / "papers"
        self.incoming = self.papers / ".incoming"
        self.database = Database(self.folder / "library.duckdb")
        self._encoders: dict[str, Encoder] = {}
        self._unavailable: dict[str, EncoderUnavailable] = {}

    @cached_property
    def backend(self) -> Backend:
        """Where vectors are, by the setting `index.vectors`."""
        return open_backend(self.settings.index.vectors)

    @property
    def remote(self) -> bool:
        """Whether vectors lie outside of the library's own file; opens nothing."""
        return self.settings.index.vectors != "duckdb"

    def tell(self) -> None:
        """Tell a remote backend what went.

        Raises:
            LibraryError: it cannot be told now; it is noted.
        """
        if self.remote:
            outbox.send(self.database.reading, self.database.writing, self.backend)

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
            index = self.settings.index
            try:
                self._encoders[name] = load(name, models=index.models, batch_tokens=index.batch_tokens)
            except EncoderUnavailable as error:
                self._unavailable[name] = error
                raise
        return self._encoders[name]

    def available(self) -> tuple[dict[str, Encoder], list[EncoderUnavailable]]:
        """The dense encoders of the settings that can be had here, and why the others cannot."""
        there: dict[str, Encoder] = {}
        missing = []
        for name in self.dense:
            try:
                there[name] = self.encoder(name)
            except EncoderUnavailable as error:
                missing.append(error)
        return there, missing
