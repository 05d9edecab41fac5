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


def ran(name: str, *arguments: object, **environment: str) -> str:
    """What a benchmark printed, which must end well."""
    command = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize(
    "attack",
    ["lies about its usage", "filters, garbled", "outgrow their memory", "odd origins"],
)
def test_an_attack_of_each_module_is_tried_and_nothing_comes_through(attack: str) -> None:
    told = ran("attack", attack, QUIRE_ATTACK_TIMES="20")
    (line,) = told.splitlines()[1:]
    tried, through = map(int, re.findall(r" (\d+) +(\d+) +\d+\.\d\d ", line)[0])
    assert tried > 5
    assert through == 0


def test_growth_measures_a_library_of_a_few_entries() -> None:
    assert "entries" in ran("growth", "--entries", 300, "--queries", 3, "--parsed", 2)


def test_a_digest_tells_what_has_changed(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", "On Boats", "Boats float on water.")
    (tmp_path / "before.txt").write_text(ran("parse_digest", "--data", tmp_path))
    told = ran("parse_digest", "--data", tmp_path, "--against", tmp_path / "before.txt")
    assert "# 1 of 1 as before" in told


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


def test_every_benchmark_starts() -> None:
    """Up to its arguments; what only its own environment has may be missing."""
    program = """
import runpy, sys
sys.path[:0] = [".", "benchmarks"]
for name in sys.argv[1:]:
    sys.argv = [name, "--help"]
    try:
        runpy.run_path(f"benchmarks/{name}.py", run_name="__main__")
    except SystemExit as end:
        assert not end.code, name
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in ("quire", "quire_streams", "benchmarks", "training", "tests"):
            raise
"""
    named = [name for name in scripts() if "argparse" in (ROOT / "benchmarks" / f"{name}.py").read_text()]
    command = [sys.executable, "-c", program, *named]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(named) > 35


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
    lines = ("On Boats That Float", "Boats float on water as long as their folds are dry, and",
             "they sink when the water has crept along all of them to the deck.")  # fmt: skip
    write_pdf(tmp_path / "a.pdf", *lines)
    (tmp_path / "a.xml").write_text(JATS)
    told = ran("markdown", "--data", tmp_path, "--sample", 1, "--tools", "pypdf", PYTHONPATH=str(ROOT))
    assert "1 of 1 papers" in told
    whole = scored("# On Boats That Float\n\n## Results\n\n" + " ".join(lines[1:]), tmp_path / "a.xml")
    assert (whole["order"], whole["paragraphs"], whole["headings"]) == (1.0, 1.0, 2 / 3)
    grid = [["a", "b"], ["1", "2"]]
    assert tables_of("| a | b |\n| --- | --- |\n| 1 | 2 |\n") == [grid]
    assert tables_of("<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>") == [grid]
    assert teds(grid, grid) == 1.0
    assert teds(grid, [["a", "b"]]) == 1 - 3 / 7
    assert teds(grid, [["a", "b"], ["1", "x"]]) == 1 - 1 / 7


def test_every_benchmark_still_finds_what_it_imports() -> None:
    """What it needs of quire is there; what only its own environment has (lightgbm, Ray) may be missing."""
    program = """
import importlib, pathlib, sys
sys.path.append("benchmarks")
for place in sorted([*pathlib.Path("benchmarks").glob("*.py"), *pathlib.Path("training").rglob("*.py")]):
    try:
        importlib.import_module(".".join(place.with_suffix("").parts))
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in ("quire", "quire_streams", "benchmarks", "training", "tests"):
            raise
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
