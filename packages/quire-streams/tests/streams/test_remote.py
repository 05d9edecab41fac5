"""A process asks its parent's gateway: over one socket, from several threads, and within bounds."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from tests.llm import server
from tests.llm.server import serving

from quire.errors import (
    BudgetExceeded,
    ContentFiltered,
    ModelDeclined,
    ModelError,
    ModelUnreachable,
    SettingsError,
)
from quire.llm import Completion, Gateway, Message, ToolCall, assistant, spending, system, user
from quire.settings import ModelSettings as ModelSettings
from quire.settings import Price, Settings
from quire.types import Usage
from quire.worker import receive_json, send_json
from quire_streams.remote import Channel, ChannelServer, Handler, Remote, served

HELLO = [user("Hello")]


def wire(end: socket.socket) -> Connection:
    return Connection(os.dup(end.fileno()))


@contextlib.contextmanager
def connected(handlers: Mapping[str, Handler]) -> Iterator[socket.socket]:
    here, there = socket.socketpair()
    serving = ChannelServer(Connection(here.detach()), handlers)
    try:
        yield there
    finally:
        serving.close()
        there.close()


@contextlib.contextmanager
def child_of(gateway: Gateway, *allowed: Any) -> Iterator[Remote]:
    with connected(served(gateway, allowed)) as there:
        yield Remote(Channel(wire(there)))


def gateway(library: Path, url: str, **model: Any) -> Gateway:
    price = {"m": Price(prompt=1.0, cached=1.0, completion=10.0)}
    return Gateway(Settings(library=library, model=ModelSettings(base_url=url, prices=price, **model)))


def test_threads_share_the_socket_and_replies_come_in_any_order() -> None:
    def slow(given: Mapping[str, Any]) -> int:
        time.sleep(0.2 if given["value"] == 0 else 0.0)
        return int(given["value"]) * 2

    with connected({"double": slow}) as there:
        channel = Channel(wire(there))
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda n: channel.call("double", value=n), range(40))) == [
                2 * n for n in range(40)
            ]


def test_errors_cross_with_their_type_and_what_they_cost() -> None:
    def fail(given: Mapping[str, Any]) -> None:
        error = BudgetExceeded("Spent.", hint="Raise it.")
        error.usage = Usage(5, 3, calls=1, cost=0.5)
        raise error

    with connected({"fail": fail, "crash": lambda given: given["x"]}) as there:
        channel = Channel(wire(there))
        with pytest.raises(BudgetExceeded, match="Raise it") as caught:
            channel.call("fail")
        assert caught.value.usage == Usage(5, 3, calls=1, cost=0.5)
        with pytest.raises(ModelError, match="KeyError"):
            channel.call("crash")
        with pytest.raises(ModelError, match="KeyError"):
            channel.call("no such thing")


@pytest.mark.parametrize(
    "data",
    [
        struct.pack(">I", 1 << 30),
        struct.pack(">I", 3) + b"[]x",
        struct.pack(">I", 2) + b"[]",
        struct.pack(">I", 4) + b"\xff\xfe\x00\x01",
        struct.pack(">I", 200_000) + b"[" * 200_000,
        struct.pack(">I", 20) + b"short",
    ],
)
def test_what_is_no_message_ends_the_connection_and_nothing_else(data: bytes) -> None:
    with connected({"hello": lambda given: 1}) as there:
        there.sendall(data)
        there.shutdown(socket.SHUT_WR)
        assert there.recv(10) == b""
    with connected({"hello": lambda given: 1}) as there:
        assert Channel(wire(there)).call("hello") == 1


def test_a_wire_that_ends_by_itself_while_it_is_ended_is_closed_once() -> None:
    closed = []

    class Slow(Connection):
        def close(self) -> None:
            closed.append(threading.get_ident())
            time.sleep(0.05)
            super().close()

    here, there = socket.socketpair()
    ours = Slow(here.detach())
    answering = ChannelServer(ours, {})
    with there:
        there.sendall(struct.pack(">I", 1) + b"x")  # it ends at this
        answering.close()
        late = time.monotonic() + 10
        while not ours.closed and time.monotonic() < late:
            time.sleep(0.01)
        answering.close()  # once more is nothing
    assert len(closed) == 1
    assert closed[0] != threading.get_ident()


def test_brackets_in_texts_are_no_depth() -> None:
    here, there = Pipe()
    message = {"text": '[[{"\\' * 1000}
    with here, there:
        send_json(here, message)
        assert receive_json(there) == message


def test_who_waits_hears_that_the_other_side_has_gone() -> None:
    here, there = socket.socketpair()
    with there:
        channel = Channel(wire(there))
        with ThreadPoolExecutor(2) as pool:
            waiting = [pool.submit(channel.call, "x") for _ in range(2)]
            time.sleep(0.05)
            here.close()
            for one in waiting:
                with pytest.raises(ModelUnreachable, match="gone"):
                    one.result(5)


def test_a_conversation_arrives_whole_and_comes_back_whole(tmp_path: Path) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    messages: Sequence[Message] = [
        system("Be brief."),
        user("What is this?", b"\x89PNG\x00\xff"),
        assistant("", ToolCall("f", "{}", "call_1")),
        Message("tool", "nothing", tool_call_id="call_1"),
    ]
    heard: list[str] = []
    with serving([server.call_tool("f", '{"a": 1}'), server.say("Hi")]) as running:
        made = gateway(tmp_path, running.url, max_tokens=7, cache=False)
        with child_of(made, ("answer", "m")) as remote, spending() as spent:
            model = remote.model("answer", "m")
            reply = model.complete(messages, tools=[tool], stop=("END",))
            model.complete(HELLO, on_text=heard.append)
    direct = made.model("answer", "m")
    assert reply.tool_calls == (ToolCall("f", '{"a": 1}', "call_1"),)
    assert reply.usage.cost == pytest.approx(0.0002)
    assert spent.usage == made.meter.total
    assert heard == ["Hi"]
    body = running.requests[0]
    assert body["messages"][1]["content"][1]["image_url"]["url"] == "data:image/png;base64,iVBORwD/"
    assert (body["tools"], body["stop"], body["max_tokens"]) == ([tool], ["END"], 7)
    assert (model.name, model.defaults, model.price) == (direct.name, direct.defaults, direct.price)
    assert isinstance(reply, Completion)


def test_a_child_has_the_models_that_it_was_given_and_no_others(tmp_path: Path) -> None:
    with child_of(gateway(tmp_path, "http://127.0.0.1:1/v1"), ("answer", "m")) as remote:
        remote.model("answer", "m")
        for role, name in (("judge", "m"), ("answer", "gpt-4o"), ("answer", "scripted:/etc/passwd")):
            with pytest.raises(SettingsError, match="no model"):
                remote.model(role, name)  # type: ignore[arg-type]
        with pytest.raises(SettingsError, match="no model"):
            remote.channel.call("complete", role="judge", name="m", messages=[], params={})
        for wrong in ({"temperature": "hot"}, {"on_text": 1}, {"tools": 3}):
            with pytest.raises(ModelError, match="ValidationError"):
                remote.channel.call("complete", role="answer", name="m", messages=[], params=wrong)


def test_refusals_filters_and_the_limit_are_the_parents(tmp_path: Path) -> None:
    acts = [server.refuse("no"), server.fail(400, code="content_filter"), *[server.say("a")] * 99]
    with serving(acts) as running:
        made = gateway(tmp_path, running.url, max_cost=0.002, max_tokens=20, cache=False)
        with child_of(made, ("answer", "m")) as remote:
            model = remote.model("answer", "m")
            with pytest.raises(ModelDeclined):
                model.complete(HELLO)
            with pytest.raises(ContentFiltered):
                model.complete(HELLO)
            with contextlib.suppress(BudgetExceeded):
                for _ in range(99):
                    model.complete(HELLO)
            assert model.meter.left == made.meter.left < 0.0003
