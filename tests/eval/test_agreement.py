from __future__ import annotations

import math

import pytest

from quire.eval.judgements import agreement
from quire.eval.scorers.judging import Panel
from quire.llm import Completion, Message, Model


def test_kappa_of_a_worked_example() -> None:
    # 20 both yes, 15 both no, 5 and 10 apart: the example of Cohen's kappa in every textbook.
    pairs = [(True, True)] * 20 + [(False, False)] * 15 + [(True, False)] * 5 + [(False, True)] * 10
    found = agreement(pairs)
    assert found.judged == 50
    assert found.accuracy == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)
    # It is the same for whoever of the two is the judge, and whatever is called right.
    for other in ([(b, a) for a, b in pairs], [(not a, not b) for a, b in pairs]):
        assert agreement(other).kappa == pytest.approx(0.4)
    assert agreement([(True, False), (False, True)]).kappa == pytest.approx(-1)


def test_what_the_judge_could_not_say_is_counted_apart() -> None:
    found = agreement([(True, None), (True, True), (True, True)])
    assert (found.unknown, found.judged, found.accuracy) == (1, 2, 1.0)
    assert math.isnan(found.kappa)  # everybody always says yes
    assert math.isnan(agreement([]).accuracy)


class Recorder:
    """A provider that keeps how it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, object]] = []

    def complete(self, messages: list[Message], **params: object) -> Completion:
        self.asked.append((params["temperature"], params.get("seed")))
        return Completion("It fits.\nverdict: true")


def test_a_model_judges_with_several_samples() -> None:
    provider = Recorder()
    panel = Panel(Model("judge", provider), votes=3)  # type: ignore[arg-type]  # fewer parameters
    assert panel.decide("Right?").value == 1
    assert provider.asked == [(0.0, None), (1.0, 1), (1.0, 2)]
