"""Figures and tables by the first words of their caption."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quire.tasks.quiz.question import QuizQuestion, Rows, as_printed

_WORDS = 8


def questions(rows: Rows) -> Iterator[QuizQuestion]:
    """Which figure or table has the caption that begins so? Asked where only one caption does."""
    found = [
        *rows.of("image_label, image_caption", "images"),
        *rows.of("table_label, table_caption", "tables"),
    ]
    captions = [(label, beginning(label, caption)) for label, caption in found if label and caption]
    starts = [start for _, start in captions]
    for label, start in captions:
        if len(start.split()) >= 3 and _fits_one(start, starts) and '"' not in start:
            ask = f'Which figure or table of this paper has the caption that begins "{start}"?'
            form = 'Your answer should be a string like "Table 1" or "Figure 1".'
            yield rows.question("caption", ask, label, form, evaluator=as_printed(label))


def beginning(label: str, caption: str) -> str:
    """The first words of a caption after its label."""
    words = caption.removeprefix(label).lstrip(" .:|\u2013\u2014-").split()
    return " ".join(words[:_WORDS])


def _fits_one(start: str, starts: Sequence[str]) -> bool:
    return sum(other.startswith(start) or start.startswith(other) for other in starts) == 1
