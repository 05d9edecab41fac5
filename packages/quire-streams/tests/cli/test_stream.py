from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from tests.app.cli.conftest import Command

from quire.errors import RunError
from quire_streams import load_run
from quire_streams.cli.report import person, watch
from tasks.datasets import MAKERS


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """ToolBench's layout, small."""
    MAKERS["toolbench"](tmp_path / "data" / "toolbench")
    return tmp_path / "data"


def test_a_stream_runs_resumes_and_is_reported(quire: Command, data: Path, tmp_path: Path) -> None:
    asked = ("--task", "toolbench", "--data", data, "--model", "offline", "-o", tmp_path / "runs")
    first = quire("stream", "run", *asked, "--method", "zero_shot", "--seeds", 2, "--json")
    assert first.code == 0, first.err
    document = json.loads(first.out)
    assert 0 <= document["metric"] <= 1
    assert len(document["runs"]) == 2
    again = quire("stream", "run", *asked, "--method", "zero_shot", "--seeds", 2, "--json")
    assert json.loads(again.out)["metric"] == document["metric"]
    assert quire("stream", "run", *asked, "--method", "mam_stream_icl", "--limit", 4).code == 0
    out = tmp_path / "report"
    ran = quire("stream", "report", tmp_path / "runs", "-o", out, "--json")
    assert ran.code == 0, ran.err
    assert len(json.loads(ran.out)["groups"]) == 2
    assert (out / "report.html").is_file()


def test_a_wrong_name_lists_the_choices(quire: Command, data: Path) -> None:
    ran = quire("stream", "run", "--task", "toolbank", "--data", data)
    assert ran.code == 1
    assert "toolbench" in ran.err
    ran = quire("stream", "run", "--task", "toolbench", "--data", data, "--method", "icl")
    assert "self_stream_icl" in ran.err


@pytest.mark.parametrize("task", ["hotpotqa", "spider"])
def test_a_task_without_offline_solver_says_so_at_once(quire: Command, tmp_path: Path, task: str) -> None:
    runs = tmp_path / "runs"
    ran = quire("stream", "run", "--task", task, "--data", tmp_path, "--model", "offline", "-o", runs)
    assert ran.code == 1
    assert ran.err.startswith(f"SettingsError: Task `{task}` needs a language model")
    assert "--model" in ran.err
    assert not runs.exists()


def test_methods_are_listed_with_their_parts(quire: Command) -> None:
    rows = json.loads(quire("stream", "methods", "--json").out)
    assert {"zero_shot", "mam_stream_icl"} <= {row["name"] for row in rows}


def test_papers_are_streamed_from_a_library(quire: Command, filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    row = {"question": "How many authors does this paper have?", "answer": 3, "format": "int"}
    file.write_text(json.dumps({"id": "a", **row, "papers": ["paper-boats.pdf"]}) + "\n")
    asked = ("--task", "papers", "--data", file, "--library", filled, "-o", tmp_path, "--json")
    ran = quire("stream", "run", *asked)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["metric"] == 1.0
    assert "no shots are shown" in " ".join(ran.err.split())
    replies = tmp_path / "replies.jsonl"
    said = (
        "[Action]: GenerateAnswer(answer=2)",
        "Look again.",
        "[Action]: GenerateAnswer(answer=3)",
        "Keep this answer.",
    )
    replies.write_text("".join(json.dumps(one) + "\n" for one in said))
    ran = quire("stream", "run", *asked, "--method", "self_refine", "--model", f"scripted:{replies}")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["metric"] == 1.0


def test_answers_in_free_words_are_judged_in_a_stream(quire: Command, filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    rows = [
        {
            "id": "a",
            "question": "Why?",
            "answer": "It is fast.",
            "judge": True,
            "papers": ["paper-boats.pdf"],
        },
        {"id": "b", "question": "Why?", "answer": "It is fast.", "judge": True, "papers": ["absent.pdf"]},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, said in (("replies", '[Action]: GenerateAnswer(answer="Speed.")'), ("judge", "verdict: true")):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(said) + "\n")
    asked = ("--task", "papers", "--data", file, "--library", filled, "-o", tmp_path, "--method", "zero_shot")
    models = ("--model", f"scripted:{tmp_path / 'replies.jsonl'}")
    ran = quire("stream", "run", *asked, *models, "--json")
    assert json.loads(ran.out)["groups"][0]["unjudged"] == 1
    ran = quire("stream", "run", *asked, *models, "--judge", f"scripted:{tmp_path / 'judge.jsonl'}", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["metric"] == 1.0
    assert "2 of 4 questions are about papers" in quire("stream", "report", tmp_path).err


def test_tasks_are_listed_and_their_data_imported(quire: Command, data: Path, tmp_path: Path) -> None:
    assert {row["name"] for row in json.loads(quire("tasks", "list", "--json").out)} >= {"papers", "spider"}
    ran = quire("tasks", "import", "toolbench", data / "toolbench", "-o", tmp_path / "own")
    assert ran.code == 0, ran.err
    assert list((tmp_path / "own").iterdir())
    assert "OfflineError" in quire("tasks", "fetch", "ddxplus", "--offline", "-o", tmp_path / "none").err


def test_a_person_gives_the_feedback_behind_the_wall(apart: Command, data: Path, tmp_path: Path) -> None:
    asked = ("--task", "toolbench", "--data", data, "-o", os.path.relpath(tmp_path / "runs"), "--limit", 3)
    ran = apart("stream", "run", *asked, "--feedback", "human", typed="y\nn\n\n")
    assert ran.code == 0, ran.err
    assert "Walls: " in ran.out
    (folder,) = (tmp_path / "runs").glob("[!.]*")
    labels = [record.verdict.label for record in load_run(folder).records]
    assert labels == ["right", "wrong", "unknown"]


def test_a_person_sees_the_choices_and_is_asked_until_one_is_taken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("q\nyes\n"))
    assert person("What?", "") == "right"
    shown = capsys.readouterr()
    assert (shown.out + shown.err).count("[y/n, Enter: cannot say]") == 2
    assert "(no answer)" in shown.out + shown.err
    with pytest.raises(RunError, match="Nobody says"):
        person("What?", "this")


def test_a_sweep_tells_what_failed_and_goes_on(quire: Command, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(
        'task = "toolbench"\ndata = "data"\nmethods = ["zero_shot"]\nmodels = ["offline:a", "offline:z"]\n'
    )
    asked = ("stream", "sweep", file, "-o", tmp_path / "runs")
    ran = quire(*asked, "--limit", 4, "--json")
    assert ran.code == 1
    document = json.loads(ran.out)
    ((failed, error),) = document["failed"].items()
    assert "offline-z" in failed
    assert "offline variant" in error
    ((name, walls),) = document["walls"].items()
    assert name != failed
    assert walls["network"] is False
    assert [Path(folder).name for folder in document["runs"]] == [name]
    again = quire(*asked, "--limit", 4)
    assert "done before" in again.err
    assert "1 of 2 runs failed" in again.out
    assert "audit hook" in again.out


def test_a_sweep_that_cannot_go_well_says_so_first(quire: Command, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "sweep.json"
    wanted = {"task": "toolbench", "data": "data", "methods": ["cot"], "models": ["offline"]}
    for wrong, told in (
        ({"feedback": "human"}, "person"),
        ({"data": "nowhere"}, "There is no"),
        ({"methods": ["kot"]}, "self_refine"),
        ({"seeds": "many"}, "seeds"),
    ):
        file.write_text(json.dumps({**wanted, **wrong}))
        ran = quire("stream", "sweep", file, "-o", tmp_path / "runs")
        assert ran.code == 1
        assert told in ran.err
    assert not (tmp_path / "runs").exists()


def test_without_data_the_users_own_are_streamed(
    quire: Command, apart: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path / "home"))
    ran = quire("stream", "run", "--task", "toolbench")
    assert ran.code == 1
    assert "quire tasks fetch toolbench" in ran.err
    assert "quire quiz" in quire("stream", "run", "--task", "papers").err
    done = quire("tasks", "import", "toolbench", data / "toolbench")
    assert "quire stream run --task toolbench" in done.err
    here = {row["name"]: row["here"] for row in json.loads(quire("tasks", "list", "--json").out)}
    assert here["toolbench"] == str(tmp_path / "home" / "tasks" / "toolbench")
    assert here["spider"] is None
    # In a process of its own, as in this one the encoder has made its graph under another home.
    ran = apart("stream", "run", "--task", "toolbench", "--limit", 2)
    assert ran.code == 0, ran.err


def test_a_report_says_what_its_figures_hide(quire: Command, data: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    assert quire("stream", "run", "--task", "toolbench", "--data", data, "-o", runs).code == 0
    (folder,) = runs.glob("[!.]*")
    assert "not finished" not in quire("stream", "report", runs).err
    ended = (folder / "sessions.jsonl").read_text().splitlines()
    (folder / "sessions.jsonl").write_text(ended[0] + "\n")
    rows = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()[:4]]
    rows[0]["attempt"]["error"] = "ModelDeclined: no."
    rows[1]["value"] = None
    (folder / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = quire("stream", "report", folder).err
    assert "not finished (4 steps so far)" in told
    assert "1 of 4 answers failed, first: ModelDeclined: no." in told
    assert "1 of 4 answers could not be judged" in told


def test_a_file_in_the_place_of_the_output_is_told(quire: Command, data: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    ran = quire("stream", "run", "--task", "toolbench", "--data", data, "-o", taken)
    assert ran.err.startswith(f"RunError: {taken} cannot be made or written")


def test_a_run_that_failed_before_its_first_question_is_told_as_failed(
    quire: Command, data: Path, tmp_path: Path
) -> None:
    asked = ("--task", "toolbench", "--data", data, "-o", tmp_path / "runs", "--shift", "colour")
    ran = quire("stream", "run", *asked)
    assert ran.code == 1
    assert ran.err.startswith("TaskError: Instances have no field `colour`. Fields:")
    told = quire("stream", "report", tmp_path / "runs")
    assert told.code == 1
    assert "failed before its first question: Instances have no field `colour`" in told.err


def test_a_report_on_nothing_names_the_place(quire: Command, tmp_path: Path) -> None:
    assert f"no run in {tmp_path}" in quire("stream", "report", tmp_path).err


def test_a_terminal_sees_every_run_and_the_total() -> None:
    from rich.console import Console

    from quire.eval.run import RunProgress, RunSpec
    from quire.types import Usage
    from quire_streams.runs.sweep import RunOutcome

    paper = io.StringIO()
    screen = Console(file=paper, force_terminal=True, width=120)
    specs = [RunSpec("toolbench", "cot", ("m",), "d", seed=seed) for seed in (1, 2)]
    with watch(len(specs), quiet=False, screen=screen) as listener:
        listener.progress(specs[0], RunProgress(3, 9, 0.5, Usage(1000, 200, cost=0.25)))
        listener.progress(specs[1], RunProgress(4, 9, 0.75, Usage(3000, 0, cost=0.5)))
        listener.bars.refresh()
        listener.done(RunOutcome(specs[0], Path("x"), failure=RunError("It was killed.")))
    text = paper.getvalue()
    assert "cot  m  seed 1" in text
    assert "1,200 tokens" in text
    assert "0.750" in text
    assert "4,200 tokens" in text
    assert "$0.7500" in text
    assert "It was killed." in text
