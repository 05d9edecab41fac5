"""FirstLook: what a model is shown before its first turn. No model is offered it.

A question over the library that counts or compares gets the catalogue and where its words stand; one about
a paper or two their line of the catalogue, the parts that it names, and the best passages; any other the
best passages. A table that speaks is shown whole where it is short. What referees and affiliations say is
left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.ask.actions.database import of_papers, read_view
from quire.ask.actions.search import FEW, best_of_papers, best_passages, each_first, rows_of
from quire.ask.actions.view import picture, side_by_side
from quire.ask.catalogue import about_paper, asks_parts, catalogue, mentions, missing, shared_references
from quire.ask.figures import asks_figure, meant, named_floats, named_in
from quire.errors import QuireError
from quire.llm.messages import estimate_tokens
from quire.text import NUMBER_WORDS
from quire.types import Box, Hit, Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


_SURE = 3  # passages, where no other is nearly as good
_NEAR = 0.5  # of the way from the best score to the last one that is looked at
_LOOKED_AT, _FOR_TABLES = 8, 14  # passages; where a table is looked for
_TOKENS, _WORDS, _LONG = 2000, 150, 300  # of all passages; of one that is no table, and of one far ahead
_AHEAD = 0.4  # of the way from the best score to the last one that is looked at
_OF_TABLES = ("cells", "tables")
_ROWS = 30  # of a table that is shown whole
_AROUND = 4  # rows of a longer one above and below the one that speaks
_FULL, _NUMBERS = 0.5, 0.2  # shares of a table that are filled and hold numbers: with less it is broken text
_CELL_JOINT = " | "
_PAPERS_ASKED = re.compile(
    r"(?i)\b(?:how many|number of|count|which|what|list|name|who)\b[^?]{0,60}\b"
    r"(?:papers?|articles?|publications?|studies|library)\b"
)
_COUNTED = re.compile(
    r"(?i)\b(how many|number of|most|fewest|longest|shortest|largest|smallest|oldest|newest|count)\b"
)
_NOT_THE_PAPER = re.compile(
    r"(?i)\b(peer.?review|review(er)?s?.? (comments?|reports?)|referees?|decision letter|author.? response"
    r"|author (details|information)|affiliations?)\b"
)
_STANDS_FOR = re.compile(r"(?i)\b(stands? for|abbreviat\w*|acronym|short for|full form)\b")
_ABOUT_CAPTIONS = re.compile(
    r"(?i)\b(?:which|how many|what number of|list (?:all|the)) (?:\w+ ){0,2}(?:figures?|figs?)\b"
    r"|\bwhat (?:does|do|is|are) (?:the )?fig(?:ure)?s?\.? ?S?\d{1,3} "
    r"(?:show|depict|illustrate|about)\W{0,3}$"
)
_SIZE = re.compile(r"(?i)\b(?:how many(?: more| fewer)?|more|fewer|number of) (\w{4,30})")
_PARTS = frozenset("tables figures references pages authors sections subsections works words times".split())
_PEOPLE = (
    "patients?|participants?|subjects?|people|persons?|individuals?|volunteers?|respondents?|women|men"
    "|children|adults|infants"
)
_AMOUNT = rf"(?:\d[\d,]*|{'|'.join(word for word, number in NUMBER_WORDS.items() if number > 1)})"
_SIZES = 2  # sentences of a paper that tell how many
_SHORT_FORM = re.compile(r"\b(?=\w*[A-Z]\w*[A-Z0-9])[A-Za-z0-9-]{2,12}\b")


def first_look(env: Environment, question: str, papers: Sequence[str], limit: int) -> Observation:
    """The look; its rows are the passages."""
    where = tuple(papers) or env.scope
    if not where and _PAPERS_ASKED.search(question):
        return _over_library(env, question)
    few = 0 < len(where) <= 2
    parts = [about_paper(env.library, paper, question) for paper in where] if few else []
    parts.append(shared_references(env.library, where, question))
    if len(where) == 1 and not asks_figure(question):  # which has words that no text has
        parts.append(missing(env.library, question, where[0]))
    hits: list[Hit] = []
    if not (few and asks_parts(question)):
        hits = [*_spelled_out(env, question, where), *_passages(env, question, where, limit)]
        hits = _with_sizes(hits, _sizes(env, question, where), where)
    if len(where) == 1:
        parts.append(named_in(env.library, where[0], [hit.text for hit in hits], "\n".join(parts)))
    seen = _as_look(env, parts, hits, where)
    wanted = env.vision and len(where) == 1 and not _ABOUT_CAPTIONS.search(question)
    figures = _wanted_figures(env, question, where[0], hits) if wanted else []
    if not figures:
        return seen
    labels = [f"{each['image_label']} (page {each['page_number']})" for each in figures]
    rows = [
        {"pdf_id": where[0], "page_number": each["page_number"], "bbox": list(each["bounding_box"])}
        for each in figures
    ]
    pictures = [picture(env.library, where[0], row["page_number"], Box(*row["bbox"])) for row in rows]
    said = f"The picture of {labels[0]} is attached."
    if len(labels) > 1:
        said = f"The pictures of {' and '.join(labels)} are attached as one, in this order."
    text, image = f"{seen.text}\n\n{said}", side_by_side(pictures)
    return replace(seen, kind="image", text=text, image=image, rows=(*seen.rows, *rows))


def _wanted_figures(
    env: Environment, question: str, paper: str, hits: Sequence[Hit]
) -> Sequence[Mapping[str, Any]]:
    """The figure that a question is about: the only one that it names, else the one that it describes.

    Two, if their captions say as much of it.
    """
    named = {number for kind, number in named_floats(question) if kind == "image"}
    if len(named) > 1 or not (named or asks_figure(question)):
        return []
    figures = [
        figure
        for figure in read_view(env.library, "figures", [paper])
        if figure["image_label"] and figure["bounding_box"]
    ]
    if not named:
        return meant(figures, question, [hit.text for hit in hits])
    return [figure for figure in figures if figure["image_label"].split()[-1] in named][:1]


def _over_library(env: Environment, question: str) -> Observation:
    parts = [catalogue(env.library, env.scope, question), mentions(env.library, question, env.scope)]
    hits = [] if _COUNTED.search(question) else _passages(env, question, env.scope, _SURE)
    return _as_look(env, parts, hits, ())


def _passages(env: Environment, question: str, papers: Sequence[str], limit: int) -> list[Hit]:
    """The best three, up to `limit` where others are nearly as good; the best of each paper named."""
    counted = bool(_COUNTED.search(question))
    most = _FOR_TABLES if counted else _LOOKED_AT
    every = best_passages(env, question, papers, most, words=_WORDS)
    every = [hit for hit in every if not _NOT_THE_PAPER.search(hit.section)]
    found = every[:_LOOKED_AT]
    if not found:
        return []
    border = found[0].score - _NEAR * (found[0].score - found[-1].score)
    kept = [hit for rank, hit in enumerate(found[:limit]) if rank < _SURE or hit.score >= border]
    ahead = len(found) > 1 and found[0].score - found[1].score > _AHEAD * (found[0].score - found[-1].score)
    if ahead and len(papers) == 1 and kept[0].table == "sentences" and not asks_figure(question):
        kept[0] = best_passages(env, question, papers, 1, words=_LONG)[0]
    if 1 < len(papers) <= FEW:
        return each_first(papers, kept, lambda paper: best_passages(env, question, (paper,), 1, words=_WORDS))
    if counted:  # what is counted stands in tables more often than in words
        tables = (hit for hit in every if hit.table in _OF_TABLES and not _is_broken(_table_rows(env, hit)))
        table = next(tables, None)
        if table and table not in kept:
            kept.insert(_SURE - 1, table)
    return kept


def _sizes(env: Environment, question: str, papers: Sequence[str]) -> list[Hit]:
    """Sentences that tell how many there are of what a question compares papers by, of abstracts first."""
    asked = _SIZE.search(question)
    if not (asked and 1 < len(papers) <= FEW) or asked[1].lower() in _PARTS:
        return []
    kind = asked[1].lower()
    kinds = _PEOPLE if re.fullmatch(_PEOPLE, kind) else rf"{re.escape(kind.rstrip('s'))}\w*"
    found: list[Hit] = []
    for paper in papers:
        found += _sentences(env, _TOLD, [paper, rf"\b{_AMOUNT}\s+(\S+\s+){{0,3}}({kinds})\b"])
    return found


def _with_sizes(hits: Sequence[Hit], sizes: Sequence[Hit], papers: Sequence[str]) -> list[Hit]:
    """Those sentences first; where each paper has one, the best passage of each behind them, and no table."""
    if not sizes or {hit.paper_id for hit in sizes} < {*papers}:
        return [*sizes, *hits]
    return [*sizes, *best_of_papers(hit for hit in hits if hit.table not in _OF_TABLES).values()]


def _spelled_out(env: Environment, question: str, papers: Sequence[str]) -> list[Hit]:
    """The sentence that says what an abbreviation stands for: with it in brackets, or brackets behind it."""
    if not _STANDS_FOR.search(question) or not (short := _SHORT_FORM.search(question)):
        return []
    term = re.sub(r"([\\%_])", r"\\\1", short[0])
    return _sentences(env, _IN_BRACKETS, [f"%({term})%", f"%{term} (%", list(papers)])


_SENTENCES = (
    "SELECT s.sentence_content, CAST(s.ref_paper_id AS VARCHAR), p.page_number, m.title, "
    "CAST(s.sentence_id AS VARCHAR) FROM sentences s JOIN pages p ON s.ref_page_id = p.page_id "
    "JOIN metadata m ON m.paper_id = s.ref_paper_id WHERE "
)
_IN_BRACKETS = (
    "(s.sentence_content LIKE $1 ESCAPE '\\' OR s.sentence_content LIKE $2 ESCAPE '\\') "
    f"AND {of_papers('s.ref_paper_id', '$3')} ORDER BY p.page_number LIMIT 2"
)
_LETTERS = "regexp_replace(lower({}), '[^a-z0-9]', '', 'g')"
_OF_ABSTRACT = f"contains({_LETTERS.format('m.abstract')}, {_LETTERS.format('s.sentence_content')})"
_TOLD = (
    "CAST(s.ref_paper_id AS VARCHAR) = $1 AND regexp_matches(lower(s.sentence_content), $2) AND "
    f"({_OF_ABSTRACT} OR regexp_matches(lower(s.sentence_content), 'total|includ|enrol|recruit|involv')) "
    f"ORDER BY NOT {_OF_ABSTRACT}, p.page_number, s.ordinal LIMIT {_SIZES}"
)


def _sentences(env: Environment, which: str, values: Sequence[Any]) -> list[Hit]:
    """The sentences of a condition, as hits."""
    return [
        Hit(0.0, text, paper, page, "sentences", "sentence_content", key, paper_title=title, quote=text)
        for text, paper, page, title, key in env.library.rows(_SENTENCES + which, list(values)).rows
    ]


def _as_look(
    env: Environment, parts: Sequence[str], hits: Sequence[Hit], papers: Sequence[str]
) -> Observation:
    kept, left = [part for part in parts if part], _TOKENS
    for number, text in enumerate(_texts(env, hits, single=len(papers) == 1), 1):
        size = estimate_tokens(text)
        if size > left and number > max(len(papers) if len(papers) <= FEW else 1, 1):
            continue  # a shorter one may have room
        left -= size
        kept.append(f"({number}) {text}")
    if not kept:
        return Observation("warning", "[Warning]: Nothing was found; try other words.")
    return Observation("rows" if hits else "text", "\n\n".join(kept), rows=rows_of(hits))


def _texts(env: Environment, hits: Sequence[Hit], *, single: bool) -> Iterator[str]:
    """The passages with their places; a paper's title where it comes first, each table once."""
    named: set[str] = set()
    tables: set[str] = set()
    for hit in hits:
        if hit.table == "metadata" and hit.paper_id in named:
            continue  # title and abstract, of which a passage was shown
        paper = ""
        if not single:
            title = "" if hit.paper_id in named else f" {hit.paper_title!r}"
            paper = f"paper {hit.paper_id}{title}, "
        text = hit.text
        if hit.table in _OF_TABLES and (whole := _table(env, hit)):
            key, text = whole
            if key in tables:
                continue
            tables.add(key)
        named.add(hit.paper_id)
        section = f", section {hit.section!r}" if hit.section else ""
        if hit.table == "images" and hit.bbox:
            section += f", box {[round(edge) for edge in hit.bbox]}"
        yield f"{paper}page {hit.page}{section}\n{text}"


def _table_rows(env: Environment, hit: Hit) -> Sequence[tuple[Any, ...]]:
    """The rows of a hit's table: id, caption, number, whether a head, columns, cells, label, whether hit."""
    which = "CAST(t.table_id AS VARCHAR) = $1"
    if hit.table == "cells":
        which = "t.table_id = (SELECT ref_table_id FROM cells WHERE CAST(cell_id AS VARCHAR) = $1)"
    try:
        return env.library.rows(
            "SELECT CAST(t.table_id AS VARCHAR), t.table_caption, c.row_index, bool_and(c.is_head), "
            "list(c.column_index ORDER BY c.column_index), list(c.cell_content ORDER BY c.column_index), "
            "max(c.row_label), bool_or(CAST(c.cell_id AS VARCHAR) = $1) "
            f"FROM tables t JOIN cells c ON c.ref_table_id = t.table_id WHERE {which} "
            "GROUP BY 1, 2, 3 ORDER BY c.row_index LIMIT 1000",
            [hit.key],
        ).rows
    except QuireError:
        return []


def _is_broken(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether most cells are empty and few hold numbers: text that was taken for a table."""
    texts = [text for row in rows for text in row[5] if text]
    grid = len(rows) * (1 + max((column for row in rows for column in row[4]), default=0))
    numbers = sum(any(map(str.isdigit, text)) for text in texts)
    return len(texts) < _FULL * grid and numbers < _NUMBERS * len(texts)


def _table(env: Environment, hit: Hit) -> tuple[str, str] | None:
    """The id and text of a hit's table: all of it if it is short, else the rows around the hit.

    Of one that is broken text its caption and the hit's row.
    """
    rows = _table_rows(env, hit)
    if not rows:
        return None
    heads = [_row_text(row) for row in rows if row[3]]
    body = [row for row in rows if not row[3]]
    at = next((number for number, row in enumerate(body) if row[7]), 0)
    first, last = 0, len(body)
    if body and _is_broken(rows):
        return str(rows[0][0]), "\n".join([str(rows[0][1]), " ".join(filter(None, body[at][5]))])
    if len(body) > _ROWS:
        first, last = max(at - _AROUND, 0), min(at + _AROUND + 1, len(body))
    lines = [str(rows[0][1]), *heads, *(_row_text(row) for row in body[first:last])]
    if last - first < len(body):
        lines.append(f"[rows {first + 1} to {last} of {len(body)}]")
    return str(rows[0][0]), "\n".join(filter(None, lines))


def _row_text(row: Sequence[Any]) -> str:
    """The cells of a row under each other's columns; what a merged cell above says stands in it too."""
    columns, texts, label = row[4], row[5], str(row[6] or "")
    cells = dict(zip(columns, texts, strict=True))
    outer = label.split(" > ")
    if len(outer) > 1 and not row[3] and not cells.get(0):
        cells[0] = outer[0]
    return _CELL_JOINT.join(str(cells.get(number) or "") for number in range(max(columns) + 1))


@dataclass(frozen=True)
class FirstLook:
    """See what fits a question best: the catalogue, a paper's parts, the best passages."""

    query: Annotated[str, "The question."]
    papers: Annotated[tuple[str, ...], "Ids of the papers that it names; none means all."] = ()
    limit: Annotated[int, "How many passages at most."] = 5

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("What is there for a question.", {"query": "how many patients were treated?"}),
    )

    def run(self, env: Environment) -> Observation:
        """The look."""
        return first_look(env, self.query, self.papers, self.limit)
