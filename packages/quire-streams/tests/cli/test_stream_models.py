"""Streams with a language model from the command line: money, cache, filters, parameters, keys."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.app.cli.conftest import Command
from tests.llm import server
from tests.llm.server import Server, serving

from tasks.datasets import toolbench

REPLY = 0.0002  # dollars for the 100 tokens of prompt and 10 of reply that the server counts


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Twenty requests, ten of them judged by a model."""
    (tmp_path / "toolbench").mkdir()
    return toolbench(tmp_path / "toolbench")


def _judged(data: Path, runs: Path) -> tuple[str | Path, ...]:
    return ("--task", "toolbench", "--data", data, "--model", "m", "--judge", "j", "-o", runs)


def _settings(monkeypatch: pytest.MonkeyPatch, running: Server, library: Path, **model: Any) -> None:
    price = {"prompt": 1.0, "cached": 1.0, "completion": 10.0}
    given = {"base_url": running.url, "max_tokens": 20, "prices": {"m": price, "j": price}, **model}
    for name, value in given.items():
        text = value if isinstance(value, str) else json.dumps(value)
        monkeypatch.setenv(f"QUIRE_MODEL__{name.upper()}", text)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("QUIRE_LIBRARY", str(library))


def _say(handler: Any, body: Mapping[str, Any]) -> None:
    """A judgement, a lesson, or a call with words of its own."""
    prompt = body["messages"][-1]["content"]
    text = json.dumps({"action": "search", "action_input": {"entity": f"person {len(prompt)}"}})
    if "Reply with one word" in prompt:
        text = "yes"
    elif "Write one lesson" in prompt:
        text = "Name the person."
    server.say(text)(handler, body)


def test_one_limit_for_four_runs_with_judges_lessons_and_retries(
    quire: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = itertools.count(1)
    billed: list[float] = []

    def flaky(handler: Any, body: Mapping[str, Any]) -> None:
        if next(count) % 4 == 0:  # written and billed, and lost on its way
            billed.append(REPLY)
            server.truncated()(handler, body)
            return
        billed.append(REPLY)
        _say(handler, body)

    with serving([flaky] * 3000) as running:
        _settings(monkeypatch, running, tmp_path / "library", max_cost=0.01, temperature=1.0)
        asked = _judged(data, tmp_path / "runs")
        ran = quire("stream", "run", *asked, "--method", "playbook", "--seeds", 4, "--workers", 4)
    assert ran.code == 1
    assert "--max-cost" in ran.err
    assert 0.005 < sum(billed) <= 0.01 + REPLY


def test_an_answer_in_the_cache_does_not_break_later_runs(
    quire: Command, data: Path, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving([server.say("[Action]: GenerateAnswer(answer=3)"), *[_say] * 99]) as running:
        _settings(monkeypatch, running, filled)
        assert quire("ask", "How many authors are there?", "--model", "m").code == 0
        asked = ("--task", "toolbench", "--data", data, "--model", "m", "--limit", 6, "--json")
        for name in ("one", "two"):
            ran = quire("stream", "run", *asked, "--method", "zero_shot", "-o", tmp_path / name)
            assert ran.code == 0, ran.err
            (group,) = json.loads(ran.out)["groups"]
            assert group["errors"] == 0
    assert len(running.requests) == 7  # and the second run came from the cache


def test_parallel_first_requests_give_up_a_parameter_together(
    quire: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = threading.Barrier(4)

    def old(handler: Any, body: Mapping[str, Any]) -> None:
        if "max_tokens" in body:
            together.wait(20)  # all are under way before the first hears of it
            words = "Unsupported parameter: 'max_tokens'."
            server.fail(400, words, param="max_tokens")(handler, body)
        else:
            _say(handler, body)

    with serving([old] * 99) as running:
        _settings(monkeypatch, running, tmp_path / "library", cache=False)
        asked = ("--task", "toolbench", "--data", data, "--model", "m", "-o", tmp_path / "runs", "--limit", 8)
        ran = quire("stream", "run", *asked, "--method", "zero_shot", "--json")
    assert ran.code == 0, ran.err
    assert sum("max_tokens" in body for body in running.requests) == 4


def test_a_filtered_question_is_one_error(
    quire: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def filtering(handler: Any, body: Mapping[str, Any]) -> None:
        if "Who was Einstein" in body["messages"][-1]["content"]:
            server.fail(400, "Filtered.", code="content_filter")(handler, body)
        else:
            _say(handler, body)

    with serving([filtering] * 99) as running:
        _settings(monkeypatch, running, tmp_path / "library")
        asked = ("--task", "toolbench", "--data", data, "--model", "m", "-o", tmp_path / "runs")
        ran = quire("stream", "run", *asked, "--method", "zero_shot", "--json")
    assert ran.code == 0, ran.err
    (group,) = json.loads(ran.out)["groups"]
    assert group["errors"] == 1
    assert len(running.requests) == 20


@pytest.mark.parametrize("who", ["m", "j"])
def test_a_wrong_key_is_told_before_anything_is_recorded(
    who: str, quire: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(handler: Any, body: Mapping[str, Any]) -> None:
        (server.fail(401, "bad key") if body["model"] == who else _say)(handler, body)

    with serving([refusing] * 99) as running:
        _settings(monkeypatch, running, tmp_path / "library")
        asked = _judged(data, tmp_path / "runs")
        ran = quire("stream", "run", *asked, "--method", "zero_shot")
    assert ran.code == 1
    assert "OPENAI_API_KEY" in ran.err
    lines = [path.read_text().splitlines() for path in tmp_path.rglob("records.jsonl")]
    rows = [json.loads(line) for each in lines for line in each]
    assert not [row for row in rows if row["value"] is None or row["attempt"]["error"]]
