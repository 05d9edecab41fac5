"""Benchmarks of which nobody would notice that they broke, each run as small as it goes."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.library.conftest import write_pdf

ROOT = Path(__file__).parents[1]


def test_an_attack_of_each_module_is_tried_and_nothing_comes_through() -> None:
    attacks = "lies about its usage", "filters, garbled", "outgrow their memory", "odd origins"
    command = [sys.executable, str(ROOT / "benchmarks" / "attack.py"), *attacks]
    env = {**os.environ, "QUIRE_ATTACK_TIMES": "20"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=env)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    lines = done.stdout.splitlines()[1:]
    for attack in attacks:
        (line,) = [line for line in lines if attack in line]
        tried, through = map(int, re.findall(r" (\d+) +(\d+) +\d+\.\d\d ", line)[0])
        assert tried > 5, attack
        assert through == 0, attack


def scripts() -> list[str]:
    """The benchmarks that can be run."""
    files = (ROOT / "benchmarks").glob("*.py")
    return sorted(f.stem for f in files if f.stem != "__main__" and "__main__" in f.read_text())


def test_every_benchmark_is_named_with_the_data_that_it_needs() -> None:
    from benchmarks.__main__ import ALONE, DATA, NEEDS

    assert sorted(NEEDS) == scripts()
    assert set(NEEDS.values()) == set(DATA)
    assert {NEEDS[name] for name in ALONE} == {""}
    page = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    assert [name for name in NEEDS if f"`{name}`" not in page] == []


def test_who_has_read_enough_of_the_list_is_told_no_fault() -> None:
    command = [sys.executable, "-m", "benchmarks"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as listing:
        assert listing.stdout is not None
        assert listing.stderr is not None
        listing.stdout.close()
        assert "Error" not in listing.stderr.read()


def test_every_benchmark_and_trainer_starts() -> None:
    """Up to its arguments, or its imports; what only its own environment has (Ray) may be missing."""
    program = """
import importlib, pathlib, runpy, sys
sys.path[:0] = [".", "benchmarks"]
for name in sys.argv[1:]:
    sys.argv = [name, "--help"]
    try:
        if "/" in name:
            runpy.run_path(name, run_name="__main__")
        else:
            importlib.import_module(name)
    except SystemExit as end:
        assert not end.code, name
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in ("quire", "quire_streams", "benchmarks", "training", "tests"):
            raise
"""
    files = [*sorted(ROOT.glob("benchmarks/*.py")), *sorted(ROOT.glob("training/**/*.py"))]
    named = [file.relative_to(ROOT) for file in files]
    asked = {name for name in named if name.stem in scripts() and "argparse" in (ROOT / name).read_text()}
    words = [str(name) if name in asked else ".".join(name.with_suffix("").parts) for name in named]
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(asked) > 35


def test_a_result_is_kept_with_commit_and_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks import __main__ as running

    write_pdf(tmp_path / "a.pdf", "On Boats", "Boats float on water.")
    monkeypatch.setattr(running, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", [])
    running.run("parse_digest", ["--data", str(tmp_path)])
    told = json.loads((tmp_path / "results" / "parse_digest.json").read_text())
    assert told["arguments"] == ["--data", "PATH"]
    assert told["machine"]
    assert any("a.pdf" in line for line in told["printed"])


def test_the_report_of_a_trainer_is_kept_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks import __main__ as running

    monkeypatch.setattr(running, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(running, "TRAINERS", {"training.manifest": "articles"})
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.delitem(sys.modules, "training.manifest", raising=False)  # it is run as a program
    running.run("training.manifest", ["--check"])
    assert json.loads((tmp_path / "results" / "training.manifest.json").read_text())["printed"] == [""]


def test_trainers_of_the_list_are_there() -> None:
    from benchmarks.__main__ import DATA, TRAINERS

    assert all((ROOT / f"{name.replace('.', '/')}.py").is_file() for name in TRAINERS)
    assert set(TRAINERS.values()) <= set(DATA)


JATS = """<article><front><article-meta>
<title-group><article-title>On Boats That Float</article-title></title-group></article-meta></front>
<body><sec><title>Results</title><p>Boats float on water as long as their folds are dry, and
they sink when the water has crept along all of them to the deck.</p></sec></body></article>"""


def test_markdown_is_compared_to_the_truth(tmp_path: Path) -> None:
    measured = importlib.import_module("benchmarks.markdown")
    scored, tables_of, teds = measured.scored, measured.tables_of, measured.teds
    said = (
        "Boats float on water as long as their folds are dry, and\nthey sink when the water has crept along"
    )
    said += " all of them to the deck."
    (tmp_path / "a.xml").write_text(JATS)
    whole = scored("# On Boats That Float\n\n## Results\n\n" + said, tmp_path / "a.xml")
    assert (whole["order"], whole["paragraphs"], whole["headings"]) == (1.0, 1.0, 2 / 3)
    grid = [["a", "b"], ["1", "2"]]
    assert tables_of("| a | b |\n| --- | --- |\n| 1 | 2 |\n") == [grid]
    assert tables_of("<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>") == [grid]
    assert teds(grid, grid) == 1.0
    assert teds(grid, [["a", "b"]]) == 1 - 3 / 7
    assert teds(grid, [["a", "b"], ["1", "x"]]) == 1 - 1 / 7
