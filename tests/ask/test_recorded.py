"""Recorded conversations: parsed alike, and played again over the rows that they quote."""

from __future__ import annotations

import json

import pytest

from quire.ask.chats import import_chat
from quire.ask.environment import Environment
from quire.ask.llm import llm_policy
from quire.ask.loop import run
from quire.llm import Model, Scripted
from quire.search.encoders import BM25
from quire.settings import Agent
from quire.types import Call, Trajectory
from tests.ask.recorded import quoted_rows
from tests.ask.small_library import OTHER, PAPER
from tests.ask.stored import stored

HIT = {
    "score": 3.5,
    "pdf_id": PAPER,
    "page_number": 2,
    "table_name": "chunks",
    "column_name": "text_content",
    "primary_key": "e3aecd64-4c90-5c09-9498-256f0cadf11d",
    "text": "the ranking changes",
}
SECTION = {"section_content": "Introduction\nFive tracks are shared."}
PAGES = [{"page_content": "first"}, {"page_content": "second"}]
SEARCH = {
    "query": "Does the 'ranking' change?",
    "collection_name": BM25,
    "table_name": "chunks",
    "column_name": "text_content",
    "filter": f"pdf_id == '{PAPER}'",
    "limit": 5,
}
TURNS: list[tuple[Call, str]] = [
    (Call("RetrieveFromVectorstore", SEARCH), "\n" + json.dumps(HIT) + "\n\nIn total, 1 rows are displayed."),
    (
        Call("ClassicRetrieve", {"query": "x", "filter": ""}),
        "[Error]: got an unexpected keyword argument 'filter'.",
    ),
    (
        Call(
            "RetrieveFromDatabase",
            {
                "sql": f"SELECT section_content FROM sections WHERE ref_paper_id = '{PAPER}' "
                "AND section_title LIKE '%Introduction%';"
            },
        ),
        "\n" + json.dumps(SECTION),
    ),
    (
        Call(
            "RetrieveFromDatabase",
            {
                "sql": f"SELECT section_content FROM sections WHERE ref_paper_id = '{PAPER}' "
                "AND section_title = 'Intro'"
            },
        ),
        "[Warning]: The result is empty.",
    ),
    (
        Call(
            "RetrieveFromDatabase",
            {"sql": f"SELECT page_content FROM pages WHERE ref_paper_id = '{OTHER}' AND page_number <= 3;"},
        ),
        "\n" + "\n".join(map(json.dumps, PAGES)),
    ),
    (Call("GenerateAnswer", {"answer": ["it's", 'a "quote"']}), "['it\\'s', 'a \"quote\"']"),
]


def spoken(call: Call) -> str:
    words = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return f"[Thought]: Let me see.\n[Action]:\n{call.name}({words})"


def conversation() -> list[str]:
    asked = (
        "[Question]: Which?\n[Answer Format]: a list of strings\n"
        f"[Anchor PDF]: '{PAPER}'\n[Database Schema]: ..."
    )
    messages = [{"role": "system", "content": "Be an agent."}, {"role": "user", "content": asked}]
    for call, seen in TURNS:
        messages.append({"role": "assistant", "content": spoken(call)})
        messages.append({"role": "user", "content": f"[Observation]: {seen}"})
    return [json.dumps(message) for message in messages]


@pytest.fixture(scope="module")
def recorded() -> Trajectory:
    return import_chat(conversation(), "made-up")


def test_each_message_is_parsed_to_its_action(recorded: Trajectory) -> None:
    assert [step.call for step in recorded.steps] == [call for call, _ in TURNS]


def test_the_rows_it_quotes_by_table(recorded: Trajectory) -> None:
    rows = quoted_rows(recorded)
    assert rows["metadata"] == [{"paper_id": PAPER}]
    assert [row["text_content"] for row in rows["chunks"]] == ["the ranking changes"]
    assert rows["sections"][0]["section_title"] == "Introduction"
    assert [(row["page_number"], row["ref_paper_id"]) for row in rows["pages"]] == [
        (2, PAPER),
        (1, OTHER),
        (2, OTHER),
    ]
    assert rows["chunks"][0]["ref_page_id"] == rows["pages"][0]["page_id"]


def test_a_scripted_model_that_plays_it_gets_the_same_rows(recorded: Trajectory) -> None:
    environment = Environment(stored(quoted_rows(recorded)))
    environment = environment.limited_to([*environment.actions])
    model = Model("scripted", Scripted([step.reply for step in recorded.steps]))
    policy = llm_policy(model, environment, Agent(method="full_hybrid"), (BM25,))
    played = run(policy, environment, recorded.question)
    kinds = [step.observation.kind if step.observation else "" for step in played.steps]
    assert kinds == ["rows", "error", "rows", "warning", "rows", "final"]
    seen = [step.observation.rows if step.observation else () for step in played.steps]
    assert HIT.items() - {("score", HIT["score"])} <= seen[0][0].items()
    assert seen[2] == (SECTION,)
    assert sorted(map(str, seen[4])) == sorted(map(str, PAGES))
    assert played.answer.value == ["it's", 'a "quote"']


def test_the_faulty_action_is_told_what_there_is(recorded: Trajectory) -> None:
    environment = Environment(stored(quoted_rows(recorded)))
    observation = environment.run(TURNS[1][0])
    assert "no parameter `filter`" in observation.text
    assert "ClassicRetrieve(query: str, limit: int = 5)" in observation.text
    assert "RetrieveFromVectorstore" in observation.text


def test_an_empty_result_names_what_there_is(recorded: Trajectory) -> None:
    environment = Environment(stored(quoted_rows(recorded)))
    assert "Introduction" in environment.run(TURNS[3][0]).text
