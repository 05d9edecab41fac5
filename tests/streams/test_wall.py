"""The gold cannot be reached from a solver's or a memory's side."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from quire.errors import TaskError
from quire.tasks.judge_process import JudgeProcess

_REFUSED = (
    "open", "os.open", "relative", "link", "list", "sqlite", "subprocess", "system", "fork", "native",
    "memory of the judge", "memory's file",
)  # fmt: skip
_EMPTY = ("arguments", "globals", "frames", "objects", "memory's arguments")


def test_no_way_up(data: dict[str, Path], tmp_path: Path) -> None:
    # In the gold of every question; it is told backwards so as not to be found in the arguments.
    gold = "FROM animal WHERE"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.streams.climber",
            str(data["spider"]),
            str(tmp_path / "run"),
            gold[::-1],
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert {name: found[name] for name in _EMPTY} == dict.fromkeys(_EMPTY, "nothing")
    assert {name: found[name] for name in _REFUSED} == dict.fromkeys(_REFUSED, "PermissionError")
    assert found["oracle"] == found["run"] == "TaskError"


def test_second_answer_is_refused(data: dict[str, Path]) -> None:
    with JudgeProcess("ddxplus", data["ddxplus"]) as judge:
        first = judge.instances()[0]
        assert judge.submit(first.id, "nonsense").value == 0.0
        with pytest.raises(TaskError, match="judged before"):
            judge.submit(first.id, "1. Cold")


def test_unreadable_data_is_told(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"tool_test\.json"):
        JudgeProcess("toolbench", tmp_path)
