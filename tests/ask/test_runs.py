from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.ask import runs
from quire.ask.chats import export_chat, import_chat
from quire.ask.environment import Environment
from quire.ask.methods import METHODS
from quire.ask.replay import diff, replay, rerun
from quire.ask.runs import from_lines, to_lines
from quire.errors import RunError
from quire.settings import Observations
from quire.types import Answer, Box, Call, Evidence, Final, Observation, Question, Step, Trajectory, Usage

from .one_paper import PAPER, small_library

FINAL = Final("final", '"Tea"', answer="Tea")
VALUES = st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=4)
TITLE = Call("RetrieveFromDatabase", {"sql": "SELECT title FROM metadata"})


@cache
def made(run_id: str = "20260101-120000-abcdef") -> Trajectory:
    environment = Environment(small_library())
    evidence = Evidence(PAPER, 1, Box(1, 2, 3, 4), "tea", verified=True, page_label="101")
    steps = (
        Step("Look.", TITLE, environment.run(TITLE), usage=Usage(5, 1, calls=1)),
        Step("", None, Observation("image", "see", image=b"\x89PNG\x00"), reply="??"),
        Step(
            "Done.",
            Call("GenerateAnswer", {"answer": "Tea"}),
            Final("final", '"Tea"', answer="Tea"),
        ),
    )
    question = Question("q", "Which title?", "string", (PAPER,), tags=("a",), extra={"x": [1]})
    answer = Answer("answered", "Tea", (evidence,), 0.9, "note")
    return Trajectory(
        run_id, question, steps, answer, Usage(5, 1, calls=1), 1.5, "m", "offline", "2026-01-01T12:00:00"
    )


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    runs.save(tmp_path, made())
    assert runs.load(tmp_path, "20260101-120000-abcdef") == made()
    assert runs.load(tmp_path, "2026") == made()


@given(
    text=st.text(max_size=40),
    value=st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=4),
)
def test_any_text_survives_the_record(text: str, value: object) -> None:
    run = replace(made(), question=Question("q", text), answer=Answer("answered", value, note=text))
    assert from_lines(list(to_lines(run))) == run


def test_signs_that_end_lines_elsewhere_end_no_line_of_a_record(tmp_path: Path) -> None:
    run = replace(made(), question=Question("q", "Which\u2028title\u2029is\x85it?"))
    runs.save(tmp_path, run)
    assert runs.load(tmp_path, run.run_id) == run


def test_values_that_json_lacks_become_text() -> None:
    run = replace(made(), steps=(Step("", None, Observation("rows", "", ({"n": Decimal("1.5")},))),))
    back = from_lines(list(to_lines(run)))
    assert back.steps[0].observation is not None
    assert back.steps[0].observation.rows == ({"n": "1.5"},)


def test_stored_runs_are_listed_latest_first(tmp_path: Path) -> None:
    for run_id in ("20260101-a", "20260102-b"):
        runs.save(tmp_path, made(run_id))
    (tmp_path / "runs" / "broken.jsonl").write_text("not json")
    found = runs.listed(tmp_path)
    assert [each.run_id for each in found] == ["20260102-b", "20260101-a"]
    assert (found[0].outcome, found[0].turns) == ("answered", 3)


def test_missing_ambiguous_broken_and_odd_runs(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no run"):
        runs.load(tmp_path, "x")
    for run_id in ("ab1", "ab2"):
        runs.save(tmp_path, made(run_id))
    with pytest.raises(RunError, match="2 runs"):
        runs.load(tmp_path, "ab")
    for text in ("not json", "[1]", '{"type": "step", "call": {"name": "x"}}', ""):
        (tmp_path / "runs" / "odd.jsonl").write_text(text)
        with pytest.raises(RunError):
            runs.load(tmp_path, "odd")
    with pytest.raises(RunError, match="cannot be the id"):
        runs.save(tmp_path, made("../outside"))


def test_a_run_that_was_cut_off_has_failed() -> None:
    lines = list(to_lines(made()))[:-1]
    assert from_lines(lines).answer.status == "failed"


def test_a_replay_on_the_same_library_differs_in_nothing() -> None:
    run = made()
    assert replay(run, Environment(small_library())) == []
    assert rerun(run, Environment(small_library())).steps[0] == run.steps[0]


def test_a_replay_of_a_run_of_a_model_differs_in_nothing() -> None:
    environment = Environment(small_library(), format="json").limited_to(METHODS["classic_sql"].actions)
    asked = Question("q", "?", anchor_papers=(PAPER,), only=("99999999-9999-5999-8999-999999999999",))
    calls = (
        TITLE,
        Call("ClassicRetrieve", {"query": "tea"}),
        Call("CalculateExpr", {"expr": "1"}),
        Call("ClassicRetrieve", {"filter": ""}),
    )
    settings = {"observations": {"format": "markdown", "max_rows": 1}, "agent": {"action_format": "json"}}
    shown = replace(environment, settings=Observations(format="markdown", max_rows=1)).asked(asked)
    steps = [Step("", call, shown.run(call), reply="said", notes=("[Warning]: two",)) for call in calls]
    noted = [
        replace(step, observation=replace(step.observation, text=f"{step.observation.text}\n[Warning]: two"))
        for step in steps
        if step.observation
    ]
    final = Step("", Call("GenerateAnswer", {"answer": 1}), Observation("error", "sent back"), reply="said")
    run = replace(made(), question=asked, steps=(*noted, final), method="classic_sql", settings=settings)
    stored = from_lines(list(to_lines(run)))
    assert replay(stored, Environment(small_library())) == []


@pytest.mark.parametrize(
    "settings",
    [
        {"agent": {"action_format": "xml"}},
        {"agent": {"action_format": 3}},
        {"observations": {"format": "xml"}},
    ],
)
def test_settings_that_no_run_can_have_had_are_told(settings: dict[str, object]) -> None:
    wrong = Step("", Call("CalculateExpr", {"expr": "("}), Observation("error", "?"))
    with pytest.raises(RunError, match="settings of the run"):
        replay(replace(made(), steps=(wrong,), settings=settings), Environment(small_library()))


def test_a_replay_shows_what_the_library_says_now() -> None:
    changed = replace(made(), steps=(replace(made().steps[0], observation=Observation("rows", "other")),))
    (difference,) = replay(changed, Environment(small_library()))
    assert (difference.turn, difference.before) == (1, "other")
    assert "+" in difference.unified()


def test_two_runs_side_by_side() -> None:
    one, other = made(), replace(made(), answer=Answer("abstained"), steps=made().steps[:1], model="x")
    assert {(each.turn, each.what) for each in diff(one, other)} == {
        (0, "model"),
        (2, "observation"),
        (3, "action"),
        (3, "observation"),
        (0, "answer"),
    }
    assert diff(one, one) == []


def test_a_run_as_a_conversation_and_back() -> None:
    lines = list(export_chat(made()))
    assert [json.loads(line)["role"] for line in lines[:2]] == ["user", "assistant"]
    back = import_chat(lines, "x")
    assert back.question.text == "Which title?"
    assert back.question.anchor_papers == (PAPER,)
    assert back.steps[0].call == TITLE
    assert back.steps[0].thought == "Look."
    assert back.steps[1].call is None
    assert (back.answer.status, back.answer.value) == ("answered", "Tea")


def test_imported_observations_keep_their_kind_and_rows() -> None:
    messages = [
        ("user", "[Question]: Q?\n[Answer Format]: a string\n[Anchor PDF]: ['p1', 'p2']"),
        ("assistant", "[Thought]: t\n[Action]:\nClassicRetrieve(query='a', filter='b')"),
        ("user", "[Observation]: [Error]: Failed to parse."),
        ("assistant", "[Action]: ClassicRetrieve(query='a')"),
        (
            "user",
            '[Observation]:\n{"score": 1, "text": "x"}\n\nIn total, 1 rows are displayed.',
        ),
        ("assistant", "[Action]: ClassicRetrieve(query='z')"),
        ("user", "[Observation]: [Warning]: Nothing."),
    ]
    run = import_chat([json.dumps({"role": role, "content": text}) for role, text in messages], "x")
    assert [step.observation.kind for step in run.steps if step.observation] == ["error", "rows", "warning"]
    assert run.steps[1].observation is not None
    assert run.steps[1].observation.rows == ({"score": 1, "text": "x"},)
    assert (run.question.anchor_papers, run.question.answer_format) == (("p1", "p2"), "a string")
    assert run.answer.status == "abstained"


@pytest.mark.parametrize(
    "lines", [["nonsense"], ['{"role": "user"}'], ['{"role": "assistant", "content": "x"}'], []]
)
def test_what_is_no_conversation_is_told(lines: list[str]) -> None:
    with pytest.raises(RunError):
        import_chat(lines, "x")


@pytest.mark.parametrize(
    "run_id", ["../../x", "/tmp/x", "..", ".", "", "a/b", "a\n", "-rf", "x" * 300, "ü" * 120]
)
def test_an_id_that_leads_elsewhere_is_neither_saved_nor_loaded(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(RunError, match="cannot be the id"):
        runs.save(tmp_path, replace(made(), run_id=run_id))
    place = tmp_path / "runs" / "honest.jsonl"
    place.parent.mkdir(exist_ok=True)
    place.write_text("\n".join(to_lines(replace(made(), run_id=run_id))))
    with pytest.raises(RunError, match="cannot be the id"):
        runs.load(tmp_path, "honest")


def test_a_record_under_another_name_is_not_read(tmp_path: Path) -> None:
    runs.save(tmp_path, made()).rename(tmp_path / "runs" / "other.jsonl")
    with pytest.raises(RunError, match="holds the run"):
        runs.load(tmp_path, "other")
    assert runs.listed(tmp_path) == []


def test_no_run_is_overwritten(tmp_path: Path) -> None:
    runs.save(tmp_path, made())
    with pytest.raises(RunError, match="already"):
        runs.save(tmp_path, replace(made(), seconds=99))
    assert runs.load(tmp_path, made().run_id) == made()


@pytest.mark.parametrize(
    "line",
    [
        "[" * 200_000,
        '{"type": "run", "run_id": "bad", "settings": ' + '{"a":' * 200_000,
        '{"type": "run", "run_id": "bad", "question": 5}',
        '{"type": "run", "run_id": "bad", "question": ["x"]}',
        '{"type": "run", "run_id": "bad"}\n{"type": "answer", "evidence": ["x"]}',
        '{"type": "run", "run_id": "bad"}\n{"type": "step", "call": 7}',
    ],
)
def test_a_broken_record_is_told_as_one(tmp_path: Path, line: str) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bad.jsonl").write_text(line)
    with pytest.raises(RunError):
        runs.load(tmp_path, "bad")
    assert runs.listed(tmp_path) == []
    with pytest.raises(RunError):
        import_chat([line.partition("\n")[0]], "x")


def test_the_newest_are_listed_without_reading_the_rest(tmp_path: Path) -> None:
    for number in range(5):
        runs.save(tmp_path, replace(made(), run_id=f"2026010{number}"))
    (tmp_path / "runs" / "20260100.jsonl").write_text("damaged", encoding="utf-8")
    assert [run.run_id for run in runs.listed(tmp_path, 2, 1)] == ["20260103", "20260102"]
    assert (len(runs.listed(tmp_path)), runs.count(tmp_path)) == (4, 5)
    found = Evidence("p", 1, None, "a quote", verified=True)
    for answer, told in (
        (Answer("abstained"), "nothing"),
        (Answer("abstained", evidence=(found,)), "evidence"),
        (Answer("answered", 3), "answered"),
    ):
        assert runs.outcome(answer) == told


@pytest.mark.parametrize("content", ["nonsense", "[]", "{}", ""])
def test_a_garbled_record_is_told_by_its_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "2026-11-26-0000.jsonl").write_text(content)
    with pytest.raises(RunError, match=r"2026-11-26-0000\.jsonl"):
        runs.read(tmp_path / "2026-11-26-0000.jsonl")
