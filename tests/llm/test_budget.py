"""Cost: prices, the meter, and a limit that is never passed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from quire.errors import BudgetExceeded, ModelUnreachable
from quire.llm import Budgeted, Completion, Meter, Scripted, price_of, user
from quire.llm.budget import cost, estimate_cost
from quire.settings import Price
from quire.types import Usage

DEAR = Price(prompt=1000.0, cached=100.0, completion=2000.0)  # a dollar per thousand tokens of prompt
HELLO = [user("Hello")]  # 5 tokens: 4 for the message


def test_own_prices_win_and_names_cover_their_versions() -> None:
    own = {"mine": Price(prompt=1.0), "gpt-4o": Price(prompt=9.0)}
    assert price_of("gpt-4o-2024-08-06", own) == Price(prompt=9.0)
    listed = price_of("openai/gpt-4o-mini", {})
    assert listed == Price(prompt=0.15, cached=0.075, completion=0.6)
    assert price_of("mine", own) == Price(prompt=1.0)
    assert price_of("unheard-of", own) is None


def test_prices_are_those_of_the_endpoint_and_elsewhere_of_the_models_maker() -> None:
    router = "https://openrouter.ai/api/v1"
    assert price_of("meta-llama/llama-3.3-70b-instruct", {}, router) is not None
    assert price_of("meta-llama/llama-3.3-70b-instruct", {}, "http://127.0.0.1:1/v1") is None
    own, home = "http://127.0.0.1:1/v1", "https://api.openai.com/v1"
    assert price_of("gpt-4o", {}, own) == price_of("gpt-4o", {}, home)
    assert price_of("llama3.1:8b", {}) is None


def test_cached_tokens_have_a_price_of_their_own() -> None:
    assert cost(Usage(1000, 100, 400), DEAR) == pytest.approx(0.6 + 0.04 + 0.2)
    assert cost(Usage(1000, 0, 400), Price(prompt=1000.0)) == pytest.approx(1.0)


def test_calls_are_counted_and_priced() -> None:
    meter = Meter()
    provider = Budgeted(Scripted([Completion("a", usage=Usage(1000, 100, 400))]), meter, DEAR)
    usage = provider.complete(HELLO).usage
    assert usage == meter.total
    assert (usage.prompt_tokens, usage.calls) == (1000, 1)
    assert usage.cost == pytest.approx(0.84)


def test_it_stops_before_the_limit_could_be_passed() -> None:
    each = estimate_cost(HELLO, 10, DEAR)
    scripted = Scripted(["a"] * 9)
    meter = Meter(limit=each * 1.5)
    provider = Budgeted(scripted, meter, DEAR)
    provider.complete(HELLO, max_tokens=10)
    with pytest.raises(BudgetExceeded, match="max-cost"):
        provider.complete(HELLO, max_tokens=100)
    assert len(scripted.requests) == 1
    assert meter.total.cost <= meter.limit


def test_parallel_requests_do_not_pass_it_together() -> None:
    each = estimate_cost(HELLO, 10, DEAR)
    meter = Meter(limit=each * 5.5)
    scripted = Scripted([Completion("a", usage=Usage(5, 10))] * 50)
    provider = Budgeted(scripted, meter, DEAR)

    def ask(_: int) -> bool:
        try:
            provider.complete(HELLO, max_tokens=10)
        except BudgetExceeded:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        served = sum(pool.map(ask, range(50)))
    assert served == 5
    assert meter.total.cost <= meter.limit


def test_who_could_pass_it_waits_for_what_others_have_set_aside() -> None:
    each = estimate_cost(HELLO, 1000, DEAR)
    meter = Meter(limit=each * 1.5)
    meter.reserve(each)
    provider = Budgeted(Scripted(["a"]), meter, DEAR)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(provider.complete, HELLO, max_tokens=1000)
        with pytest.raises(TimeoutError):
            waiting.result(0.05)
        meter.settle(each, Usage(), "answer", "m")
        assert waiting.result(5).text == "a"


def test_a_part_is_counted_in_the_whole_and_kept_by_its_limit() -> None:
    whole = Meter(limit=estimate_cost(HELLO, 10, DEAR) * 1.5)
    parts = [Meter(within=whole) for _ in range(2)]
    Budgeted(Scripted(["a"]), parts[0], DEAR, "m", "answer").complete(HELLO, max_tokens=10)
    assert parts[0].ledger == whole.ledger
    assert parts[1].ledger == {}
    with pytest.raises(BudgetExceeded):
        Budgeted(Scripted(["a"]), parts[1], DEAR, "m", "judge").complete(HELLO, max_tokens=2000)


def test_a_request_that_fails_gives_its_reservation_back() -> None:
    meter = Meter(limit=estimate_cost(HELLO, 10, DEAR) * 1.5)
    provider = Budgeted(Scripted([ModelUnreachable("no"), "a"]), meter, DEAR)
    with pytest.raises(ModelUnreachable):
        provider.complete(HELLO, max_tokens=10)
    assert provider.complete(HELLO, max_tokens=10).text == "a"


def test_a_limit_without_a_price_is_an_error() -> None:
    with pytest.raises(BudgetExceeded, match=r'\[model\.prices\."m"\]'):
        Budgeted(Scripted(["a"]), Meter(limit=1.0), None, "m").complete(HELLO)
    assert Budgeted(Scripted(["a"]), Meter(), None, "m").complete(HELLO).usage.cost == 0.0


def test_a_small_limit_is_told_as_it_is() -> None:
    with pytest.raises(BudgetExceeded, match=r"\$0\.0000 of \$5e-06 are used"):
        Meter(limit=5e-6).reserve(1.0)
