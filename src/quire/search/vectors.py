"""The vectors of one collection, eight bits a number, in files that are never rewritten, and mapped.

    vectors = VectorFiles(folder / collection, dim=384)
    vectors.put(ids, rows)                          # rows of length 1; a sound vector is there or none
    ids, cosines = vectors.search(query, scope, 1000)

The place of a vector is its entry's id, as for `quire.search.slots`. `codes` holds whole numbers up to 127,
`scales` what each row is to be multiplied by (0: no vector) with a checksum, written after the codes are on
disk. A search is one product over all rows (`simsimd`: 2 ms for 100 000 x 384, 21 ms for a million, on one
core), so it is exact for what is stored, needs no training, and a new vector costs its own bytes.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol

import numpy as np
import simsimd
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, TypeAdapter

from quire import atomic
from quire.search.encoders import Precision
from quire.search.encoders.graphs import threads
from quire.search.slots import Ids, IndexDamaged, clear, unusable

if TYPE_CHECKING:
    from quire.search.view import Scope, View

Floats = NDArray[np.float32]
_SCALE = np.dtype([("scale", "<f4"), ("crc", "<u4")])
TIE = 1e-5  # scores are compared when they are rounded to this
_FEW = 20_000  # entries of a scope that are looked at one by one
_AT_ONCE = 131_072  # rows whose products a thread holds at once
_SAMPLE = 64  # every so manieth product tells where the best ones begin
_LONGEST = 1.01 / 127  # of what rows are multiplied by: no number of a row of length 1 is above 1
_LOOKED = 1000  # rows among which some vectors are looked for that are what was written
_ROUNDED = 0.02  # by which the length of a row may differ from 1


@dataclass(frozen=True, slots=True)
class About:
    """What the vectors of a collection are: their length, and how they were made."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    dim: Annotated[int, Field(ge=1, le=65_536)]
    precision: Precision = "float32"  # of the inference: queries are encoded alike
    pooled: bool = True  # vectors of larger units are means of those of their parts


_ABOUT = TypeAdapter(About)


class Vectors(Protocol):
    """Where the vectors of a collection lie, and who finds the nearest.

    What lies elsewhere may be away: every call may raise `VectorsAway` then.
    """

    def put(self, ids: Ids, rows: Floats, view: View) -> None:
        """Store vectors (of length 1), in place of older ones; `view` tells whose entries they are."""

    def remove(self, ids: Ids) -> None:
        """Drop the vectors of these entries."""

    def search(self, query: Floats, scope: Scope, limit: int) -> tuple[Ids, Floats]:
        """Of the entries of a scope, the nearest: ids and cosines, best first."""

    def nearest(self, query: Floats, scope: Scope, limit: int, besides: Ids) -> tuple[Ids, Floats]:
        """The nearest of a scope and the entries `besides`: ids, ascending, each once, and cosines."""
        ids = distinct(np.concatenate([besides, self.search(query, scope, limit)[0]]))
        return ids, self.cosines(query, ids)

    def takes_words(self) -> bool:
        """Whether the words of entries lie there, too, or will."""
        return False

    def said(self, weights: Mapping[int, float], scope: Scope, limit: int) -> tuple[Ids, Ids]:
        """The entries of a scope that say words best, by number and weight; and those with no words there."""
        return scope.ids[:0], scope.ids

    def cosines(self, query: Floats, ids: Ids) -> Floats:
        """The cosine of each of those entries; 0 where there is no vector."""

    def rows(self, ids: Ids) -> Floats:
        """The vectors themselves, as they are stored; zeros where there is none."""

    def held(self, end: int) -> NDArray[np.bool_]:
        """Which entries, up to that id, have a vector."""

    def settle(self, view: View) -> str:
        """No more is coming for now: forget what has gone from the library, and order what has come.

        Gives what a user should know.
        """
        return ""

    def drop(self) -> None:
        """Drop all vectors."""

    def close(self) -> None:
        """Let go of what is open; it is opened again when it is next asked for."""


class VectorFiles(Vectors):
    """`Vectors` in files of the library; of what has gone from it, too: the same text may come again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._told: tuple[tuple[int, int], About] | None = None  # which file says what is in there
        self._mapped: tuple[int, ...] = ()  # which files
        self._codes = np.empty((0, 0), dtype=np.int8)
        self._scales = np.empty(0, dtype=_SCALE)

    @property
    def about(self) -> About | None:
        """What is in there; None while there is nothing.

        Raises:
            IndexDamaged: it cannot be told.
        """
        file = self.folder / "about.json"
        try:
            seen, told = file.stat(), self._told
            which = (seen.st_ino, seen.st_mtime_ns)
            if told is None or told[0] != which:
                told = self._told = which, _ABOUT.validate_json(file.read_bytes())
            return told[1]
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise unusable(str(self.folder), error) from error

    def create(self, about: About) -> None:
        """Say what will be in there, before the first vector comes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        atomic.write(self.folder / "about.json", json.dumps(asdict(about)))

    def put(self, ids: Ids, rows: Floats, view: View | None = None) -> None:
        """Store vectors, brought to length 1, in place of older ones. The caller holds the writer's lock."""
        order = np.argsort(ids)
        ids, rows = ids[order], rows[order]
        lengths = np.linalg.norm(rows, axis=1, keepdims=True).astype(np.float32)
        if np.any(np.abs(lengths - 1) > _ROUNDED):
            rows = rows / np.maximum(lengths, np.float32(1e-12))
        scale = np.maximum(np.abs(rows).max(axis=1, initial=0.0), 1e-12) / np.float32(127)
        codes = np.rint(rows / scale[:, None]).astype(np.int8)
        told = np.zeros(len(ids), dtype=_SCALE)
        told["scale"] = scale
        told["crc"] = [zlib.crc32(code.tobytes()) for code in codes]
        self._write("codes", ids, codes)
        self._write("scales", ids, told)

    def remove(self, ids: Ids) -> None:
        """Drop the vectors of these entries."""
        inside = np.sort(ids[ids < len(self._open()[1])])
        self._write("scales", inside, np.zeros(len(inside), dtype=_SCALE))

    def keep(self, ids: Ids) -> None:
        """Give back the room of all vectors but these (ascending); each stays in its place."""
        codes, scales = self._open()
        ids = ids[ids < len(scales)]
        for name, rows in (("scales", scales), ("codes", codes)):
            if len(rows):
                with atomic.draft(self.folder / name) as part:
                    clear(part)
                    part.touch()
                    os.truncate(part, rows.nbytes)
                    for start in range(0, len(ids), _FEW):
                        some = ids[start : start + _FEW]
                        self._write(part.name, some, rows[some])
        self.close()

    def cut(self, end: int) -> None:
        """Drop the vectors from this id on: their entries were lost, and others will have their ids."""
        file = self.folder / "scales"
        if file.exists() and file.stat().st_size > end * _SCALE.itemsize:
            os.truncate(file, end * _SCALE.itemsize)
        self.close()

    def search(self, query: Floats, scope: Scope, limit: int) -> tuple[Ids, Floats]:
        """Of the entries of a scope, the nearest: ids and cosines, best first."""
        if scope.narrowed and scope.size <= _FEW:
            return top(scope.ids, self.cosines(query, scope.ids), limit)
        return self.best(query, limit, scope.selected)

    def best(
        self, query: Floats, limit: int, selected: NDArray[np.bool_] | None = None
    ) -> tuple[Ids, Floats]:
        """Of those `selected` by their ids (None: of all), the nearest: ids and cosines, best first."""
        codes, scales = self._open()
        if selected is None:
            selected = scales["scale"] > 0
        end = min(len(scales), len(selected))
        factor = np.float32(max(float(np.abs(query).max(initial=0.0)), 1e-12) / 127)
        code = np.rint(query / factor).astype(np.int8)[None, :]

        def highest(start: int) -> tuple[Ids, Floats]:
            some = slice(start, min(end, start + _AT_ONCE))
            products = np.asarray(simsimd.cdist(code, codes[some], "dot"), dtype=np.float32)[0]
            near = products * _factors(scales[some]) * factor
            near[~selected[some]] = -np.inf
            at = _highest(near, limit)
            return at + start, near[at]

        nothing = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
        with ThreadPoolExecutor(threads(), "quire-nearest") as pool:
            found = pool.map if end > _AT_ONCE else map
            kept = [nothing, *found(highest, range(0, end, _AT_ONCE))]
        ids, cosines = (np.concatenate(each) for each in zip(*kept, strict=True))
        there = np.isfinite(cosines) & (scales["scale"][ids] > 0)
        return top(ids[there], cosines[there], limit)

    def cosines(self, query: Floats, ids: Ids) -> Floats:
        """The cosine of each of those entries; 0 where there is no vector."""
        codes, scales = self._open()
        found = np.zeros(len(ids), dtype=np.float32)
        inside = np.flatnonzero(ids < len(scales))
        if len(inside):
            rows = codes[ids[inside]].astype(np.float32)
            found[inside] = np.einsum("nd,d->n", rows, query) * _factors(scales[ids[inside]])
        return found

    def rows(self, ids: Ids) -> Floats:
        """The vectors themselves, as they are stored; zeros where there is none."""
        codes, scales = self._open()
        about = self.about
        found = np.zeros((len(ids), about.dim if about else 0), dtype=np.float32)
        inside = np.flatnonzero(ids < len(scales))
        if len(inside):
            at = ids[inside]
            found[inside] = codes[at].astype(np.float32) * _factors(scales[at])[:, None]
        return found

    @property
    def reach(self) -> int:
        """The id behind the last that may have a vector."""
        return len(self._open()[1])

    def held(self, end: int) -> NDArray[np.bool_]:
        """Which entries, up to that id, have a vector."""
        found = np.zeros(end, dtype=np.bool_)
        scales = self._open()[1][:end]
        found[: len(scales)] = scales["scale"] > 0
        return found

    def drop(self) -> None:
        """Drop all vectors."""
        self.close()
        for name in ("scales", "codes"):
            clear(self.folder / name)

    def forget(self) -> None:
        """Drop all vectors here, and what they are; the name that they go by elsewhere stays."""
        self.drop()
        clear(self.folder / "about.json")

    def unsound(self) -> Ids:
        """The ids of vectors that are not what was written."""
        codes, scales = self._open()
        there = np.flatnonzero(scales["scale"] != 0)
        wrong = [there[:0]]
        for start in range(0, len(there), _FEW):
            some = there[start : start + _FEW]
            wrong.append(some[~_sound(codes[some], scales[some])])
        return np.concatenate(wrong)

    def close(self) -> None:
        """Forget what is mapped; it is mapped again when it is next asked for."""
        self._mapped = ()
        self._codes, self._scales = np.empty((0, 0), dtype=np.int8), np.empty(0, dtype=_SCALE)

    def _open(self) -> tuple[NDArray[np.int8], NDArray[Any]]:
        """The files as they now are, mapped; mapped anew when they were written to.

        Raises:
            IndexDamaged: they cannot be, or none of some vectors is what was written: the dimension is wrong.
        """
        about = self.about
        try:
            scaled, coded = ((self.folder / name).stat() for name in ("scales", "codes"))
        except FileNotFoundError:
            about = None
        if about is None:
            return self._codes, self._scales
        rows = scaled.st_size // _SCALE.itemsize
        if coded.st_size < rows * about.dim:  # they were written before
            raise IndexDamaged(f"The codes of {self.folder} are too short.")
        now = (about.dim, rows, scaled.st_ino, scaled.st_mtime_ns, coded.st_mtime_ns)
        if rows and now != self._mapped:
            try:
                codes = np.memmap(self.folder / "codes", np.int8, "r", shape=(rows, about.dim))
                scales = np.memmap(self.folder / "scales", _SCALE, "r", shape=(rows,))
            except (OSError, ValueError) as error:
                raise unusable(str(self.folder), error) from error
            step = max(1, rows // _LOOKED)
            there = step * np.flatnonzero(scales["scale"][::step] != 0)
            there = there[:: max(1, len(there) // 16)]
            if len(there) and not _sound(codes[there], scales[there]).any():
                raise IndexDamaged(f"The vectors of {self.folder} are not what was written.")
            self._codes, self._scales = np.asarray(codes), np.asarray(scales)
            self._mapped = now
        return self._codes, self._scales

    def _write(self, name: str, ids: Ids, rows: NDArray[Any]) -> None:
        if not len(ids):
            return
        size = rows.nbytes // len(rows)
        handle = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        with os.fdopen(handle, "r+b") as file:
            at = 0
            for first, last in _runs(ids):
                file.seek(first * size)
                file.write(rows[at : at + last - first].tobytes())
                at += last - first
            file.flush()
            os.fsync(handle)


def _sound(codes: NDArray[np.int8], told: NDArray[Any]) -> NDArray[np.bool_]:
    """Which vectors are what was written: their numbers by their checksum, their scale by their length."""
    lengths = np.linalg.norm(codes.astype(np.float32), axis=1)
    fitting = (np.abs(lengths * _factors(told) - 1) < _ROUNDED) | (lengths == 0)
    crcs = np.asarray([zlib.crc32(code.tobytes()) for code in codes], dtype=np.uint32)
    sound: NDArray[np.bool_] = fitting & (crcs == told["crc"])
    return sound


def _factors(scales: NDArray[Any]) -> Floats:
    """What rows are multiplied by; 0 where that cannot have been written."""
    scale = scales["scale"]
    return np.where((scale > 0) & (scale <= _LONGEST), scale, np.float32(0))


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The values of an array, each once, ascending. `np.unique` loads masked arrays (34 ms)."""
    ordered = np.sort(values, axis=None)
    found: NDArray[np.int64] = ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0]
    return found


def _runs(numbers: Ids) -> list[tuple[int, int]]:
    """Ascending numbers as (first, last + 1) of those that follow each other."""
    cuts = np.flatnonzero(np.diff(numbers) != 1) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(numbers, cuts)]


def top(ids: Ids, scores: Floats, limit: int) -> tuple[Ids, Floats]:
    """The highest scores with their ids, best first, ties by id; a larger limit only adds to a smaller one's.

    Scores that differ by less than float32 can tell count as equal.
    """
    at = _highest(scores, limit)
    order = at[np.lexsort((ids[at], -np.round(scores[at].astype(np.float64), 5)))[:limit]]
    return ids[order], scores[order]


def _highest(scores: Floats, limit: int) -> Ids:
    """The places of the highest, in any order, and of all that tie with the last of them after rounding."""
    if len(scores) <= limit:
        return np.arange(len(scores), dtype=np.int64)
    some = scores
    if len(scores) > 32 * limit:
        # A sample tells a value that somewhat more than `limit` reach: sorting all would take longer.
        sample = scores[::_SAMPLE]
        rank = len(sample) - 1 - min(len(sample) - 1, 4 * limit // _SAMPLE + 8)
        reach = scores[scores >= np.partition(sample, rank)[rank]]
        some = reach if len(reach) >= limit else scores
    last = np.partition(some, len(some) - limit)[len(some) - limit]
    found: Ids = np.flatnonzero(scores >= last - np.float32(2 * TIE))
    return found
