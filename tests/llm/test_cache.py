"""The response cache: what it keeps, for whom, and many at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from quire.errors import ModelRefused
from quire.llm import Cached, Completion, Replay, ResponseCache, Scripted, ToolCall, user
from quire.types import Usage

HELLO = [user("Hello")]


@pytest.fixture
def cache(tmp_path: Path) -> ResponseCache:
    return ResponseCache(tmp_path / "cache" / "models.sqlite")


def test_the_same_request_is_asked_once(cache: ResponseCache) -> None:
    scripted = Scripted([Completion("a", (ToolCall("f", "{}", "1"),), Usage(7, 1), "tool_calls", "m-1")])
    for provider in (Cached(scripted, cache, "m"), Cached(scripted, cache, "m")):
        reply = provider.complete(HELLO, temperature=0.0)
    assert reply == Completion("a", (ToolCall("f", "{}", "1"),), Usage(), "tool_calls", "m-1", cached=True)
    assert len(scripted.requests) == 1


@pytest.mark.parametrize(
    "other",
    [{"temperature": 0.0, "max_tokens": 9}, {"temperature": 0.0, "seed": 2}, {"temperature": 0.5, "seed": 1}],
)
def test_another_parameter_is_another_request(cache: ResponseCache, other: dict[str, Any]) -> None:
    provider = Cached(Scripted(["a", "b"]), cache, "m")
    provider.complete(HELLO, temperature=0.0)
    assert provider.complete(HELLO, **other).text == "b"


def test_another_model_message_or_picture_is_another_request(cache: ResponseCache) -> None:
    scripted = Scripted(["a", "b", "c", "d"])
    said = [
        Cached(scripted, cache, identity).complete(messages, temperature=0.0).text
        for identity, messages in [
            ("m", HELLO),
            ("n", HELLO),
            ("m", [user("Hello", b"\x89PNG1")]),
            ("m", [user("Hello", b"\x89PNG2")]),
            ("m", HELLO),
        ]
    ]
    assert said == ["a", "b", "c", "d", "a"]


def test_a_new_draw_is_asked_for_each_time(cache: ResponseCache) -> None:
    provider = Cached(Scripted(["a", "b"]), cache, "m")
    assert [provider.complete(HELLO, temperature=0.7).text for _ in range(2)] == ["a", "b"]


def test_refusals_and_cut_replies_are_not_kept(cache: ResponseCache) -> None:
    scripted = Scripted(
        [Completion("no", finish_reason="refusal"), Completion("It", finish_reason="length"), "a"]
    )
    provider = Cached(scripted, cache, "m")
    assert [provider.complete(HELLO, temperature=0.0).text for _ in range(4)] == ["no", "It", "a", "a"]


def test_a_kept_reply_is_streamed_too(cache: ResponseCache) -> None:
    provider = Cached(Scripted(["a"]), cache, "m")
    heard: list[str] = []
    for _ in range(2):
        provider.complete(HELLO, temperature=0.0, on_text=heard.append)
    assert heard == ["a", "a"]


def test_many_threads_share_one_file(cache: ResponseCache) -> None:
    def work(number: int) -> str:
        provider = Cached(Scripted([f"{number % 5}"]), cache, "m")
        return provider.complete([user(f"{number % 5}")], temperature=0.0).text

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(40))) == [f"{number % 5}" for number in range(40)]


def test_a_cache_that_fails_costs_no_reply(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    cache = ResponseCache(tmp_path / "file" / "models.sqlite")
    assert Cached(Scripted(["a"]), cache, "m").complete(HELLO, temperature=0.0).text == "a"
    damaged = ResponseCache(tmp_path / "damaged.sqlite")
    damaged.path.write_bytes(b"no database " * 999)
    assert Cached(Scripted(["a"]), damaged, "m").complete(HELLO, temperature=0.0).text == "a"


def test_a_recording_answers_what_it_knows_and_nothing_else(cache: ResponseCache) -> None:
    Cached(Scripted(["a"]), cache, "m").complete(HELLO, temperature=0.0)
    replay = Replay(cache, "m")
    assert replay.complete(HELLO, temperature=0.0).text == "a"
    with pytest.raises(ModelRefused, match="not in the recording"):
        replay.complete([user("Hello?")], temperature=0.0)
