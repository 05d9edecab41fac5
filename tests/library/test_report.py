"""How far a stage has come."""

from __future__ import annotations

import time

import pytest

from quire.library.report import AddReport, Outlook, Progress, Stage, StageMeter


def test_a_meter_tells_what_is_done_how_fast_and_how_long_it_takes_still() -> None:
    heard: list[Progress] = []
    meter = StageMeter("parse", 4, heard.append, started=time.monotonic() - 100)
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
    meter = StageMeter("encode", 2, None)
    meter.step()
    assert meter.done == 1


def test_a_report_of_nothing_counts_nothing() -> None:
    report = AddReport()
    assert (report.files, report.encoded, report.notes, report.seconds) == ((), 0, (), 0.0)


def _told(stage: Stage, done: int, total: int, seconds: float) -> Progress:
    rate = done / seconds if seconds else 0.0
    return Progress(stage, done, total, rate, (total - done) / rate if rate else None)


def test_what_is_left_counts_the_vectors_of_papers_that_are_not_read_yet() -> None:
    """Twenty papers of a second each, 100 vectors each, 50 a second from the first on: 41 seconds in all."""
    now = [0.0]
    outlook = Outlook(lambda: now[0], lambda: now[0], cores=1)
    assert outlook.seconds_left(_told("parse", 0, 20, 0.0)) is None
    counted = 100
    for second in range(1, 41):
        now[0] = second
        done = 50 * (second - 1)
        if done >= counted:  # what waits is counted whenever the last batch is through
            counted = 100 * min(second, 20)
        left = outlook.seconds_left(_told("parse", min(second, 20), 20, second))
        left = outlook.seconds_left(_told("encode", done, counted, second - 1)) if second > 1 else left
        assert left is not None
        if second > 2:
            assert left == pytest.approx(41 - second, rel=1 / 3, abs=1)


@pytest.mark.parametrize("encoding", [20.0, 54.0, 150.0])
@pytest.mark.parametrize("reading", [6.0, 17.0, 40.0])
def test_the_time_left_of_a_made_run_is_right_within_a_third(encoding: float, reading: float) -> None:
    """Two cores, 24 papers of 150 vectors. Processor seconds: `reading` for all of them, `encoding` too.

    While papers are read, encoding has one core; afterwards both, of which it uses nine tenths.
    """
    papers, vectors, step = 24, 150, 0.25
    told: list[tuple[float, float]] = []
    now = spent = 0.0
    outlook = Outlook(lambda: now, lambda: spent, cores=2)
    encoded = counted = 0
    while encoded < papers * vectors:
        now += step
        parsed = min(papers, int(papers * now / reading))
        spent += step * (1.0 if parsed < papers else 1.8)
        spent = min(spent, encoding * parsed / papers)  # what is read can be encoded, and no more
        encoded = min(parsed * vectors, round(vectors * papers * spent / encoding))
        if encoded >= counted:
            counted = parsed * vectors
        left = outlook.seconds_left(_told("parse", parsed, papers, now))
        if counted:
            left = outlook.seconds_left(_told("encode", encoded, counted, now))
        if left is not None:
            told.append((now, left))
    for part in (0.25, 0.5, 0.75):
        at, left = min(told, key=lambda each: abs(each[0] - part * now))
        assert left == pytest.approx(now - at, rel=1 / 3), (part, at, now)


def test_what_is_left_without_an_encoder_is_the_reading() -> None:
    outlook = Outlook()
    assert outlook.seconds_left(_told("parse", 5, 20, 5.0)) == pytest.approx(15)
    assert outlook.seconds_left(_told("parse", 20, 20, 20.0)) == 0
