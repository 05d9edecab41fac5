"""Requests per minute and requests at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from quire.llm import Gate, Limited, Scripted, user
from quire.llm.limits import gate_of
from quire.llm.providers.openai import OpenAICompatible
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
