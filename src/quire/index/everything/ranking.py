"""Ranking candidates: which units answer a query best, and why.

    everything = Everything(backend, encoders)
    ranked = everything.rank(connection, "what drug put the rats to sleep?", papers=(paper_id,))
    ranked[0].unit.text, ranked[0].score

Words (BM25) and meaning (MiniLM) choose some hundred candidates among all sentences, rows of tables,
captions, headings and titles; the trained model orders them. Without MiniLM, words alone order them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.errors import QueryError, UnknownNameError
from quire.index.backends import Backend
from quire.index.encoders import MINILM, Encoder
from quire.index.everything.asked import Asked, read
from quire.index.everything.entries import KINDS, NAMES, Entries, EntryCache
from quire.index.everything.features import FEATURES, features
from quire.index.everything.signals import Floats, Signals, measure
from quire.index.everything.trees import Trees, load_trees
from quire.index.everything.units import Unit, read_units
from quire.index.scope import Scope

# Where a search can be told to look, and the kinds of units that are there.
PARTS: Mapping[str, tuple[str, ...]] = {
    "text": ("sentence",),
    "tables": ("row", "table"),
    "figures": ("figure",),
    "headings": ("heading",),
    "titles": ("title",),
}
_CANDIDATES = {"sentence": 70, "row": 40, "table": 8, "figure": 8, "heading": 6, "title": 6}
_KEPT = 50_000  # units, about a kilobyte each
_NEAREST = {"sentence": 1000, "row": 600}  # by meaning; of other kinds, 100


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What is ranked: units, and their features row by row."""

    units: tuple[Unit, ...]
    rows: Floats
    both: Floats  # half words, half meaning: the order without a model


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """A unit and its score; `features` is its row."""

    unit: Unit
    score: float
    features: Floats

    def why(self, most: int = 4) -> tuple[str, ...]:
        """The features that moved it most, e.g. "+1.20 covered (0.81)"."""
        worth = ranking_model().worth(self.features)
        order = np.argsort(-np.abs(worth), kind="stable")[:most]
        return tuple(f"{worth[i]:+.2f} {FEATURES[i]} ({self.features[i]:.2g})" for i in order)


class _Known(Scope):
    """A scope whose entries are known already."""

    def __init__(self, kind: str, papers: tuple[str, ...], ids: NDArray[np.int64]) -> None:
        super().__init__(KINDS[kind], papers)
        object.__setattr__(self, "_ids", ids)

    def ids(self, connection: duckdb.DuckDBPyConnection) -> NDArray[np.int64]:
        found: NDArray[np.int64] = object.__getattribute__(self, "_ids")
        return found


class Everything:
    """Ranks the units of one library. Keep it: it caches between searches."""

    def __init__(self, backend: Backend, encoders: Mapping[str, Encoder]) -> None:
        self._backend = backend
        self._encoder = encoders.get(MINILM)
        self._cache = EntryCache()

    def rank(
        self,
        connection: duckdb.DuckDBPyConnection,
        query: str,
        *,
        papers: Sequence[str] = (),
        part: str = "",
    ) -> list[Ranked]:
        """The candidates, best first.

        Raises:
            QueryError: the query is empty.
            UnknownNameError: there is no such part.
        """
        found = self.candidates(connection, read(query), papers=papers, part=part)
        if not found.units:
            return []
        scores = ranking_model().scores(found.rows) if self._encoder is not None else found.both
        order = np.lexsort((np.asarray([unit.id for unit in found.units]), -scores))
        return [Ranked(found.units[i], float(scores[i]), found.rows[i]) for i in order]

    def known(self, connection: duckdb.DuckDBPyConnection, terms: Sequence[int]) -> set[int]:
        """Those of some words, as numbers, that any unit of the library has."""
        self._cache.entries(connection)
        return {term for term, found in self._cache.postings(connection, terms).items() if len(found.places)}

    def candidates(
        self, connection: duckdb.DuckDBPyConnection, asked: Asked, *, papers: Sequence[str], part: str
    ) -> Candidates:
        """The units worth ranking, with their features."""
        if not asked.text.strip():
            raise QueryError("The query is empty.")
        # The title of the one paper that is asked about answers nothing.
        kinds = [kind for kind in _kinds(part) if part or len(papers) != 1 or kind != "title"]
        entries = self._cache.entries(connection)
        places = entries.of_papers(papers)
        postings = self._cache.postings(connection, asked.terms)
        cosines = self._cosines(connection, asked.text, entries, places, tuple(papers))
        signals = measure(entries, places, postings, cosines)
        chosen = _choose(entries, signals, kinds)
        units = self._units(connection, entries, signals, chosen)
        at = np.asarray([number for number in chosen if number in units], dtype=np.int64)
        listed = [units[number] for number in at.tolist()]
        rows = features(asked, entries, signals, at, listed) if listed else np.empty((0, len(FEATURES)), "f4")
        return Candidates(tuple(listed), rows, signals.both[at])

    def _cosines(
        self,
        connection: duckdb.DuckDBPyConnection,
        query: str,
        entries: Entries,
        places: NDArray[np.int64],
        papers: tuple[str, ...],
    ) -> Floats:
        """The cosine of every entry in scope that is among the nearest; 0 for the others."""
        cosines = np.zeros(len(entries.ids), dtype=np.float32)
        if self._encoder is not None and len(places):
            row = self._encoder.encode_query(query)
            kind = entries.kind[places]
            for number, name in enumerate(NAMES):
                ids = entries.ids[places[kind == number]]
                scope = _Known(name, papers, ids)
                limit = _NEAREST.get(name, 100)
                hits = self._backend.search(connection, MINILM, row, scope, limit) if len(ids) else []
                cosines[entries.place[[hit.id for hit in hits]]] = [hit.score for hit in hits]
        return cosines[places]

    def _units(
        self,
        connection: duckdb.DuckDBPyConnection,
        entries: Entries,
        signals: Signals,
        chosen: Sequence[int],
    ) -> dict[int, Unit]:
        """The units at the chosen numbers in `signals`, those not kept from earlier searches read."""
        places = signals.places[np.asarray(chosen, dtype=np.int64)]
        kept = self._cache.units
        if len(kept) > _KEPT:
            kept.clear()
        ids, kinds = entries.ids[places], entries.kind[places]
        missing = np.asarray([number not in kept for number in ids.tolist()], dtype=bool)
        for kind in np.unique(kinds[missing]).tolist():
            for unit in read_units(connection, NAMES[kind], ids[missing & (kinds == kind)].tolist()):
                kept[unit.id] = unit
        numbered = zip(chosen, ids.tolist(), strict=True)
        return {number: kept[entry] for number, entry in numbered if entry in kept}


def ranking_model() -> Trees:
    """The trained trees."""
    return load_trees("quire.index.everything", "ranking.npz")


def _kinds(part: str) -> tuple[str, ...]:
    if part and part not in PARTS:
        raise UnknownNameError(f"There is no part `{part}`.", hint=f"Choose from: {', '.join(PARTS)}.")
    return PARTS[part] if part else tuple(_CANDIDATES)


def _choose(entries: Entries, signals: Signals, kinds: Sequence[str]) -> list[int]:
    """Numbers in `signals` of the best of each kind by words and meaning."""
    kind = entries.kind[signals.places]
    chosen: list[int] = []
    for name in kinds:
        here = np.flatnonzero((kind == NAMES.index(name)) & (signals.both > 0))
        most = _CANDIDATES[name]
        if len(here) > most:
            here = here[np.argpartition(-signals.both[here], most)[:most]]
        chosen += sorted(here.tolist())
    return chosen
