"""The list of references: how long it is, and what single entries are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from quire.tasks.quiz.question import QuizQuestion, Rows, as_printed


def questions(rows: Rows) -> Iterator[QuizQuestion]:
    """The number of entries, and title and year of those whose label only one entry has."""
    entries = rows.of("reference_label, reference_title, reference_year", "reference")
    if not entries:
        return
    ask = "How many entries does the list of references of this paper have?"
    yield rows.question("reference", ask, len(entries), "Your answer should be an integer.")
    labels = Counter(label for label, _, _ in entries)
    for label, title, year in entries:
        if not label or labels[label] > 1:
            continue
        if title:
            ask = f"What is the title of the work listed as reference {label}?"
            form = "Your answer should be a string."
            yield rows.question("reference", ask, title, form, evaluator=as_printed(title))
        if year:
            ask = f"In which year was the work published that is listed as reference {label}?"
            yield rows.question("reference", ask, year, "Your answer should be an integer.")
