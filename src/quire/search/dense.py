"""Encoding: a vector for every entry that has none yet, each word read once.

    ids = waiting(view, encoder.name)
    encode_waiting(view, encoder, vectors, progress=print)

What consists of smaller units (a passage of sentences, a table of rows) gets the mean of their vectors,
weighed by their words: an encoder would read its beginning alone, and every word again. A text that stands
in the index already, in any paper, takes over its vector. What was written survives a kill.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from quire.search.batch import PARTS, WORDS
from quire.search.cells import ENCODABLE, Unit, encodable_text
from quire.search.encoders import Encoder
from quire.search.search import modality
from quire.search.slots import Ids, IndexDamaged
from quire.search.vectors import Floats, Vectors
from quire.search.view import View

Render = Callable[[Unit], bytes]
Texts = Callable[[Ids], Sequence[str]]
_BATCH = 512
_SIEVE = np.uint64(1 << 16)


class Encoded(NamedTuple):
    """Vectors that were made elsewhere: of units by their ids (in a job: counted from the paper's first)."""

    collection: str
    ids: Ids
    rows: Floats


def waiting(view: View, collection: str, vectors: Vectors | None = None) -> Ids:
    """The entries that still need a vector of the collection, ascending."""
    pairs = [pair for pair in ENCODABLE if pair.modality == modality(collection)]
    selected = view.selected(pairs)
    held = (vectors or view.vectors[collection]).held(len(selected))
    return np.flatnonzero(selected & ~held)


def encode_waiting(
    view: View,
    encoder: Encoder,
    vectors: Vectors,
    *,
    texts: Texts | None = None,
    render: Render | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Encode whatever the encoder's collection still lacks; gives the number of vectors made.

    `render` makes a picture of a unit. With `texts`, which reads those of entries, larger units are encoded
    as they are, too. `progress(done, total)` is called after each batch.
    """
    ids = waiting(view, encoder.name, vectors)
    if modality(encoder.name) == "image" and render is None:
        return 0
    hashes = view.slots.records["hash"][ids]
    whole = ids if texts is not None or render else ids[hashes != 0]
    pooled = np.setdiff1d(ids, whole, assume_unique=True)
    # Means of parts cost next to nothing: what is told as done follows the words that are read.
    read = np.cumsum(view.slots.lengths(whole) + 2) if len(whole) else np.ones(1)
    known = _Known(view, vectors, whole)
    for start in range(0, len(whole), _BATCH):
        some = whole[start : start + _BATCH]
        fresh = known.copied(some)
        if len(fresh):
            known.put(fresh, encoder.encode(_items_of(view, fresh, texts, render)))
        if progress:
            progress(int(len(ids) * read[start + len(some) - 1] / read[-1]), len(ids))
    for start in range(0, len(pooled), _BATCH):
        some = pooled[start : start + _BATCH]
        vectors.put(some, mean_of_parts(view, vectors, some), view)
    if progress and len(pooled):
        progress(len(ids), len(ids))
    return len(ids)


def mean_of_parts(view: View, vectors: Vectors, ids: Ids) -> Floats:
    """The means of the vectors of the units that these consist of, weighed by their words, of length 1."""
    parts, owner = view.slots.lists(ids, PARTS)
    places = view.live.first[view.live.owners(ids)][owner] + parts
    if places.min(initial=0) < 0 or places.max(initial=0) >= len(view.slots):
        raise IndexDamaged("What the index keeps of its entries is not what was written.")
    distinct, at = np.unique(places, return_inverse=True)
    rows = vectors.rows(distinct)
    weights = np.maximum(view.slots.records["sizes"][distinct, WORDS], 1).astype(np.float32)
    sums = np.zeros((len(ids), rows.shape[1]), dtype=np.float32)
    np.add.at(sums, owner, (rows * weights[:, None])[at])
    means: Floats = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return means


class _Known:
    """Texts that have a vector, by their hashes; of those there were, only what may be `wanted`."""

    def __init__(self, view: View, vectors: Vectors, wanted: Ids) -> None:
        self._view = view
        self._vectors = vectors
        hashes = view.slots.records["hash"]
        # A sieve that few texts but the wanted ones pass: sorting all would take longer with every paper.
        sieve = np.zeros(_SIEVE, dtype=np.bool_)
        sieve[hashes[wanted] % _SIEVE] = True
        there = np.flatnonzero(vectors.held(len(hashes)) & sieve[hashes % _SIEVE] & (hashes != 0))
        order = np.argsort(hashes[there], kind="stable")
        self._ids, self._hashes = there[order], hashes[there][order]

    def copied(self, ids: Ids) -> Ids:
        """Give those whose text is known its vector; the others are left."""
        hashes = self._view.slots.records["hash"][ids]
        if not len(self._ids):
            return ids
        at = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        same = (self._hashes[at] == hashes) & (hashes != 0)
        if same.any():
            self._vectors.put(ids[same], self._vectors.rows(self._ids[at[same]]), self._view)
        left: Ids = ids[~same]
        return left

    def put(self, ids: Ids, rows: Floats) -> None:
        """Store new vectors, known from now on."""
        self._vectors.put(ids, rows, self._view)
        hashes = self._view.slots.records["hash"][ids]
        both = np.concatenate([self._hashes, hashes])
        order = np.argsort(both, kind="stable")
        self._ids, self._hashes = np.concatenate([self._ids, ids])[order], both[order]


def _items_of(view: View, ids: Ids, texts: Texts | None, render: Render | None) -> Sequence[str | bytes]:
    if texts is not None and render is None:
        return texts(ids)
    units = [view.unit(int(id)) for id in ids]
    return [render(unit) if render else encodable_text(unit.pair, unit.text) for unit in units]
