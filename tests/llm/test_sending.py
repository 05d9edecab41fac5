"""Requests per minute and at once; waiting and trying again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import ModelRefused, ModelStopped, ModelUnreachable
from quire.llm import Gate, Limited, Retrying, Scripted, user
from quire.llm.providers.openai import OpenAICompatible
from quire.llm.sending import TimedOut, Transient, gate_of
from tests.llm import server
from tests.llm.server import serving


class Clock:
    """Time that passes only when someone sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@given(st.integers(1, 5), st.lists(st.floats(0, 50), max_size=20))
def test_no_minute_holds_more_requests_than_allowed(per_minute: int, pauses: list[float]) -> None:
    clock = Clock()
    gate = Gate(per_minute, 1, clock=clock, sleep=clock.sleep)
    begun = []
    for pause in pauses:
        clock.sleep(pause)
        with gate.passed():
            begun.append(clock())
    for start in begun:
        assert len([time for time in begun if start <= time < start + 60 - 1e-6]) <= per_minute


def test_without_a_limit_nobody_waits() -> None:
    clock = Clock()
    provider = Limited(Scripted(["a"] * 9), Gate(clock=clock, sleep=clock.sleep))
    for _ in range(9):
        provider.complete([user("x")])
    assert clock() == 0.0


def test_no_more_requests_run_at_once_than_allowed() -> None:
    with serving([server.slowly("x", 0.03)] * 8) as running:
        provider = Limited(OpenAICompatible("m", base_url=running.url), Gate(at_once=2))
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda _: provider.complete([user("x")]).text, range(8)))
    assert replies == ["x"] * 8
    assert running.busiest == 2


def test_roles_of_one_endpoint_share_its_gate() -> None:
    assert gate_of("http://a", 60, 4) is gate_of("http://a", 60, 4)
    assert gate_of("http://a", 60, 4) is not gate_of("http://b", 60, 4)


HELLO = [user("Hello")]


def passing(retry_after: float | None = None) -> Transient:
    error = Transient("The server is busy.", hint="Wait.")
    error.retry_after = retry_after
    return error


def test_it_waits_as_long_as_it_is_asked_to() -> None:
    waits: list[float] = []
    provider = Retrying(Scripted([passing(3.0), passing(0.0), "done"]), 5, waits.append)
    assert provider.complete(HELLO).text == "done"
    assert waits == [3.0, 0.0]


def test_it_backs_off_and_gives_up() -> None:
    waits: list[float] = []
    provider = Retrying(Scripted([passing()] * 4), 3, waits.append)
    with pytest.raises(ModelUnreachable, match=r"busy \(tried 4 times\)\. Wait\."):
        provider.complete(HELLO)
    assert [round(wait) for wait in waits] in ([0, 1, 2], [0, 1, 1])
    assert all(later > earlier for earlier, later in zip(waits, waits[1:], strict=False))


def test_it_does_not_wait_for_hours() -> None:
    waits: list[float] = []
    with pytest.raises(ModelUnreachable, match="asks to wait 3600 seconds"):
        Retrying(Scripted([passing(3600.0)]), 5, waits.append).complete(HELLO)
    assert waits == []


def test_a_time_out_is_tried_again_once() -> None:
    scripted = Scripted([TimedOut("slow")] * 9)
    with pytest.raises(ModelUnreachable, match="slow"):
        Retrying(scripted, 5, lambda wait: None).complete(HELLO)
    assert len(scripted.requests) == 2


def test_what_cannot_pass_is_not_tried_again() -> None:
    scripted = Scripted([ModelRefused("wrong key"), "never"])
    with pytest.raises(ModelRefused, match="wrong key"):
        Retrying(scripted, 5).complete(HELLO)
    assert len(scripted.requests) == 1


def test_against_a_server_that_limits_and_fails() -> None:
    acts = [
        server.fail(429, retry_after=0.15),
        server.fail(500, retry_after=0),
        server.truncated(),
        server.say("Hi"),
    ]
    with serving(acts) as running:
        provider = Retrying(OpenAICompatible("m", base_url=running.url), 5, lambda wait: _nap(wait))
        assert provider.complete(HELLO).text == "Hi"
    assert running.times[1] - running.times[0] >= 0.15
    assert len(running.requests) == 4


def _nap(wait: float) -> None:
    import time

    time.sleep(min(wait, 0.2))


def test_a_wait_ends_when_who_listens_wants_it() -> None:
    def stop(piece: str) -> None:
        raise ModelStopped("It was stopped.")

    with pytest.raises(ModelStopped):
        Retrying(Scripted([passing(60.0), "done"])).complete(HELLO, on_text=stop)
