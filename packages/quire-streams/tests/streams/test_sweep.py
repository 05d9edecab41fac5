"""Sweeps: in children behind the wall, what happens when they die, and what is told before anything runs."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from quire.errors import RunError, SettingsError, TaskError, UnknownNameError, as_row, of_row
from quire.eval.run import Run, RunProgress, RunSpec
from quire.types import Usage
from quire_streams.runs import jobs, session
from quire_streams.runs.jobs import progress_of
from quire_streams.runs.opening import RunRequest, SolverSource, open_setup
from quire_streams.runs.runner import run
from quire_streams.runs.sweep import RayCluster, ThreadEngine, expand, read_sweep, sweep
from quire_streams.tasks.judging import JudgeProcess
from quire_streams.wall import landlock

ROOT = Path(__file__).parents[4]
HERE = (str(Path(__file__).parents[1]), str(ROOT))  # where children find the solvers of these tests


def _spec(data: dict[str, Path], method: str, *models: str, limit: int = 6) -> RunSpec:
    return RunSpec("ddxplus", method, models, str(data["ddxplus"]), limit=limit)


def _run_here(spec: RunSpec, folder: Path) -> Run:
    """Without a process of its own, and without a wall."""
    setup = open_setup(spec)
    with closing(setup.judge):
        return run(spec, setup, folder)


def test_children_have_walls_and_the_records_of_a_run_here(data: dict[str, Path], tmp_path: Path) -> None:
    specs = [
        _spec(data, "zero_shot", "offline:a"),
        _spec(data, "mam_thompson", "offline:a", "offline:b", limit=12),
    ]
    told: dict[str, RunProgress] = {}
    apart = sweep(
        specs,
        tmp_path / "apart",
        engine=ThreadEngine(2),
        progress=lambda spec, now: told.update({spec.method: now}),
    )
    here = [_run_here(spec, tmp_path / "here" / spec.name) for spec in specs]
    assert [one.error for one in apart] == ["", ""]
    for one, other in zip(apart, here, strict=True):
        assert one.run is not None
        assert [r.essence() for r in one.run.records] == [r.essence() for r in other.records]
        assert one.walls is not None
        assert not one.walls.network
        assert one.walls.landlock == landlock.abi()
        assert session.walls_of(one.folder) == [one.walls]
    assert (told["mam_thompson"].done, told["mam_thompson"].total) == (12, 12)
    # What is finished is not run again, nor does anything of it have to be there but the records.
    assert [one.before for one in sweep(specs, tmp_path / "apart")] == [True, True]
    setup, moved = open_setup(specs[0]), replace(specs[0], data="nowhere")
    with closing(setup.judge), pytest.raises(RunError, match="another run"):
        run(moved, setup, tmp_path / "here" / moved.name)


def test_a_child_that_is_killed_or_breaks_is_told_and_goes_on(data: dict[str, Path], tmp_path: Path) -> None:
    specs = [_spec(data, "mem_prompt", "dies"), _spec(data, "mem_prompt", "lives")]
    folder = str(tmp_path / specs[0].name)
    source = SolverSource("streams.child_solvers:deadly", {"folder": folder}, path=HERE)
    first, second = sweep(specs, tmp_path, engine=ThreadEngine(2), source=source)
    assert "signal 9" in first.error
    assert isinstance(first.failure, RunError)
    assert second.run is not None
    assert second.run.records[5].attempt.usage == Usage(10, 2, cost=0.001)
    again, before = sweep(specs, tmp_path, source=source)
    assert again.run is not None
    assert before.before
    pairs = zip(again.run.records, second.run.records, strict=True)
    assert all(one.value == other.value and one.verdict == other.verdict for one, other in pairs)
    assert len(session.walls_of(again.folder)) == 2
    broken = sweep(
        [_spec(data, "cot", "x")],
        tmp_path,
        source=SolverSource("streams.child_solvers:broken", path=HERE),
    )
    assert "before its first question: ZeroDivisionError: a mistake" in broken[0].error
    assert "Mend what it says" in broken[0].error
    assert "a mistake" in session.failure_of(broken[0].folder)
    nowhere = sweep([RunSpec("ddxplus", "cot", ("offline:a",), str(tmp_path))], tmp_path)
    assert isinstance(nowhere[0].failure, TaskError)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_children_end_with_their_parent(number: int, data: dict[str, Path], tmp_path: Path) -> None:
    spec = _spec(data, "mem_prompt", "slow")
    own = tmp_path / spec.name
    source = f"SolverSource('streams.child_solvers:slow', {{'folder': {str(own)!r}}}, path={HERE!r})"
    code = (
        # Whoever starts the tests in the background has SIGINT ignored, here and below.
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from pathlib import Path\nfrom quire_streams.runs.sweep import *\n"
        "from quire.eval.run import RunSpec\n"
        f"sweep([{spec!r}], Path({str(tmp_path)!r}), source={source})"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    assert _eventually(lambda: (own / "pid").is_file() and (own / "pid").read_text())
    child = int((own / "pid").read_text())
    parent.send_signal(number)
    _, errors = parent.communicate(timeout=60)
    assert parent.returncode != 0
    assert number == signal.SIGKILL or "KeyboardInterrupt" in errors
    assert _eventually(lambda: not _runs(child))


def _eventually(test, seconds: float = 20) -> bool:  # type: ignore[no-untyped-def]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if test():
            return True
        time.sleep(0.05)
    return False


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.is_file() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_what_cannot_go_well_is_told_first(data: dict[str, Path], tmp_path: Path) -> None:
    person = replace(_spec(data, "cot", "offline:a"), feedback="human")
    with pytest.raises(SettingsError, match="person"):
        sweep([person], tmp_path)
    one = _spec(data, "cot", "a/b")
    with pytest.raises(SettingsError, match="share the folder"):
        sweep([one, replace(one, models=("a_b",))], tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is installed")
def test_ray_is_asked_for_by_name(data: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"quire\[ray\]"):
        sweep([_spec(data, "cot", "offline:a")], tmp_path, engine=RayCluster())


def test_a_sweep_file_is_read_from_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "patients").mkdir()
    file = tmp_path / "sweep.toml"
    file.write_text('task = "ddxplus"\ndata = "patients"\nmethods = "mam_stream_icl"\nmodels = "offline"\n')
    (spec,) = read_sweep(file, {"limit": 3})
    assert spec.data == str((tmp_path / "patients").resolve())
    assert spec.models == ("offline:a", "offline:b", "offline:c")
    assert spec.limit == 3
    for text in ("task = [", "- a list"):
        broken = tmp_path / ("x.toml" if "=" in text else "x.yaml")
        broken.write_text(text)
        with pytest.raises(SettingsError, match="sweep"):
            read_sweep(broken)


_GOOD = {"task": "ddxplus", "data": ".", "methods": ["cot"], "models": ["offline:a"]}


@pytest.mark.parametrize(
    "wrong",
    [{"limit": "300"}, {"limit": -1}, {"seeds": "five"}, {"seeds": 0}, {"methods": []}, {"models": [1]},
     {"feedback": 1}, {"colour": 1}, {"method": "cot"}],
)  # fmt: skip
def test_a_wrong_setting_of_a_sweep_is_named(wrong: dict[str, object]) -> None:
    assert len(expand({**_GOOD, "seeds": [3, 5], "models": ["offline:a", "offline:a"]})) == 2
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        expand({**_GOOD, **wrong})


def test_an_unknown_task_or_method_of_a_sweep_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="ddxplus"):
        expand({**_GOOD, "task": "ddx"})
    with pytest.raises(UnknownNameError, match="self_refine"):
        expand({**_GOOD, "methods": ["refine"]})


def test_errands_cross_as_json() -> None:
    spec = RunSpec("ddxplus", "cot", ("a", "b"), "data", limit=3)
    for source in (None, SolverSource("a:b", {"x": "y"}, ("r",), ("h",))):
        request = RunRequest(spec, "root", "scratch", source, models=7)
        assert RunRequest.of_row(json.loads(json.dumps(asdict(request)))) == request
    now = RunProgress(3, 9, 0.5, Usage(7, 2, 1, 3, 0.25))
    assert progress_of(json.loads(json.dumps(asdict(now)))) == now
    for nonsense in (None, 3, {}, {"done": 1}, {"done": "x", "total": 1, "metric": 1, "usage": {"cost": 1}}):
        assert progress_of(nonsense) is None
    error = TaskError("No data.", hint="Fetch it.")
    again = of_row(as_row(error))
    assert (type(again), str(again)) == (TaskError, str(error))
    assert type(of_row(["SystemExit", "x", ""])) is RunError


def test_a_session_that_was_cut_off_counts_for_nothing(tmp_path: Path) -> None:
    session.begin(tmp_path, None)
    with (tmp_path / session.FILE).open("a") as file:
        file.write('{"fini')
    assert session.walls_of(tmp_path) == [None]
    assert session.finished(tmp_path, RunSpec("t", "m", ("x",), "d")) is None


def test_other_runs_have_other_folders() -> None:
    spec = RunSpec("ddxplus", "cot", ("offline:a",), "data")
    assert spec.name == "ddxplus--cot--offline-a--seed0"
    others: dict[str, Any] = {
        "limit": 3, "k": 4, "budget": 5, "judge_model": "j", "seed": 1, "feedback": "noisy:0.1",
        "shift": "sex", "models": ("../a b/c",), "encoder": "hash-64",
        "protocol": "streambench", "method": "zero_shot", "task": "spider",
    }  # fmt: skip
    names = {replace(spec, **{name: value}).name for name, value in others.items()}
    assert len(names | {spec.name}) == len(others) + 1
    assert not any(char in name for name in names for char in "/ :")


def test_keys_stay_outside_and_settings_go_along(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = ("OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "QUIRE_PASSWORD", "apikey")
    plain = ("QUIRE_OBSERVATIONS__MAX_TOKENS", "KEYBOARD", "QUIRE_HOME")
    for name in (*secret, *plain):
        monkeypatch.setenv(name, "1")
    kept = jobs.surroundings("/tmp")
    assert not set(secret) & kept.keys()
    assert set(plain) <= kept.keys()


FORGED = {
    "no error": "an error that is none",
    "done": "records of 6 questions",
    "patched": "not what the judge said",
    "rewrites": "not what the judge said",
    "deep run": "does not describe a run",
    "odd run": "does not describe a run",
    "shorter run": "records of 6 questions",
    "odd record": "is not a record",
}


@pytest.mark.skipif(sys.platform != "linux", reason="looks for its pipe in /proc")
def test_a_solver_neither_ends_nor_forges_a_sweep(data: dict[str, Path], tmp_path: Path) -> None:
    specs = {way: _spec(data, "mem_prompt", way) for way in [*FORGED, "brackets", "no walls", "honest"]}
    folders = json.dumps({way: str(tmp_path / spec.name) for way, spec in specs.items()})
    source = SolverSource("streams.child_solvers:forging", {"folders": folders}, path=HERE)
    outcomes = sweep([*specs.values()], tmp_path, engine=ThreadEngine(3), source=source)
    ended = dict(zip(specs, outcomes, strict=True))
    told = {way: message in ended[way].error for way, message in FORGED.items()}
    assert told == dict.fromkeys(FORGED, True)
    assert [ended[way].error for way in ("brackets", "no walls", "honest")] == ["", "", ""]
    values = {
        way: [record.value for record in ended[way].run.records]  # type: ignore[union-attr]
        for way in ("brackets", "no walls", "honest")
    }
    assert values["brackets"] == values["no walls"] == values["honest"]
    # Nor when it is told that all is done.
    again = sweep([specs["rewrites"], specs["honest"]], tmp_path, source=source)
    assert [one.before for one in again] == [False, True]
    assert again[0].error


def test_no_code_beside_a_solver_runs_in_the_judge_or_before_the_wall(
    data: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, beside = tmp_path / "mark", tmp_path / "beside"
    beside.mkdir()
    for name in ("difflib", "sitecustomize", "usercustomize", "json", "duckdb", "yaml"):
        (beside / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write('{name} ')\nraise ImportError")
    monkeypatch.chdir(beside)
    monkeypatch.setenv("PYTHONPATH", str(beside))
    with JudgeProcess("ddxplus", data["ddxplus"]) as judge:
        assert judge.instances
    (done,) = sweep([_spec(data, "zero_shot", "offline:a")], tmp_path / "runs")
    assert done.error == ""
    source = SolverSource("streams.child_solvers:echo", path=(*HERE, str(beside)))
    (done,) = sweep([_spec(data, "zero_shot", "x")], tmp_path / "runs", source=source)
    assert done.error == ""
    assert not mark.exists()
