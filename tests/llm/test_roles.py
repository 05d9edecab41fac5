"""From the settings to a model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from quire.errors import BudgetExceeded, ModelDeclined, ModelRefused, OfflineError, SettingsError
from quire.llm import Gateway, Model, Scripted, name_for, user
from quire.llm.gateway import defaults
from quire.llm.messages import Completion
from quire.settings import ModelSettings as ModelSettings
from quire.settings import Price, Settings
from tests.llm import server
from tests.llm.server import serving

HELLO = [user("Hello")]


def settings(library: Path, offline: bool = False, **model: Any) -> Settings:
    return Settings(library=library, offline=offline, model=ModelSettings(**model))


def test_one_name_for_every_role_and_each_can_be_overridden(tmp_path: Path) -> None:
    given = settings(tmp_path, name="big", judge="small")
    names = [name_for(given, role) for role in ("answer", "summarise", "judge", "see")]
    assert names == ["big", "big", "small", "big"]


def test_a_model_named_for_seeing_sees(tmp_path: Path) -> None:
    given = settings(tmp_path, name="echo", see="echo", vision=False)
    assert not Gateway(given).model("answer").vision
    assert Gateway(given).model("see").vision
    assert not Gateway(settings(tmp_path, name="echo", vision=False)).model("see").vision


def test_no_model_is_an_error_that_says_how_to_name_one(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="QUIRE_MODEL__NAME"):
        Gateway(settings(tmp_path)).model()


def test_the_whole_stack_over_a_server(tmp_path: Path) -> None:
    with serving([server.fail(429, retry_after=0), server.say("Hi")]) as running:
        price = {"m": Price(prompt=1.0, cached=0.5, completion=10.0)}
        gateway = Gateway(settings(tmp_path, name="m", base_url=running.url, prices=price, max_tokens=7))
        model = gateway.model()
        assert model.complete(HELLO).text == "Hi"
        again = model.complete(HELLO)
    assert again.cached
    assert again.text == "Hi"
    assert [body["max_tokens"] for body in running.requests] == [7, 7]
    assert gateway.meter.total.calls == 1
    assert gateway.meter.total.cost == pytest.approx((60 * 1.0 + 40 * 0.5 + 10 * 10.0) / 1e6)
    assert (tmp_path / "cache" / "models.sqlite").is_file()


def test_the_cache_can_be_off(tmp_path: Path) -> None:
    with serving([server.say("a"), server.say("b")]) as running:
        model = Gateway(settings(tmp_path, name="m", base_url=running.url, cache=False)).model()
        assert [model.complete(HELLO).text for _ in range(2)] == ["a", "b"]
    assert not (tmp_path / "cache").exists()


def test_offline_refuses_and_names_the_request(tmp_path: Path) -> None:
    with serving([server.say("a")]) as running:
        model = Gateway(settings(tmp_path, offline=True, name="m", base_url=running.url)).model()
        with pytest.raises(OfflineError, match=f"m at {running.url}"):
            model.complete(HELLO)
    assert running.requests == []


def test_offline_still_answers_from_the_cache(tmp_path: Path) -> None:
    with serving([server.say("a")]) as running:
        for offline in (False, True):
            model = Gateway(settings(tmp_path, offline=offline, name="m", base_url=running.url)).model()
            assert model.complete(HELLO).text == "a"


def test_one_limit_for_all_roles(tmp_path: Path) -> None:
    gateway = Gateway(settings(tmp_path, name="echo", judge="echo:b"))
    gateway.model("answer").complete(HELLO)
    gateway.model("judge").complete(HELLO)
    assert gateway.meter.total.calls == 2
    assert {key: account.requests for key, account in gateway.meter.ledger.items()} == {
        ("answer", "echo"): 1,
        ("judge", "b"): 1,
    }


def test_a_limit_on_a_model_without_price(tmp_path: Path) -> None:
    model = Gateway(settings(tmp_path, name="m", base_url="http://127.0.0.1:1/v1", max_cost=1.0)).model()
    with pytest.raises(BudgetExceeded, match="no price"):
        model.complete(HELLO)


def test_doubles_by_name(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('{"role": "user", "content": "Q"}\n{"role": "assistant", "content": "A"}\n"B"\n')
    model = Gateway(settings(tmp_path, offline=True, name=f"scripted:{script}")).model()
    assert [model.complete(HELLO).text for _ in range(2)] == ["A", "B"]
    with pytest.raises(ModelRefused, match="only 2 replies"):
        model.complete(HELLO)
    assert Gateway(settings(tmp_path, name="echo")).model().complete(HELLO).text == "Hello"
    with pytest.raises(ModelRefused, match="no recording"):
        Gateway(settings(tmp_path, name="replay:nothing.sqlite")).model()


def test_a_colon_in_a_models_name_is_part_of_it(tmp_path: Path) -> None:
    with serving([server.say("a"), server.say("b")]) as running:
        for name in ("llama3.1:8b", "openai:llama3.1:8b"):
            Gateway(settings(tmp_path, name=name, base_url=running.url, cache=False)).model().complete(HELLO)
    assert [body["model"] for body in running.requests] == ["llama3.1:8b", "llama3.1:8b"]


def test_only_what_is_set_is_sent() -> None:
    assert defaults(ModelSettings()) == {"temperature": 0.0, "max_tokens": 1500}
    every = ModelSettings(top_p=0.9, seed=3, reasoning_effort="low", temperature=1.0, max_tokens=5)
    assert defaults(every) == {
        "temperature": 1.0,
        "max_tokens": 5,
        "top_p": 0.9,
        "seed": 3,
        "reasoning_effort": "low",
    }


def test_a_refusal_is_an_error_and_was_paid_for() -> None:
    model = Model("m", Scripted([Completion("I will not.", finish_reason="refusal")]))
    with pytest.raises(ModelDeclined, match="I will not"):
        model.complete(HELLO)


def test_importing_the_room_imports_no_client() -> None:
    code = "import sys, quire.llm; print(sorted({'openai', 'httpx2', 'duckdb'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
