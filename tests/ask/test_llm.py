"""A model in the loop: scripted, and behind a real server that misbehaves."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from quire.ask.formats import FORMATS, render_call
from quire.ask.llm import LLMPolicy, llm_policy
from quire.ask.loop import run
from quire.ask.methods import METHODS
from quire.ask.streaming import Listening
from quire.errors import ContextOverflow, ModelDeclined, ModelUnreachable, OfflineError
from quire.llm import Completion, Gateway, Meter, Model, Scripted, ToolCall
from quire.llm.budget import Budgeted
from quire.search.encoders import BM25
from quire.settings import Agent, Price, Settings
from quire.settings import ModelSettings as ModelSettings
from quire.types import Call, Said, Trajectory, Usage
from tests.ask.small_library import PAPER, TEXT, ask, environment
from tests.llm import server
from tests.llm.server import serving

LOOK = '[Thought]: look\n[Action]: RetrieveFromDatabase(sql="SELECT page_content FROM pages")'
FIND = (
    "[Thought]: find\n[Action]: RetrieveFromVectorstore(query='rankings', collection_name='text_bm25_en', "
    "table_name='chunks', column_name='text_content')"
)
SAY = (
    f'[Thought]: seen\n[Evidence]: {PAPER}, page 1, "up to eight positions"\n'
    "[Action]: GenerateAnswer(answer=8)"
)


def policy(replies: Iterable[str | Completion | Exception], **agent: Any) -> tuple[LLMPolicy, Scripted]:
    scripted = Scripted(replies)
    return llm_policy(
        Model("scripted", scripted), environment(), Agent(**{"method": "full_hybrid", **agent}), (BM25,)
    ), scripted


def play(*replies: str | Completion | Exception, max_turns: int = 20, **agent: Any) -> Trajectory:
    made, _ = policy(replies, **agent)
    return run(made, made.environment, ask(), max_turns)


def test_it_looks_and_answers_with_evidence() -> None:
    done = play(LOOK, SAY)
    assert (done.answer.status, done.answer.value, done.model) == ("answered", 8, "scripted")
    (evidence,) = done.answer.evidence
    assert (evidence.quote, evidence.page, evidence.verified) == ("up to eight positions", 1, True)
    assert done.usage.calls == 2


def test_a_quote_that_is_not_there_stays_unverified() -> None:
    done = play(LOOK, SAY.replace("eight", "nine"))
    assert [each.verified for each in done.answer.evidence] == [False]


def test_without_named_evidence_the_rows_it_saw_are_taken() -> None:
    done = play(
        FIND,
        "[Thought]: x\n[Action]: GenerateAnswer(answer='eight positions')",
        "[Action]: GenerateAnswer(answer=8)",
    )
    assert done.answer.value == 8
    asked = ask(answer_format="a string")
    made, _ = policy([FIND, "[Thought]: x\n[Action]: GenerateAnswer(answer='eight positions')"])
    (evidence,) = run(made, made.environment, asked).answer.evidence
    assert (evidence.verified, evidence.page, evidence.quote) == (True, 1, TEXT)


def test_an_answer_of_the_wrong_form_is_mended_once_by_the_model() -> None:
    bad = "[Action]: GenerateAnswer(answer='many')"
    done = play(bad, SAY)
    assert done.answer.value == 8
    assert done.steps[0].observation is not None
    assert "a whole number, not 'many'" in done.steps[0].observation.text
    done = play(bad, bad)
    assert (done.answer.status, done.answer.value) == ("answered", "many")
    assert "not in the asked form" in done.answer.note


@pytest.mark.parametrize("action_format", list(FORMATS))
def test_the_same_run_in_every_action_format(action_format: str) -> None:
    calls = [
        Call("RetrieveFromDatabase", {"sql": "SELECT 'it''s' AS \"a\""}),
        Call("GenerateAnswer", {"answer": 8}),
    ]
    replies: list[str | Completion | Exception] = []
    for call in calls:
        if action_format == "tools":
            import json

            replies.append(Completion("", (ToolCall(call.name, json.dumps(call.arguments), "c"),)))
        else:
            replies.append(f"[Thought]: t\n[Action]: {render_call(call, action_format)}")
    made, scripted = policy(replies, action_format=action_format)
    done = run(made, made.environment, ask())
    assert [step.call for step in done.steps] == calls
    assert done.answer.value == 8
    if action_format == "tools":
        assert [message.role for message in scripted.requests[1]] == ["system", "user", "assistant", "tool"]


def test_the_beginning_of_every_request_is_byte_identical() -> None:
    made, scripted = policy([LOOK, FIND, LOOK, SAY])
    run(made, made.environment, ask())
    for before, after in zip(scripted.requests, scripted.requests[1:], strict=False):
        assert after[: len(before)] == before


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_runs_in_the_one_loop(name: str) -> None:
    moves = {
        "RetrieveFromDatabase": LOOK,
        "RetrieveFromVectorstore": FIND,
        "ClassicRetrieve": "[Action]: ClassicRetrieve(query='rankings')",
        "Search": "[Action]: Search(query='rankings')",
        "GenerateAnswer": SAY,
    }
    stages = METHODS[name].stages
    replies = [moves[stage[0]] for stage in stages] + ([SAY] if stages[0][0] != "GenerateAnswer" else [])
    done = play(*replies, method=name)
    assert (done.answer.status, done.answer.value) == ("answered", 8)
    if METHODS[name].opening:
        assert done.steps[0].observation is not None
        assert done.steps[0].observation.kind == "rows"
        assert done.steps[0].usage == Usage()


def test_an_action_of_another_stage_is_an_error_that_lists_what_is_allowed() -> None:
    done = play(SAY, LOOK, LOOK, SAY, method="two_stage_symbolic")
    kinds = [step.observation.kind if step.observation else "" for step in done.steps]
    assert kinds == ["error", "rows", "error", "final"]
    assert "RetrieveFromDatabase" in done.steps[0].observation.text  # type: ignore[union-attr]


def test_at_the_turn_limit_it_is_asked_once_more_and_never_given_the_observation() -> None:
    made, scripted = policy([LOOK, LOOK, SAY], max_turns=2)
    done = run(made, made.environment, ask(), max_turns=2)
    assert done.answer.value == 8
    assert "2 turns" in done.answer.note
    assert "best answer now" in scripted.requests[-1][-1].text
    gave_up = play(LOOK, LOOK, LOOK, max_turns=2)
    assert (gave_up.answer.status, gave_up.answer.value) == ("abstained", None)
    silent = play(LOOK, LOOK, "[Action]: GenerateAnswer(answer=None)", max_turns=2)
    assert silent.answer.status == "abstained"


def test_several_actions_in_one_reply() -> None:
    done = play(f"{LOOK}\n\n{LOOK}", SAY)
    assert done.steps[0].observation is not None
    assert "only the first" in done.steps[0].observation.text


def test_a_prompt_that_is_too_long_is_shortened_and_stays_so() -> None:
    long = ContextOverflow("too long")
    looks = [LOOK.replace("FROM pages", f"FROM pages LIMIT {number}") for number in range(1, 7)]
    made, scripted = policy([*looks[:4], long, *looks[4:], SAY])
    done = run(made, made.environment, ask())
    assert done.answer.value == 8
    lengths = [len(request) for request in scripted.requests]
    assert lengths[4] == 10  # everything
    assert lengths[5:] == [8, 8, 8]  # three turns in full from then on


def test_a_prompt_that_is_always_too_long_ends_the_run() -> None:
    made, _ = policy([ContextOverflow("too long")] * 9)
    done = run(made, made.environment, ask("Who invented chocolate?"))
    assert (done.answer.status, done.answer.note) == ("failed", "too long")


def test_a_window_that_is_too_small_leaves_what_is_found_without_the_model() -> None:
    done = play(*[ContextOverflow("too long")] * 9)
    assert (done.answer.status, done.answer.value) == ("abstained", None)
    assert done.answer.note.startswith("too long")
    assert "eight positions" in done.answer.evidence[0].quote


def test_a_model_that_declines_abstains_with_its_words() -> None:
    for refusal in (ModelDeclined("m declines: no."), Completion("no.", finish_reason="refusal")):
        done = play(LOOK, refusal)
        assert done.answer.status == "abstained"
        assert "no." in done.answer.note
    assert done.usage.calls == 2  # a refusal is paid for too


def test_a_model_that_cannot_be_reached_fails_the_run() -> None:
    done = play(LOOK, ModelUnreachable("No connection."))
    assert (done.answer.status, done.answer.note) == ("failed", "No connection.")
    assert len(done.steps) == 1


def test_the_last_answer_is_asked_for_while_it_can_be_paid() -> None:
    price = Price(prompt=1000.0, completion=1000.0)  # a dollar per thousand tokens
    meter = Meter(limit=10.0)
    scripted = Scripted(
        [Completion(LOOK, usage=Usage(2000, 10))] * 2 + [Completion(SAY, usage=Usage(2000, 10))] * 9
    )
    model = Model("m", Budgeted(scripted, meter, price), {"max_tokens": 50}, meter, price)
    made = llm_policy(model, environment(), Agent(method="full_hybrid"), (BM25,))
    done = run(made, made.environment, ask())
    assert done.answer.value == 8
    assert meter.total.cost <= 10.0
    meter = Meter(limit=5.0)
    scripted = Scripted([Completion(LOOK, usage=Usage(2000, 10)), Completion(SAY, usage=Usage(2000, 10))])
    model = Model("m", Budgeted(scripted, meter, price), {"max_tokens": 50}, meter, price)
    made = llm_policy(model, environment(), Agent(method="full_hybrid"), (BM25,))
    done = run(made, made.environment, ask())
    assert "one last answer" in done.answer.note
    assert done.answer.value == 8
    assert meter.total.cost <= 5.0


def test_earlier_cases_stand_before_the_question() -> None:
    scripted = Scripted([SAY])
    made = llm_policy(
        Model("m", scripted),
        environment(),
        Agent(method="full_hybrid"),
        (BM25,),
        shots=("[Question]: a\n[Answer]: b",),
    )
    run(made, made.environment, ask())
    assert scripted.requests[0][1].text.index("[Answer]: b") < scripted.requests[0][1].text.index(
        "positions do"
    )


def served(acts: list[server.Act], library: Path, offline: bool = False, **model: Any) -> Trajectory:
    with serving(acts) as running:
        settings = Settings(
            library=library,
            offline=offline,
            model=ModelSettings(
                name="m", base_url=running.url, cache=False, time_limit=2.0, retries=2, **model
            ),
        )
        made = llm_policy(Gateway(settings).model(), environment(), Agent(method="full_hybrid"), (BM25,))
        return run(made, made.environment, ask())


def test_over_a_server_every_bad_day_ends_as_it_should(tmp_path: Path) -> None:
    look, say = server.say(LOOK), server.say(SAY)
    fine: list[list[server.Act]] = [
        [look, server.fail(429, retry_after=0), say],
        [look, server.fail(500, retry_after=0), server.truncated(), say],
        [look, server.too_long(), say],
        [look, server.say("I am not sure."), say],
        [server.call_tool("ClassicRetrieve", '{"query": "rankings"}'), say],
        [look, server.slowly(SAY, 0.1, 5)],
    ]
    for acts in fine:
        done = served(acts, tmp_path)
        assert (done.answer.status, done.answer.value) == ("answered", 8), done
    refused = served([look, server.refuse("I cannot.")], tmp_path)
    assert (refused.answer.status, "I cannot." in refused.answer.note) == ("abstained", True)
    wrong_key = served([server.fail(401, "bad key")], tmp_path)
    assert (wrong_key.answer.status, "OPENAI_API_KEY" in wrong_key.answer.note) == ("failed", True)
    broken = served([look] + [server.truncated()] * 3, tmp_path)
    assert (broken.answer.status, "tried 3 times" in broken.answer.note) == ("failed", True)


def test_offline_is_a_hard_switch(tmp_path: Path) -> None:
    with pytest.raises(OfflineError):
        served([server.say(SAY)], tmp_path, offline=True)


def test_text_is_passed_on_while_it_arrives(tmp_path: Path) -> None:
    heard: list[Said] = []
    with serving([server.stream_text(LOOK[:20], LOOK[20:]), server.stream_text(SAY)]) as running:
        settings = Settings(
            library=tmp_path, model=ModelSettings(name="m", base_url=running.url, cache=False)
        )
        made = llm_policy(
            Gateway(settings).model(),
            environment(),
            Agent(method="full_hybrid"),
            (BM25,),
            listening=Listening(heard.append),
        )
        assert run(made, made.environment, ask()).answer.value == 8
    assert [said.text.strip() for said in heard] == ["look", "seen"]


def test_the_shelf_is_as_the_tests_say() -> None:
    assert environment().run(
        Call("RetrieveFromDatabase", {"sql": "SELECT page_content FROM pages WHERE page_content <> ''"})
    ).rows == ({"page_content": TEXT},)
