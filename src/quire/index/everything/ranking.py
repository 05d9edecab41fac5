"""Ranking candidates: which units answer a query best, and why.

    everything = Everything(backend, encoders, folder / "cache")
    snapshot = everything.snapshot(connection)
    ranked = everything.rank(snapshot, "what drug put the rats to sleep?", papers=(paper_id,))
    ranked[0].unit.text, ranked[0].score

Words (BM25) and meaning (MiniLM) choose some hundred candidates among all sentences, rows of tables,
captions, headings and titles; a trained model orders them, one for questions to named papers, another for
those to the whole library. Without MiniLM, words alone order them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.errors import QueryError, UnknownNameError
from quire.index.backends import Backend
from quire.index.encoders import MINILM, Encoder
from quire.index.everything.asked import Asked, read
from quire.index.everything.entries import NAMES
from quire.index.everything.features import FEATURES, features
from quire.index.everything.holder import Holder
from quire.index.everything.signals import Floats, Signals, measure
from quire.index.everything.snapshot import Snapshot
from quire.index.everything.trees import Trees, load_trees
from quire.index.everything.units import Unit

# Where a search can be told to look, and the kinds of units that are there.
PARTS: Mapping[str, tuple[str, ...]] = {
    "text": ("sentence",),
    "tables": ("row", "table"),
    "figures": ("figure",),
    "headings": ("heading",),
    "titles": ("title",),
}
_CANDIDATES = {"sentence": 70, "row": 40, "table": 8, "figure": 8, "heading": 6, "title": 6}


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What is ranked: places in the snapshot, and their features row by row."""

    snapshot: Snapshot
    places: NDArray[np.int64]
    rows: Floats
    both: Floats  # half words, half meaning: the order without a model
    model: Trees

    def ordered(self, scores: NDArray[np.floating]) -> list[Ranked]:
        """The candidates, best first; where scores are equal, in the order of the entries."""
        order = np.lexsort((self.places, -scores))
        return [
            Ranked(self.snapshot, int(self.places[i]), float(scores[i]), self.rows[i], self.model)
            for i in order
        ]


@dataclass(frozen=True, eq=False)
class Ranked:
    """An entry of a snapshot and its score; `features` is its row, which `model` judged."""

    snapshot: Snapshot
    place: int
    score: float
    features: Floats
    model: Trees

    @cached_property
    def unit(self) -> Unit:
        """The unit that stands there."""
        return self.snapshot.unit(self.place)

    @property
    def page(self) -> tuple[int, int]:
        """The numbers of its paper in the snapshot and of its page."""
        arrays = self.snapshot.arrays
        return int(arrays.paper[self.place]), int(arrays.page[self.place])

    def why(self, most: int = 4) -> tuple[str, ...]:
        """The features that moved it most, e.g. "+1.20 covered (0.81)"."""
        worth = self.model.worth(self.features)
        order = np.argsort(-np.abs(worth), kind="stable")[:most]
        return tuple(f"{worth[i]:+.2f} {FEATURES[i]} ({self.features[i]:.2g})" for i in order)


class Everything:
    """Ranks the units of one library. Keep it: it holds what searches read. Thread-safe."""

    def __init__(
        self,
        backend: Backend,
        encoders: Mapping[str, Encoder],
        cache: Path,
        changing: Callable[[], bool] = lambda: False,
    ) -> None:
        self._encoder = encoders.get(MINILM)
        self._ahead = ThreadPoolExecutor(1, "quire-query")
        self._holder = Holder(cache, backend, self._encoder.dim if self._encoder else 0, changing)

    def snapshot(self, connection: duckdb.DuckDBPyConnection, *, fresh: bool = False) -> Snapshot:
        """What searches read of the library as the connection sees it; made if it is not there yet.

        While the library is `changing`, it may be some seconds old, unless it must be `fresh`.
        """
        return self._holder.snapshot(connection, fresh=fresh)

    def encoded(self, query: str) -> Future[Floats] | None:
        """The vector of a query, which is made while words are looked up; None without MiniLM."""
        return self._ahead.submit(self._encoder.encode_query, query) if self._encoder is not None else None

    def rank(
        self,
        snapshot: Snapshot,
        query: str,
        *,
        papers: Sequence[str] = (),
        part: str = "",
        vector: Future[Floats] | None = None,
    ) -> list[Ranked]:
        """The candidates, best first; `vector` is the query's, if somebody asked for it before.

        Raises:
            QueryError: the query is empty.
            UnknownNameError: there is no such part.
        """
        found = self.candidates(snapshot, read(query), papers=papers, part=part, vector=vector)
        if not len(found.places):
            return []
        return found.ordered(found.model.scores(found.rows) if self._encoder is not None else found.both)

    def candidates(
        self,
        snapshot: Snapshot,
        asked: Asked,
        *,
        papers: Sequence[str],
        part: str,
        vector: Future[Floats] | None = None,
    ) -> Candidates:
        """The units worth ranking, with their features."""
        if not asked.text.strip():
            raise QueryError("The query is empty.")
        # The title of the one paper that is asked about answers nothing.
        kinds = [kind for kind in _kinds(part) if part or len(papers) != 1 or kind != "title"]
        places = snapshot.places_of(papers)
        vector = (vector or self.encoded(asked.text)) if len(places) else None
        signals = measure(snapshot, places, asked.terms, vector)
        at = _choose(snapshot, signals, kinds, part)
        rows = features(asked, snapshot, signals, at)
        return Candidates(snapshot, signals.places[at], rows, signals.both[at], ranking_model(papers))


def ranking_model(papers: Sequence[str]) -> Trees:
    """The trees for questions to these papers; to the whole library if there are none.

    They differ: a question to the library must first tell which paper it means, often by its title's words.
    """
    return load_trees("quire.index.everything", "ranking_paper.npz" if papers else "ranking_library.npz")


def _kinds(part: str) -> tuple[str, ...]:
    if part and part not in PARTS:
        raise UnknownNameError(f"There is no part `{part}`.", hint=f"Choose from: {', '.join(PARTS)}.")
    return PARTS[part] if part else tuple(_CANDIDATES)


def _choose(snapshot: Snapshot, signals: Signals, kinds: Sequence[str], part: str) -> NDArray[np.int64]:
    """Numbers in `signals` of the best of each kind by words and meaning."""
    # A part is searched as a whole, everything only among the entries that are near.
    among = np.arange(len(signals.places)) if part else signals.near
    both = signals.both[among]
    kind = snapshot.arrays.kind[signals.places[among]]
    chosen = []
    for name in kinds:
        here = np.flatnonzero((kind == NAMES.index(name)) & (both > 0))
        most = _CANDIDATES[name]
        if len(here) > most:
            here = here[np.argpartition(-both[here], most)[:most]]
        chosen.append(among[np.sort(here)])
    return np.concatenate(chosen)
