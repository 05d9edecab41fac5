from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from quire.ask.actions import ACTIONS
from quire.ask.environment import Environment
from quire.ask.loop import run
from quire.ask.offline import OfflinePolicy
from quire.ask.streaming import Listening
from quire.errors import ModelUnreachable, QueryError
from quire.library import Library
from quire.types import Answer, Call, Evidence, Exchange, Question, Step, Trajectory, Usage

from .one_paper import PAPER, rows, small_library
from .stored import stored

QUESTION = Question("q1", "How many clerks?", "int", (PAPER,))
SQL = Call("RetrieveFromDatabase", {"sql": "SELECT 1 AS one"})


def answer(value: Any) -> Step:
    return Step("I know.", Call("GenerateAnswer", {"answer": value}))


class Script:
    """A policy that plays given steps; its last word is given apart."""

    name = "script"
    actions = tuple(ACTIONS)

    def __init__(self, *steps: Step, last: Step | None = None) -> None:
        self.steps = list(steps)
        self.last = last or answer(None)

    def decide(self, question: Question, history: Sequence[Step]) -> Step:
        return self.steps[len(history)]

    def conclude(self, question: Question, history: Sequence[Step]) -> Step:
        return self.last


@pytest.fixture(scope="module")
def environment() -> Environment:
    return Environment(small_library())


def play(environment: Environment, *steps: Step, max_turns: int = 20, last: Step | None = None) -> Trajectory:
    return run(Script(*steps, last=last), environment, QUESTION, max_turns, method="m")


def test_thought_action_observation_until_an_answer(environment: Environment) -> None:
    done = play(environment, Step("Look.", SQL, usage=Usage(10, 2, calls=1)), answer("48"))
    assert done.answer.status == "answered"
    assert done.answer.value == 48
    assert [step.observation.kind for step in done.steps if step.observation] == ["rows", "final"]
    assert (done.model, done.method, done.usage.prompt_tokens) == ("script", "m", 10)


def test_an_answer_of_the_wrong_form_is_sent_back_once(environment: Environment) -> None:
    mended = play(environment, answer("forty eight"), answer(48))
    assert mended.answer.value == 48
    assert mended.steps[0].observation is not None
    assert "must be a" in mended.steps[0].observation.text
    kept = play(environment, answer("many"), answer("very many"))
    assert kept.answer.value == "very many"
    assert "not in the asked form" in kept.answer.note


def test_none_is_an_abstention(environment: Environment) -> None:
    assert play(environment, answer(None)).answer.status == "abstained"


@pytest.mark.parametrize("value", [{"answer": None}, '{"answer": null}'])
@pytest.mark.parametrize("form", ["", "int"])
def test_none_in_an_object_is_an_abstention(environment: Environment, value: Any, form: str) -> None:
    done = run(Script(answer(value)), environment, replace(QUESTION, answer_format=form)).answer
    assert (done.status, done.value) == ("abstained", None)
    assert done.evidence


def test_at_the_limit_the_policy_is_asked_once_more(environment: Environment) -> None:
    looks = [Step("", SQL)] * 5
    done = play(environment, *looks, max_turns=3, last=answer(48))
    assert len(done.steps) == 4
    assert (done.answer.status, done.answer.value) == ("answered", 48)
    assert "limit of 3 turns" in done.answer.note


def test_an_observation_is_never_the_answer(environment: Environment) -> None:
    done = play(environment, Step("", SQL), max_turns=1, last=Step("", SQL))
    assert done.answer.status == "abstained"
    assert done.answer.value is None


def test_turns_end_a_run(environment: Environment) -> None:
    dear = Step("", SQL, usage=Usage(10, 10, cost=0.02))
    assert len(play(environment, dear, dear, dear, max_turns=1).steps) == 2


def test_a_model_that_cannot_be_reached_fails_the_run(environment: Environment) -> None:
    class Broken(Script):
        def decide(self, question: Question, history: Sequence[Step]) -> Step:
            raise ModelUnreachable("No answer from the endpoint.")

    done = run(Broken(), environment, QUESTION)
    assert (done.answer.status, done.answer.value) == ("failed", None)
    assert "endpoint" in done.answer.note


def test_evidence_that_a_policy_names_is_checked(environment: Environment) -> None:
    named = (
        Evidence(PAPER, 1, None, "Many clerks drink tea.", verified=False),
        Evidence(PAPER, 1, None, "All clerks drink tea.", verified=True),
    )
    step = Step("", Call("GenerateAnswer", {"answer": 48}), answer=Answer("answered", 48, named))
    found = play(environment, step).answer.evidence
    assert [each.verified for each in found] == [True, False]
    assert found[0].page_label == "101"


def test_an_answer_that_is_not_sure_shows_few_pieces_that_stand_on_their_page(
    environment: Environment,
) -> None:
    said = ("Many clerks drink tea.", "All clerks drink tea.", "The clerks typed for 30 minutes.")
    more = ("Mira Olsen, Teun de Wit and Aiko Brand", "We measure words per minute (WPM) of 48 clerks.")
    pieces = [Evidence(PAPER, 1, None, quote, verified=False) for quote in (*said, *more)]
    said_so = Answer("answered", 48, (*pieces,), 0.6, probability=0.6)
    likely = Step("", Call("GenerateAnswer", {"answer": 48}), answer=said_so)
    told = play(environment, likely).answer
    assert (told.value, told.probability) == (48, 0.6)
    assert [each.quote for each in told.evidence] == [said[0], said[2], more[0]]
    unread = Answer("answered", 48, (pieces[1], pieces[0]), 0.6, probability=0.6)
    denied = play(environment, replace(likely, answer=unread)).answer
    assert (denied.status, denied.value, denied.probability) == ("abstained", None, 0.0)
    assert [each.quote for each in denied.evidence] == [said[0]]


def test_a_model_that_gives_up_leaves_what_is_found_without_it(environment: Environment) -> None:
    look = Step("", Call("ClassicRetrieve", {"query": "green tea raised the speed"}))
    alone = run(OfflinePolicy(), environment, QUESTION).answer
    for done in (play(environment, look, answer(None)), play(environment, look, max_turns=1)):
        assert (done.answer.status, done.answer.value) == ("abstained", None)
        assert done.answer.evidence == alone.evidence[:3]
        assert done.answer.evidence
        assert done.answer.note


class Unreadable(Library):
    """A library in which no paper can be looked up."""

    error: Exception

    def paper(self, name: str) -> Any:
        raise self.error


@pytest.mark.parametrize("error", [QueryError("The index is gone."), RuntimeError("a bug")])
def test_rules_that_fail_cost_no_run_of_a_model(error: Exception) -> None:
    library = Unreadable(small_library().settings)
    library.error = error
    talk = (Exchange("Who wrote it?", "Mira Olsen", (PAPER,)),)
    asked = replace(QUESTION, text="How many clerks does it have?", anchor_papers=(), conversation=talk)
    done = run(Script(Step("", SQL), answer(None)), Environment(library), asked).answer
    assert (done.status, done.value) == ("abstained", None)
    assert "Nothing was found without a model" in done.note


def test_a_stopped_run_shows_what_it_saw_and_searches_no_more(environment: Environment) -> None:
    stops = iter([False, True])
    listening = Listening(None, lambda: next(stops))
    done = run(Script(Step("", SQL)), environment, QUESTION, listening=listening).answer
    assert (done.status, done.stopped, done.evidence) == ("abstained", True, ())


def test_what_is_found_without_a_model_is_of_the_papers_spoken_of() -> None:
    held, other = rows(), "99999999-9999-5999-8999-999999999999"
    held["metadata"].append({"paper_id": other, "title": "Coffee", "num_pages": 9, "publisher": "Cup Press"})
    held["metadata"][0].update(publisher="Kettle Press")
    talk = (Exchange("Who wrote it?", "Mira Olsen", (PAPER, "77777777-9999-5999-8999-999999999999")),)
    asked = Question("q", "Who is its publisher?", "", conversation=talk)
    done = run(Script(answer(None)), Environment(stored(held)), asked).answer
    assert "Without a model: Kettle Press." in done.note


def test_what_is_sure_without_a_page_to_show_is_told(environment: Environment) -> None:
    asked = Question("q", "How many papers are there?", "int")
    done = run(Script(answer(None)), environment, asked).answer
    assert (done.status, done.evidence) == ("abstained", ())
    assert "Without a model: 1." in done.note


def test_without_named_evidence_the_rows_seen_are_taken(environment: Environment) -> None:
    look = Step("", Call("ClassicRetrieve", {"query": "clerks words per minute"}))
    found = play(environment, look, answer(48)).answer.evidence
    assert found[0].verified
    assert "48 clerks" in found[0].quote


@pytest.mark.parametrize(("field", "kind"), [("anchor_papers", "rows"), ("only", "error")])
def test_only_the_user_restricts_a_search(environment: Environment, field: str, kind: str) -> None:
    nowhere = ("99999999-9999-5999-8999-999999999999",)
    named = Question("q2", "?", anchor_papers=nowhere)
    elsewhere = named if field == "anchor_papers" else Question("q2", "?", only=nowhere)
    look = Step("", Call("ClassicRetrieve", {"query": "tea"}))
    seen = run(Script(look, answer(None)), environment, elsewhere).steps[0].observation
    assert seen is not None
    assert seen.kind == kind


def test_a_model_hears_of_no_action_but_its_own(environment: Environment) -> None:
    script = Script(
        Step("", Call("CalculateExpr", {"expr": "1"}), reply="said"),
        Step("", Call("ClassicRetrieve", {"query": "tea", "filter": ""}), reply="said"),
        answer(1),
    )
    script.actions = ("ClassicRetrieve", "GenerateAnswer")
    for step in run(script, environment, QUESTION).steps[:2]:
        assert step.observation is not None
        assert step.observation.kind == "error"
        assert "Vectorstore" not in step.observation.text
        assert "Database" not in step.observation.text


@pytest.mark.parametrize("value", [float("nan"), [1, [1e999]], int("9" * 400)])
def test_a_number_that_nobody_can_read_is_an_error_of_the_answer(
    environment: Environment, value: object
) -> None:
    done = play(environment, answer(value), answer(value))
    assert [step.observation.kind for step in done.steps if step.observation] == ["error", "final"]
    assert (done.answer.status, done.answer.value) == ("failed", None)
    assert "cannot be kept" in done.answer.note
    assert play(environment, answer(value), answer(48)).answer.value == 48


def test_every_step_is_told_as_it_happens(environment: Environment) -> None:
    told: list[Step] = []
    run(Script(Step("", SQL), answer(1)), environment, QUESTION, on_step=told.append)
    assert [step.call.name for step in told if step.call] == ["RetrieveFromDatabase", "GenerateAnswer"]
