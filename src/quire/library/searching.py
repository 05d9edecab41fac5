"""From entries of the index to hits that a person can follow: text, section, page label, title, marks."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import duckdb
import numpy as np

from quire.errors import QueryError
from quire.index.analyzer import term_numbers
from quire.index.cells import pair
from quire.index.everything import Everything, Ranked
from quire.index.search import MAX_LIMIT, Found, Request, mark
from quire.library import languages, spelling
from quire.library.passages import WORDS, Passage, Surroundings
from quire.types import Box, Hit, Hits

# Where the section of a row is told; pages and metadata are of no one section.
_SECTION = {
    "chunks": "(SELECT section_title FROM sections s WHERE s.section_id = r.ref_section_id)",
    "sections": "r.section_title",
}
_NO_BOX = {"metadata", "pages"}
_PIECES = 2  # of one table among the passages of a search
_TELLING = 20  # letters: shorter quotes ("Results", "5 | 3") recur without being the same


def hits(connection: duckdb.DuckDBPyConnection, found: Sequence[Found], request: Request) -> list[Hit]:
    """The hits for entries of one (table, column), in their order; rows that are gone are left out."""
    if not found:
        return []
    of = pair(request.table, request.column)
    box = "NULL" if of.table in _NO_BOX else "r.bounding_box"
    owner = "r.paper_id" if of.table == "metadata" else "r.ref_paper_id"
    text = "''" if of.modality == "image" else f'r."{of.column}"'
    rows = connection.execute(
        f"""SELECT r."{of.key}"::VARCHAR, {text}, {box}, {_SECTION.get(of.table, "''")}, m.title
            FROM "{of.table}" r LEFT JOIN metadata m ON m.paper_id = {owner}
            WHERE r."{of.key}" IN (SELECT unnest(?::UUID[]))""",
        [[entry.key for entry in found]],
    ).fetchall()
    by_key = {row[0]: row[1:] for row in rows}
    labels = _labels(connection, [(entry.paper_id, entry.page) for entry in found])
    return [
        _hit(entry, by_key[entry.key], labels.get((entry.paper_id, entry.page), ""), request.query)
        for entry in found
        if entry.key in by_key
    ]


def _hit(
    entry: Found, row: tuple[str, Sequence[int] | None, str | None, str | None], label: str, query: str
) -> Hit:
    text, box, section, title = row
    return Hit(
        score=entry.score,
        text=text or "",
        paper_id=entry.paper_id,
        page=entry.page,
        table=entry.table,
        column=entry.column,
        key=entry.key,
        bbox=Box(*box) if box else entry.bbox,
        section=section or "",
        paper_title=title or "",
        page_label=label,
        spans=mark(text or "", query),
    )


class Added(NamedTuple):
    """What a library's own experience adds to the score of a candidate, and why ("" for nothing)."""

    score: float
    why: str


# A query and its best candidates, best first -> what is added to each of them.
Adjust = Callable[[str, Sequence[Ranked]], Sequence[Added]]
_MOVED = 60  # candidates that experience and the pages of the others may move
_REPEAT = 0.5  # standard deviations of the scores that a hit loses for every better one of its page


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look for everywhere: `part` narrows where, `words` limits passages, `why` asks for reasons.

    `adjust` is what the library learned of its users' questions.
    """

    query: str
    papers: tuple[str, ...] = ()
    part: str = ""
    limit: int = 5
    words: int = WORDS
    why: bool = False
    adjust: Adjust | None = None


def everything(connection: duckdb.DuckDBPyConnection, ranker: Everything, wanted: Wanted) -> Hits:
    """The best passages; none shows what one before it shows already.

    Raises:
        QueryError: the query is empty, or the limit is wrong.
        UnknownNameError: there is no such part.
    """
    if not 1 <= wanted.limit <= MAX_LIMIT:
        raise QueryError(f"`limit` is {wanted.limit}.", hint=f"Give a number from 1 to {MAX_LIMIT}.")
    vector = ranker.encoded(wanted.query)
    snapshot = ranker.snapshot(connection)
    known = {term for term in term_numbers(wanted.query) if len(snapshot.posting(term)[0])}
    query, notes = spelling.mend(connection, wanted.query, known)
    if language := languages.foreign(wanted.query):
        papers = wanted.papers or snapshot.papers
        if remark := languages.remark(language, {snapshot.about(paper).language for paper in papers} - {""}):
            notes = (*notes, remark)
    vector = vector if query == wanted.query else None
    ranked = ranker.rank(snapshot, query, papers=wanted.papers, part=wanted.part, vector=vector)
    ranked, learned = _ordered(wanted.adjust, query, ranked)
    chosen = distinct(connection, ranked, wanted.limit, wanted.words)
    hits = [
        Hit(
            score=each.score,
            text=passage.text,
            paper_id=each.unit.paper_id,
            page=each.unit.page,
            table=each.unit.pair.table,
            column=each.unit.pair.column,
            key=each.unit.key,
            bbox=each.unit.box,
            section=each.unit.context if each.unit.kind == "sentence" else "",
            paper_title=each.snapshot.about(each.unit.paper_id).title,
            page_label=each.snapshot.about(each.unit.paper_id).label(each.unit.page),
            spans=mark(passage.text, query),
            quote=each.unit.quote,
            why=(*learned.get(each.unit.id, ()), *each.why()) if wanted.why else (),
        )
        for each, passage in chosen
    ]
    return Hits(hits, notes)


def _ordered(
    adjust: Adjust | None, query: str, ranked: list[Ranked]
) -> tuple[list[Ranked], dict[int, tuple[str]]]:
    """The candidates in the order to show, and why experience moved some, by the ids of their units."""
    best, rest = ranked[:_MOVED], ranked[_MOVED:]
    added = adjust(query, best) if adjust else ()
    why = {
        each.unit.id: (f"{more.score:+.2f} {more.why}",)
        for each, more in zip(best, added, strict=False)
        if more.score
    }
    if adjust:
        by_experience = sorted(range(len(best)), key=lambda n: -(best[n].score + added[n].score))
        # The scores of a list look as they always do, whoever stands where: readers judge answers by them.
        best = [replace(best[n], score=each.score) for n, each in zip(by_experience, best, strict=True)]
    return [best[n] for n in _over_pages(best)] + rest, why


def _over_pages(ranked: Sequence[Ranked]) -> list[int]:
    """The order, best first, in which hits of one page make room for those of others.

    Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998) with the page as what is alike.
    """
    scores = [each.score for each in ranked]
    pages = [each.page for each in ranked]
    cost = _REPEAT * float(np.std(scores)) if ranked else 0.0
    taken: Counter[tuple[int, int]] = Counter()
    waiting = [(-score, n) for n, score in enumerate(scores)]
    heapq.heapify(waiting)
    order: list[int] = []
    while waiting:
        _, n = heapq.heappop(waiting)
        now = cost * taken[pages[n]] - scores[n]
        if waiting and (now, n) > waiting[0]:  # its page was taken since
            heapq.heappush(waiting, (now, n))
            continue
        order.append(n)
        taken[pages[n]] += 1
    return order


def distinct(
    connection: duckdb.DuckDBPyConnection, ranked: Sequence[Ranked], limit: int, words: int = WORDS
) -> list[tuple[Ranked, Passage]]:
    """The best that a better one's passage does not show: not as the same unit, nor in the same words."""
    chosen: list[tuple[Ranked, Passage]] = []
    shown: set[str] = set()
    said: dict[str, str] = {}  # letters and digits of a paper's passages so far
    pieces: Counter[str] = Counter()  # of each table so far
    around = Surroundings(connection, ranked[: 3 * limit], words)
    for each in ranked:
        if each.unit.kind in ("row", "table") and pieces[each.unit.group] == _PIECES:
            continue
        paper = each.unit.paper_id
        quote = _bare(each.unit.quote)
        if each.unit.key in shown or (len(quote) >= _TELLING and quote in said.get(paper, "")):
            continue
        passage = around.passage(each, shown)
        shown |= passage.shows
        pieces[each.unit.group] += 1
        said[paper] = f"{said.get(paper, '')} {_bare(passage.text)}"
        chosen.append((each, passage))
        if len(chosen) == limit:
            break
    return chosen


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _labels(
    connection: duckdb.DuckDBPyConnection, found: Sequence[tuple[str, int]]
) -> dict[tuple[str, int], str]:
    wanted = sorted(set(found))
    rows = connection.execute(
        """SELECT p.ref_paper_id::VARCHAR, p.page_number, p.page_label
           FROM (SELECT unnest(?::UUID[]) AS paper, unnest(?::INTEGER[]) AS page) w
           JOIN pages p ON p.ref_paper_id = w.paper AND p.page_number = w.page""",
        [[paper for paper, _ in wanted], [page for _, page in wanted]],
    ).fetchall()
    return {(paper, page): label or "" for paper, page, label in rows}
