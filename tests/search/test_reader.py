"""The second stage: what the reader says of units."""

from __future__ import annotations

import platform

import numpy as np
import pytest

from quire.search.models import MINILM_SOURCE, require
from quire.search.reader import ALL, Reader, framed

QUESTION = "How many patients took part in the study?"
PASSAGES = [
    ("Discussion", "Earlier studies of patients had taken part of their data from registers."),
    ("Methods", "A total of 178 people with the disease were enrolled between 2001 and 2013."),
    ("Methods", "The study took place in the part of the hospital where patients are admitted."),
    ("Results", "Participants had a mean age of 45.3 years."),
]
FOLDER = require(MINILM_SOURCE)


@pytest.fixture(scope="module")
def reader() -> Reader:
    """The reader of the package."""
    return Reader(FOLDER)


def test_the_sentence_that_says_it_is_ahead_of_those_that_use_the_words(reader: Reader) -> None:
    assert int(np.argmax(reader.scores(QUESTION, PASSAGES))) == 1


def test_a_score_does_not_depend_on_what_else_is_read(reader: Reader) -> None:
    assert FOLDER is not None
    together, fresh = reader.scores(QUESTION, PASSAGES), Reader(FOLDER)
    alone = np.concatenate([fresh.scores(QUESTION, [each]) for each in reversed(PASSAGES)])
    np.testing.assert_allclose(together, alone[::-1], atol=1e-4)
    assert len(reader.scores(QUESTION, [])) == 0


def test_what_was_read_beside_a_question_is_not_read_again(reader: Reader) -> None:
    before = reader.scores(QUESTION, PASSAGES[1:])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_session", None)
        again = reader.scores(QUESTION, [*PASSAGES[:0:-1], PASSAGES[1]])
    np.testing.assert_array_equal(again, [*before[::-1], before[0]])
    for number in range(100):  # and the last questions alone are kept
        reader.scores(f"{QUESTION} {number}", [])
    np.testing.assert_array_equal(reader.scores(QUESTION, PASSAGES[1:]), before)


def test_eight_bits_say_nearly_the_same(reader: Reader) -> None:
    assert FOLDER is not None
    assert reader.precision == "int8" or platform.machine().lower() not in ("x86_64", "amd64")
    whole, eight = (Reader(FOLDER, precision).scores(QUESTION, PASSAGES) for precision in ("float32", "int8"))
    np.testing.assert_allclose(whole, eight, atol=0.6)
    assert int(np.argmax(whole)) == int(np.argmax(eight))


def test_long_parts_are_cut_and_never_the_marks() -> None:
    tokens = framed([7] * 200, [8] * 200, [9] * 200, 1, 2)
    assert len(tokens) == ALL
    assert [tokens.count(number) for number in (1, 2, 7, 8, 9)] == [1, 3, 32, 16, ALL - 52]
    assert framed([7], [], [9], 1, 2) == (1, 7, 2, 2, 9, 2)
