"""Ranking candidates: which units answer a query best, and why.

    ranker = Ranker(encoder)
    ranked = ranker.rank(view, "what drug put the rats to sleep?", papers=(paper_id,))
    ranked[0].unit.text, ranked[0].score

Words (BM25) and meaning (MiniLM) choose some hundred candidates among all sentences, rows of tables,
captions, headings and titles; a trained model orders them, one for questions to named papers, another for
those to the whole library. A reader (`quire.search.reader`) then reads the best of them beside the question,
and those that say the answer come first. Without MiniLM, words alone order them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quire.errors import QueryError, UnknownNameError
from quire.search.asked import Asked, read
from quire.search.cells import KINDS, NAMES, Unit
from quire.search.encoders import Encoder
from quire.search.features import FEATURES, features
from quire.search.signals import Floats, Signals, measure
from quire.search.slots import Ids
from quire.search.view import RANKED, View
from quire.trees import Trees, load_trees

if TYPE_CHECKING:  # it brings onnxruntime
    from quire.search.reader import Reader

# Where a search can be told to look, and the kinds of units that are there.
PARTS: Mapping[str, tuple[str, ...]] = {
    "text": ("sentence",),
    "tables": ("row", "table"),
    "figures": ("figure",),
    "headings": ("heading",),
    "titles": ("title",),
}
_READ = 20  # candidates that are read
# What the reader says weighs, beside the ranking; in the whole library less, as the paper must be told first.
_OF_PAPERS, _OF_LIBRARY = 1.2, 0.4
_UNREAD = ("headings", "titles")
# What stands under such a heading judges the paper and says nothing of its subject.
_REPORT = re.compile(
    r"(?i)\W*(?:open )?(?:peer review|decision letter|(?:authors?['\u2019]? )?(?:response|reply) to|"
    r"(?:reviewer|referee|editor)s?['\u2019]? (?:report|comment)s?)\b"
)
_LAST = 100.0
_CANDIDATES = {"sentence": 70, "row": 40, "table": 8, "figure": 8, "heading": 6, "title": 6}


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What is ranked: ids of entries, and their features row by row."""

    view: View
    ids: Ids
    rows: Floats
    both: Floats  # half words, half meaning: the order without a model
    model: Trees

    def ordered(self, scores: NDArray[np.floating]) -> list[Ranked]:
        """The candidates, best first; where scores are equal, in the order of the entries."""
        order = np.lexsort((self.ids, -scores))
        pages = zip(
            self.view.live.owners(self.ids).tolist(), self.view.slots.pages(self.ids).tolist(), strict=True
        )
        page, ids, score = list(pages), self.ids.tolist(), scores.tolist()
        return [Ranked(self.view, ids[i], score[i], self.rows[i], self.model, page[i]) for i in order]


@dataclass(frozen=True, eq=False)
class Ranked:
    """An entry of a view and its score; `model` judged its row of `features`.

    `says` is what the reader said of it (None: it was not read), `read` what that added.
    """

    view: View
    id: int
    score: float
    features: Floats
    model: Trees
    page: tuple[int, int]  # the number of its paper in the view, and of its page
    read: float = 0.0
    says: float | None = None

    @cached_property
    def unit(self) -> Unit:
        """What it says, and where."""
        return self.view.unit(self.id)

    def why(self, most: int = 4) -> tuple[str, ...]:
        """The features that moved it most, e.g. "+1.20 covered (0.81)"."""
        worth = self.model.worth(self.features)
        order = np.argsort(-np.abs(worth), kind="stable")[:most]
        told = tuple(f"{worth[i]:+.2f} {FEATURES[i]} ({self.features[i]:.2g})" for i in order)
        return (f"{self.read:+.2f} says it", *told[:-1]) if self.read else told


class Ranker:
    """Ranks units. Keep it: it holds the encoder of queries and the reader. Thread-safe."""

    def __init__(self, encoder: Encoder | None, reader: Callable[[], Reader | None] = lambda: None) -> None:
        """`reader` loads the second stage; it is called once, in a thread."""
        self._encoder = encoder
        self._ahead = ThreadPoolExecutor(1, "quire-query")
        self._load = reader
        self._reader: Future[Reader | None] | None = None

    def encoded(self, query: str, *, read: bool = False) -> Future[Floats] | None:
        """The vector of a query, which is made while words are looked up; None without an encoder.

        With `read` the reader is loaded behind it, if it is not there yet.
        """
        if self._encoder is None:
            return None
        vector = self._ahead.submit(self._encoder.encode_query, query)
        if read:
            self._reader = self._reader or self._ahead.submit(self._load)
        return vector

    def rank(
        self,
        view: View,
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
        vector = vector or self.encoded(query, read=is_read(part))
        found = self.candidates(view, read(query), papers=papers, part=part, vector=vector)
        if not len(found.ids):
            return []
        if self._encoder is None:
            return found.ordered(found.both)
        ranked = found.ordered(found.model.scores(found.rows))
        reader = self._reader.result() if self._reader is not None and is_read(part) else None
        return _reordered(reader, query, ranked, papers) if reader is not None else ranked

    def candidates(
        self,
        view: View,
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
        pairs = [KINDS[kind] for kind in kinds] if part else RANKED
        vectors = view.vectors.get(self._encoder.name) if self._encoder else None
        vector = vector or self.encoded(asked.text)
        signals = measure(view.scope(pairs, papers), asked, vectors, vector)
        at = _choose(signals, kinds, part)
        rows = features(asked, signals, at)
        return Candidates(view, signals.ids[at], rows, signals.both[at], ranking_model(papers))


def _reordered(reader: Reader, query: str, ranked: list[Ranked], papers: Sequence[str]) -> list[Ranked]:
    """The same with the best of them in the order of ranking and reader together.

    The scores of a list look as they do without a reader, whoever stands where: others judge answers by them.
    """
    from quire.search.reader import passage

    best, rest = ranked[:_READ], ranked[_READ:]
    titles = [each.view.said(each.page[0], "title") if len(papers) != 1 else "" for each in best]
    passages = [passage(each.unit, title) for each, title in zip(best, titles, strict=True)]
    says = reader.scores(query, passages)
    read = (_OF_PAPERS if papers else _OF_LIBRARY) * (says - says.mean())
    read -= [_LAST * bool(_REPORT.match(each.unit.context)) for each in best]
    order = np.argsort(-(np.asarray([each.score for each in best]) + read), kind="stable").tolist()
    moved = [
        replace(best[n], score=place.score, read=float(read[n]), says=float(says[n]))
        for n, place in zip(order, best, strict=True)
    ]
    return moved + rest


def is_read(part: str) -> bool:
    """Whether the best of a search in this part are read; names of papers and sections say no answer."""
    return part not in _UNREAD


def ranking_model(papers: Sequence[str]) -> Trees:
    """The trees for questions to these papers; to the whole library if there are none.

    They differ: a question to the library must first tell which paper it means, often by its title's words.
    """
    return load_trees("quire.search", "ranking_paper.npz" if papers else "ranking_library.npz")


def _kinds(part: str) -> tuple[str, ...]:
    if part and part not in PARTS:
        raise UnknownNameError(f"There is no part `{part}`.", hint=f"Choose from: {', '.join(PARTS)}.")
    return PARTS[part] if part else tuple(_CANDIDATES)


def _choose(signals: Signals, kinds: Sequence[str], part: str) -> Ids:
    """Numbers in `signals` of the best of each kind by words and meaning."""
    # A part is searched as a whole, everything only among the entries that are near.
    among = np.arange(len(signals.ids)) if part else signals.near
    both = signals.both[among]
    kind = signals.view.slots.kinds(signals.ids[among])
    chosen = []
    for name in kinds:
        here = np.flatnonzero((kind == NAMES.index(name)) & (both > 0))
        most = _CANDIDATES[name]
        if len(here) > most:
            here = here[np.argpartition(-both[here], most)[:most]]
        chosen.append(among[np.sort(here)])
    return np.concatenate(chosen)
