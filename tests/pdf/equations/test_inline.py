"""Formulas and scripts within text: what is surely one is told, what could be something else is not."""

from __future__ import annotations

import pytest

from quire.pdf.equations.inline import spans
from quire.pdf.raw import Word, joined, make_line

TEXT, SLANTED, LETTERS, SIGNS = "Times-Roman", "Times-Italic", "CMMI10", "CMSY10"
TYPED, LARGE = "CMSLTT10", "CMEX10"


def word(text: str, font: str = TEXT, script: int = 0, *, glued: bool = False, size: float = 10.0) -> Word:
    size = 7.0 if script and size == 10.0 else size
    baseline = 100.0 - 3.5 * script
    return Word(
        text, 0, 90, 5, 102, baseline, size, False, font in (SLANTED, LETTERS, TYPED), font, script, glued
    )


def shown(*words: Word) -> list[tuple[str, str, str]]:
    """The part of the text, its kind, and what is shown, of each span of a line."""
    text = joined(words)
    found = spans(text, [0], [make_line(words, 10.0, 100.0)])
    return [(text[span.start : span.end], span.kind, span.shown) for span in found]


def low(text: str, font: str = TEXT) -> Word:
    return word(text, font, -1, glued=True)


def high(text: str, font: str = TEXT) -> Word:
    return word(text, font, 1, glued=True)


def end(text: str, font: str = TEXT) -> Word:
    return word(text, font, glued=True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([word("where"), word("x", LETTERS), low("i", LETTERS), word("is")], ("xi", "math", "x_{i}")),
        ([word("with"), word("p", SLANTED), word("<0.05).")], ("p <0.05", "math", r"p \lt 0.05")),
        ([word("of"), word("R", SLANTED), high("2"), word("in")], ("R^2", "math", "R^{2}")),
        ([word("at"), word("10"), high("−9"), word("and")], ("10^−9", "math", "10^{-9}")),
        ([word("state"), word("h", LETTERS), low("t", LETTERS), low("−", SIGNS), low("1"), word("and")],
         ("ht−1", "math", "h_{t - 1}")),
        ([word("β", LETTERS), low("1"), word("="), word("0"), end(".", LETTERS), end("9"), end(",")],
         ("β1 = 0.9", "math", r"\beta_{1} = 0.9")),
        ([word("takes"), word("O", LETTERS), end("("), end("n", LETTERS), end(")"), word("steps")],
         ("O(n)", "math", "O(n)")),
        ([word("("), end("x", LETTERS), low("1"), end(",", LETTERS), word("...,", LETTERS),
          word("x", LETTERS), low("n", LETTERS), end(")")],
         ("(x1, ..., xn)", "math", r"(x_{1}, \ldots, x_{n})")),
        ([word("vector"), word("g", LETTERS), high("00", SIGNS), word("is")], ("g^00", "math", "g''")),
        ([word("let"), word("ŷ", LETTERS), low("i", LETTERS), word("be")], ("ŷi", "math", r"\hat{y}_{i}")),
        ([word("as"), word("shown"), high("12"), word("before")], ("^12", "sup", "12")),
        ([word("of"), word("H"), low("2"), end("O"), word("and")], ("2", "sub", "2")),
    ],
)  # fmt: skip
def test_what_is_sure_is_told(words: list[Word], told: tuple[str, str, str]) -> None:
    assert shown(*words) == [told]


@pytest.mark.parametrize(
    "words",
    [
        [word("a", SLANTED), word("word"), word("="), word("b", SLANTED)],  # half a relation
        [word("lag(z,"), word("k", TYPED), word("="), word("1"), end(")")],
        [word("function(x,"), word("..."), end(")")],
        [word("integral"), word("P", LARGE), word("over"), word("all")],
        [word("x", LETTERS), end(")"), word("+"), end("("), end("y", LETTERS), word("where")],
        [word("in"), word("vitro", SLANTED), word("and"), word("a", SLANTED), word("priori")],
        [word("from"), word("5"), word("×"), word("3"), word("fields")],
        [word("root"), word("√"), word("d", LETTERS, glued=True), word("is")],
        [word("sum"), word("="), word("k", LETTERS), word("is")],  # what stands before the sign is lost
        [word("at"), word("W", LETTERS), word("Q", LETTERS, size=7.1), word("i", LETTERS, size=7.0)],
        [word("log"), end("("), end("n", LETTERS), end(")")],
    ],
)
def test_what_could_be_something_else_is_not(words: list[Word]) -> None:
    assert shown(*words) == []


def test_a_script_on_a_script_is_left() -> None:
    smaller = word("k", LETTERS, -1, glued=True, size=5.0)
    assert shown(word("the", TEXT), word("P", LETTERS), low("d", LETTERS), smaller, word("is")) == []


def test_lines_whose_words_were_changed_are_found_again() -> None:
    first = make_line([word("every"), word("sam-")], 10.0, 100.0)
    second = make_line([word("ple"), word("n", LETTERS), word("=", TEXT), word("3"), word("times")], 10, 112)
    (span,) = spans("every sample n = 3 times", [0, 9], [first, second])
    assert (span.start, span.end, span.shown) == (13, 18, "n = 3")
