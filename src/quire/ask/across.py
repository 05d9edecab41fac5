"""Questions across papers, and about one as a whole: what is asked of a model, and in which form.

    overview()                      ->  Task("What does this paper ask, ...?", "...", "overview")
    summary("tea and attention")    ->  Task("What do the papers say about tea and attention?", ...)
    comparison("dose")              ->  Task("How do these papers compare by dose?", ...)

They are ordinary questions, each with a method that shows it what it needs before its first turn; every
sentence and cell of the answer bears the mark of the evidence that it rests on.
"""

from __future__ import annotations

from typing import NamedTuple

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
