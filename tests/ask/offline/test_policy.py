from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from quire.ask.environment import Environment
from quire.ask.loop import run
from quire.ask.offline import OfflinePolicy
from quire.errors import SqlError
from quire.library import Library
from quire.types import Hits, Question, ResultSet, Trajectory
from tests.ask.stored import stored

from ..one_paper import PAGES, PAPER, rows, small_library

ENVIRONMENT = Environment(small_library())


def ask(text: str, form: str = "", papers: tuple[str, ...] = (PAPER,)) -> Trajectory:
    return run(OfflinePolicy(), ENVIRONMENT, Question("q", text, form, papers))


@pytest.mark.parametrize(
    ("question", "form", "value"),
    [
        ("What is this article called?", "string", "Tea and Typing Speed"),
        ("Name the lead author.", "string", "Mira Olsen"),
        ("Who is the last author?", "string", "Aiko Brand"),
        ("Give the second writer's name.", "string", "Teun de Wit"),
        ("Who wrote this?", "list", ["Mira Olsen", "Teun de Wit", "Aiko Brand"]),
        ("By how many people was it written?", "int", 3),
        ("Which journal published it?", "string", "Journal of Office Studies"),
        ("When was it published?", "int", 2019),
        ("doi?", "string", "10.1234/jos.2019.007"),
        ("What e-mail address is given?", "string", "mira.olsen@example.org"),
        ("How many pages does it have?", "int", 2),
        ("How many works are cited?", "int", 3),
        ("Count the tables.", "int", 1),
        ("How many figures are there?", "int", 1),
        ("How many columns has Table 1?", "int", 3),
        ('What is the "Mean speed (WPM)" of "Green tea" in Tab. 1?', "string", "61.5"),
        ('In the row "Black tea" of the first table, which value stands in the column "Clerks"?', "int", 16),
        ("Which mean speed does Table 1 report for black tea?", "float", 57.3),
        ("What does the caption of Table 1 say?", "string", "Speed by kind of tea."),
        ("Quote the legend of Fig. 1.", "string", "Speed over the day."),
        ("What does Fig. 1 on page 2 show?", "string", "Speed over the day."),
        ("What is table 1 about?", "", "Speed by kind of tea."),
        ("what's shown in the first table of this paper", "", "Speed by kind of tea."),
        ("Please describe figure 1.", "string", "Speed over the day."),
        ("tell me what Fig. 1 illustrates", "", "Speed over the day."),
        ("Which table counts the mean speed by tea?", "string", "Table 1"),
        ('Which table is captioned "Speed by kind"?', "string", "Table 1"),
        ("What is the title of bibliography item 2?", "string", "On brewing times"),
        ("Year of reference [3]?", "int", 1998),
        ("Who are the authors of ref. 2?", "string", "B. Cup, C. Pot"),
        ("Who is the second author of ref. 2?", "string", "C. Pot"),
        ('What number does "On brewing times" have in the reference list?', "int", 2),
        ('In which section is it said that "The clerks typed for 30 minutes."?', "string", "Methods"),
        ("What is section 1 called?", "string", "Introduction"),
        ("What does WPM mean?", "string", "words per minute"),
        ('Which abbreviation stands for "null hypothesis test"?', "string", "NHT"),
        (
            'Fill in the number: "Green tea raised the speed by ____ words per minute on average."',
            "float",
            4.2,
        ),
        ('Which word is missing: "Many ____ drink tea."', "string", "clerks"),
        ("On which page is Figure 1?", "int", 2),
        ("What is equation (1)?", "string", r"s = \frac{w}{t}"),
        ("List all section headings.", "list", ["Introduction", "Methods", "Results"]),
    ],
)
def test_what_is_asked_is_answered_however_it_is_worded(question: str, form: str, value: Any) -> None:
    answer = ask(question, form).answer
    assert (answer.status, answer.value) == ("answered", value)
    assert "no language model was used" in answer.note


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("What is the capital of France?", "string"),
        ("What did the authors conclude about coffee?", "string"),
        ("In which year was the tea company founded?", "int"),
        ("What volume of water was boiled?", "string"),
        ("How many sections of bamboo were cut?", "int"),
        ("What is the source of the funding?", "string"),
        ('What is the "Price" of "Peppermint" in Table 1?', "string"),
        ("What does XYZ stand for?", "string"),
        ("What is the title of reference [99]?", "string"),
        ("What does the caption of Figure 7 say?", "string"),
        ("What is figure 7 about?", ""),
        ("What does table 1 show about the price of peppermint?", ""),
        ("What is table 1 in kilograms about?", ""),
        ('Fill in: "Elephants weigh ____ kilograms on sunny days."', "float"),
        ("", ""),
        ("How many people took part?", "int"),
        ("Who wrote the code?", "list"),
        ("Is green tea stronger than black tea?", "bool"),
        ("In Table 1, which tea has the highest mean speed?", "string"),
        ("What is the lowest mean speed in Table 1?", "string"),
        ('Which heading comes after "Methods"?', "string"),
        ('Does the paper say "No clerk ever drinks tea."?', "bool"),
    ],
)
def test_it_abstains_rather_than_guess(question: str, form: str) -> None:
    answer = ask(question, form).answer
    assert (answer.status, answer.value) == ("abstained", None)
    assert "No language model was used" in answer.note


def test_an_abstention_shows_the_closest_passages() -> None:
    answer = ask("Why do clerks who drink green tea quarrel with elephants in spring?").answer
    assert answer.status == "abstained"
    assert any("tea" in each.quote for each in answer.evidence)


def test_answers_come_with_evidence_on_the_page() -> None:
    (evidence,) = ask(
        "In which section does it say that \u201cGreen tea raised the speed by 4.2 words\u201d?"
    ).answer.evidence
    assert (evidence.paper_id, evidence.page, evidence.page_label, evidence.verified) == (
        PAPER,
        2,
        "102",
        True,
    )
    assert evidence.bbox is not None
    assert evidence.quote.startswith("Green tea raised")


def test_the_paper_is_found_when_none_is_given() -> None:
    assert ask("Who wrote Tea and Typing Speed?", "list", papers=()).answer.value[0] == "Mira Olsen"


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many papers are in the library?", 1),
        ("List the titles of all papers.", ["Tea and Typing Speed"]),
        ("how many papers do i have", 1),
        ("how many pdfs are in here?", 1),
        ("What's in my library?", ["Tea and Typing Speed"]),
        ("Which papers speak of typing?", ["Tea and Typing Speed"]),
        ('How many references does the paper "Tea and Typing" have?', 3),
    ],
)
def test_the_library_as_a_whole_can_be_asked(question: str, value: Any) -> None:
    assert ask(question, papers=()).answer.value == value


def test_a_quoted_title_only_names_the_paper() -> None:
    assert (
        ask('Who is the last author of the paper "Tea and Typing Speed"?', "string").answer.value
        == "Aiko Brand"
    )


def test_a_question_that_no_rule_explains_shows_whole_verified_units() -> None:
    answer = ask("Why were the words of 48 clerks measured per minute?").answer
    assert any("48" in each.quote for each in answer.evidence)
    assert all(each.verified for each in answer.evidence)
    assert "No language model was used; one would be needed" in answer.note


class _Broken(Library):
    """A library whose queries fail."""

    def rows(self, sql: str, values: Sequence[Any] = ()) -> ResultSet:
        raise SqlError("the database is locked")

    def search(self, query: str, **where: Any) -> Hits:
        raise SqlError("the database is locked")


@pytest.mark.parametrize("question", ["How many tables are there?", "How many clerks drink tea?"])
def test_an_error_is_never_read_as_finding_nothing(question: str) -> None:
    environment = Environment(_Broken(stored({}).settings))
    done = run(OfflinePolicy(), environment, Question("q", question, "int", (PAPER,)))
    assert (done.answer.status, done.answer.value) == ("failed", None)
    assert "locked" in done.answer.note


def test_it_works_in_real_actions_over_several_turns() -> None:
    done = ask("What does NHT stand for?")
    names = [step.call.name for step in done.steps if step.call]
    assert names[0] == "ReadRows"
    assert names[-1] == "GenerateAnswer"
    assert all(step.thought for step in done.steps)


def test_at_the_limit_it_abstains() -> None:
    done = run(
        OfflinePolicy(),
        ENVIRONMENT,
        Question("q", "What does NHT stand for?", "", (PAPER,)),
        max_turns=1,
    )
    assert done.answer.status == "abstained"


@pytest.mark.parametrize("paper", ["99999999-9999-5999-8999-999999999999", "x'; DROP TABLE pages; --"])
def test_nothing_that_is_asked_becomes_sql(paper: str) -> None:
    done = ask('What does "x\'; DROP TABLE pages; --" stand for?', papers=(paper,))
    seen = [step.observation for step in done.steps if step.observation]
    assert all(each.kind != "error" or "No paper is named" in each.text for each in seen)
    assert ask("How many tables are there?", "int").answer.value == 1


@pytest.mark.parametrize(
    ("question", "form", "value"),
    [
        ("When was it accepted?", "", "2019-05-03"),
        ("On what date was the manuscript accepted for publication?", "string", "2019-05-03"),
        ("In which year was it accepted?", "int", 2019),
        ("Who is the publisher?", "", "Kettle Press"),
        ("Under which licence is it published?", "", "CC BY"),
        ("Where do the authors work?", "list", ["Olsen Institute"]),
        ("What are the affiliations of the authors?", "string", "Olsen Institute"),
        ("Who is the corresponding author?", "", "Teun de Wit"),
        ("Who funded this study?", "", "Paid by the Kettle Fund."),
        ("What is the volume of the journal?", "", "7"),
        ("What is the issue number?", "", "10"),
        ("In which issue was it published?", "", "10"),
        ("What is the issue of the journal?", "", "10"),
        ("Which key words does it have?", "list", ["tea", "clerks", "typing"]),
        ("How many keywords does it have?", "int", 3),
    ],
)
def test_what_else_a_title_page_has_is_told_as_it_is_printed(question: str, form: str, value: Any) -> None:
    held = rows()
    told = {
        "accepted": "2019-05-03", "publisher": "Kettle Press", "licence": "CC BY", "volume": "7",
        "issue": "10",
        "affiliations": ["Olsen Institute"], "corresponding_author": "Teun de Wit",
        "funding": "Paid by the Kettle Fund.", "keywords": ["tea", "clerks", "typing"],
    }  # fmt: skip
    held["metadata"][0].update(told)
    place = {"bounding_box": [9, 9, 90, 9], "ordinal": 0, "ref_paper_id": PAPER, "ref_page_id": PAGES[1]}
    held["metadata_places"] = [{**place, "place_id": PAGES[0], "field": "accepted", "printed": "3 May 2019"}]
    asked = Question("q", question, form, (PAPER,))
    answer = run(OfflinePolicy(), Environment(stored(held)), asked).answer
    assert (answer.status, answer.value) == ("answered", value)
    if "accepted" in question:
        assert [(each.quote, each.page, each.bbox is None) for each in answer.evidence] == [
            ("3 May 2019", 2, False)
        ]


@pytest.mark.parametrize(
    "question",
    [
        "How many clerks were accepted?",
        "When were the clerks received?",
        "Was it accepted?",
        "What is the main issue?",
        "What is the main issue of this publication?",
        "What are the issue and volume?",
        "What is the issue and volume of the journal?",
        "In which issue and year was it published?",
        "How much was the grant?",
    ],
)
def test_words_of_the_title_page_may_be_about_something_else(question: str) -> None:
    held = rows()
    held["metadata"][0].update(accepted="2019-05-03", received="2019-01-03", volume="7", issue="10")
    held["metadata"][0].update(funding="Paid by the Kettle Fund, grant 12.")
    asked = Question("q", question, "", (PAPER,))
    assert run(OfflinePolicy(), Environment(stored(held)), asked).answer.value not in {
        "2019-05-03", "7", "10", "2019", 2019, "Journal of Office Studies",
        "Paid by the Kettle Fund, grant 12.",
    }  # fmt: skip


def test_an_object_of_one_field_holds_the_value() -> None:
    number = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    question = Question("q", "How many figures are there?", schema=number, anchor_papers=(PAPER,))
    assert run(OfflinePolicy(), ENVIRONMENT, question).answer.value == {"n": 1}
