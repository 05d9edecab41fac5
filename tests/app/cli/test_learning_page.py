"""The page on learning: its commands run in their order, and what it says happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.app.cli.conftest import Command
from tests.app.conftest import copied

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")


def test_the_page_on_learning_ends_with_its_own_curve(
    quire: Command, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The library of its first command, which takes seconds: without runs and memory it is a new one.
    copied(filled, tmp_path / "library")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUIRE_LIBRARY", str(tmp_path / "library"))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    blocks = re.findall(r"^```\n(.*?)^```", PAGE, re.M | re.S)
    commands = [line for block in blocks for line in block.splitlines()]
    told = []
    for line in commands:
        ran = quire(*shlex.split(line)[1:])
        assert ran.code == 0, f"{line}: {ran.err}"
        told.append((line, ran.out))
    asked = [out for line, out in told if line.startswith("quire ask")]
    assert "No sure answer, but evidence" in asked[0]
    assert ["Remembered: " in out for out in asked] == [False, True, False, False, True, False]
    assert asked[1].startswith("243.8")
    assert "The papers do not say it" in asked[4]
    assert (tmp_path / "curve.svg").read_text().startswith("<svg")
    (drawn,) = re.findall(r"^```text\n(.*?)^```", PAGE, re.M | re.S)
    lines = [line.rstrip() for line in told[-1][1].splitlines()]
    start = lines.index("100% |")
    assert lines[start:-1] == [line.rstrip() for line in drawn.splitlines()]
