"""Some steps of the walk (see `walk.py`), by hypothesis; `benchmarks/attacks/store.py` walks two thousand."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from quire.library import Library
from tests.library.walk import SHIPS, Walk, derived_of, survive

ship = some.integers(0, len(SHIPS) - 1)


class Walking(RuleBasedStateMachine):
    """Any order of what a user, a kill or a cleaned disk can do to a library."""

    def __init__(self) -> None:
        super().__init__()
        self.room = tempfile.TemporaryDirectory()
        self.walk = Walk(Path(self.room.name), damage=False)
        self.walk.add(len(SHIPS))

    @rule(ship=ship)
    def added(self, ship: int) -> None:
        self.walk.add(ship)

    @rule(ship=ship, keep=some.booleans())
    def removed(self, ship: int, keep: bool) -> None:
        self.walk.remove(ship, keep)

    @rule(ship=ship)
    def restored(self, ship: int) -> None:
        self.walk.restore(ship)

    @rule(ship=ship)
    def corrected(self, ship: int) -> None:
        self.walk.ask(ship)
        self.walk.correct()
        self.walk.ask(ship)

    @rule(ship=ship)
    def refreshed(self, ship: int) -> None:
        self.walk.refresh(ship)

    @rule(seed=some.integers(0, 99))
    def spoilt(self, seed: int) -> None:
        self.walk.spoil(seed)

    @invariant()
    def as_it_must_be(self) -> None:
        assert self.walk.look() == []

    def teardown(self) -> None:
        self.walk.library.close()
        self.room.cleanup()


def test_whatever_is_done_in_whatever_order() -> None:
    few = settings(max_examples=1, stateful_step_count=6, deadline=None, derandomize=True)
    run_state_machine_as_test(Walking, settings=few)


@pytest.mark.parametrize(
    ("ending", "harm"),
    [("codes", "empty"), ("records", "garbled"), (".idx", "flipped"), ("journal", "flipped")],
)
def test_what_is_derived_is_told_and_made_anew(
    filled: Library, tmp_path: Path, ending: str, harm: str
) -> None:
    name = next(each for each in derived_of(filled.folder) if each.endswith(ending))
    asked = "How long does a boat float until it sinks?"
    assert survive(filled.folder, tmp_path / "harmed", name, harm, asked, random.Random(1)) == ""


def test_kills_leave_all_or_nothing(tmp_path: Path) -> None:
    walk = Walk(tmp_path, damage=False)
    walk.add(0)
    acts: list[tuple[str, Callable[[], Any]]] = [
        ("verdict", lambda: walk.correct()),
        ("migrate", lambda: None),
        ("remove", lambda: walk.remove(0)),
    ]
    for number, (act, finish) in enumerate(acts):
        assert walk.kill(act, 0, 0.2 * number) < 20
        finish()
        assert walk.look() == []
