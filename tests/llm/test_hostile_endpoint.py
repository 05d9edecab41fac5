"""An endpoint that means no good: it ends at its limits with an error, and what it may bill is counted."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import pytest

from quire.errors import BudgetExceeded, ModelError, ModelRefused
from quire.llm import Completion, Retrying, user
from quire.llm.budget import Budgeted, Meter
from quire.llm.providers.openai import OpenAICompatible
from quire.llm.providers.openai_errors import retry_after
from quire.settings import Price
from quire.types import Usage
from tests.hostile_http import ENDLESS, Act, Hostile, body, hostile, said
from tests.llm.server import body_of

HELLO = [user("Hello " * 50)]
PRICE = Price(prompt=1.0, completion=1.0)


def ask(server: Hostile, *, seconds: float = 0.5, **params: Any) -> Completion:
    return OpenAICompatible("m", base_url=f"{server.url}/v1", time_limit=seconds).complete(HELLO, **params)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_ended(name: str, streamed: bool) -> None:
    with hostile(ENDLESS[name]) as server:
        begun = time.monotonic()
        params: dict[str, Any] = {"on_text": lambda text: None} if streamed else {}
        if name == "a stream of words" and streamed:
            params = {"on_text": lambda text: time.sleep(0.0001)}
        with pytest.raises(ModelError):
            ask(server, **params)
        assert time.monotonic() - begun < 20  # of no end; a busy machine is slow


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
def test_a_prompt_goes_nowhere_else(status: str) -> None:
    with hostile(said({})) as other, hostile(body(status, b"", f"Location: {other.url}/v1")) as server:
        with pytest.raises(ModelRefused, match=r"only where you said.*model\.base_url"):
            ask(server)
        assert other.asked == []


@pytest.mark.parametrize(
    "reply",
    [
        body("200 OK", b'{"choices": ['),
        body("200 OK", b"[" * 100_000),
        body("200 OK", b"9" * 10_000),
        said({}),
        said({"choices": {"0": 1}}),
        said({"choices": [7]}),
        said({"choices": [{"message": "hello"}]}),
        said(body_of({"content": None, "tool_calls": [{"function": {"arguments": "{"}}]})),
        said(body_of({"content": None, "tool_calls": 5})),
        body("429 Slow down", b"{}", "Retry-After: nan"),
        body("429 Slow down", b"[1, 2]", "Retry-After: 1e999"),
        body("429 Slow down", b'{"error": [1]}', "Retry-After: Wed, 21 Oct 99999 07:28:00 GMT"),
        body("500 Oops", b'{"error": {"message": {"a": [1]}}}'),
        body("200 OK", b"data: 7\n\n", "Content-Type: text/event-stream"),
        body("200 OK", b'data: {"choices": {"a": 1}}\n\n', "Content-Type: text/event-stream"),
        body("200 OK", b'data: {"choices": [{"delta": {"tool_calls": [{"index": "x"}]}}]}\n\n'),
        body("200 OK", b'data: {"choices": [{"delta": {"tool_calls": [3]}}]}\n\n'),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_what_makes_no_sense_is_an_error_of_the_model(reply: Act, streamed: bool) -> None:
    with hostile(reply) as server:
        waits: list[float] = []
        params = {"on_text": lambda text: None} if streamed else {}
        provider = OpenAICompatible("m", base_url=f"{server.url}/v1", time_limit=2)
        with pytest.raises(ModelError):
            Retrying(provider, retries=2, sleep=waits.append).complete(HELLO, **params)  # type: ignore[arg-type]
        assert len(server.asked) <= 3
        assert all(0 <= wait <= 120 for wait in waits)


def test_no_wait_is_read_from_what_is_no_number() -> None:
    assert [retry_after({"retry-after": said}) for said in ("nan", "inf", "-inf", "1e999", "")] == [None] * 5


USAGES = (
    "lots",
    [1],
    7,
    {"prompt_tokens": "lots", "completion_tokens": [1]},
    {"prompt_tokens": -1_000_000, "completion_tokens": -5},
    {"prompt_tokens": 1e999, "completion_tokens": float("nan")},
    {"prompt_tokens": 0, "completion_tokens": True},
    {"prompt_tokens_details": "x", "completion_tokens": {"a": 1}},
    {"prompt_tokens": 60, "prompt_tokens_details": {"cached_tokens": 10**9}},
    {"prompt_tokens": 60, "prompt_tokens_details": {"cached_tokens": -5}, "completion_tokens": 4.0},
)


@pytest.mark.parametrize("usage", USAGES, ids=str)
def test_a_usage_that_cannot_be_is_estimated_and_the_limit_of_money_holds(usage: Any) -> None:
    with hostile(said(body_of({"content": "four words of reply"}, usage=usage))) as server:
        meter = Meter(limit=0.0005)
        model = Budgeted(OpenAICompatible("m", base_url=f"{server.url}/v1"), meter, PRICE, "m", "answer")
        reply = model.complete(HELLO, max_tokens=20)
        assert reply.usage.prompt_tokens >= 54
        assert 4 <= reply.usage.completion_tokens <= 10
        assert 0 <= reply.usage.cached_tokens <= reply.usage.prompt_tokens
        assert reply.usage.cost > 0
        with contextlib.suppress(BudgetExceeded):
            for _ in range(20):
                model.complete(HELLO, max_tokens=20)
        assert len(server.asked) < 20
        assert 0 < meter.total.cost <= meter.limit


def test_what_was_lost_is_charged() -> None:
    with hostile(ENDLESS["a dripped body"]) as server:
        meter = Meter(limit=1.0)
        provider = OpenAICompatible("m", base_url=f"{server.url}/v1", time_limit=0.3)
        with pytest.raises(ModelError):
            Budgeted(provider, meter, PRICE, "m", "answer").complete(HELLO, max_tokens=20)
        assert meter.total.completion_tokens == 20
        assert meter.total != Usage()


def test_a_key_is_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret\r\nX: y")
    with hostile(said({})) as server, pytest.raises(ModelError) as caught:
        ask(server)
    assert "secret" not in str(caught.value)
    assert server.asked == []
