"""One gateway: every attempt is charged, parameters are given up for all, what ails one request ails one."""

from __future__ import annotations

import contextlib
import pickle
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from quire.errors import BudgetExceeded, ContentFiltered, ModelUnreachable
from quire.llm import Gateway, spending, user
from quire.llm import sending as retrying_module
from quire.settings import ModelSettings as ModelSettings
from quire.settings import Price, Settings
from tests.llm import server
from tests.llm.server import serving

HELLO = [user("Hello")]
PRICE = Price(prompt=1.0, cached=1.0, completion=10.0)
REPLY = (100 * 1.0 + 10 * 10.0) / 1e6  # what the server's usage costs


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying_module, "_FIRST_WAIT", 0.0)


def gateway(library: Path, url: str, **model: Any) -> Gateway:
    given = {"name": "m", "prices": {"m": PRICE}, "base_url": url, **model}
    return Gateway(Settings(library=library, model=ModelSettings(**given)))


def test_every_attempt_is_charged_as_it_is_billed(tmp_path: Path) -> None:
    acts = [server.fail(500), server.truncated(), server.hang_up(), server.fail(429), server.say("Hi")]
    with serving(acts) as running:
        made = gateway(tmp_path, running.url, max_tokens=50)
        with spending() as spent:
            reply = made.model().complete(HELLO)
    lost = (5 * 1.0 + 50 * 10.0) / 1e6
    assert len(running.requests) == 5
    account = made.meter.ledger["answer", "m"]
    assert (account.requests, account.failed, account.usage.calls) == (5, 4, 3)
    assert account.usage.cost == pytest.approx(2 * lost + REPLY)
    assert reply.usage == spent.usage == account.usage


def test_retries_stop_at_the_limit(tmp_path: Path) -> None:
    lost = (5 * 1.0 + 50 * 10.0) / 1e6
    with serving([server.truncated()] * 9) as running:
        made = gateway(tmp_path, running.url, max_tokens=50, max_cost=lost * 2.5, retries=8)
        with pytest.raises(BudgetExceeded) as caught:
            made.model().complete(HELLO)
    assert len(running.requests) == 2
    assert made.meter.total.cost == pytest.approx(2 * lost)
    assert caught.value.usage is not None
    assert caught.value.usage.cost == made.meter.total.cost


def test_what_failed_to_the_end_is_in_the_usage_of_the_error(tmp_path: Path) -> None:
    with serving([server.truncated(), server.fail(500)]) as running:
        made = gateway(tmp_path, running.url, retries=1)
        with spending() as spent, pytest.raises(ModelUnreachable):
            made.model().complete(HELLO)
    assert spent.usage == made.meter.total
    assert spent.usage.calls == 1


def test_four_parts_with_judges_and_lessons_keep_one_limit(tmp_path: Path) -> None:
    with serving([server.say("a")] * 400) as running:
        made = gateway(tmp_path, running.url, max_cost=0.01, max_tokens=50, temperature=1.0)

        def work(part: Gateway) -> None:
            with contextlib.suppress(BudgetExceeded):
                while True:
                    for role in ("answer", "judge", "lesson"):
                        part.model(role).complete(HELLO)

        parts = [made.part() for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, parts))
    assert made.meter.total.cost == pytest.approx(len(running.requests) * REPLY)
    assert 0.009 < made.meter.total.cost <= 0.01
    assert sum(part.meter.total.cost for part in parts) == pytest.approx(made.meter.total.cost)
    assert {role for role, _ in made.meter.ledger} == {"answer", "judge", "lesson"}


def test_parallel_first_requests_give_up_a_parameter_together(tmp_path: Path) -> None:
    together = threading.Barrier(4)

    def act(handler: Any, body: Mapping[str, Any]) -> None:
        for name in ("max_tokens", "temperature"):
            if name in body:
                if name == "max_tokens":
                    together.wait(5)  # all are under way before the first hears of it
                server.fail(400, f"Unsupported parameter: '{name}'.", param=name)(handler, body)
                return
        server.say("Hi")(handler, body)

    with serving([act] * 30) as running:
        model = gateway(tmp_path, running.url, cache=False).model()
        with ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(lambda _: model.complete(HELLO).text, range(4)))
        before = len(running.requests)
        gateway_again = model.complete(HELLO).text
    assert [*replies, gateway_again] == ["Hi"] * 5
    assert len(running.requests) == before + 1
    assert not {"max_tokens", "temperature"} & running.requests[-1].keys()


@pytest.mark.parametrize(
    "act",
    [
        server.fail(400, "Filtered.", code="content_filter"),
        server.fail(400, "Filtered.", innererror={"code": "ResponsibleAIPolicyViolation"}),
        server.say("", "content_filter"),
        server.stream(server.chunk_of({"content": "a"}), server.chunk_of({}, "content_filter")),
    ],
)
def test_a_filter_for_content_is_an_error_of_one_request(act: server.Act, tmp_path: Path) -> None:
    streaming = act.__qualname__.startswith("stream.")
    with serving([act, server.say("Hi")]) as running:
        made = gateway(tmp_path, running.url)
        with pytest.raises(ContentFiltered) as caught:
            made.model().complete(HELLO, **({"on_text": lambda text: None} if streaming else {}))
        assert made.model().complete([user("Other")]).text == "Hi"
    assert caught.value.usage is not None
    assert caught.value.usage.cost > 0  # Azure bills the prompt that it refuses


def test_a_cache_that_cannot_be_used_is_none(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in the folder's place")
    with serving([server.say("a"), server.say("b")]) as running:
        model = gateway(tmp_path, running.url).model()
        assert [model.complete(HELLO).text for _ in range(2)] == ["a", "b"]


def test_a_part_begins_its_script_anew_and_an_endpoint_is_shared(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('"A"\n"B"\n')
    made = Gateway(Settings(library=tmp_path, model=ModelSettings(name=f"scripted:{script}")))
    for part in (made.part(), made.part()):
        said = [part.model(role).complete(HELLO).text for role in ("answer", "lesson")]
        assert said == ["A", "B"]  # one conversation, whoever speaks
    assert made.meter.total.calls == 4


def test_it_crosses_to_another_machine_as_its_settings(tmp_path: Path) -> None:
    made = gateway(tmp_path, "http://127.0.0.1:1/v1", max_cost=0.5)
    again = pickle.loads(pickle.dumps(made))
    assert again.settings == made.settings
    assert again.meter.limit == 0.5
