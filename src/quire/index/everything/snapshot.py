"""Everything that searches of one state of a library read: arrays, mapped from files, never changed.

    snapshot = load(folder)
    snapshot.cosines(query, snapshot.places_of(papers))

Entries stand in the order of their ids, so the neighbours of a sentence are the entries next to it, and a
paper is one run of them. The arrays are mapped: several processes share their memory, several threads may
read them at once, and opening costs nothing. `quire.index.everything.building` makes them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.errors import QuireError
from quire.index.everything.entries import NAMES
from quire.index.everything.ragged import Ragged
from quire.index.everything.units import Unit, unpack

Floats = NDArray[np.float32]
FORMAT = 2  # of the files; another one is made again
_EXACT = 4000  # so few vectors are compared as they are


class SnapshotDamaged(QuireError):
    """The files of a snapshot do not fit together."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of a paper: its title, its language, and the printed labels of its pages."""

    title: str
    language: str
    labels: tuple[str, ...]

    def label(self, page: int) -> str:
        """The label printed on a page (from 1)."""
        return self.labels[page - 1] if page <= len(self.labels) else ""


@dataclass(frozen=True, slots=True, eq=False)
class Arrays:
    """Parallel to the ids: `paper` counts in the papers, `kind` in `NAMES`.

    `words` are the numbers of an entry's words in order, `heads` those of what stands over it, `labels` those
    of its row's label, `traits` columns of `TRAITS`, `texts` packed units. `terms` are all words, ascending;
    `prefixes` the number of each one's first letters; `postings` where it stands, `counts` how often.
    `exact` times `scale` are vectors of length 1 (0 where there is none), `coarse` their products with
    `basis`.
    """

    ids: NDArray[np.int64]
    paper: NDArray[np.int32]
    page: NDArray[np.int32]
    kind: NDArray[np.int8]
    words: Ragged
    heads: Ragged
    labels: Ragged
    traits: NDArray[np.uint8]
    texts: Ragged
    terms: NDArray[np.int32]
    prefixes: NDArray[np.int32]
    postings: Ragged
    counts: NDArray[np.uint8]
    exact: NDArray[np.int8]
    scale: Floats
    coarse: Floats
    basis: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The arrays, and whose they are. `lengths` are numbers of words, `last_page` is of each paper."""

    arrays: Arrays
    papers: tuple[str, ...]
    told: tuple[Told, ...]
    lengths: Floats
    runs: NDArray[np.int64]
    last_page: NDArray[np.int32]
    heads: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.arrays.ids)

    def places_of(self, papers: Sequence[str]) -> NDArray[np.int64]:
        """The places of the entries of some papers; of all for none."""
        if not papers:
            return np.arange(len(self), dtype=np.int64)
        numbers = sorted({self.papers.index(paper) for paper in papers if paper in self.papers})
        runs = [np.arange(self.runs[n], self.runs[n + 1], dtype=np.int64) for n in numbers]
        return np.concatenate(runs) if runs else np.empty(0, dtype=np.int64)

    def posting(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """The places at which a word stands, ascending, and how often it does."""
        terms, postings = self.arrays.terms, self.arrays.postings
        at = int(np.searchsorted(terms, term))
        if at == len(terms) or terms[at] != term:
            return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint8)
        begin, end = postings.start[at], postings.start[at + 1]
        return postings.flat[begin:end], self.arrays.counts[begin:end]

    def cosines(self, query: Floats, places: NDArray[np.int64]) -> Floats:
        """About the cosine of each of those entries; to three decimals where they are few."""
        if len(places) <= _EXACT:
            return self.exact_cosines(query, places)
        # Not by BLAS: its threads would wait spinning, which costs ten times as much as the product.
        short = np.einsum("dc,d->c", self.arrays.basis, query)
        found: Floats = np.einsum("nc,c->n", self.arrays.coarse, short)
        return found if len(places) == len(self) else found[places]

    def exact_cosines(self, query: Floats, places: NDArray[np.int64]) -> Floats:
        """The cosine of each of those entries, to three decimals; 0 where there is no vector."""
        found: Floats = np.einsum("nd,d->n", self.arrays.exact[places].astype(np.float32), query)
        return found * self.arrays.scale[places]

    def unit(self, place: int) -> Unit:
        """The unit that stands there."""
        arrays = self.arrays
        return unpack(
            arrays.texts[place].tobytes(),
            int(arrays.ids[place]),
            NAMES[arrays.kind[place]],
            self.papers[arrays.paper[place]],
            int(arrays.page[place]),
        )

    def of_page(self, place: int, kind: str) -> NDArray[np.int64]:
        """The places of a kind on the page of an entry, in order."""
        arrays = self.arrays
        paper = int(arrays.paper[place])
        run = slice(int(self.runs[paper]), int(self.runs[paper + 1]))
        there = (arrays.page[run] == arrays.page[place]) & (arrays.kind[run] == NAMES.index(kind))
        found: NDArray[np.int64] = np.flatnonzero(there) + run.start
        return found

    def about(self, paper: str) -> Told:
        """What is known of a paper of this snapshot."""
        return self.told[self.papers.index(paper)]


def save_arrays(folder: Path, arrays: dict[str, NDArray[Any] | Ragged]) -> None:
    """Write arrays, each to a file of its own."""
    for name, array in arrays.items():
        if isinstance(array, Ragged):
            np.save(folder / f"{name}.npy", array.flat, allow_pickle=False)
            np.save(folder / f"{name}.start.npy", array.start, allow_pickle=False)
        else:
            np.save(folder / f"{name}.npy", array, allow_pickle=False)


def load(folder: Path) -> Snapshot:
    """Map the files of a folder.

    Raises:
        SnapshotDamaged: files are missing, of another format, or do not fit together.
    """
    try:
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        if about["format"] != FORMAT:
            raise SnapshotDamaged(f"{folder} is of another format.")
        told = tuple(Told(str(t), str(g), tuple(map(str, labels))) for t, g, labels in about["told"])
        papers = tuple(map(str, about["papers"]))
        found = {each.name: _array(folder, each.name, each.type == "Ragged") for each in fields(Arrays)}
        arrays = Arrays(**found)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SnapshotDamaged(f"{folder} cannot be read: {error}") from error
    _fit(arrays, len(papers), len(told))
    return _snapshot(arrays, papers, told)


def _snapshot(arrays: Arrays, papers: tuple[str, ...], told: tuple[Told, ...]) -> Snapshot:
    last_page = np.zeros(len(papers), dtype=np.int32)
    np.maximum.at(last_page, arrays.paper, arrays.page)
    runs = np.searchsorted(arrays.paper, np.arange(len(papers) + 1))
    heads = np.flatnonzero(np.isin(arrays.kind, [NAMES.index("title"), NAMES.index("abstract")]))
    return Snapshot(arrays, papers, told, arrays.words.sizes().astype(np.float32), runs, last_page, heads)


def _array(folder: Path, name: str, lists: bool) -> Any:
    if lists:
        return Ragged(_mapped(folder / f"{name}.npy"), _mapped(folder / f"{name}.start.npy"))
    return _mapped(folder / f"{name}.npy")


def _mapped(file: Path) -> NDArray[Any]:
    # A plain view: numpy's own class for mapped arrays is slow to index.
    return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))


def _fit(arrays: Arrays, papers: int, told: int) -> None:
    count = len(arrays.ids)
    parallel = (arrays.paper, arrays.page, arrays.kind, arrays.words, arrays.heads, arrays.labels)
    fitting = (
        papers == told
        and all(len(each) == count for each in (*parallel, arrays.traits, arrays.texts))
        and len(arrays.exact) == len(arrays.scale) == count
        and arrays.coarse.shape == (count, arrays.basis.shape[1])
        and len(arrays.terms) == len(arrays.prefixes) == len(arrays.postings)
        and all(each.start[-1] == len(each.flat) for each in (arrays.words, arrays.texts, arrays.postings))
        and len(arrays.counts) == len(arrays.postings.flat)
        and (not count or (int(arrays.paper.max()) < papers and int(arrays.paper.min()) >= 0))
    )
    if not fitting:
        raise SnapshotDamaged("The arrays do not fit together.")
