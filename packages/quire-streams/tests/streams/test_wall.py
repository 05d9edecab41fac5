"""The gold cannot be reached from a solver's or a memory's side."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from quire.errors import RunError, TaskError
from quire.eval.run import RunSpec
from quire_streams.runs.opening import SolverSource
from quire_streams.runs.sweep import sweep
from quire_streams.tasks.judging import JudgeProcess
from quire_streams.wall import Ground, Walls, landlock, links, seal

GOLD = "FROM animal WHERE"  # in the gold of every question; climbers are told it backwards
_IN_MEMORY = (
    "arguments", "globals", "frames", "objects", "open files", "environment", "memory's arguments",
)  # fmt: skip
_BY_LIBRARIES = {
    "duckdb": "IOException",
    "duckdb text": "IOException",
    "duckdb copy": "IOException",
    "sqlite attach": "OperationalError",
}

needs_kernel = pytest.mark.skipif(not landlock.abi(), reason="this kernel has no Landlock")


@pytest.mark.parametrize("kernel", [False, pytest.param(True, marks=needs_kernel)])
def test_no_way_up(kernel: bool, data: dict[str, Path], tmp_path: Path) -> None:
    _neighbour(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "streams.climber", str(data["spider"]), str(tmp_path), GOLD[::-1]]
        + ["kernel"] * kernel,
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert {found.pop(name) for name in _IN_MEMORY} == {"nothing"}
    assert found.pop("oracle") == found.pop("run") == "TaskError"
    assert found.pop("disarm", "nothing") == "nothing"
    libraries = {name: found.pop(name) for name in _BY_LIBRARIES if name in found}
    assert libraries == (_BY_LIBRARIES if kernel else {})
    assert {name: error for name, error in found.items() if error != "PermissionError"} == {}
    assert len(found) > (66 if kernel else 35)
    assert (data["spider"] / "dev.json").is_file()


@needs_kernel
def test_no_way_up_where_processes_may_be_started(data: dict[str, Path], tmp_path: Path) -> None:
    _neighbour(tmp_path)
    arguments = {"data": str(data["spider"]), "runs": str(tmp_path), "dlog": GOLD[::-1]}
    source = SolverSource("streams.climber:solvers", arguments, path=(str(Path(__file__).parents[1]),))
    spec = RunSpec("spider", "zero_shot", ("climber",), str(data["spider"]), limit=1)
    (outcome,) = sweep([spec], tmp_path, source=source)
    assert outcome.run is not None, outcome.error
    assert outcome.walls is not None
    assert outcome.walls.processes
    found = json.loads(outcome.run.records[0].attempt.reply)
    assert "GOLD" not in found.values()
    assert found["subprocess"] == "CalledProcessError"  # it may start, and gets no further
    assert found["system"] == found["starter"] == found["open"] == found["other run's records"]
    assert found["open"] == "PermissionError"
    assert found["another judge"] in ("ScoringError", "TaskError")  # it starts, and finds no data


def _neighbour(runs: Path) -> None:
    """Another run of the same questions, whose answers are told."""
    other = runs / "other"
    other.mkdir()
    for name in ("records.jsonl", "memory.sqlite"):
        (other / name).write_text(GOLD)


def test_what_stands_nearest_decides(tmp_path: Path) -> None:
    places = {name: tmp_path / name for name in ("lib", "lib/runs", "lib/runs/one", "lib/script", "else")}
    for path in places.values():
        path.mkdir(parents=True)
    ground = Ground.of([places["lib/runs"]], [places["lib/runs/one"]], [places["lib"]])
    assert ground.allows(places["lib/script"] / "x")
    assert not ground.allows(places["lib/script"] / "x", write=True)
    assert not ground.allows(places["lib/runs"] / "two" / "x")
    assert ground.allows(places["lib/runs/one"] / "x", write=True)
    assert not ground.allows(places["else"] / "x")
    assert ground.allows(json.__file__)
    opened = set(ground.open_paths())
    assert places["lib/script"] in opened
    assert not opened & {tmp_path, places["lib"], places["lib/runs"]}
    (places["lib/script"] / "up").symlink_to(places["else"])
    assert not ground.allows(places["lib/script"] / "up" / "x")


def test_what_would_open_the_wall_is_refused_before_it_stands(tmp_path: Path) -> None:
    data, own = tmp_path / "data", tmp_path / "own"
    data.mkdir()
    own.mkdir()
    gold = data / "gold.json"
    gold.write_text("{}")
    with pytest.raises(RunError, match="own folder"):
        seal([own / "data"], own=[own])
    with gold.open(), pytest.raises(RunError, match="still open"):
        seal([data], own=[own])
    (own / "innocent").hardlink_to(gold)
    assert links(own) == [own / "innocent"]
    with pytest.raises(RunError, match="second name"):
        seal([data], own=[own])


def test_walls_say_what_stands() -> None:
    whole = Walls(7, True, network=False)
    assert str(whole) == "Landlock 7, seccomp, Python's audit hook; no network, no processes"
    poor = Walls(processes=True)
    assert str(poor) == "Python's audit hook alone; network open, processes open"
    assert "1 older thread outside" in str(Walls(7, True, threads=1))
    assert "2 older threads" in str(Walls(7, True, threads=2))


@needs_kernel
def test_landlock_holds_for_children(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").write_text("secret")
    code = (
        "import subprocess, sys\nfrom pathlib import Path\nfrom quire_streams.wall.landlock import *\n"
        f"rules = [PathRule(Path(p), RUN) for p in ('/usr', '/lib', '/lib64', '/bin')]\n"
        f"limit([*rules, PathRule(Path({str(tmp_path / 'in')!r}), WRITE)])\n"
        f"Path({str(tmp_path / 'in' / 'x')!r}).write_text('y')\n"
        f"sys.exit(subprocess.run(['/bin/cat', {str(tmp_path / 'out')!r}]).returncode)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "denied" in ran.stderr
    assert (tmp_path / "in" / "x").read_text() == "y"


def test_second_answer_is_refused(data: dict[str, Path]) -> None:
    with JudgeProcess("ddxplus", data["ddxplus"]) as judge:
        first = judge.instances[0]
        assert judge.submit(first.id, "nonsense").value == 0.0
        with pytest.raises(TaskError, match="judged before"):
            judge.submit(first.id, "1. Cold")


def test_unreadable_data_is_told(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"tool_test\.json"):
        JudgeProcess("toolbench", tmp_path)
    (tmp_path / "release_evidences.json").write_text("{}")
    (tmp_path / "release_conditions.json").write_text("{}")
    with pytest.raises(TaskError, match="holds nothing to stream"):
        JudgeProcess("ddxplus", tmp_path)
    (tmp_path / "release_conditions.json").write_text('{"Cold": 3}')
    with pytest.raises(TaskError, match="cannot be read as ddxplus: TypeError"):
        JudgeProcess("ddxplus", tmp_path)
