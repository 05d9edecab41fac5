"""A small library in memory that the tests of the agents share."""

from __future__ import annotations

from quire.ask.environment import Environment
from quire.library import Library
from quire.types import Question
from tests.ask.stored import stored

PAPER = "5fe57755-14f1-5ee7-a4b4-ecaba6827045"
OTHER = "8b49bfd6-968c-5944-8ecc-f818325aeb8a"
PAGE = "11111111-968c-5944-8ecc-f818325aeb8a"
TEXT = "Rankings shift by up to eight positions under small changes."


def library() -> Library:
    """Two papers; the first has one page, one passage and one section."""
    return stored(
        {
            "metadata": [
                {
                    "paper_id": PAPER,
                    "title": "Benchmarks as Targets",
                    "abstract": "On leaderboards.",
                    "num_pages": 1,
                },
                {"paper_id": OTHER, "title": "Adaptation", "abstract": "On shifting data.", "num_pages": 9},
            ],
            "pages": [{"page_id": PAGE, "page_number": 1, "page_content": TEXT, "ref_paper_id": PAPER}],
            "chunks": [
                {
                    "chunk_id": PAGE,
                    "text_content": TEXT,
                    "ref_paper_id": PAPER,
                    "ref_page_id": PAGE,
                    "bounding_box": [10, 20, 300, 40],
                }
            ],
            "sections": [{"section_id": PAGE, "section_title": "1 Introduction", "ref_paper_id": PAPER}],
        }
    )


def environment() -> Environment:
    """All actions over that library."""
    return Environment(library())


def ask(
    text: str = "By how many positions do rankings shift?", answer_format: str = "an integer"
) -> Question:
    """A question about the first paper."""
    return Question("q1", text, answer_format, (PAPER,))
