"""The extractive reader learns which kind of answer a form of question wants."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.tasks.offline import VARIANTS
from quire.tasks.offline.hotpotqa import ExtractiveReader
from quire.tasks.offline.hotpotqa.asked import take_apart
from quire.tasks.offline.hotpotqa.kinds import Kind
from quire.tasks.offline.hotpotqa.knowledge import FORMS, GUESS
from quire.tasks.offline.hotpotqa.lessons import learn, likeness
from quire.tasks.offline.hotpotqa.reader import SPECIALTIES, decide
from quire.tasks.offline.hotpotqa.reading import Finding
from quire.types import Experience, Instance, Shot, Verdict

PARAGRAPHS = """## Ada Holm
Ada Holm (born 2 May 1950) is an American singer from Velby, Iowa.

## Bo Lind
Bo Lind (born 9 May 1952) is an American painter who met Ada Holm in 1975."""
PLAIN = st.text(alphabet=st.characters(codec="utf-8"), max_size=200)
WORDS = [
    *'which who what is are both or and of the in born "Ada Holm" ?'.split(),
    *", . ( ) – 1950 May Bo Lind ## 's A.".split(),
    "\n",
]
WORDY = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)


def _instance(question: str, paragraphs: str = PARAGRAPHS) -> Instance:
    fields = {"question": question, "paragraphs": paragraphs}
    return Instance("hotpotqa", "1", question, "", "", question, "", fields)


def _shot(question: str, output: str, label: str = "right", similarity: float = 0.5) -> Shot:
    verdict = Verdict(label)  # type: ignore[arg-type]
    return Shot(
        output, Experience(question, "hotpotqa", "e", {}, output, verdict, 0, "m", "", "id"), similarity
    )


def _untaught() -> tuple[ExtractiveReader, str]:
    """A reader and a question of a form that it does not know."""
    question = "Are both Ada Holm and Bo Lind American?"
    for variant in VARIANTS:
        reader = ExtractiveReader("me", variant, Path())
        if reader.solve(_instance(question), ()).output not in ("yes", "no"):
            return reader, question
    raise AssertionError("every variant knows this form")


def test_right_shots_of_the_same_form_teach_the_kind() -> None:
    reader, question = _untaught()
    shots = (_shot("Were both Oslo and Bergen burnt down?", "no"),)
    attempt = reader.solve(_instance(question), shots)
    assert attempt.output == "yes"
    assert attempt.shots == ("id",)


def test_a_shot_of_another_form_teaches_nothing() -> None:
    reader, question = _untaught()
    before = reader.solve(_instance(question), ()).output
    assert reader.solve(_instance(question), (_shot("When was Oslo burnt down?", "1624"),)).output == before


def test_wrong_shots_speak_against_their_kind() -> None:
    asked = take_apart("What did the painter see?")
    wrong = _shot("What did the singer see?", "1975", "wrong")
    alike, doubted = learn(asked, GUESS, ()), learn(asked, GUESS, (wrong, wrong))
    assert doubted["year"] < alike["year"]
    assert doubted["name"] > alike["name"]
    assert learn(asked, GUESS, (_shot("What did the singer see?", "1975", "unknown"),)) == alike


def test_wrong_shots_change_an_answer() -> None:
    reader = ExtractiveReader("me", "a", Path())
    instance = _instance("What did Bo Lind see?", "## Bo Lind\nBo Lind saw Velby and the sea in 1975.")
    right = _shot("What did the singer see?", "1960", "right", 0.9)
    wrong = _shot("What did the singer see?", "1961", "wrong", 0.9)
    assert reader.solve(instance, (right,)).output == "1975"
    assert reader.solve(instance, (*[wrong] * 5, right)).output == "Velby"


def test_more_similar_shots_weigh_more() -> None:
    asked = take_apart("What did the painter see?")
    near, far = (_shot("What did the singer see?", "1975", similarity=one) for one in (0.9, 0.1))
    assert learn(asked, GUESS, (near,))["year"] > learn(asked, GUESS, (far,))["year"]


def test_likeness_is_that_of_forms() -> None:
    one, same, other = (
        take_apart(text).form
        for text in ("Who is older, Ada or Bo?", "Who is older, Una or Ib?", "In what year was it built?")
    )
    assert likeness(one, same) == 1.0
    assert likeness(one, other) < 0.1
    assert likeness(frozenset(), frozenset()) == 0.0


def test_specialties_share_out_the_forms() -> None:
    forms = [form for specialty in SPECIALTIES.values() for form in specialty]
    assert sorted(forms) == sorted({form.name for form in FORMS})
    assert set(SPECIALTIES) == set(VARIANTS)


def test_the_kind_believed_in_decides() -> None:
    found: dict[Kind, Finding] = {
        "year": Finding("1975", 0.1, 0.1),
        "name": Finding("Velby", 0.2, 0.9),
        "verdict": Finding("yes", 0.0, 0.0),
        "offered": Finding("Bo Lind", 0.0, 0.0),
    }
    assert decide(found, {"name": 0.5, "year": 0.5}) == "Velby"
    assert decide(found, {"name": 0.1, "year": 0.9}) == "1975"
    assert decide(found, {"verdict": 0.9, "name": 0.1}) == "yes"
    assert decide(found, {"offered": 0.9, "name": 0.1}) == "Bo Lind"


def test_what_convinces_nobody_loses_to_a_guess() -> None:
    strong: dict[Kind, Finding] = {"name": Finding("Velby", 0.9, 1.0), "verdict": Finding("yes", 0.0, 0.0)}
    weak: dict[Kind, Finding] = {**strong, "name": Finding("Velby", 0.02, 1.0)}
    assert decide(strong, GUESS) == "Velby"
    assert decide(weak, GUESS) == "yes"
    assert decide({}, {}) == ""


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_same_question_gets_the_same_answer(variant: str) -> None:
    instance = _instance("Who is older, Ada Holm or Bo Lind?")
    shots = (_shot("Who is taller, Una or Ib?", "Una"),)
    answers = {ExtractiveReader("me", variant, Path()).solve(instance, shots).output for _ in range(3)}
    assert len(answers) == 1


@settings(deadline=None, max_examples=150)
@given(
    question=PLAIN | WORDY,
    paragraphs=PLAIN | WORDY.map("## Ada Holm\n{}".format) | st.just(PARAGRAPHS),
    key=PLAIN | WORDY,
    output=PLAIN,
    label=st.sampled_from(["right", "wrong", "unknown"]),
)
def test_no_text_breaks_a_reader(question: str, paragraphs: str, key: str, output: str, label: str) -> None:
    reader = ExtractiveReader("me", "b", Path())
    shots = (_shot(key, output, label, similarity=-0.5), _shot(question, output, label))
    attempt = reader.solve(_instance(question, paragraphs), shots)
    assert attempt.output
