"""The parts of the extractive reader: questions, paragraphs, candidates, kinds, comparisons."""

from __future__ import annotations

import pytest

from quire.tasks.offline.hotpotqa.asked import take_apart
from quire.tasks.offline.hotpotqa.candidates import candidates
from quire.tasks.offline.hotpotqa.comparison import choose, verdict
from quire.tasks.offline.hotpotqa.evidence import gather
from quire.tasks.offline.hotpotqa.features import WEIGHTS, Witness
from quire.tasks.offline.hotpotqa.kinds import kind_of
from quire.tasks.offline.hotpotqa.knowledge import FORMS, GUESS, OTHER, form_of, smoothed
from quire.tasks.offline.hotpotqa.offers import compared, offers
from quire.tasks.offline.hotpotqa.passages import parse
from quire.tasks.offline.hotpotqa.reading import read
from quire.tasks.offline.hotpotqa.words import content, stem, tokens

ORCHARD = """## Wendell Marsh
Wendell James Marsh (born 3 May 1931) was a Danish botanist. He planted the Tall Orchard in Velby, Iowa.

## Tall Orchard
The Tall Orchard is a public garden opened in 1975. It holds 1,250 apple trees and is run by Velby College.

## Lone Kiln (film)
Lone Kiln is a 1988 drama film directed by Ana Ruiz. It was seen by 40 people."""


@pytest.mark.parametrize(
    ("question", "word", "head"),
    [
        ("In what year was the orchard opened?", "what", "year"),
        ("Which Danish botanist planted it?", "which", "botanist"),
        ("What is the name of the college that runs it?", "what", "colleg"),
        ("The botanist that planted the orchard was born when?", "when", ""),
        ("Are both things gardens?", "be", ""),
        ("", "", ""),
    ],
)
def test_a_question_is_taken_apart(question: str, word: str, head: str) -> None:
    asked = take_apart(question)
    assert (asked.word, asked.head) == (word, head)


def test_forms_resemble_by_their_grammar_not_their_matter() -> None:
    one = take_apart("Are both Wendell Marsh and Ana Ruiz botanists?")
    other = take_apart("Were both the Rhine and the Elbe frozen?")
    assert one.form == other.form
    assert one.wording != other.wording


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("Who is older, Ana Ruiz or Wendell Marsh?", "choice"),
        ("Are both of them Danish?", "verdict"),
        ("In which year was it opened?", "year"),
        ("When was he born?", "date"),
        ("How many trees does it hold?", "count"),
        ("What nationality was the botanist?", "people"),
        ("What city is it in?", "place"),
        ("Who planted it?", "person"),
        ("Which college runs it?", "group"),
        ("Which film did she direct?", "work"),
        ("What kind of garden is it?", "nature"),
        ("What did he do?", "other"),
    ],
)
def test_forms_are_recognised(question: str, form: str) -> None:
    assert form_of(take_apart(question)).name == form


def test_shares_are_shares() -> None:
    for shares in (*(form.shares for form in (*FORMS, OTHER)), GUESS):
        assert sum(shares.values()) == pytest.approx(1.0, abs=0.01)
        assert sum(smoothed(shares).values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("Yes", "verdict"), ("1975", "year"), ("from 1989 until 1994", "year"), ("3 May 1931", "date"),
        ("July 2004", "date"), ("1,250", "count"), ("two termini", "count"), ("Danish", "people"),
        ("Velby, Iowa", "place"), ("Duval County", "place"), ("Velby College", "group"),
        ("David Moss", "person"), ("J. R. Moss", "person"), ("Lone Kiln", "name"), ("apple trees", "phrase"),
        ("Ana Ruiz", "offered"), ("", "phrase"),
    ],
)  # fmt: skip
def test_an_answer_tells_its_kind(answer: str, kind: str) -> None:
    assert kind_of(answer, "Who is older, Ana Ruiz or Wendell Marsh?") == kind


def test_paragraphs_are_parsed() -> None:
    marsh, orchard, film = parse(ORCHARD)
    assert (marsh.name, marsh.subject, marsh.nature) == (
        "Wendell Marsh",
        "Wendell James Marsh",
        "Danish botanist",
    )
    assert film.name == "Lone Kiln"
    assert film.title == "Lone Kiln (film)"
    assert len(orchard.sentences) == 2
    assert parse("") == ()


def test_initials_and_abbreviations_end_no_sentence() -> None:
    (paragraph,) = parse("## A\nJ. R. Moss met Dr. Ruiz at St. Olaf. They left.")
    assert [one.text for one in paragraph.sentences] == ["J. R. Moss met Dr. Ruiz at St. Olaf.", "They left."]


def test_words() -> None:
    assert [token.text for token in tokens("Marsh's U.S. sheep-dog, 1,250!")] == [
        "Marsh", "'s", "U.S.", "sheep-dog", ",", "1,250", "!",
    ]  # fmt: skip
    assert stem("directed") == stem("director")
    assert content("the written work of a writer") == ["writ", "work", "writ"]


def test_candidates_of_every_kind_are_found() -> None:
    found = {one.text: one.kind for one in candidates("Which?", parse(ORCHARD))}
    expected = {
        "Wendell Marsh": "person", "Wendell James Marsh": "person", "3 May 1931": "date", "Danish": "people",
        "Velby, Iowa": "place", "1975": "year", "1,250": "count", "1,250 apple trees": "count",
        "Velby College": "group", "Lone Kiln": "work", "Ana Ruiz": "name", "public garden": "phrase",
    }  # fmt: skip
    assert {text: found.get(text) for text in expected} == expected


def test_two_hops_reach_a_paragraph_that_shares_nothing_with_the_question() -> None:
    far = "\n\n".join(f"## Pool {n}\nPool {n} is a pool full of water." for n in range(8))
    paragraphs = parse(f"{far}\n\n{ORCHARD}")
    evidence = gather(take_apart("Who runs the garden that Wendell Marsh planted?"), paragraphs, limit=2)
    assert [one.name for one in evidence.paragraphs] == ["Wendell Marsh", "Tall Orchard"]
    assert evidence.bridged == (False, True)


def test_features_have_weights_and_the_right_candidate_wins() -> None:
    asked = take_apart("Which film was directed by Ana Ruiz?")
    evidence = gather(asked, parse(ORCHARD))
    witness = Witness(asked, evidence)
    support = {one.text: witness.support(one) for one in candidates(asked.text, evidence.paragraphs)}
    assert all(value > 0 for value in support.values())
    assert max(support, key=lambda text: support[text]) == "Lone Kiln"
    assert all(weight for weight in WEIGHTS.values())


@pytest.mark.parametrize(
    ("question", "kind", "answer"),
    [
        ("How many apple trees does the Tall Orchard hold?", "count", "1,250"),
        ("In what year was the Tall Orchard opened?", "year", "1975"),
        ("When was Wendell Marsh born?", "date", "3 May 1931"),
        ("Which college runs the Tall Orchard?", "group", "Velby College"),
    ],
)
def test_each_kind_is_read_off(question: str, kind: str, answer: str) -> None:
    assert read(question, ORCHARD)[kind].text == answer  # type: ignore[index]


def test_reading_nothing_finds_no_text() -> None:
    assert set(read("Who planted it?", "")) == {"verdict"}


TWO = """## Ada Holm
Ada Holm (born 2 May 1950) is an American singer. She made three studio albums and lives in a tower of 90 m.

## Bo Lind
Bo Lind (born 9 May 1950) is an American painter. He made eleven studio albums and owns a tower of 120 m."""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is older, Ada Holm or Bo Lind?", "Ada Holm"),
        ("Who is younger, Ada Holm or Bo Lind?", "Bo Lind"),
        ("Who made more studio albums, Ada Holm or Bo Lind?", "Bo Lind"),
        ("Who made fewer studio albums, Ada Holm or Bo Lind?", "Ada Holm"),
        ("Whose tower is taller, Ada Holm's or Bo Lind's?", "Bo Lind's"),
        ("Which one is a painter, Ada Holm or Bo Lind?", "Bo Lind"),
        ("Between Ada Holm and Bo Lind who was born first?", "Ada Holm"),
    ],
)
def test_things_are_compared(question: str, answer: str) -> None:
    asked = take_apart(question)
    assert choose(asked, offers(asked, parse(TWO))).text == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Are both Ada Holm and Bo Lind American?", "yes"),
        ("Are both Ada Holm and Bo Lind painters?", "no"),
        ("Were Ada Holm and Bo Lind born in the same year?", "yes"),
        ("Do Ada Holm and Bo Lind have the same nationality?", "yes"),
        ("Do Ada Holm and Bo Lind have the same profession?", "yes"),  # American in both natures
        ("Are Ada Holm and Una Vik of the same country?", "no"),
    ],
)
def test_yes_or_no(question: str, answer: str) -> None:
    asked = take_apart(question)
    assert verdict(asked, compared(asked, parse(TWO))) == answer


def test_offers_without_paragraphs_are_read_off_the_question() -> None:
    asked = take_apart("Which school was founded first, Velby College or Iowa Institute?")
    assert [one.text for one in offers(asked, ())] == ["Velby College", "Iowa Institute"]
    assert offers(take_apart("Who planted it?"), ()) == ()
