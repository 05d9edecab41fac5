from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.eval.statistics import mean_interval, orders_interval, paired


def test_interval_is_near_the_normal_one_for_many_values() -> None:
    values = [1.0] * 300 + [0.0] * 100
    interval = mean_interval(values)
    half = 1.96 * math.sqrt(0.75 * 0.25 / 400)
    assert interval.mean == 0.75
    assert interval.low == pytest.approx(0.75 - half, abs=0.01)
    assert interval.high == pytest.approx(0.75 + half, abs=0.01)


def test_all_right_is_not_certain() -> None:
    interval = mean_interval([1.0] * 5)
    assert (interval.mean, interval.high) == (1.0, 1.0)
    assert interval.low == pytest.approx(0.566, abs=0.01)  # Wilson, 5 of 5


def test_no_values() -> None:
    assert math.isnan(mean_interval([]).mean)
    assert paired([], []).p_value == 1.0


def test_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    generator = random.Random(7)
    hits = 0
    for trial in range(200):
        sample = [float(generator.random() < 0.6) for _ in range(80)]
        interval = mean_interval(sample, resamples=400, seed=trial)
        hits += interval.low <= 0.6 <= interval.high
    assert 180 <= hits <= 199


def test_paired_agrees_with_the_exact_sign_test() -> None:
    first, second = [1.0] * 12 + [0.0] * 2 + [1.0] * 20, [0.0] * 12 + [1.0] * 2 + [1.0] * 20
    result = paired(first, second)
    exact = 2 * sum(math.comb(14, k) for k in range(3)) / 2**14
    assert (result.wins, result.losses, result.ties) == (12, 2, 20)
    assert result.difference == pytest.approx(10 / 34)
    assert result.p_value == pytest.approx(exact, abs=0.004)
    assert result.low > 0


def test_equal_runs_do_not_differ() -> None:
    result = paired([1.0, 0.0, 1.0], [1.0, 0.0, 1.0])
    assert (result.difference, result.p_value, result.ties) == (0.0, 1.0, 3)


def test_runs_of_other_length_are_refused() -> None:
    with pytest.raises(ValueError, match="same questions"):
        paired([1.0], [])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_interval_holds_the_mean_and_repeats(values: list[float]) -> None:
    one, two = mean_interval(values, resamples=50), mean_interval(values, resamples=50)
    assert one == two
    assert one.low <= one.mean + 1e-12
    assert one.mean <= one.high + 1e-12
    if len(set(values)) > 1:
        assert min(values) - 1e-9 <= one.low
        assert one.high <= max(values) + 1e-9


def test_few_orders_get_students_interval() -> None:
    interval = orders_interval([0.5, 0.6, 0.7])
    assert interval.mean == pytest.approx(0.6)
    assert interval.high - interval.mean == pytest.approx(4.303 * 0.1 / math.sqrt(3))
    assert math.isnan(orders_interval([0.5]).low)
    assert math.isnan(orders_interval([]).mean)


def test_students_interval_of_five_orders_covers_the_truth() -> None:
    generator = random.Random(11)
    hits = 0
    for _ in range(1000):
        interval = orders_interval([generator.gauss(0.6, 0.02) for _ in range(5)])
        hits += interval.low <= 0.6 <= interval.high
    assert 925 <= hits <= 975
