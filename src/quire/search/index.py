"""The index of a library: what searches read, derived from its rows, only ever appended to.

    index = Index(folder / "index", "files")
    with index.writing() as writer:                 # under the library's writer's lock
        writer.remove([paper_id])
        writer.put([(first_id, batch)])
    view = index.view(connection)                   # what the connection sees of it

Three parts, each of which may be lost and made again: `words` (tantivy), `units` (slots: what the ranker
reads) and vectors, one folder a collection, or elsewhere. Rows are the truth: the ids of a paper's entries
are committed first, and `behind` tells what the index lacks of them.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from quire.errors import SettingsError, UnknownNameError, VectorsAway
from quire.registry import Registry
from quire.search import entries, slots
from quire.search.batch import Batch
from quire.search.encoders import MINILM
from quire.search.entries import Run
from quire.search.slots import IndexDamaged, Slots, SlotWriter, State, clear
from quire.search.vectors import About, VectorFiles, Vectors
from quire.search.view import Live, View
from quire.search.words import WordIndex, WordWriter

HERE = "files"
_OLD_NAME = "duckdb"  # of the same, in settings of older libraries
# Where vectors may lie: a URI begins with the name, the value is `open(uri, collection, files) -> Vectors`.
STORES = Registry("vector store", {"milvus": "quire.search.milvus:open_vectors"}, "quire.vector_stores")
_MILVUS = re.compile(r"milvus:(?P<file>[^?]+)(\?words)?|milvus\+https?://[^/?\s]++(?:/[^?\s]*)?(\?words)?")
Open = Callable[[str, str, VectorFiles], Vectors]


def opener(uri: str) -> Open:
    """What opens the vectors of that URI.

    Raises:
        UnknownNameError: there is no such place; the message lists the choices.
    """
    name = uri.partition(":")[0].partition("+")[0]
    if name not in STORES:
        choices = ", ".join(sorted([HERE, *STORES]))
        raise UnknownNameError(f"There is no vector store named `{name}`.", hint=f"Choose from: {choices}.")
    opened: Open = STORES.load(name)
    return opened


def whole_address(uri: str) -> str:
    """That URI as it means the same from every folder, seen to be one before any vector goes there.

    Raises:
        UnknownNameError: there is no such place.
        SettingsError: the address is none of that place, or its folder is not there.
    """
    opener(uri)
    if not uri.startswith(("milvus:", "milvus+")):
        return uri
    if not (found := _MILVUS.fullmatch(uri)):
        hint = "Write milvus:PATH of a file, or milvus+http://HOST:PORT (https, too)."
        raise SettingsError(f"`{uri}` is no address of a Milvus.", hint=hint)
    if not (file := found["file"]):
        return uri
    if not Path(file).parent.is_dir():
        told = f"There is no folder for the Milvus Lite file {file}."
        raise SettingsError(told, hint="Make it, or name another.")
    return f"milvus:{Path(file).resolve()}{found[2] or ''}"


class Index:
    """The index below one folder. Thread-safe; nothing is opened before it is needed."""

    def __init__(self, folder: Path, uri: str = HERE) -> None:
        self.folder = folder
        self.uri = uri
        self._guard = threading.RLock()
        self._words: WordIndex | None = None
        self._files: dict[str, VectorFiles] = {}
        self._vectors: dict[str, Vectors] = {}
        self._view: View | None = None

    # ------------------------------------------------------------------ reading

    def view(self, connection: duckdb.DuckDBPyConnection, collections: Sequence[str] = ()) -> View:
        """The index as this connection sees the library, with the vectors of these collections.

        Raises:
            IndexDamaged: it is to be made again (`forget`, then `put` of every paper).
        """
        generation, end = entries.state(connection)
        with self._guard:
            state = self.fits(end)
            held = self._view
            vectors = {name: self.vectors(name) for name in collections}
            now = (generation, state.end, vectors)
            if held and (held.generation, held.slots.state.end, held.vectors) == now:
                return held
            words = self.words
            words.reload()
            runs = entries.runs(connection)
            live = Live.of(runs, state.end)
            units = Slots.open(self.folder / "units", state)
            found = View(generation, units, words, vectors, live, len(runs) - len(live.papers))
            if not len(words) and found.words_expected():
                raise IndexDamaged(f"The words of {self.folder} are gone.")
            self._view = found
            return found

    def fits(self, end: int) -> State:
        """How far the index goes; `end` is the id that the next entry gets.

        Raises:
            IndexDamaged: further than the rows, which were lost or replaced by older ones.
        """
        state = slots.last(self.folder / "units")
        if state.end > end:
            raise IndexDamaged(f"{self.folder} is ahead of the rows.")
        return state

    def behind(self, runs: Sequence[Run]) -> list[Run]:
        """The papers that the index lacks, as the rows tell them.

        Raises:
            IndexDamaged: it cannot be told.
        """
        end = slots.last(self.folder / "units").end
        return [run for run in runs if run[2] > end and run[2] > run[1]]

    @property
    def words(self) -> WordIndex:
        """The index of words."""
        with self._guard:
            if self._words is None:
                self._words = WordIndex(self.folder / "words")
            return self._words

    def files(self, collection: str) -> VectorFiles:
        """A collection's folder in this library; it tells what the vectors are, wherever they lie."""
        if collection not in self._files:
            self._files[collection] = VectorFiles(self.folder / "vectors" / collection)
        return self._files[collection]

    def vectors(self, collection: str) -> Vectors:
        """Where the vectors of a collection are.

        Raises:
            UnknownNameError: the setting names no known place.
        """
        with self._guard:
            if collection not in self._vectors:
                files = self.files(collection)
                if self.uri in (HERE, _OLD_NAME):
                    self._vectors[collection] = files
                else:
                    self._vectors[collection] = opener(self.uri)(self.uri, collection, files)
            return self._vectors[collection]

    def words_elsewhere(self) -> bool:
        """Whether the words of entries belong to their vectors' place, as the setting wants and that can."""
        if self.uri.endswith("?words"):
            with contextlib.suppress(VectorsAway):
                return self.words.counted or self.vectors(MINILM).takes_words()
        return False

    def about(self, collection: str) -> About | None:
        """What the vectors of a collection are; None while there are none.

        Raises:
            IndexDamaged: they cannot be read.
        """
        files = self.files(collection)
        return files.about if files.reach >= 0 else None

    # ------------------------------------------------------------------ writing

    @contextmanager
    def writing(self) -> Iterator[IndexWriter]:
        """To change it; the caller holds the library's writer's lock.

        Raises:
            IndexDamaged: it is to be made again.
        """
        counted = self.words.counted if len(self.words) else self.words_elsewhere()
        with self.words.writing() as words:
            units = SlotWriter(self.folder / "units")
            if words.beyond(
                units.state.end
            ):  # of entries that were never sealed: their process died in between
                words.cut(units.state.end)
                words.commit()
            yield IndexWriter(units, words, counted)

    def forget(self, end: int) -> None:
        """Drop what is derived from rows alone: words and units. Vectors of ids before `end` stay theirs."""
        with self._guard:
            self.forget_unreadable()
            self._words = self._view = None
            clear(self.folder / "words")
            clear(self.folder / "units")
            for folder in self._collections():
                self.files(folder.name).cut(end)
            self._vectors.clear()

    def forget_unreadable(self) -> list[str]:
        """Drop collections of vectors that cannot be read, and files where a folder belongs.

        Gives what a user should know; their entries wait for vectors again.
        """
        told = []
        with self._guard:
            self._files.clear()  # what is mapped is looked at again
            for place in (self.folder, self.folder / "vectors", *self._collections()):
                if place.exists() and not place.is_dir():
                    told.append(f"{place} is no folder.")
                    clear(place)
            for folder in self._collections():
                try:
                    self.about(folder.name)
                except IndexDamaged as error:
                    told.append(str(error))
                    self.files(folder.name).forget()
            if told:
                self.close()
        return told

    def _collections(self) -> list[Path]:
        """What stands where collections do; a hidden file is the system's, and none."""
        return sorted((self.folder / "vectors").glob("[!.]*"))

    def close(self) -> None:
        """Forget what is open."""
        with self._guard:
            self._words = self._view = None
            for vectors in self._vectors.values():
                vectors.close()
            self._vectors.clear()


@dataclass
class IndexWriter:
    """Puts papers into the index and takes them out. Each call lasts once it returns."""

    _units: SlotWriter
    _words: WordWriter
    _counted: bool  # whether the words of entries lie elsewhere

    @property
    def state(self) -> State:
        """How far it goes."""
        return self._units.state

    def only(self, papers: Sequence[str]) -> None:
        """Take out all papers but these: a process died between the rows' removal and the index's."""
        gone = {paper for state in slots.journal(self._units.folder) for paper in state.papers} - set(papers)
        self.remove([paper for paper in sorted(gone) if self._words.has(paper)])

    def put(self, placed: Sequence[tuple[int, Batch]]) -> None:
        """Add papers under the ids of their first entries, ascending."""
        placed = [(first, batch) for first, batch in placed if len(batch)]
        if not placed:
            return
        state = self._units.append(placed)
        for first, batch in placed:
            self._words.add(first, batch, self._counted)
        self._words.commit()
        self._units.seal(state)

    def move_words(self, placed: Iterable[tuple[int, Batch]]) -> None:
        """Keep the words of entries where they were only counted, or the other way round: all or none."""
        self._counted = not self._counted
        self._words.cut(0)
        for first, batch in placed:
            self._words.add(first, batch, self._counted)
        self._words.commit()

    def remove(self, papers: Sequence[str]) -> None:
        """Take papers out; from now on their words are gone."""
        if papers:
            self._words.remove(papers)
            self._words.commit()
