"""Slots: what the index keeps of every entry, in files that are only ever appended to, and mapped.

    writer = SlotWriter(folder); writer.append(first_id, [batch])
    slots = Slots.open(folder)                  # as far as the journal says
    flat, owner = slots.lists(ids, WORDS)       # the words of some entries, one after the other
    slots.unit(id)                              # its text, box, heading ...

The slot of an entry is its id: ids are given in order and never used again, so a paper is a run of slots
and the neighbours of a sentence are the slots next to it. An id that no entry has (its paper was removed
before it was indexed) is an empty slot. Four files grow: `records` (one of fixed size per slot), `numbers`
(int32), `texts`, and `pairs` (a byte per slot, which a search over everything looks through). A line of
`journal` follows once the others are on disk; what lies behind the last line is nothing yet and is cut off
by the next writer. Own code, because the ranker reads these as arrays for a thousand candidates at once,
which the document store of `tantivy` does not give.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, TypeAdapter

from quire.errors import LibraryError, LibraryFull, QuireError
from quire.search.batch import SIZE_OF, TRAITS, WORDS, Batch, unpack
from quire.search.cells import KIND_OF, NO_KIND, Unit

_TAIL = 65_536  # bytes of a journal that hold its last line
EMPTY = 255  # the pair of a slot without an entry
RECORD = np.dtype(
    [
        ("numbers", "<i8"),
        ("text", "<i8"),
        ("hash", "<u8"),
        ("text_size", "<i4"),
        ("page", "<i4"),
        ("sizes", "<i4", (4,)),
        ("spelt", "u1"),  # of a paper's first: whether the index of words has its spellings
        ("traits", "u1", (len(TRAITS),)),
    ]
)
_FULL = re.compile(
    r"cannot allocate memory|too many open files|no space left|file too large|quota exceeded", re.IGNORECASE
)
_ROOM = (
    "Make room, raise the limits of this process, or move the vectors to a Milvus (`quire vectors move`)."
    " Nothing is damaged."
)
_FILES = ("records", "numbers", "texts", "pairs")
Ids = NDArray[np.int64]
Sizes = tuple[int, int, int, int]  # of each file


class IndexDamaged(QuireError):
    """Files of the index cannot be read; they are made again from the rows."""


def unusable(what: str, error: Exception) -> IndexDamaged | LibraryFull:
    """Why files of the index cannot be used: damage, or a machine that gives no memory, file or room."""
    told = f"{what} cannot be used: {error}"
    return LibraryFull(told, hint=_ROOM) if _FULL.search(str(error)) else IndexDamaged(told)


def clear(place: Path) -> None:
    """Remove what stands there, whether that is a folder, a file or nothing."""
    try:
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
    except FileNotFoundError:
        pass  # another process was first
    except OSError as error:
        raise LibraryError(f"{place} cannot be removed: {error.strerror or error}.") from error


@dataclass(frozen=True, slots=True)
class State:
    """How far the files go: slots, bytes of each file, and of all ranked units their number and words."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    format: Literal[1] = 1
    end: int = 0
    bytes: Sizes = (0, 0, 0, 0)
    units: int = 0
    words: int = 0
    papers: tuple[str, ...] = ()  # of this line
    crcs: Sizes = (0, 0, 0, 0)  # of what this line added


_LINE = TypeAdapter(State)


def journal(folder: Path, tail: int = 0) -> list[State]:
    """The lines of the journal; a torn last one was never written. With a `tail` the last line alone.

    Raises:
        IndexDamaged: it cannot be read, or is of another format.
    """
    try:
        with (folder / "journal").open("rb") as file:
            cut = bool(tail) and file.seek(0, os.SEEK_END) > tail
            file.seek(-tail if cut else 0, os.SEEK_END if cut else os.SEEK_SET)
            lines = file.read().split(b"\n")[int(cut) : -1]
        if cut and not lines:
            return journal(folder)[-1:]
        return [_LINE.validate_json(line) for line in (lines[-1:] if tail else lines)]
    except FileNotFoundError:
        return []
    except ValueError as error:
        raise IndexDamaged(f"The journal of {folder} cannot be read: {error}") from error
    except OSError as error:
        raise unusable(str(folder), error) from error


def last(folder: Path) -> State:
    """The last line of the journal. Raises as `journal`."""
    return next(iter(journal(folder, _TAIL)), State())


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """The slots of one state, mapped: threads and processes share them, opening costs nothing."""

    state: State
    records: NDArray[Any]
    _numbers: NDArray[np.int32]
    _texts: NDArray[np.uint8]
    pairs: NDArray[np.uint8]

    @classmethod
    def open(cls, folder: Path, state: State) -> Slots:
        """Map the files of a folder.

        Raises:
            IndexDamaged: a file is missing or too short.
        """
        kinds: tuple[Any, ...] = (RECORD, "<i4", "u1", "u1")
        records, numbers, texts, pairs = (
            _mapped(folder / name, size, np.dtype(kind))
            for name, size, kind in zip(_FILES, state.bytes, kinds, strict=True)
        )
        return cls(state, records, numbers, texts, pairs)

    def __len__(self) -> int:
        return len(self.records)

    def kinds(self, ids: Ids) -> NDArray[np.int8]:
        """The kind of each, as a place in `cells.NAMES`; `NO_KIND` for what no search ranks."""
        found: NDArray[np.int8] = KIND_OF[self.pairs[ids]]
        return found

    def pages(self, ids: Ids) -> NDArray[np.int32]:
        """The page of each, from 1: a title stands on the first."""
        found: NDArray[np.int32] = np.maximum(self.records["page"][ids], 1)
        return found

    def lengths(self, ids: Ids) -> NDArray[np.float32]:
        """How many words each has."""
        found: NDArray[np.float32] = self.records["sizes"][ids, WORDS].astype(np.float32)
        return found

    def lists(self, ids: Ids, which: int) -> tuple[NDArray[np.int32], Ids]:
        """Of each a list of numbers (`batch.WORDS` ...), one after the other, and whose each number is.

        Raises:
            IndexDamaged: what is kept of one tells of numbers that are not there.
        """
        records = self.records[ids]
        sizes = records["sizes"]
        begin = records["numbers"] + sum(sizes[:, SIZE_OF[before]] for before in range(which))
        counts = sizes[:, SIZE_OF[which]].astype(np.int64)
        if min(counts.min(initial=0), begin.min(initial=0)) < 0 or (
            (begin + counts).max(initial=0) > len(self._numbers)
        ):
            raise IndexDamaged("What the index keeps of its entries is not what was written.")
        owner = np.repeat(np.arange(len(ids)), counts)
        shift = begin - (np.cumsum(counts) - counts)
        return self._numbers[np.arange(len(owner)) + shift[owner]], owner

    def unit(self, id: int, paper_id: str) -> Unit:
        """The unit of an entry.

        Raises:
            IndexDamaged: what is kept of it cannot be read.
        """
        record = self.records[id]
        start = int(record["text"])
        packed = self._texts[start : start + int(record["text_size"])].tobytes()
        try:
            return unpack(packed, int(self.pairs[id]), paper_id, max(1, int(record["page"])))
        except (ValueError, TypeError, IndexError) as error:
            raise IndexDamaged(f"Entry {id} of the index cannot be read: {error}") from error


def _mapped(file: Path, size: int, kind: np.dtype[Any]) -> NDArray[Any]:
    if not size:
        return np.empty(0, dtype=kind)
    try:
        return np.asarray(np.memmap(file, dtype=kind, mode="r", shape=(size // kind.itemsize,)))
    except (OSError, ValueError) as error:
        raise unusable(str(file), error) from error


@dataclass
class SlotWriter:
    """Appends batches. One at a time: the caller holds the library's writer's lock."""

    folder: Path
    state: State = field(init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.state = last(self.folder)
        for name, size in zip(_FILES, self.state.bytes, strict=True):
            with (self.folder / name).open("ab") as file:
                if file.tell() < size:
                    raise IndexDamaged(f"{self.folder / name} is too short.")
                file.truncate(size)
        with (self.folder / "journal").open("ab+") as file:  # a line that was not written to its end
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)

    def append(self, placed: Sequence[tuple[int, Batch]]) -> State:
        """Append batches with the ids of their first entries, ascending; they count from `seal` on."""
        state = self.state
        parts: list[list[bytes]] = [[] for _ in _FILES]
        end, units, words = state.end, state.units, state.words
        numbers, texts = state.bytes[1] // 4, state.bytes[2]
        for first, batch in placed:
            if first > end:
                parts[0].append(bytes((first - end) * RECORD.itemsize))
                parts[3].append(bytes([EMPTY]) * (first - end))
            parts[0].append(_records(batch, numbers, texts).tobytes())
            parts[1].append(np.ascontiguousarray(batch.numbers, dtype="<i4").tobytes())
            parts[2].append(b"".join(batch.packed))
            parts[3].append(batch.pairs.tobytes())
            numbers, texts, end = numbers + len(batch.numbers), texts + len(parts[2][-1]), first + len(batch)
            ranked = KIND_OF[batch.pairs] < NO_KIND
            units, words = units + int(ranked.sum()), words + int(batch.sizes[ranked, WORDS].sum())
        blobs = [b"".join(part) for part in parts]
        for name, blob in zip(_FILES, blobs, strict=True):
            _append(self.folder / name, blob)
        return State(
            end=end,
            bytes=_four(have + len(blob) for have, blob in zip(state.bytes, blobs, strict=True)),
            units=units,
            words=words,
            papers=tuple(batch.paper_id for _, batch in placed),
            crcs=_four(map(zlib.crc32, blobs)),
        )

    def seal(self, state: State) -> None:
        """From now on what was appended counts."""
        _append(self.folder / "journal", json.dumps(asdict(state)).encode() + b"\n")
        self.state = state


def _records(batch: Batch, numbers: int, texts: int) -> NDArray[Any]:
    records = np.zeros(len(batch), dtype=RECORD)
    counts = batch.sizes.sum(axis=1, dtype=np.int64) + batch.sizes[:, WORDS]
    sizes = np.asarray([len(each) for each in batch.packed], dtype=np.int64)
    records["numbers"] = numbers + np.cumsum(counts) - counts
    records["text"] = texts + np.cumsum(sizes) - sizes
    records["text_size"] = sizes
    records["hash"], records["page"], records["sizes"] = batch.hashes, batch.pages, batch.sizes
    records["traits"] = batch.traits
    records["spelt"][:1] = bool(batch.spoken)
    return records


def _append(path: Path, blob: bytes) -> None:
    with path.open("ab") as file:
        file.write(blob)
        file.flush()
        os.fsync(file.fileno())


def _four(values: Iterable[int]) -> Sizes:
    one, two, three, four = values
    return one, two, three, four


def damaged(folder: Path, states: Sequence[State]) -> list[State]:
    """The lines of the journal whose part of a file is not what was written."""
    found, before = [], State()
    if not states:
        return []
    with contextlib.ExitStack() as opened:
        files = [opened.enter_context((folder / name).open("rb")) for name in _FILES]
        for state in states:
            sizes = [b - a for a, b in zip(before.bytes, state.bytes, strict=True)]
            crcs = _four(zlib.crc32(file.read(size)) for file, size in zip(files, sizes, strict=True))
            if crcs != state.crcs:
                found.append(state)
            before = state
    return found or ([] if _counted(folder, before) else [before])


def _counted(folder: Path, state: State) -> bool:
    """Whether the files hold what a line of the journal says that they do."""
    slots = Slots.open(folder, state)
    ranked = KIND_OF[slots.pairs] < NO_KIND
    if not state.end == len(slots) == len(ranked):
        return False
    words = int(slots.records["sizes"][ranked, WORDS].sum(dtype=np.int64))
    return (state.units, state.words) == (int(np.count_nonzero(ranked)), words)
