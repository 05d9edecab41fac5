"""The table of methods: what each may do, and when."""

from __future__ import annotations

import pytest

from quire.ask.actions import ACTIONS
from quire.ask.methods import ANSWER, METHODS
from quire.errors import UnknownNameError
from quire.types import Call, Observation, Question, Step

QUESTION = Question("q", "What is dropout?", anchor_papers=("it's",))


def seen(kind: str, reply: str = "said") -> Step:
    return Step("", Call("RetrieveFromDatabase", {}), Observation(kind, ""), reply)  # type: ignore[arg-type]


def test_every_method_of_the_design_is_a_row() -> None:
    assert list(METHODS) == [
        "question_only",
        "title_abstract",
        "full_text",
        "classic_rag",
        "iterative_classic",
        "two_stage_neural",
        "two_stage_symbolic",
        "two_stage_hybrid",
        "iterative_neural",
        "iterative_symbolic",
        "classic_sql",
        "full_hybrid",
        "evidence_first",
        "overview",
        "comparison",
        "summary",
    ]


def test_every_method_ends_with_an_answer_and_uses_known_actions() -> None:
    for each in METHODS.values():
        assert ANSWER in each.stages[-1]
        assert set(each.actions) <= set(ACTIONS)


def test_the_actions_of_the_recorded_conversations() -> None:
    assert METHODS["classic_sql"].actions == ("RetrieveFromDatabase", "ClassicRetrieve", ANSWER)
    assert set(ACTIONS) - set(METHODS["full_hybrid"].actions) == {
        "ClassicRetrieve",
        "ReadRows",
        "Search",
        "FirstLook",
    }


def test_a_second_stage_begins_when_something_was_found() -> None:
    two = METHODS["two_stage_symbolic"]
    assert two.stage([]) == ("RetrieveFromDatabase",)
    assert two.stage([seen("error"), seen("warning")]) == ("RetrieveFromDatabase",)
    assert two.stage([seen("error"), seen("rows")]) == (ANSWER,)
    assert two.stage([seen("rows"), seen("rows")]) == (ANSWER,)


def test_an_opening_is_no_step_of_the_model() -> None:
    assert METHODS["two_stage_symbolic"].stage([seen("rows", reply="")]) == ("RetrieveFromDatabase",)


def test_openings_look_at_the_named_papers_or_search() -> None:
    named = METHODS["title_abstract"].first_call(QUESTION)
    assert named is not None
    assert named.arguments["sql"].endswith("WHERE paper_id IN ('it''s')")
    free = METHODS["full_text"].first_call(Question("q", "What is dropout?"))
    assert free is not None
    assert (free.name, free.arguments["column_name"]) == ("RetrieveFromVectorstore", "page_content")
    assert METHODS["classic_rag"].first_call(QUESTION) == Call(
        "ClassicRetrieve", {"query": "What is dropout?", "limit": 4}
    )
    assert METHODS["full_hybrid"].first_call(QUESTION) is None
    assert METHODS["full_hybrid"].first_call(QUESTION, brief=True) is None


def test_a_brief_opening_shows_two_hits() -> None:
    whole, brief = (METHODS["evidence_first"].first_call(QUESTION, brief=brief) for brief in (False, True))
    assert whole is not None
    assert brief == Call(whole.name, {**whole.arguments, "limit": 2})
    assert whole.arguments["limit"] == 5
    assert METHODS["title_abstract"].first_call(QUESTION, brief=True) == METHODS["title_abstract"].first_call(
        QUESTION
    )


def test_an_unknown_method_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="full_hybrid"):
        METHODS["magic"]
