"""docs/extending.md: an installed package adds a task, a memory, a model, an action and a scorer."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

import quire
import quire_streams
from quire.errors import UnknownNameError
from quire.registry import Registry, Rows

EXAMPLE = Path(__file__).parents[1] / "examples" / "extension"
PAPER = Path(__file__).parents[1] / "examples" / "papers" / "window-sill-seedlings.pdf"

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs `quire` with `--json` in an environment that has the example package besides ours."""
    home = tmp_path_factory.mktemp("extension")
    venv.create(home / "venv", with_pip=False, symlinks=True)
    packages = next((home / "venv").glob("lib/python*/site-packages"))
    shared = (Path(quire.__file__).parents[1], sysconfig.get_paths()["purelib"], *map(Path, sys.path[1:]))
    (packages / "shared.pth").write_text("".join(f"{path}\n" for path in shared), encoding="utf-8")
    shutil.copytree(EXAMPLE / "quire_sums", packages / "quire_sums")
    _describe(packages / "quire_sums-0.1.0.dist-info")
    (home / "sums").mkdir()
    sums = [{"id": str(n), "sum": f"{n} + {n + 1}", "answer": 2 * n + 1} for n in range(6)]
    lines = "".join(json.dumps(row) + "\n" for row in sums)
    (home / "sums" / "sums.jsonl").write_text(lines, encoding="utf-8")
    own = {
        "HOME": str(home / "home"),
        "LIBRARY": str(home / "library"),
        "INDEX__ENCODERS": '["text_bm25_en"]',
    }
    env = {**os.environ, **{f"QUIRE_{name}": value for name, value in own.items()}}

    def run(*arguments: str) -> Any:
        python = home / "venv" / "bin" / "python"
        code = "import sys; from quire.app.cli import main; sys.exit(main())"
        command: list[str] = [str(python), "-c", code, *map(str, arguments), "--json"]
        done = subprocess.run(command, cwd=home, env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def _describe(folder: Path) -> None:
    """The metadata that `pip install` would write."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder.mkdir()
    told = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (folder / "METADATA").write_text(told, encoding="utf-8")
    points = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(points), encoding="utf-8")


def test_a_task_without_a_source_is_listed_beside_the_others(installed: Run) -> None:
    rows = {row["name"]: row for row in installed("tasks", "list")}
    assert rows["sums"]["about"] == "Small sums, to show what a task is."
    assert "spider" in rows


def test_task_memory_and_model_of_a_package_run_as_a_stream(installed: Run) -> None:
    method = ("--method", "newest_right", "--model", "adder:")
    done = installed("stream", "run", "--task", "sums", "--data", "sums", *method, "-o", "runs")
    assert done["metric"] == 1.0
    assert done["walls"][Path(done["runs"][0]).name]["network"] is False, "it ran behind the wall"
    assert done["groups"][0]["method"] == "newest_right"


def test_an_action_of_a_package_answers_a_question(installed: Run) -> None:
    installed("add", str(PAPER))
    run = installed("ask", "How many pages?", "--model", "adder:", "--method", "count_pages")
    assert run["answer"]["value"] == 2
    assert [step["call"]["name"] for step in run["steps"]] == ["CountPages", "GenerateAnswer"]


def test_a_scorer_of_a_package_scores(installed: Run, tmp_path: Path) -> None:
    evaluator = {"eval_func": "same_length", "eval_kwargs": {"reference": "22"}}
    asked = tmp_path / "asked.jsonl"
    asked.write_text(
        json.dumps({"id": "a", "question": "?", "evaluator": evaluator}) + "\n", encoding="utf-8"
    )
    said = tmp_path / "said.jsonl"
    said.write_text(json.dumps({"id": "a", "prediction": "xy"}) + "\n", encoding="utf-8")
    assert installed("eval", str(asked), "--predictions", str(said))["accuracy"] == 1.0


def test_a_package_replaces_nothing_and_a_wrong_name_lists_what_it_adds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = [EntryPoint(name, "json:loads", "quire.toys") for name in ("ours", "theirs")]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: EntryPoints(points))
    table = Registry("toy", {"ours": "json:dumps"}, "quire.toys")
    assert dict(table) == {"ours": "json:dumps", "theirs": "json:loads"}
    assert table.load("theirs") is json.loads
    with pytest.raises(UnknownNameError, match="Did you mean `theirs`.*ours, theirs"):
        table["their"]
    assert "theirs" not in Registry("toy", {}), "a table without a group is closed"
    rows = Rows("row", {"ours": json.dumps}, "quire.toys")
    assert rows["theirs"] is json.loads


def test_every_registry_of_the_page_is_there_and_open_to_packages() -> None:
    page = (Path(__file__).parents[1] / "docs" / "extending.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page.splitlines() if line.startswith("|")]
    named = [(row[4].strip(" `"), row[5].strip(" `")) for row in rows if re.match(r" `[\w.]+` $", row[4])]
    assert len(named) > 9
    for place, group in named:
        module, _, name = place.rpartition(".")
        module = module if module.startswith("quire_streams.") else f"quire.{module}"
        assert getattr(importlib.import_module(module), name).group == group
    files = [file for row in rows for file in re.findall(r"`(\w[\w/]+\.(?:py|toml))`", "|".join(row[2:4]))]
    rooms = (Path(quire.__file__).parent, Path(quire_streams.__file__).parents[1])

    def found(place: str) -> bool:
        return any(list(room.glob(f"**/{place}")) for room in rooms)

    assert [file for file in files if not found(file.removesuffix("/x.py"))] == []
