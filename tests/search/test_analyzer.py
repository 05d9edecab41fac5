"""Words as BM25 counts them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.search.analyzer import term_numbers, words
from quire.search.search import mark


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("The attention-based models reached 1,024 tokens.", "attent base model reach 1024 token"),
        ("GPT-4's \ufb01ne-tuning of M\u00fcller\u2019s model", "gpt 4 fine tune muller model"),
        ("3.14 and x\u00b2, H\u2082O; \uff11\uff12", "3.14 x2 h2o 12"),
        ("\u4e2d\u6587 caf\u00e9 na\u00efve", "\u4e2d \u6587 cafe naiv"),
        ("don't can't what is the", ""),
        ("C++ snake_case e-mail@x.org", "c snake case e mail x org"),
    ],
)
def test_stems(text: str, stems: str) -> None:
    assert [word.stem for word in words(text)] == stems.split()


@given(st.text())
def test_spans_are_in_order_and_numbers_are_31_bit(text: str) -> None:
    found = list(words(text))
    assert all(0 <= word.start < word.end <= len(text) for word in found)
    assert all(a.end <= b.start for a, b in zip(found, found[1:], strict=False))
    numbers = term_numbers(text)
    assert len(numbers) == len(found)
    assert all(0 <= number < 2**31 for number in numbers)


def test_matched_words_are_marked_by_stem() -> None:
    text = "Modelling the graphs: a Graph-model."
    assert [text[a:b] for a, b in mark(text, "graph of models")] == ["Modelling", "graphs", "Graph", "model"]
    assert mark(text, "the of") == ()
