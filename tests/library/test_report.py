"""How far a stage has come."""

from __future__ import annotations

import time

import pytest

from quire.library.report import AddReport, Meter, Progress


def test_a_meter_tells_what_is_done_how_fast_and_how_long_it_takes_still() -> None:
    heard: list[Progress] = []
    meter = Meter("parse", 4, heard.append, started=time.monotonic() - 100)
    meter.reached(0, "begins")
    meter.step("a.pdf")
    meter.step("b.pdf")
    meter.reached(6, "more than was thought")
    meter.reached(7, "more came", 14)
    assert [(one.done, one.total, one.label) for one in heard] == [
        (0, 4, "begins"), (1, 4, "a.pdf"), (2, 4, "b.pdf"), (6, 6, "more than was thought"),
        (7, 14, "more came"),
    ]  # fmt: skip
    assert [one.rate for one in heard] == pytest.approx([0, 0.01, 0.02, 0.06, 0.07], rel=0.05)
    assert heard[0].seconds_left is None
    assert [one.seconds_left for one in heard[1:]] == pytest.approx([300, 100, 0, 100], rel=0.05)


def test_nobody_has_to_listen() -> None:
    meter = Meter("encode", 2, None)
    meter.step()
    assert meter.done == 1


def test_a_report_of_nothing_counts_nothing() -> None:
    report = AddReport()
    assert (report.files, report.encoded, report.notes, report.seconds) == ((), 0, (), 0.0)
