"""How questions are answered with a language model: one row per method.

    METHODS["classic_sql"].actions     ->  ("RetrieveFromDatabase", "ClassicRetrieve", "GenerateAnswer")
    passages(question)                 ->  Call("ClassicRetrieve", {"query": "...", "limit": 4})

All methods run in one loop. They differ in what the model may do and when (`stages`), in what is looked up
before it is asked (`opening`), and in the words that tell it so (`template`). A new method is one row here
(or an installed package's, see `quire.registry`) and, at most, a template. Openings go through the
environment like any action, so that they are recorded, replayed, cut to the limits of observations, and
give evidence.

The names in NeuSym-RAG (arXiv 2505.19754, section 4): question_only, title_abstract and full_text are its
trivial baselines, classic_rag to iterative_symbolic its other baselines, full_hybrid its own method.
evidence_first is ours, and the default: an easy question ends in its first turn. overview, comparison and
summary answer the questions across papers, or about one as a whole, that quire itself asks:

    overview()                      ->  AcrossQuestion("What does this paper ask, ...?", "...", "overview")
    summary("tea and attention")    ->  AcrossQuestion("What do the papers say about tea and attention?", ...)
    comparison("dose")              ->  AcrossQuestion("How do these papers compare by dose?", ...)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from quire.registry import Rows
from quire.types import Call, Question, Step

MARKED = (
    "ends with the number in brackets of the evidence line that it rests on, as [1] or [2][3], the first "
    "line being 1"
)
TEXT = f"text; each sentence that says something of a paper {MARKED}"
"""The form of an answer where none is asked for."""


class AcrossQuestion(NamedTuple):
    """A question, the form of its answer, the method that answers it."""

    question: str
    answer_format: str
    method: str


def overview() -> AcrossQuestion:
    """What one paper asks, how, what it found, its limits."""
    form = (
        "text in Markdown: four paragraphs that begin with **What**, **How**, **Found** and **Limits**, each "
        f"of one to three sentences; where the paper names no limits, say so; each sentence {MARKED}"
    )
    return AcrossQuestion(
        "What does this paper ask, how, what did it find, and what are its limits?", form, "overview"
    )


def summary(topic: str) -> AcrossQuestion:
    """What the papers say about a topic."""
    form = (
        "text: what the papers agree on first, then where they differ, a sentence or two for each paper that "
        "says something of the topic and none for the others; name papers by a short title; each sentence "
        f"{MARKED}"
    )
    return AcrossQuestion(f"What do the papers say about {topic.strip(' ?.')}?", form, "summary")


def comparison(by: str = "") -> AcrossQuestion:
    """Several papers side by side, by what is asked for or else by question, method, data and result."""
    aspects = f"what was asked for ({by.strip()})" if by.strip() else "question, method, data, main result"
    form = (
        f"text: one table in Markdown, a row for each paper, its short title first, then a column each for "
        f"{aspects}; few words a cell; what a paper does not say is a dash; each other cell {MARKED}"
    )
    return AcrossQuestion(
        f"How do these papers compare{f' by {by.strip()}' if by.strip() else ''}?", form, "comparison"
    )


_SQL = "RetrieveFromDatabase"
_VECTORS = "RetrieveFromVectorstore"
_CLASSIC = "ClassicRetrieve"
_SEARCH = "Search"
_CALCULATE = "CalculateExpr"
_VIEW = "ViewImage"
ANSWER = "GenerateAnswer"
_PASSAGES = 4
_EVIDENCE = 5
_PAPERS = 5  # abstracts, when the question names no paper
_PAGES = 10
_SEVERAL = 8  # papers side by side
_PAPER, _LEAST = 2700, 250  # characters of a section: shared by the papers, but so many at least


def abstracts(question: Question) -> Call:
    """Title and abstract of the question's papers, or of those whose abstracts fit it best."""
    if named := _named(question):
        sql = f"SELECT paper_id, title, abstract FROM metadata WHERE paper_id IN ({named})"
        return Call(_SQL, {"sql": sql})
    return _search(question, "metadata", "abstract", _PAPERS)


def full_text(question: Question) -> Call:
    """The pages of the question's papers in order, or those that fit it best.

    The limits of observations cut them.
    """
    if named := _named(question):
        sql = (
            "SELECT ref_paper_id, page_number, page_content FROM pages "
            f"WHERE ref_paper_id IN ({named}) ORDER BY ref_paper_id, page_number"
        )
        return Call(_SQL, {"sql": sql})
    return _search(question, "pages", "page_content", _PAGES)


def passages(question: Question) -> Call:
    """The passages nearest to the question, as in classic retrieval-augmented generation."""
    return Call(_CLASSIC, {"query": question.whole, "limit": _PASSAGES})


def evidence(question: Question) -> Call:
    """What fits the question best, in its own papers where it names some."""
    papers = list(papers_of(question))
    return Call("FirstLook", {"query": question.whole, "papers": papers, "limit": _EVIDENCE})


def each_paper(question: Question) -> Call:
    """The best passage of each of the papers that speak of it."""
    arguments = {"query": question.whole, "papers": list(papers_of(question)), "limit": _SEVERAL}
    return Call(_SEARCH, {**arguments, "each_paper": True})


_TELLING = "conclu|limit|discuss|result|finding|method|material|data|approach|experiment|summary|future"


def outlines(question: Question) -> Call:
    """Abstract and the beginnings of the sections that tell most, of each of the question's papers."""
    papers = papers_of(question)
    named = _named(question)
    which = f"WHERE m.paper_id IN ({named})" if named else ""
    length = max(_PAPER // max(len(papers), 3 if named else _SEVERAL), _LEAST)
    sql = (
        "SELECT m.paper_id, m.title, m.pub_year, m.abstract, "
        "(SELECT string_agg('(page ' || p.page_number || ') ' "
        f"|| s.section_title || ': ' || left(s.section_content, {length}), chr(10) ORDER BY s.ordinal) "
        "FROM sections s JOIN pages p ON s.ref_page_id = p.page_id WHERE s.ref_paper_id = m.paper_id "
        f"AND s.section_content <> '' AND regexp_matches(lower(s.section_title), '{_TELLING}')) AS sections "
        f"FROM metadata m {which} ORDER BY m.title LIMIT {_SEVERAL}"
    )
    return Call(_SQL, {"sql": sql})


def literal(text: str) -> str:
    """The text as an SQL string literal, for SQL that is shown: what quire itself runs has parameters."""
    return "'" + text.replace("'", "''") + "'"


def _named(question: Question) -> str:
    return ", ".join(literal(paper) for paper in papers_of(question))


def papers_of(question: Question) -> Sequence[str]:
    """The papers that a question is about, as far as it says: its anchors, else its references."""
    return question.anchor_papers or question.reference_papers


def _search(question: Question, table: str, column: str, limit: int) -> Call:
    where = {"collection_name": "text_bm25_en", "table_name": table, "column_name": column}
    return Call(_VECTORS, {"query": question.whole, **where, "limit": limit})


_BRIEF = 2  # hits of a brief opening


Stages = tuple[tuple[str, ...], ...]
Opening = Callable[[Question], Call]


@dataclass(frozen=True, slots=True)
class Method:
    """One way of answering.

    Each stage is a set of allowed actions; one that finds something leads to the next stage, and the last
    stage lasts until the answer. `opening` gives the look-up that comes before all stages; `brief` are the
    actions that are seldom needed and are told in a line.
    """

    name: str
    doc: str
    stages: Stages
    template: str = "turns"
    opening: Opening | None = None
    brief: tuple[str, ...] = (_CALCULATE, _VIEW)

    @property
    def actions(self) -> tuple[str, ...]:
        """All actions that the model may take, in the order in which they are explained."""
        return tuple(dict.fromkeys(name for stage in self.stages for name in stage))

    def stage(self, history: Iterable[Step]) -> tuple[str, ...]:
        """The actions that are allowed next."""
        done = sum(
            1
            for step in history
            if step.reply and step.observation and step.observation.kind in ("rows", "text", "image")
        )
        return self.stages[min(done, len(self.stages) - 1)]

    def first_call(self, question: Question, *, brief: bool = False) -> Call | None:
        """The look-up that opens the run, if there is one; a `brief` one shows two hits at most."""
        opening = self.opening(question) if self.opening else None
        if opening and brief and "limit" in opening.arguments:
            return replace(opening, arguments={**opening.arguments, "limit": _BRIEF})
        return opening


def _turns(*actions: str) -> Stages:
    return ((*actions, ANSWER),)


def _then_answer(*actions: str) -> Stages:
    return (actions, (ANSWER,))


_ONLY_ANSWER = ((ANSWER,),)
_SELDOM = (_SEARCH, _CALCULATE, _VIEW, ANSWER)  # after a first look: what its line says is enough


def _opened(name: str, doc: str, stages: Stages, opening: Opening) -> Method:
    return Method(name, doc, stages, "evidence", opening, _SELDOM)


_ROWS = (
    Method("question_only", "The question and nothing else: what the model knows.", _ONLY_ANSWER, "answer"),
    Method("title_abstract", "Title and abstract of the papers.", _ONLY_ANSWER, "answer", abstracts),
    Method("full_text", "The papers' text from the start, cut off.", _ONLY_ANSWER, "answer", full_text),
    Method("classic_rag", "The passages nearest to the question.", _ONLY_ANSWER, "answer", passages),
    Method("iterative_classic", "Passage search over several turns.", _turns(_CLASSIC)),
    Method("two_stage_neural", "One similarity search, then the answer.", _then_answer(_VECTORS), "stages"),
    Method("two_stage_symbolic", "One SQL query, then the answer.", _then_answer(_SQL), "stages"),
    Method(
        "two_stage_hybrid", "One search or query, then the answer.", _then_answer(_SQL, _VECTORS), "stages"
    ),
    Method("iterative_neural", "Similarity search over several turns.", _turns(_VECTORS, _CALCULATE, _VIEW)),
    Method("iterative_symbolic", "SQL over several turns.", _turns(_SQL, _CALCULATE, _VIEW)),
    Method("classic_sql", "SQL and passage search over several turns.", _turns(_SQL, _CLASSIC)),
    Method(
        "full_hybrid",
        "SQL, every vector collection, sums and sight.",
        _turns(_SQL, _VECTORS, _CALCULATE, _VIEW),
    ),
    _opened(
        "evidence_first",
        "The best evidence of one search, then more searches, SQL, sums and sight.",
        _turns(_SEARCH, _SQL, _CALCULATE, _VIEW),
        evidence,
    ),
    _opened("overview", "One paper as a whole.", _turns(_SEARCH, _SQL, _VIEW), outlines),
    _opened("comparison", "Several papers side by side.", _turns(_SEARCH, _SQL), outlines),
    _opened("summary", "What papers say of a topic.", _turns(_SEARCH, _SQL), each_paper),
)

METHODS: Rows[Method] = Rows("method", {row.name: row for row in _ROWS}, "quire.methods")
