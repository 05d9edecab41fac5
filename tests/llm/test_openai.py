"""The provider against a real server: what each kind of answer becomes."""

from __future__ import annotations

import base64
import socket
import time
from typing import Any

import pytest

from quire.errors import ContextOverflow, ModelRefused, ModelUnreachable
from quire.llm import Completion, Retrying, ToolCall, assistant, system, user
from quire.llm.messages import Message
from quire.llm.providers.openai import OpenAICompatible
from quire.llm.providers.openai_errors import retry_after
from quire.llm.sending import TimedOut, Transient
from quire.types import Usage
from tests.llm import server
from tests.llm.server import Act, serving

HELLO = [user("Hello")]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


def ask(*acts: Act, time_limit: float = 5.0, **params: Any) -> tuple[Completion, server.Server]:
    with serving(acts) as running:
        provider = OpenAICompatible("m", base_url=running.url, time_limit=time_limit)
        return provider.complete(HELLO, **params), running


def test_a_reply_and_its_usage() -> None:
    reply, _ = ask(server.say("Hi"))
    assert reply == Completion("Hi", usage=Usage(100, 10, 40, 1), model="m-1")


def test_the_request_holds_messages_pictures_tools_and_parameters() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    call = ToolCall("f", "{}", "call_1")
    messages = [
        system("Be brief."),
        user("What is this?", b"\x89PNG..."),
        assistant("", call),
        Message("tool", "nothing", tool_call_id="call_1"),
    ]
    with serving([server.say("A cat")]) as running:
        provider = OpenAICompatible("m", base_url=running.url)
        provider.complete(
            messages, temperature=0.0, top_p=0.5, seed=7, tools=[tool], stop=("END",), max_tokens=9
        )
    body = running.requests[0]
    url = "data:image/png;base64," + base64.b64encode(b"\x89PNG...").decode()
    assert body["messages"][1]["content"] == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": url}},
    ]
    assert body["messages"][2]["tool_calls"][0]["function"] == {"name": "f", "arguments": "{}"}
    assert body["messages"][3] == {"role": "tool", "content": "nothing", "tool_call_id": "call_1"}
    assert body["tools"] == [tool]
    said = {"model": "m", "temperature": 0.0, "top_p": 0.5, "seed": 7, "stop": ["END"], "max_tokens": 9}
    assert {name: body[name] for name in said} == said
    assert "stream" not in body
    assert running.headers[0]["authorization"] == "Bearer sk-test"


def test_native_tool_calls() -> None:
    reply, _ = ask(server.call_tool("ClassicRetrieve", '{"query": "x"}'))
    assert reply.tool_calls == (ToolCall("ClassicRetrieve", '{"query": "x"}', "call_1"),)
    assert reply.finish_reason == "tool_calls"


def test_a_refusal_and_a_filtered_reply_say_so() -> None:
    reply, _ = ask(server.refuse("I cannot help with that."))
    assert (reply.finish_reason, reply.text) == ("refusal", "I cannot help with that.")
    reply, _ = ask(server.say("", "content_filter"))
    assert reply.finish_reason == "filtered"


def test_a_reply_cut_at_the_limit_says_so() -> None:
    assert ask(server.say("It is", "length"))[0].finish_reason == "length"


def test_content_in_parts_and_missing_usage_are_read() -> None:
    body = server.body_of({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})
    del body["usage"]
    reply, _ = ask(server.sending(body))
    assert reply.text == "ab"
    assert reply.usage.completion_tokens == 1


def test_a_stream_is_passed_on_and_put_together() -> None:
    heard: list[str] = []
    reply, running = ask(server.stream_text("Hel", "lo"), on_text=heard.append)
    assert heard == ["Hel", "lo"]
    assert reply == Completion("Hello", usage=Usage(100, 10, 40, 1), model="m-1")
    assert running.requests[0]["stream_options"] == {"include_usage": True}


def test_a_stream_of_tool_calls_is_put_together() -> None:
    def piece(**call: Any) -> dict[str, Any]:
        return server.chunk_of({"tool_calls": [{"index": 0, **call}]})

    reply, _ = ask(
        server.stream(
            piece(id="c", function={"name": "f", "arguments": ""}),
            piece(function={"arguments": '{"a"'}),
            piece(function={"arguments": ": 1}"}),
            server.chunk_of({}, "tool_calls"),
        ),
        on_text=lambda text: None,
    )
    assert reply.tool_calls == (ToolCall("f", '{"a": 1}', "c"),)


def test_a_stream_that_breaks_is_tried_again_only_before_anything_was_heard() -> None:
    broken = server.stream(server.chunk_of({"content": "Hel"}), done=False)
    heard: list[str] = []
    with pytest.raises(ModelUnreachable, match="broke off") as caught:
        ask(broken, on_text=heard.append)
    assert heard == ["Hel"]
    assert not isinstance(caught.value, Transient)
    with pytest.raises(Transient, match="broke off"):
        ask(server.stream(done=False), on_text=heard.append)


def test_an_error_inside_a_stream() -> None:
    with pytest.raises(Transient, match="overloaded"):
        ask(server.stream({"error": {"message": "overloaded"}}), on_text=lambda text: None)


@pytest.mark.parametrize(
    ("act", "kind", "words"),
    [
        (server.fail(401, "bad key"), ModelRefused, "OPENAI_API_KEY"),
        (
            server.fail(404, "The model `m` does not exist", code="model_not_found"),
            ModelRefused,
            "model's name",
        ),
        (server.fail(400, "messages must not be empty"), ModelRefused, "must not be empty"),
        (server.fail(429, "You exceeded your quota", code="insufficient_quota"), ModelRefused, "no credit"),
        (server.too_long(), ContextOverflow, "8192 tokens"),
        (server.fail(400, "the request exceeds the available context size"), ContextOverflow, "longer"),
        (server.fail(400, "prompt is too long: 210000 tokens > 200000 maximum"), ContextOverflow, "longer"),
        (server.fail(413, "payload too large"), ContextOverflow, "longer"),
        (server.fail(429, "slow down"), Transient, "slow down"),
        (server.fail(500, "oops"), Transient, "oops"),
        (server.truncated(), Transient, "not whole JSON"),
        (server.hang_up(), Transient, "broke off"),
        (server.sending({"choices": []}), Transient, "without a message"),
        (server.sending(["?"]), Transient, "without a message"),
        (server.sending({"error": {"message": "model is loading", "code": 503}}), Transient, "loading"),
    ],
)
def test_what_goes_wrong_has_a_type_and_says_what_to_do(act: Act, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        ask(act)


def test_a_refused_connection_is_told_at_once() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    begun = time.monotonic()
    with pytest.raises(ModelUnreachable, match=r"model\.base_url") as caught:
        Retrying(OpenAICompatible("m", base_url=url), retries=5).complete(HELLO)
    assert not isinstance(caught.value, Transient)
    assert time.monotonic() - begun < 5


def test_a_slow_body_ends_at_the_time_limit_even_when_it_drips() -> None:
    for drips in (1, 20):
        begun = time.monotonic()
        with pytest.raises(TimedOut, match=r"0\.2 seconds"):
            ask(server.slowly("late", 1.5, drips), time_limit=0.2)
        assert time.monotonic() - begun < 1.4


def test_an_unsupported_parameter_is_given_up_or_renamed_and_remembered() -> None:
    name = server.fail(
        400, "Unsupported parameter: 'max_tokens'.", param="max_tokens", code="unsupported_parameter"
    )
    warm = server.fail(400, "Unsupported value: 'temperature' does not support 0.", code="unsupported_value")
    with serving([name, warm, server.say("a"), server.say("b")]) as running:
        provider = OpenAICompatible("m", base_url=running.url)
        for _ in range(2):
            provider.complete(HELLO, temperature=0.0, max_tokens=5)
    assert len(running.requests) == 4
    for body in running.requests[2:]:
        assert body["max_completion_tokens"] == 5
        assert not {"max_tokens", "temperature"} & body.keys()


def test_a_parameter_that_matters_is_not_given_up() -> None:
    with pytest.raises(ModelRefused, match="tools"):
        ask(server.fail(400, "'tools' is not supported by this model", param="tools"), tools=[{}])


def test_an_endpoint_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert ask(server.say("Hi"))[0].text == "Hi"
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelRefused, match="Set OPENAI_API_KEY"):
        OpenAICompatible("gpt-4o").complete(HELLO)


def test_the_base_url_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving([server.say("Hi")]) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        assert OpenAICompatible("m").complete(HELLO).text == "Hi"


def test_retry_after_in_seconds_milliseconds_or_as_a_date() -> None:
    assert retry_after({"retry-after": "2"}) == 2.0
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    past = retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"})
    assert past is not None
    assert past < 0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None
