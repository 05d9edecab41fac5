"""Look-ups that a method makes before the model is asked: its context, as an ordinary first step of the run.

    OPENINGS["passages"](question)   ->  Call("ClassicRetrieve", {"query": "...", "limit": 4})

They go through the environment like any action, so that they are recorded, replayed, cut to the limits of
observations, and give evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from quire.environment.viewing import literal
from quire.types import Call, Question

_PASSAGES = 4
_EVIDENCE = 5
_PAPERS = 5  # abstracts, when the question names no paper
_PAGES = 10


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
    """What one search over everything finds for the question, in its own papers where it names some."""
    papers = list(papers_of(question))
    return Call("Search", {"query": question.whole, "papers": papers, "limit": _EVIDENCE})


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
}
