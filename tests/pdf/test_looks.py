"""What other rows of a document tell about one: looks, numbers, names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quire.pdf.layout.rows import LABELS, Row
from quire.pdf.line_classifier.model import leaning
from quire.pdf.line_classifier.repair import before, counted
from quire.pdf.raw import Word, make_line

HEADING = LABELS.index("heading")


def row(text: str, base: float, font: str = "Body", right: float = 300) -> Row:
    words, x = [], 50.0
    for part in text.split():
        width = 5.0 * len(part)
        words.append(Word(part, x, base - 8, x + width, base + 2, base, 10.0, False, False, font))
        x += width + 3
    return Row(make_line(words, 10.0, base), 1, 50, right, 0)


def scores(*headings: float) -> np.ndarray:
    out = np.zeros((len(headings), len(LABELS)), np.float32)
    out[:, HEADING] = headings
    out[:, LABELS.index("text")] = 1 - np.array(headings)
    return out


def test_rows_of_one_block_share_the_probability_of_a_heading() -> None:
    rows = [row("Effects of the extract on", 100, "Head"), row("treated cells", 112, "Head")]
    rows.append(row("They grew.", 124))
    found = leaning(scores(0.2, 0.7, 0.01), rows)[:, HEADING]
    assert found[0] == pytest.approx(found[1])
    assert 0.2 < found[0] < 0.7
    assert found[2] < 0.05


def test_a_block_leans_towards_others_with_its_look() -> None:
    rows = [row(f"Part {k} of it", 100 + 40 * k, "Head") for k in range(6)]
    assert leaning(scores(0.4, 0.9, 0.9, 0.9, 0.9, 0.9), rows)[0, HEADING] > 0.5
    alone = [row("Part 0 of it", 100, "Other"), *rows[1:]]
    assert leaning(scores(0.4, 0.9, 0.9, 0.9, 0.9, 0.9), alone)[0, HEADING] == pytest.approx(0.4, abs=0.01)


def test_probabilities_stay_probabilities() -> None:
    rows = [row("Funding", 100), row("None of the authors had any.", 112), row("1", 300)]
    assert leaning(scores(1.0, 0.0, 0.5), rows).sum(1) == pytest.approx(np.ones(3))


def labels(*rows: tuple[str, str, float]) -> list[str]:
    items = [replace(row(text, base), label=label) for label, text, base in rows]
    counted(items)
    return [item.label for item in items]


def test_the_next_number_opens_a_section() -> None:
    found = labels(
        ("heading", "3.3. Methods", 100), ("para", "3.3.1. Content of phenols in oils by the", 130),
        ("text", "Reagent Method", 142), ("para", "The content was determined.", 170),
        ("para", "4.7 Tesla is a field.", 200), ("para", "It was strong.", 230),
    )  # fmt: skip
    assert found == ["heading", "heading", "heading", "para", "para", "para"]


def test_a_numbered_heading_may_run_into_its_paragraph() -> None:
    long = [("text", "and so on and on", 142 + 12.0 * k) for k in range(4)]
    found = labels(("heading", "2. Methods", 100), ("para", "2.1. Cells. They grew", 130), *long)
    assert found[1] == "runin"


@pytest.mark.parametrize(
    ("number", "expected"), [((3, 3, 1), (3, 3)), ((3, 3, 2), (3, 3, 1)), ((2, 1), (2,)), ((2, 4), (2, 3))]
)
def test_the_number_before(number: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert before(number) == expected
