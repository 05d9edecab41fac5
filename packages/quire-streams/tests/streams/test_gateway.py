"""Runs behind the wall ask models through their parent: one limit, one cache, no keys, all charged."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.llm import server
from tests.llm.server import Act, Server, serving

from quire.errors import BudgetExceeded, ModelRefused, ModelUnreachable
from quire.eval.record import read_records
from quire.eval.run import RunSpec
from quire.llm import Gateway, OpenModel, user
from quire.llm import sending as retrying_module
from quire.settings import ModelSettings as ModelSettings
from quire.settings import Price, Settings
from quire.types import Attempt, Instance, Shot
from quire_streams.report import report
from quire_streams.runs import session
from quire_streams.runs.opening import OpenSolver, SolverSource
from quire_streams.runs.sweep import RunOutcome, ThreadEngine, sweep

REPLY = 0.0002  # dollars: 100 tokens of prompt and 10 of reply, as the server counts


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying_module, "_FIRST_WAIT", 0.0)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")


def gateway(library: Path, running: Server, **model: Any) -> Gateway:
    price = Price(prompt=1.0, cached=1.0, completion=10.0)
    given = {"base_url": running.url, "prices": {"m": price, "j": price}, "max_tokens": 20, **model}
    return Gateway(Settings(library=library, model=ModelSettings(**given)))


def toolbench(data: dict[str, Path], method: str, limit: int = 0, **more: Any) -> RunSpec:
    return RunSpec("toolbench", method, ("m",), str(data["toolbench"]), limit=limit, **more)


def said(body: Mapping[str, Any]) -> str:
    """What the server's model says: a call with words of its own, a lesson, or a judgement."""
    prompt = body["messages"][-1]["content"]
    if "Reply with one word" in prompt:
        return "yes"
    if "Write one lesson" in prompt:
        return "Name the person."
    return json.dumps({"action": "search", "action_input": {"entity": f"person {len(prompt)}"}})


def act(handler: Any, body: Mapping[str, Any]) -> None:
    server.say(said(body))(handler, body)


def _written_costs(folder: Path) -> float:
    """What all processes of a run took together, as written beside it."""
    rows = map(json.loads, (folder / session.FILE).read_text().splitlines())
    return float(sum(each["usage"]["cost"] for row in rows for each in row.get("spent", ())))


def one(outcomes: list[RunOutcome]) -> RunOutcome:
    (outcome,) = outcomes
    return outcome


def test_four_children_with_judges_lessons_and_retries_keep_one_limit(
    data: dict[str, Path], tmp_path: Path
) -> None:
    count = itertools.count(1)

    def flaky(handler: Any, body: Mapping[str, Any]) -> None:
        number = next(count)
        kind = server.fail(500) if number % 5 == 0 else server.truncated() if number % 7 == 0 else act
        kind(handler, body)

    specs = [toolbench(data, "playbook", seed=seed, judge_model="j") for seed in range(4)]
    with serving([flaky] * 2000) as running:
        made = gateway(tmp_path, running, max_cost=0.01, temperature=1.0)
        outcomes = sweep(specs, tmp_path / "runs", engine=ThreadEngine(4), gateway=made)
    assert {type(outcome.failure) for outcome in outcomes} == {BudgetExceeded}
    sent = len(running.requests)
    failed, lost = sent // 5, sum(n % 7 == 0 and n % 5 != 0 for n in range(1, sent + 1))
    assert made.meter.total.cost >= (sent - failed - lost) * REPLY
    # The server bills judges for more than was asked of them: those under way at the end pass by that.
    assert 0.008 < made.meter.total.cost <= 0.01 + REPLY
    accounts = made.meter.ledger
    assert {role for role, _ in accounts} == {"answer", "lesson", "judge"}
    assert sum(account.requests for account in accounts.values()) == sent
    assert sum(account.failed for account in accounts.values()) == failed + lost
    written = sum(_written_costs(outcome.folder) for outcome in outcomes)
    assert written == pytest.approx(made.meter.total.cost)


@pytest.mark.parametrize("more", [{"models": ("unpriced",)}, {"judge_model": "unpriced"}])
def test_a_limit_that_cannot_be_kept_is_told_before_anything_begins(
    data: dict[str, Path], tmp_path: Path, more: dict[str, Any]
) -> None:
    spec = replace(toolbench(data, "zero_shot"), **more)
    with serving([]) as running, pytest.raises(BudgetExceeded, match="no price of `unpriced`"):
        sweep([spec], tmp_path / "runs", gateway=gateway(tmp_path, running, max_cost=1.0))
    assert not (tmp_path / "runs").exists()


def test_a_cache_that_stands_behind_the_wall_is_used_through_the_parent(
    data: dict[str, Path], tmp_path: Path
) -> None:
    # As after `quire ask --model`: the cache is there, in a library that no run may read.
    with serving([act] * 100) as running:
        made = gateway(tmp_path / "library", running)
        made.model("answer", "m").complete([user("Hello")])
        assert (tmp_path / "library" / "cache" / "models.sqlite").is_file()
        first = one(sweep([toolbench(data, "zero_shot", 6)], tmp_path / "one", gateway=made.part()))
        asked = len(running.requests)
        again = one(sweep([toolbench(data, "zero_shot", 6)], tmp_path / "two", gateway=made.part()))
    assert first.run is not None
    assert again.run is not None
    assert not any(record.attempt.error for record in (*first.run.records, *again.run.records))
    assert len(running.requests) == asked == 7
    assert [record.attempt.usage.calls for record in again.run.records] == [0] * 6
    assert again.walls is not None
    assert not again.walls.network


def test_no_key_stands_behind_the_wall(data: dict[str, Path], tmp_path: Path) -> None:
    source = SolverSource(
        "streams.test_gateway:nosy", path=tuple(str(Path(__file__).parents[at]) for at in (1, 4))
    )
    with serving([act] * 10) as running:
        outcome = one(
            sweep(
                [toolbench(data, "zero_shot", 1)], tmp_path, source=source, gateway=gateway(tmp_path, running)
            )
        )
    assert outcome.run is not None, outcome.error
    found = json.loads(outcome.run.records[0].attempt.reply)
    assert found == {"environment": [], "said": found["said"]}
    assert "search" in found["said"]
    assert running.headers[0]["authorization"] == "Bearer sk-secret"


def nosy(models: OpenModel) -> OpenSolver:
    """A solver that looks for keys, then asks its model."""
    return lambda name, style: _Nosy(models, name)


class _Nosy:
    def __init__(self, models: OpenModel, name: str) -> None:
        self.name, self._models = name, models

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        environment = Path("/proc/self/environ").read_text() if Path("/proc/self/environ").exists() else ""
        found = [part for part in environment.split("\0") if "sk-secret" in part]
        reply = self._models("answer", self.name).complete([user(instance.input)]).text
        return Attempt(reply, json.dumps({"environment": found, "said": reply}), model=self.name)


_REFUSALS = [
    (server.fail(401, "bad key"), ModelRefused, "m"),
    (server.fail(429, "no money", code="insufficient_quota"), ModelRefused, "j"),
    (server.fail(503), ModelUnreachable, "m"),
    (server.fail(503), ModelUnreachable, "j"),
]


@pytest.mark.parametrize(("refusal", "kind", "who"), _REFUSALS)
def test_what_ails_the_set_up_stops_the_run_before_it_records_a_thing(
    refusal: Act, kind: type[Exception], who: str, data: dict[str, Path], tmp_path: Path
) -> None:
    ailing = True

    def sick(handler: Any, body: Mapping[str, Any]) -> None:
        (refusal if ailing and body["model"] == who else act)(handler, body)

    # Judged are the requests for a person; the first of the data are for a date, which needs no judge.
    spec = toolbench(data, "mem_prompt", 3, judge_model="j", seed=1)
    with serving([sick] * 200) as running:
        made = gateway(tmp_path, running, retries=1)
        first = one(sweep([spec], tmp_path / "runs", gateway=made))
        kept = read_records(first.folder / "records.jsonl")
        ailing = False
        again = one(sweep([spec], tmp_path / "runs", gateway=made))
    assert isinstance(first.failure, kind)
    assert not [record for record in kept if record.value is None or record.attempt.error]
    assert len(kept) == 0 or who == "j"
    assert again.run is not None
    assert len(again.run.records) == 3
    assert not [record for record in again.run.records if record.value is None or record.attempt.error]


def _filtering(words: str) -> Act:
    def filtering(handler: Any, body: Mapping[str, Any]) -> None:
        refused = words in body["messages"][-1]["content"].rpartition("Request:")[2]
        (server.fail(400, "Filtered.", code="content_filter") if refused else act)(handler, body)

    return filtering


def test_a_filtered_sample_is_its_own_error_and_is_asked_again(data: dict[str, Path], tmp_path: Path) -> None:
    spec = toolbench(data, "zero_shot")
    with serving([_filtering("Einstein")] * 40) as running:
        made = gateway(tmp_path, running, cache=False)
        first = one(sweep([spec], tmp_path / "runs", gateway=made))
        before = len(running.requests)
        still = one(sweep([spec], tmp_path / "runs", gateway=made))
        assert len(running.requests) == before + 1
        running.acts[:] = [act] * 9
        again = one(sweep([spec], tmp_path / "runs", gateway=made))
        after = one(sweep([spec], tmp_path / "runs", gateway=made))
    assert before == 20
    for outcome in (first, still):
        assert outcome.run is not None, outcome.error
        (failed,) = [record for record in outcome.run.records if record.unjudged]
        assert (failed.status, failed.attempt.output) == ("failed", "")
        assert "filter" in failed.attempt.error.lower()
        assert failed.attempt.usage.cost > 0  # the prompt was billed
    assert again.run is not None
    assert [record.step for record in again.run.records] == list(range(20))
    assert not any(record.unjudged for record in again.run.records)
    assert after.before


@pytest.mark.parametrize("failing", ["filter", "refusal", "broken"])
def test_a_lesson_that_fails_is_told_and_charged_and_the_run_goes_on(
    failing: str, data: dict[str, Path], tmp_path: Path
) -> None:
    kinds = {
        "filter": server.fail(400, "Filtered.", code="content_filter"),
        "refusal": server.refuse("I cannot."),
        "broken": server.too_long(),
    }

    def unteachable(handler: Any, body: Mapping[str, Any]) -> None:
        lesson = "Write one lesson" in body["messages"][-1]["content"]
        (kinds[failing] if lesson else act)(handler, body)

    with serving([unteachable] * 99) as running:
        made = gateway(tmp_path, running)
        outcome = one(sweep([toolbench(data, "playbook", 5, judge_model="j")], tmp_path, gateway=made))
    assert outcome.run is not None, outcome.error
    assert len(outcome.run.records) == 5
    assert all(record.lesson_error for record in outcome.run.records)
    assert not any(record.attempt.error for record in outcome.run.records)
    total = sum(record.usage.cost for record in outcome.run.records)
    assert total == pytest.approx(made.meter.total.cost) == pytest.approx(_written_costs(outcome.folder))


def test_lessons_and_judgements_are_in_the_records_and_in_the_report(
    data: dict[str, Path], tmp_path: Path
) -> None:
    spec = toolbench(data, "playbook", judge_model="j")
    with serving([act] * 99) as running:
        made = gateway(tmp_path, running)
        outcome = one(sweep([spec], tmp_path, gateway=made))
    assert outcome.run is not None, outcome.error
    records = outcome.run.records
    assert sum(record.teaching.calls for record in records) == 20
    assert sum(record.judging.calls for record in records) == made.meter.ledger["judge", "j"].requests > 0
    assert {record.attempt.lesson for record in records} == {"Name the person."}
    reported = report([outcome.run]).document()["groups"][0]["usage"]["cost"]
    assert reported == pytest.approx(made.meter.total.cost) == pytest.approx(len(running.requests) * REPLY)
