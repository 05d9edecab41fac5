"""Making a snapshot of a library: what an earlier one has of it is taken over, the rest is read.

    build(connection, backend, 384, earlier, folder)

A search then reads no texts from the database. A new entry costs about a tenth of a millisecond, once; the
whole is written anew for every state, about 1.7 kB an entry.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.analyzer import term_numbers, words
from quire.index.backends import Backend
from quire.index.encoders import MINILM
from quire.index.everything.entries import NAMES, NUMBERS
from quire.index.everything.ragged import Ragged, joined, ragged
from quire.index.everything.snapshot import FORMAT, Snapshot, save_arrays
from quire.index.everything.traits import TRAITS, traits
from quire.index.everything.units import Unit, pack, read_units

_PREFIX = 5  # letters
_STEP = 8_000  # entries read, or vectors fetched, at once
_COARSE = 96  # dimensions of 384 keep 99.6 of the nearest 1000 among 2500
_SAMPLE = 8192
Lists = dict[str, Ragged]


def prefix_number(stem: str) -> int:
    """The number of a stem's first letters; 0 for a short one."""
    return zlib.crc32(stem[:_PREFIX].encode()) >> 1 if len(stem) >= _PREFIX else 0


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """Entries with what is told of their texts; `prefixes` says each word's first letters."""

    ids: NDArray[np.int64]
    lists: Lists
    traits: NDArray[np.uint8]
    prefixes: dict[int, int]


def build(
    connection: duckdb.DuckDBPyConnection,
    backend: Backend,
    dim: int,
    earlier: Snapshot | None,
    folder: Path,
) -> None:
    """Write the files of a snapshot of the library as the connection sees it; no vectors if `dim` is 0."""
    place = _listed(connection)
    kinds = _kinds(place["pair"])
    read = _texts(connection, place["id"], kinds, earlier)
    kept = np.isin(place["id"], read.ids)  # entries whose rows are gone are left out
    place, kinds = {name: column[kept] for name, column in place.items()}, kinds[kept]
    papers, numbers = np.unique(place["pdf_id"].astype(str), return_inverse=True)
    # A paper is one run; within it, the order of the ids.
    order = np.lexsort((place["id"], numbers))
    at = np.searchsorted(read.ids, place["id"][order])
    lists = {name: each.pick(at) for name, each in read.lists.items()}
    postings, counts, terms = _postings(lists["words"])
    columns: dict[str, NDArray[Any] | Ragged] = {
        "ids": place["id"][order].astype(np.int64),
        "paper": numbers[order].astype(np.int32),
        "page": np.maximum(place["page"][order], 1).astype(np.int32),  # a title stands on the first
        "kind": kinds[order],
        **lists,
        "traits": read.traits[at],
        "terms": terms,
        "prefixes": np.asarray([read.prefixes[term] for term in terms.tolist()], dtype=np.int32),
        "postings": postings,
        "counts": counts,
    }
    save_arrays(folder, columns)
    ids = np.asarray(columns["ids"])
    _vectors(connection, backend, ids, earlier, folder, dim)
    about = {"format": FORMAT, "papers": papers.tolist(), "told": _told(connection, papers.tolist())}
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")


def _listed(connection: duckdb.DuckDBPyConnection) -> dict[str, NDArray[Any]]:
    columns = connection.execute(
        """SELECT id, pdf_id, page_number AS page, pair FROM entries
           WHERE pair IN (SELECT unnest(?::INTEGER[])) ORDER BY id""",
        [list(NUMBERS)],
    ).fetchnumpy()
    return {name: np.asarray(column) for name, column in columns.items()}


def _kinds(pairs: NDArray[Any]) -> NDArray[np.int8]:
    kinds = np.zeros(max(NUMBERS) + 1, dtype=np.int8)
    kinds[list(NUMBERS)] = np.arange(len(NUMBERS))
    found: NDArray[np.int8] = kinds[pairs]
    return found


# ------------------------------------------------------------------ texts


def _texts(
    connection: duckdb.DuckDBPyConnection,
    ids: NDArray[np.int64],
    kinds: NDArray[np.int8],
    earlier: Snapshot | None,
) -> _Read:
    """Texts of the entries, ascending: those that the earlier snapshot has, and the others read."""
    if earlier is None:
        return _read(connection, ids, kinds)
    arrays = earlier.arrays
    known = np.isin(ids, arrays.ids)
    fresh = _read(connection, ids[~known], kinds[~known])
    old = np.flatnonzero(np.isin(arrays.ids, ids))
    both = np.concatenate([arrays.ids[old], fresh.ids])
    order = np.argsort(both)
    lists = {
        name: joined([getattr(arrays, name).pick(old), each]).pick(order)
        for name, each in fresh.lists.items()
    }
    prefixes = dict(zip(arrays.terms.tolist(), arrays.prefixes.tolist(), strict=True)) | fresh.prefixes
    return _Read(both[order], lists, np.concatenate([arrays.traits[old], fresh.traits])[order], prefixes)


def _read(connection: duckdb.DuckDBPyConnection, ids: NDArray[np.int64], kinds: NDArray[np.int8]) -> _Read:
    parts: list[_Read] = [_told_of([], {})]
    for start in range(0, len(ids), _STEP):
        some, kind = ids[start : start + _STEP], kinds[start : start + _STEP]
        units = [
            unit
            for number, name in enumerate(NAMES)
            for unit in read_units(connection, name, some[kind == number].tolist())
        ]
        parts.append(_told_of(sorted(units, key=lambda unit: unit.id), parts[0].prefixes))
    lists = {name: joined([part.lists[name] for part in parts]) for name in parts[0].lists}
    return _Read(
        np.concatenate([part.ids for part in parts]),
        lists,
        np.concatenate([part.traits for part in parts]),
        parts[0].prefixes,
    )


def _told_of(units: Sequence[Unit], prefixes: dict[int, int]) -> _Read:
    """What is told of the texts of some units; the first letters of new words are added to `prefixes`."""
    said = []
    for unit in units:
        stems = [(zlib.crc32(word.stem.encode()) >> 1, word.stem) for word in words(unit.text)]
        for number, stem in stems:
            if number not in prefixes:
                prefixes[number] = prefix_number(stem)
        said.append([number for number, _ in stems])
    lists = {
        "words": ragged(said, "i4"),
        "heads": ragged([term_numbers(unit.context) for unit in units], "i4"),
        "labels": ragged([sorted(set(term_numbers(unit.label))) for unit in units], "i4"),
        "texts": ragged([pack(unit) for unit in units], "u1"),
    }
    told = np.asarray([traits(unit) for unit in units], dtype=np.uint8).reshape(len(units), len(TRAITS))
    return _Read(np.asarray([unit.id for unit in units], dtype=np.int64), lists, told, prefixes)


def _postings(said: Ragged) -> tuple[Ragged, NDArray[np.uint8], NDArray[np.int32]]:
    """Where each word stands, how often, and the words, ascending."""
    place = np.repeat(np.arange(len(said), dtype=np.int32), said.sizes())
    order = np.argsort(said.flat, kind="stable")
    term, place = said.flat[order], place[order]
    new_term = np.ones(len(term), dtype=bool)
    new_term[1:] = term[1:] != term[:-1]
    new = new_term.copy()
    new[1:] |= place[1:] != place[:-1]
    first = np.flatnonzero(new)
    counts = np.minimum(np.diff(np.append(first, len(term))), 255).astype(np.uint8)
    begin = np.append(np.flatnonzero(new_term[first]), len(first)).astype(np.int64)
    return Ragged(place[first], begin), counts, term[new_term].astype(np.int32)


# ------------------------------------------------------------------ vectors


def _vectors(
    connection: duckdb.DuckDBPyConnection,
    backend: Backend,
    ids: NDArray[np.int64],
    earlier: Snapshot | None,
    folder: Path,
    dim: int,
) -> None:
    """Write `exact`, `scale`, `coarse` and `basis`, a part at a time: they are most of a snapshot."""
    exact = np.lib.format.open_memmap(folder / "exact.npy", mode="w+", dtype="i1", shape=(len(ids), dim))
    scale = np.zeros(len(ids), dtype=np.float32)
    if dim:
        for at, rows, factors in _fetched(connection, backend, ids, earlier, dim):
            exact[at], scale[at] = rows, factors
    # Directions found among half as many entries or more serve as well.
    known = earlier is not None and earlier.arrays.exact.shape[1] == dim and 2 * len(earlier) >= len(ids)
    basis = earlier.arrays.basis if earlier is not None and known else _basis(exact, scale)
    size = (len(ids), basis.shape[1])
    coarse = np.lib.format.open_memmap(folder / "coarse.npy", mode="w+", dtype="f4", shape=size)
    for start in range(0, len(ids), _STEP):
        some = slice(start, start + _STEP)
        coarse[some] = (exact[some].astype(np.float32) * scale[some, None]) @ basis
    np.save(folder / "basis.npy", basis, allow_pickle=False)
    np.save(folder / "scale.npy", scale, allow_pickle=False)
    exact.flush()
    coarse.flush()


def _small(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Vectors as whole numbers up to 127, and what each is to be multiplied by."""
    scale = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / np.float32(127)
    return np.rint(vectors / scale[:, None]).astype(np.int8), scale


def _fetched(
    connection: duckdb.DuckDBPyConnection,
    backend: Backend,
    ids: NDArray[np.int64],
    earlier: Snapshot | None,
    dim: int,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.float32]]]:
    """Places and their vectors, as `_small` gives them."""
    missing = np.arange(len(ids), dtype=np.int64)
    if earlier is not None and earlier.arrays.exact.shape[1] == dim:
        arrays = earlier.arrays
        order = np.argsort(arrays.ids)
        before = order[np.minimum(np.searchsorted(arrays.ids, ids, sorter=order), len(order) - 1)]
        same = arrays.ids[before] == ids
        for start in range(0, len(ids), _STEP):
            at = np.flatnonzero(same[start : start + _STEP]) + start
            at = at[arrays.scale[before[at]] > 0]
            yield at, arrays.exact[before[at]], arrays.scale[before[at]]
            missing = missing[~np.isin(missing, at)]
    by_id = missing[np.argsort(ids[missing])]
    for start in range(0, len(by_id), _STEP):
        at = by_id[start : start + _STEP]
        found, vectors = backend.fetch(connection, MINILM, ids[at])
        yield at[np.searchsorted(ids[at], found)], *_small(vectors)


def _basis(exact: NDArray[np.int8], scale: NDArray[np.float32]) -> NDArray[np.float32]:
    """The directions in which the vectors differ most: float32 (dimensions, fewer), orthonormal."""
    step = max(1, len(exact) // _SAMPLE)
    sample = exact[::step].astype(np.float32) * scale[::step, None]
    _, vectors = np.linalg.eigh(sample.T @ sample)
    found: NDArray[np.float32] = np.ascontiguousarray(vectors[:, -_COARSE:], dtype=np.float32)
    return found


# ------------------------------------------------------------------ papers


def _told(connection: duckdb.DuckDBPyConnection, papers: Sequence[str]) -> list[tuple[str, str, list[str]]]:
    """Title, language and the labels of all pages of each paper."""
    titles = connection.execute("SELECT paper_id::VARCHAR, title, language FROM metadata").fetchall()
    known = {paper: (title or "", language or "") for paper, title, language in titles}
    pages: dict[str, list[str]] = {}
    rows = connection.execute(
        "SELECT ref_paper_id::VARCHAR, page_number, page_label FROM pages WHERE page_label <> ''"
    ).fetchall()
    for paper, page, label in rows:
        labels = pages.setdefault(paper, [])
        labels += [""] * (page - len(labels))
        labels[page - 1] = label
    return [(*known.get(paper, ("", "")), pages.get(paper, [])) for paper in papers]
