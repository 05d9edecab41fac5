"""Look-ups that a method makes before the model is asked: its context, as an ordinary first step of the run.

    OPENINGS["passages"](question)   ->  Call("ClassicRetrieve", {"query": "...", "limit": 4})

They go through the environment like any action, so that they are recorded, replayed, cut to the limits of
observations, and give evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from quire.ask.viewing import literal
from quire.types import Call, Question

_PASSAGES = 4
_EVIDENCE = 5
_PAPERS = 5  # abstracts, when the question names no paper
_PAGES = 10
_SEVERAL = 8  # papers side by side
_PAPER, _LEAST = 2700, 250  # characters of a section: shared by the papers, but so many at least


def abstracts(question: Question) -> Call:
    """Title and abstract of the question's papers, or of those whose abstracts fit it best."""
    if named := _named(question):
        return Call(
            "RetrieveFromDatabase",
            {"sql": f"SELECT paper_id, title, abstract FROM metadata WHERE paper_id IN ({named})"},
        )
    return _search(question, "metadata", "abstract", _PAPERS)


def full_text(question: Question) -> Call:
    """The pages of the question's papers in order, or those that fit it best.

    The limits of observations cut them.
    """
    if named := _named(question):
        return Call(
            "RetrieveFromDatabase",
            {
                "sql": "SELECT ref_paper_id, page_number, page_content FROM pages "
                f"WHERE ref_paper_id IN ({named}) ORDER BY ref_paper_id, page_number"
            },
        )
    return _search(question, "pages", "page_content", _PAGES)


def passages(question: Question) -> Call:
    """The passages nearest to the question, as in classic retrieval-augmented generation."""
    return Call("ClassicRetrieve", {"query": question.whole, "limit": _PASSAGES})


def evidence(question: Question) -> Call:
    """What fits the question best, in its own papers where it names some."""
    papers = list(papers_of(question))
    return Call("FirstLook", {"query": question.whole, "papers": papers, "limit": _EVIDENCE})


def each_paper(question: Question) -> Call:
    """The best passage of each of the papers that speak of it."""
    arguments = {"query": question.whole, "papers": list(papers_of(question)), "limit": _SEVERAL}
    return Call("Search", {**arguments, "each_paper": True})


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
    return Call("RetrieveFromDatabase", {"sql": sql})


def _named(question: Question) -> str:
    return ", ".join(literal(paper) for paper in papers_of(question))


def papers_of(question: Question) -> Sequence[str]:
    """The papers that a question is about, as far as it says: its anchors, else its references."""
    return question.anchor_papers or question.reference_papers


def _search(question: Question, table: str, column: str, limit: int) -> Call:
    return Call(
        "RetrieveFromVectorstore",
        {
            "query": question.whole,
            "collection_name": "text_bm25_en",
            "table_name": table,
            "column_name": column,
            "limit": limit,
        },
    )


OPENINGS: Mapping[str, Callable[[Question], Call]] = {
    "abstracts": abstracts,
    "full_text": full_text,
    "passages": passages,
    "evidence": evidence,
    "each_paper": each_paper,
    "outlines": outlines,
}
