"""Styles, routers and rows of methods."""

from __future__ import annotations

from collections import Counter

import pytest

from quire.ask.routers import ROUTERS, DynamicThompson, Router, Thompson
from quire.errors import UnknownNameError
from quire.llm import Model, Scripted
from quire.memory.rendering import ModelLessons
from quire.types import Attempt, Experience, Instance, Shot, Verdict
from quire_streams.memories import ADMISSIONS, MEMORIES, READERS, RENDERERS
from quire_streams.methods import METHODS, PAPER_METHODS, STYLES, twin
from quire_streams.methods.styles import PromptSolver, split
from quire_streams.runs.opening import PlainLessons

INSTANCE = Instance("t", "1", "key", "Add.", "2 + {x}", "2 + 2", "A number.")
SHOT = Shot("1 + {1}\nAnswer: 2", Experience("k", "t", "0", {}, "2", Verdict("right"), 0, "m", "", "id"), 0.5)


def _parse(reply: str, instance: Instance) -> str:
    return reply.strip() if reply.strip().isdigit() else ""


def _solver(style: str, *replies: str) -> tuple[PromptSolver, Scripted]:
    model = Scripted(replies)
    return PromptSolver("m", Model("m", model), STYLES.load(style)(), _parse), model


def test_direct_asks_once_with_the_shot_before_the_question() -> None:
    solver, model = _solver("direct", "4")
    attempt = solver.solve(INSTANCE, (SHOT,))
    prompt = model.requests[0][0].text
    assert attempt.output == "4"
    assert attempt.model == "m"
    assert attempt.usage.calls == 1
    assert (
        prompt.index("Add.") < prompt.index("1 + {1}") < prompt.index("2 + {x}") < prompt.index("A number.")
    )


def test_without_shots_nothing_is_said_of_them() -> None:
    solver, model = _solver("direct", "4")
    solver.solve(INSTANCE, ())
    assert "Earlier" not in model.requests[0][0].text


def test_reasoning_is_kept_and_never_carried_over() -> None:
    solver, _ = _solver("reason", "Reasoning: two and two\nAnswer: 4", "5")
    first, second = (solver.solve(INSTANCE, ()) for _ in range(2))
    assert (first.output, first.rationale) == ("4", "two and two")
    assert (second.output, second.rationale) == ("5", "")


@pytest.mark.parametrize(
    ("reply", "parts"),
    [
        ("Reasoning: a\nAnswer: b", ("a", "b")),
        ("**Reasoning:** a\n**Answer:** b", ("** a", "b")),
        ("Answer: first\nno\nAnswer: last", ("Answer: first\nno", "last")),
        ("nothing marked", ("", "nothing marked")),
    ],
)
def test_splitting_a_reply(reply: str, parts: tuple[str, str]) -> None:
    rationale, answer = split(reply)
    assert answer == parts[1]
    assert parts[0].strip("* ") in rationale or not parts[0]


def test_refining_stops_when_the_critic_is_content() -> None:
    solver, model = _solver("refine", "3", "too small", "4", "KEEP THIS ANSWER")
    attempt = solver.solve(INSTANCE, ())
    assert attempt.output == "4"
    assert attempt.usage.calls == 4
    assert "Proposed answer:\n3" in model.requests[1][0].text
    assert "too small" in model.requests[2][0].text


def test_refining_ends_after_four_rounds_and_keeps_what_can_be_read() -> None:
    solver, model = _solver("refine", "3", *["no", "what?"] * 4)
    assert solver.solve(INSTANCE, ()).output == "3"
    assert len(model.requests) == 9


def test_every_row_names_parts_that_exist() -> None:
    for row in METHODS.values():
        assert row.style in STYLES
        assert row.memory in MEMORIES
        assert row.router in ROUTERS
        assert row.admit in ADMISSIONS
        assert row.render in RENDERERS
        assert row.readers in READERS
    assert [METHODS[name].paper for name in PAPER_METHODS] == [
        "Zero-Shot", "Few-Shot", "CoT", "Self-Refine", "GrowPrompt", "MemPrompt", "Self-StreamICL",
        "MAM-StreamICL",
    ]  # fmt: skip


def test_twins_have_no_memory() -> None:
    assert twin(METHODS["self_stream_icl"]).name == "zero_shot"
    assert twin(METHODS["mam_thompson"]).name == "zero_shot_round_robin"
    assert twin(METHODS["cot_stream_icl"]).name == "cot"
    assert all(twin(row).memory == "none" for row in METHODS.values())
    with pytest.raises(UnknownNameError, match="self_refine"):
        METHODS["self_refined"]


def _router(name: str, models: int = 3) -> Router:
    router: Router = ROUTERS.load(name)(models, 5)
    return router


def test_round_robin_is_the_papers() -> None:
    assert [_router("round_robin").turn(step).answers for step in range(4)] == [1, 2, 0, 1]
    assert {_router("round_robin_one_author").turn(step).learns for step in range(4)} == {0}


@pytest.mark.parametrize("kind", [Thompson, DynamicThompson])
def test_thompson_finds_the_best_and_can_be_replayed(kind: type[Thompson]) -> None:
    first, again = kind(3, 5), kind(3, 5)
    chosen = []
    for step in range(400):
        turn = first.turn(step)
        assert turn == again.turn(step)
        verdict = Verdict("right" if turn.answers == 2 or step % 3 == 0 else "wrong")
        for router in (first, again):
            router.reward(turn.answers, verdict)
        chosen.append(turn.answers)
    assert Counter(chosen[200:])[2] > 150


def test_dynamic_thompson_forgets() -> None:
    steady, moving = Thompson(2, 1), DynamicThompson(2, 1)
    for router in (steady, moving):
        for label in ["right"] * 500 + ["wrong"] * 100:
            router.reward(0, Verdict(label))  # type: ignore[arg-type]
        for _ in range(50):
            router.reward(1, Verdict("right"))
            router.reward(1, Verdict("wrong"))
    picks = [Counter(router.turn(step).answers for step in range(200)) for router in (steady, moving)]
    assert picks[0][0] > 190
    assert picks[1][0] < 60


def test_lessons() -> None:
    model = Scripted(["Look at the units.", "NOTHING"])
    writer = ModelLessons(Model("m", model))
    attempt = Attempt("4")
    assert writer.write(INSTANCE, attempt, Verdict("right", "gold: 9")) == "Look at the units."
    assert writer.write(INSTANCE, attempt, Verdict("wrong")) == ""
    assert "gold" not in model.requests[0][0].text
    assert (
        PlainLessons().write(INSTANCE, attempt, Verdict("wrong"))
        == "In a case like <2 + 2> do not answer <4>."
    )
