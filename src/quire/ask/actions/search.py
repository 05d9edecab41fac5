"""The actions that search: everything (`Search`), passages (`ClassicRetrieve`), one encoded column.

Arguments are checked with useful words, hits become rows, and no hit is explained:

    [Warning]: Nothing was found: the filter `page_number == 99` left no entry of chunks.text_content;
    without it there are hits. ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.ask.observations import show_rows
from quire.errors import ActionError, QuireError
from quire.library.passages import WORDS
from quire.llm.messages import estimate_tokens
from quire.search.filter_words import tokens
from quire.types import Hit, Hits, Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


_MAX_LIMIT = 100
_SPARE = 10  # hits beyond the limit that are looked at for ties and in place of empty ones
_HIDDEN = ("score", "bbox", "bounding_box")  # kept in the record, of no use to who answers
_OF_EVERYTHING = ("quote", "meaning", "covered", "says")  # what rows of a search over everything have besides
_DEPTH = 6  # passages that are looked at for each that is shown, where papers are wanted
_BARE = 2  # passages more that are looked at, in place of headings without text
FEW = 5  # papers that a user names one by one; of more, the best of all of them count
_TOKENS = 1500  # of what one search over everything shows
_WORDS = 900  # of its passages together


def search(
    env: Environment,
    query: str,
    *,
    collection: str | None = None,
    table: str = "chunks",
    column: str = "text_content",
    filter: str = "",
    limit: int = 5,
) -> Observation:
    """The hits as rows, or a warning that says why there is none; of equal hits the anchors' come first.

    Raises:
        ActionError: the query is empty or the limit is not a positive number.
        QueryError: collection, table, column or filter are wrong.
    """
    limit = _within_limits(query, limit)
    hits = _hits(env, query, limit, collection=collection, table=table, column=column, filter=filter)
    if hits:
        more = "To see the others, add one of `primary_key`, `pdf_id` or `page_number` to the filter."
        return show_rows(
            [row_of(hit) for hit in hits],
            env.settings,
            hidden=_HIDDEN,
            more=more if collection else "To see the others, ask in narrower words.",
        )
    where = f"{table}.{column}"
    return Observation("warning", f"[Warning]: {_why_nothing(env, query, collection, where, filter)}")


def _within_limits(query: str, limit: int) -> int:
    if not query.strip():
        raise ActionError("`query` is empty; say in words what to look for.")
    if limit < 1:
        raise ActionError(f"`limit` must be a positive number, not {limit}.")
    return min(limit, _MAX_LIMIT)


def _hits(env: Environment, query: str, limit: int, **where: Any) -> list[Hit]:
    """The best hits with something to show; a tie at the end of the list is broken for the anchors too."""
    found = env.library.search(query, papers=env.scope, limit=min(limit + _SPARE, _MAX_LIMIT), **where)
    told = [hit for hit in found if hit.text.strip() or hit.bbox is not None]
    return sorted(told, key=lambda hit: (-round(hit.score, 6), hit.paper_id not in env.anchors))[:limit]


def search_everything(
    env: Environment,
    query: str,
    *,
    papers: Sequence[str] = (),
    limit: int = 5,
    each_paper: bool = False,
) -> Observation:
    """The passages that answer best as readable text, within 1500 tokens; behind it, rows as in `search`.

    With `each_paper` only the best of each paper, shorter ones.

    Raises:
        ActionError: the query is empty, the limit not a positive number, or the user left the papers out.
        QueryError: the library cannot be searched.
    """
    limit = _within_limits(query, limit)
    wanted = tuple(paper for paper in papers if not env.scope or paper in env.scope)
    if papers and not wanted:
        raise ActionError(f"The user restricts the search to these papers: {', '.join(env.scope)}.")
    where = wanted or env.scope
    if each_paper:
        found = _look_up(env, query, where, limit * _DEPTH, _WORDS // limit)
        hits = list(best_of_papers(_telling(found)).values())[:limit]
    else:  # with fewer words than a user's search shows, others would be left out
        found = _look_up(env, query, where, limit + _BARE, max(WORDS, _WORDS // limit))
        hits = (_telling(found) or found)[:limit]
    notes, count = [f"[Warning]: {note}" for note in found.notes], len(hits)
    if hits and 1 < len(where) <= min(FEW, limit):  # further down the limit of tokens would cut them
        every = each_first(where, hits, lambda paper: best_passages(env, query, (paper,), count)[:1])
        hits = every[: max(count, len({hit.paper_id for hit in every}))]
    if not hits:
        nothing = "\n".join([*notes, "[Warning]: Nothing was found; try other words."])
        return Observation("warning", nothing, notes=found.notes)
    kept: list[str] = []
    left = _TOKENS
    for number, hit in enumerate(hits, 1):
        section = f", section {hit.section!r}" if hit.section else ""
        place = f"paper {hit.paper_id} {hit.paper_title!r}, page {hit.page}{section}"
        text = f"({number}) {place}\n{hit.text}"
        left -= estimate_tokens(text)
        if left < 0 and kept:
            break
        kept.append(text)
    return Observation("rows", "\n\n".join([*notes, *kept]), rows=rows_of(hits), notes=found.notes)


def best_passages(
    env: Environment, query: str, papers: Sequence[str], limit: int, *, words: int = WORDS
) -> list[Hit]:
    """The best passages, of about so many words at most; a heading without text says nothing."""
    found = _look_up(env, query, papers, limit + _BARE, words)
    return (_telling(found) or found)[:limit]


def _look_up(env: Environment, query: str, papers: Sequence[str], limit: int, words: int) -> Hits:
    most = min(limit, _MAX_LIMIT)
    return env.library.search(query, papers=papers, limit=most, words=words, memory=env.memory)


def _telling(hits: Sequence[Hit]) -> list[Hit]:
    return [hit for hit in hits if hit.table != "sections" or "\n" in hit.text]


def best_of_papers(hits: Iterable[Hit]) -> dict[str, Hit]:
    """The first hit of each paper, by the papers' ids."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.paper_id, hit)
    return best


def each_first(
    papers: Sequence[str], found: Sequence[Hit], best_of: Callable[[str], Sequence[Hit]]
) -> list[Hit]:
    """The best of each paper before the others: who names a few papers asks about all of them."""
    best = best_of_papers(found)
    for paper in papers:
        if paper not in best:
            best |= {hit.paper_id: hit for hit in best_of(paper)}
    first = list(best.values())
    return [*first, *(hit for hit in found if hit not in first)]


def rows_of(hits: Iterable[Hit]) -> tuple[dict[str, Any], ...]:
    """The hits of a search over everything as rows, with what is known of each besides."""
    return tuple(row_of(hit) | {name: getattr(hit, name) for name in _OF_EVERYTHING} for hit in hits)


def row_of(hit: Hit) -> dict[str, Any]:
    """A hit as a row, in the seeds' columns; what a paper says of itself stands on its first page."""
    row: dict[str, Any] = {
        "score": round(hit.score, 4),
        "pdf_id": hit.paper_id,
        "page_number": 1 if hit.table == "metadata" else hit.page,
        "table_name": hit.table,
        "column_name": hit.column,
        "primary_key": hit.key,
    }
    if hit.paper_title:
        row["title"] = hit.paper_title
    if hit.bbox is not None:
        row["bbox"] = [round(edge, 1) for edge in hit.bbox]
    if hit.section:
        row["section"] = hit.section
    row["text"] = hit.text
    return row


def _why_nothing(env: Environment, query: str, collection: str | None, where: str, filter: str) -> str:
    table, _, column = where.partition(".")
    there: dict[str, Any] = {
        "papers": env.scope,
        "collection": collection,
        "table": table,
        "column": column,
        "limit": 1,
    }

    def finds(condition: str) -> bool:
        try:
            return bool(env.library.search(query, filter=condition, **there))
        except QuireError:
            return False

    if filter and finds(""):
        parts = _conjuncts(filter)
        guilty = [part for part in parts if not finds(part)] if len(parts) > 1 else []
        blame = " and ".join(f"`{part}`" for part in guilty) or f"`{filter}`"
        return (
            f"Nothing was found: the filter {blame} left no matching entry of {where}; "
            "without it there are hits. Loosen the filter, or search another table or column."
        )
    return (
        f"No entry of {where} matches the query `{query[:100]}`."
        " Try other words, another table or column, or SQL."
    )


def _conjuncts(filter: str) -> list[str]:
    """The parts that a top-level `and` joins."""
    parts, depth, start = [], 0, 0
    for token in tokens(filter):
        depth += (token.kind in ("(", "[")) - (token.kind in (")", "]"))
        if token.kind == "end" or (token.kind == "and" and depth == 0):
            parts.append(filter[start : token.column - 1].strip())
            start = token.column - 1 + len(token.text)
    return parts


@dataclass(frozen=True)
class ClassicRetrieve:
    """Find the passages of all papers that fit a query best, whichever paper they are of.

    Passages are running text: table cells, captions and formulas set apart are not in them.
    """

    query: Annotated[str, "What to look for: a few words, a phrase or a question."]
    limit: Annotated[int, "How many passages at most, from 1 to 100."] = 5

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("Four passages about a topic.", {"query": "learning rate for training the network", "limit": 4}),
    )

    def run(self, env: Environment) -> Observation:
        """The passages found, best first."""
        return search(env, self.query, limit=self.limit)


@dataclass(frozen=True)
class RetrieveFromVectorstore:
    """Find the cells of one (table, column) that are most similar to a query, best first.

    Best for what can only be asked loosely: which passage, caption, table or section speaks of something.
    """

    query: Annotated[str, "What to look for: a few words, a phrase or a question."]
    collection_name: Annotated[str, "The collection to search; `text_bm25_en` matches words."]
    table_name: Annotated[str, "The table whose cells were encoded, e.g. `chunks`."]
    column_name: Annotated[str, "The encoded column of that table, e.g. `text_content`."]
    filter: Annotated[
        str,
        "A condition on pdf_id, page_number, primary_key or bbox in Milvus syntax, "
        "e.g. `pdf_id == '1234' and page_number in [1, 2]`; empty for none.",
    ] = ""
    limit: Annotated[int, "How many entries at most, from 1 to 100."] = 5

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        (
            "Passages of one paper about the learning rate.",
            {
                "query": "learning rate of the optimizer",
                "collection_name": "text_bm25_en",
                "table_name": "chunks",
                "column_name": "text_content",
                "filter": "pdf_id == '12345678-0000-5000-8000-000000000000'",
                "limit": 3,
            },
        ),
    )

    def run(self, env: Environment) -> Observation:
        """The entries found, or a warning that says which part of the filter removed everything."""
        return search(
            env,
            self.query,
            collection=self.collection_name,
            table=self.table_name,
            column=self.column_name,
            filter=self.filter,
            limit=self.limit,
        )


@dataclass(frozen=True)
class Search:
    """Find the passages, table rows and captions that answer a question best."""

    query: Annotated[str, "The question, or what to look for, in plain words."]
    papers: Annotated[tuple[str, ...], "Ids of the papers to search; none means all."] = ()
    limit: Annotated[int, "How many passages at most, from 1 to 100."] = 5
    each_paper: Annotated[bool, "Only the best passage of each paper: for what several papers say."] = False

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("What answers a question.", {"query": "how many patients were treated with the new drug?"}),
    )

    def run(self, env: Environment) -> Observation:
        """The passages found, best first."""
        return search_everything(
            env, self.query, papers=self.papers, limit=self.limit, each_paper=self.each_paper
        )
