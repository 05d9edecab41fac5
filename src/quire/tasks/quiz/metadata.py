"""What the paper says of itself: title, authors, year, DOI."""

from __future__ import annotations

from collections.abc import Iterator

from quire.tasks.quiz.question import QuizQuestion, Rows, as_printed

_KIND, _TEXT = "metadata", "Your answer should be a string."


def questions(rows: Rows) -> Iterator[QuizQuestion]:
    """One question per field that is filled."""
    for title, authors, year, doi, pages in rows.of("title, authors, pub_year, doi, num_pages", "metadata"):
        if title:
            yield rows.question(
                _KIND, "What is the title of this paper?", title, _TEXT, evaluator=as_printed(title)
            )
        if authors:
            ask = "How many authors does this paper have?"
            yield rows.question(_KIND, ask, len(authors), "Your answer should be an integer.")
            ask = "Who is the first author of this paper? Give the full name."
            yield rows.question(_KIND, ask, authors[0], _TEXT, evaluator=as_printed(authors[0]))
        if authors and len(authors) > 1:
            ask = "Who is the last author of this paper? Give the full name."
            yield rows.question(_KIND, ask, authors[-1], _TEXT, evaluator=as_printed(authors[-1]))
        if year:
            ask = "In which year was this paper published?"
            yield rows.question(_KIND, ask, year, "Your answer should be an integer.")
        if doi:
            yield rows.question(
                _KIND, "What is the DOI of this paper?", doi, _TEXT, evaluator=as_printed(doi)
            )
        if pages:
            ask = "How many pages does the PDF of this paper have?"
            yield rows.question(_KIND, ask, pages, "Your answer should be an integer.")
