"""From a query to hits that a person can follow: text, section, page label, title, marks.

Words of the query that are nowhere in the library are replaced by their neighbours, and who asks in a
language that no paper is in is told. English words that merely do not occur ("subsections") are left alone,
as the search by meaning knows them; so are those that name what a library holds ("captions").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import Future
from dataclasses import replace
from functools import cache
from itertools import accumulate
from typing import NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.errors import VectorsAway
from quire.library.passages import WORDS, Passage, Surroundings
from quire.search import Encoder
from quire.search.analyzer import stem_of
from quire.search.cells import Unit, pair
from quire.search.encoders.tokenizers import count_tokens
from quire.search.features import FEATURES
from quire.search.ranking import Ranked, Ranker
from quire.search.search import Request, Scored, check_limit, column_search, mark
from quire.search.view import View
from quire.search.words import WordIndex
from quire.store.schema import TABLES
from quire.text import bare
from quire.types import Box, Hit, Hits

# Where the section of a row is told; pages and metadata are of no one section.
_SECTION = {
    "chunks": "(SELECT section_title FROM sections s WHERE s.section_id = r.ref_section_id)",
    "sections": "r.section_title",
}
_NO_BOX = {"metadata", "pages"}
_PIECES = 2  # of one table among the passages of a search
_MEANING, _COVERED = FEATURES.index("meaning"), FEATURES.index("covered")
_TELLING = 20  # letters: shorter quotes ("Results", "5 | 3") recur without being the same


def in_column(
    connection: duckdb.DuckDBPyConnection, view: View, request: Request, encoders: Mapping[str, Encoder]
) -> Hits:
    """The entries of one (table, column) that fit best; rows that are gone are left out."""
    notes: tuple[str, ...] = ()
    try:
        found = column_search(view, connection, request, encoders)
    except VectorsAway as error:
        if request.collection is not None:  # that one and no other was asked for
            raise
        notes = (_by_words(error),)
        found = column_search(view, connection, request, {})
    return Hits(_hits(connection, view, found, request) if found else [], notes)


def _hits(
    connection: duckdb.DuckDBPyConnection, view: View, found: Sequence[Scored], request: Request
) -> list[Hit]:
    units = [view.unit(each.id) for each in found]
    of = pair(request.table, request.column)
    box = "NULL" if of.table in _NO_BOX else "r.bounding_box"
    text = "''" if of.modality == "image" else f'r."{of.column}"'
    rows = connection.execute(
        f"""SELECT r."{of.key}"::VARCHAR, {text}, {box}, {_SECTION.get(of.table, "''")} FROM "{of.table}" r
            WHERE r."{of.key}" IN (SELECT unnest(?::UUID[]))""",
        [[unit.key for unit in units]],
    ).fetchall()
    by_key = {row[0]: row[1:] for row in rows}
    pages = view.slots.records["page"][[each.id for each in found]].tolist()  # -1 where it has none
    _read_labels(connection, view, {unit.paper_id for unit in units})
    hits = []
    for each, unit, page in zip(found, units, pages, strict=True):
        if unit.key in by_key:
            text, box, section = by_key[unit.key]
            hit = _hit(view, each.score, unit, page, text or "", request.query)
            hits.append(replace(hit, bbox=Box(*box) if box else unit.box, section=section or ""))
    return hits


def _hit(view: View, score: float, unit: Unit, page: int, text: str, query: str) -> Hit:
    """What every hit tells of a unit, and the words of the query in its text."""
    return Hit(
        score=score,
        text=text,
        paper_id=unit.paper_id,
        page=page,
        table=unit.pair.table,
        column=unit.pair.column,
        key=unit.key,
        bbox=unit.box,
        paper_title=view.said(view.live.numbers[unit.paper_id], "title"),
        page_label=view.labels[unit.paper_id].get(page, ""),
        spans=mark(text, query),
    )


class Added(NamedTuple):
    """What a library's own experience adds to the score of a candidate, and why ("" for nothing)."""

    score: float
    why: str


# A query and its best candidates, best first -> what is added to each of them.
Adjust = Callable[[str, Sequence[Ranked]], Sequence[Added]]
_MOVED = 60  # candidates that experience and the pages of the others may move
_REPEAT = 0.5  # standard deviations of the scores that a hit loses for every better one of its page


def _by_words(error: VectorsAway) -> str:
    return f"{error} This search went by words alone."


def everything(
    connection: duckdb.DuckDBPyConnection,
    view: View,
    ranker: Ranker,
    asked: str,
    vector: Future[NDArray[np.float32]] | None,
    *,
    papers: tuple[str, ...],
    part: str,
    limit: int,
    words: int,
    why: bool,
    adjust: Adjust | None,
) -> Hits:
    """The best passages; none shows what one before it shows already.

    `part` narrows where, `words` limits passages, `why` asks for reasons; `adjust` is what the library
    learned of its users' questions.
    """
    check_limit(limit)
    query, notes = mend(view.words, asked)
    language = foreign(asked)
    if told := remark(language, _languages(connection, papers)) if language else "":
        notes = (*(note for note in notes if note != _NOWHERE), told)
    try:
        ranked = ranker.rank(view, query, papers=papers, part=part, vector=vector if query == asked else None)
    except VectorsAway as error:
        notes = (*notes, _by_words(error))
        ranked = Ranker(None).rank(view, query, papers=papers, part=part)
    ranked, learned = _ordered(adjust, query, ranked)
    chosen = distinct(connection, ranked, limit, words)
    _read_labels(connection, view, {each.unit.paper_id for each, _ in chosen})
    hits = [
        replace(
            _hit(view, each.score, each.unit, each.unit.page, passage.text, query),
            section=each.unit.context if each.unit.kind == "sentence" else "",
            quote=each.unit.quote,
            why=(*learned.get(each.id, ()), *each.why()) if why else (),
            meaning=float(each.features[_MEANING]),
            covered=float(each.features[_COVERED]),
            says=each.says,
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
        each.id: (f"{more.score:+.2f} {more.why}",)
        for each, more in zip(best, added, strict=False)
        if more.score
    }
    if adjust:
        by_experience = sorted(range(len(best)), key=lambda n: -(best[n].score + added[n].score))
        # The scores of a list look as they always do, whoever stands where: readers judge answers by them.
        best = [_scored(best[n], each.score) for n, each in zip(by_experience, best, strict=True)]
    shown = [best[n] for n in _over_pages(best)]
    falling = accumulate((each.score for each in shown), min)  # who made room is worth no more than its guest
    return [_scored(each, score) for each, score in zip(shown, falling, strict=True)] + rest, why


def _scored(each: Ranked, score: float) -> Ranked:
    """The same with that score; itself, with its unit that was read, where it has it."""
    return each if each.score == score else replace(each, score=score)


def _over_pages(ranked: Sequence[Ranked]) -> list[int]:
    """The order, best first, in which hits of one page make room for those of others.

    Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998) with the page as what is alike.
    """
    cost = _REPEAT * float(np.std([each.score for each in ranked])) if ranked else 0.0
    taken: Counter[tuple[int, int]] = Counter()
    worth = []
    for each in ranked:  # a page's best comes before its others, so each pays for those before it
        worth.append(each.score - cost * taken[each.page])
        taken[each.page] += 1
    return sorted(range(len(ranked)), key=lambda n: -worth[n])


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
        quote = bare(each.unit.quote)
        if each.unit.key in shown or (len(quote) >= _TELLING and quote in said.get(paper, "")):
            continue
        passage = around.passage(each, shown)
        shown |= passage.shows
        pieces[each.unit.group] += 1
        said[paper] = f"{said.get(paper, '')} {bare(passage.text)}"
        chosen.append((each, passage))
        if len(chosen) == limit:
            break
    return chosen


def _languages(connection: duckdb.DuckDBPyConnection, papers: Sequence[str]) -> set[str]:
    """The languages of these papers, or of all."""
    rows = connection.execute(
        """SELECT DISTINCT language FROM metadata
           WHERE len(?) = 0 OR paper_id::VARCHAR IN (SELECT unnest(?::VARCHAR[]))""",
        [list(papers), list(papers)],
    ).fetchall()
    return {language for (language,) in rows if language}


def _read_labels(connection: duckdb.DuckDBPyConnection, view: View, papers: Set[str]) -> None:
    """Let a view know the labels of all pages of these papers."""
    if new := sorted(papers - view.labels.keys()):
        found = connection.execute(
            """SELECT ref_paper_id::VARCHAR, page_number, page_label FROM pages
               WHERE ref_paper_id IN (SELECT unnest(?::UUID[])) AND page_label <> ''""",
            [new],
        ).fetchall()
        for paper in new:
            view.labels[paper] = {page: label for of, page, label in found if of == paper}


_NAMES = {
    "ar": "Arabic", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fr": "French",
    "he": "Hebrew", "hi": "Hindi", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "pt": "Portuguese", "ru": "Russian", "th": "Thai", "zh": "Chinese",
}  # fmt: skip
# Words that open questions: too rare in papers for `find_language` to count them.
_ASKING = {
    "de": "wie wieviel wieviele viele was welche welcher welches welchen warum weshalb wer wo wann wurde "
    "wurden haben hat waren ist sind gibt bei bedeutet dient heißt wozu wofür womit wodurch",
    "es": "cuántos cuántas cuánto cuánta qué cuál cuáles por quién dónde cuándo cómo fueron fue hubo son",
    "fr": "combien quel quelle quels quelles pourquoi comment qui quand où quoi ont été était étaient sont",
    "it": "quanti quante quanto quanta quale quali perché chi dove quando come sono stati stato furono",
    "nl": "hoeveel welke wat waarom wie waar wanneer hoe werden werd hebben heeft zijn",
    "pt": "quantos quantas quanto qual quais porquê quem onde quando como foram foi são",
}
_LISTS = {code: frozenset(words.split()) for code, words in _ASKING.items()}
_ENGLISH = frozenset(
    "what which who whose why how when where was were is are did does do the of in many much a an to".split()
)


def language_of(question: str) -> str:
    """The language of a question, "" if it cannot be told."""
    words = re.findall(r"[^\W\d_]+", question.lower())
    if sum(word in _ENGLISH for word in words) >= 2:
        return "en"
    counts = {code: sum(word in known for word in words) for code, known in _LISTS.items()}
    best = max(sorted(counts), key=lambda code: counts[code])
    if counts[best] >= 2:
        return best
    from quire.pdf.front.imprint import find_language  # few questions need the room that reads PDFs

    return find_language(question)


def foreign(question: str) -> str:
    """The language of a question that is not in English, "" for English or where it cannot be told."""
    asked = language_of(question)
    return "" if asked == "en" else asked


def remark(asked: str, papers: Set[str]) -> str:
    """What to tell who asks in a language that none of the papers is in; "" if there is nothing to tell."""
    if asked in papers or not papers:
        return ""
    written = ", ".join(sorted(_NAMES.get(code, code) for code in papers))
    return (
        f"The question seems to be in {_NAMES.get(asked, asked)}, the papers are in {written}: ask in the "
        "language of the papers. The search by meaning reads English only."
    )


_WORD = re.compile(r"[^\W\d_]{5,40}")
_WHOLE = 3  # tokens of a word that the encoder knows whole: its own, and two that frame it
_NOWHERE = "No word of this is in the library: what is found may only be near in meaning."
_MOST = 5  # words of a query that are mended
_FEW = 2  # neighbours that are searched for
_STEM = 4  # letters at least of a word without ending and beginning
_ENDINGS = ("s", "es", "ed", "er", "est", "ing", "ly")
_STARTS = ("sub", "non", "pre", "re", "un")


class Mended(NamedTuple):
    """A query as it is searched, and what was changed in it, in words."""

    query: str
    notes: tuple[str, ...] = ()


def mend(words: WordIndex, query: str) -> Mended:
    """The query with each unknown word replaced by its nearest neighbours, if it has any."""
    notes = []
    stems = {word: stem_of(word) for word in dict.fromkeys(_WORD.findall(query))}
    unknown = [
        word
        for word, stem in stems.items()
        if stem and stem not in _own() and not words.said(stem) and not _english(word.lower())
    ]
    for word in unknown[:_MOST]:
        near = words.alike(word.lower(), 1 if len(word) < 8 else 2)[:_FEW]
        if near:
            query = re.sub(rf"\b{re.escape(word)}\b", " ".join(near), query)
            shown = " or ".join(f"`{each}`" for each in near)
            notes.append(f"`{word}` is nowhere in the library; searched for {shown} instead.")
    if unknown and not any(words.said(stem_of(word)) for word in re.findall(r"\w+", query)):
        notes.append(_NOWHERE)
    return Mended(query, tuple(notes))


@cache
def _own() -> frozenset[str]:
    """The words of the tables' names and columns."""
    names = [name for table in TABLES for name in (table.name, *(column.name for column in table.columns))]
    return frozenset(stem_of(word) for name in names for word in name.split("_"))


def _english(word: str) -> bool:
    """Whether the encoder knows the word whole, or its stem."""
    stems = {word} if word.endswith("ss") else {word.removesuffix(end) for end in ("", *_ENDINGS)}
    stems |= {f"{stem}e" for stem in stems - {word}} | {f"{stem[:-1]}y" for stem in stems if stem[-1:] == "i"}
    stems |= {stem.removeprefix(start) for start in _STARTS for stem in stems}
    return any(len(stem) >= _STEM and count_tokens(stem) <= _WHOLE for stem in stems)
