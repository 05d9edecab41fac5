from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.ask.offline.kinds import KINDS
from quire.ask.offline.kinds.parts import fits_summary
from quire.ask.offline.lexicon import Labels, alike, concepts, covered, labels, mended, plain, words_of
from quire.ask.offline.question import Gap, gap, read, spans
from quire.types import Question


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('the column "P value" for the row "Age > 60"', ("P value", "Age > 60")),
        ("the \u201cmean\u201d and \u2018sd\u2019", ("mean", "sd")),
        ("the authors' row 'Total' isn't it", ("Total",)),
        ("the paper's title", ()),
        ('in (the "best" tea) of "5"', ("best", "5")),
        ('is "F1 (%)" or "> 5"?', ("F1 (%)", "> 5")),
        ('an inch is 1" long', ()),
        ("\u00ab le titre \u00bb", ("le titre",)),
        ("called `F1`", ("F1",)),
        ('say: "He said that the "best" tea is green."?', ('He said that the "best" tea is green.',)),
    ],
)
def test_quotes(text: str, found: tuple[str, ...]) -> None:
    assert tuple(quote for quote, _, _ in spans(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Fill: "About ____ clerks took part."', Gap("About", "clerks took part.")),
        (
            "What is missing? About [MASK] clerks took part.",
            Gap("What is missing? About", "clerks took part."),
        ),
        ('"In all, [...] clerks"', Gap("In all,", "clerks")),
        ("Complete this: at <blank> words", Gap("at", "words")),
        ("No gap here.", None),
    ],
)
def test_gaps(text: str, found: Gap | None) -> None:
    assert gap(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("In Table 2, what", Labels(table="2")),
        ("Tab. IV shows", Labels(table="4")),
        ("the third table", Labels(table="3", ordinal=3)),
        ("see Fig. 3b and table S1", Labels(figure="3b", table="s1")),
        ("reference [12]", Labels(reference="12")),
        ("bibliography item 12", Labels(reference="12")),
        ("the 7th entry of the bibliography", Labels(reference="7", ordinal=7)),
        ("ref. no. 5", Labels(reference="5")),
        ("the last reference", Labels(reference="-1", ordinal=-1)),
        ("section 4.1 on page 7", Labels(section="4.1", page="7")),
        ("equation (3)", Labels(equation="3")),
        ("how many tables", Labels()),
        ("the first author", Labels(ordinal=1)),
    ],
)
def test_labels(text: str, found: Labels) -> None:
    assert labels(text) == found


def test_labels_compare_as_numbers() -> None:
    assert [plain(label) for label in ("IV", "(3)", "A.1", " 2. ")] == ["4", "3", "a.1", "2"]


@pytest.mark.parametrize(
    ("text", "some"),
    [
        ("who wrote this", {"who", "author"}),
        ("how many works are cited", {"count", "reference"}),
        ("under which heading", {"section"}),
        ("what is it short for", {"abbreviation"}),
        ("the legend of the picture", {"caption", "figure"}),
        ("in which journal", {"venue"}),
    ],
)
def test_concepts_come_from_any_wording(text: str, some: set[str]) -> None:
    assert some <= concepts(text, words_of(text))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("frist autor", "first author"),
        ("how many refrences", "how many references"),
        ("the capton of", "the caption of"),
        ("a stable cable", "a stable cable"),
        ("eight TABLES", "eight TABLES"),
    ],
)
def test_typing_errors_in_asking_words_are_mended(wrong: str, right: str) -> None:
    assert mended(wrong) == right


def test_instructions_on_the_form_are_no_part_of_the_question() -> None:
    reading = read(Question("1", 'Which table shows "x"? Answer like "Table 1".'))
    assert reading.labels == Labels()
    assert reading.quotes[0] == "x"


def test_names_are_alike_however_they_are_set() -> None:
    assert alike("P value", "p-value") == 1.0
    assert alike("Group (n = 178)", "Group (n=178)") == 1.0
    assert alike("< 5 years", "\u2265 5 years") < 1.0
    assert alike("", "x") == 0.0
    assert covered("mean speed", ["the", "mean", "speeds"]) == 1.0


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Summarise this paper.", True),
        ("What are the main findings?", True),
        ("How many summaries are in the dataset?", False),
        ("Which model wrote the summaries that people liked?", False),
    ],
)
def test_a_question_about_summaries_is_no_call_for_one(text: str, asked: bool) -> None:
    assert bool(fits_summary(read(Question("1", text)))) == asked


@given(st.text(max_size=120))
def test_any_question_can_be_read(text: str) -> None:
    reading = read(Question("1", text))
    assert all(0 <= kind.fits(reading) <= 1 for kind in KINDS)
