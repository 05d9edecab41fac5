"""The models of the package fit what computes their features, and each has a command: the manifest tells."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from training import manifest
from training.questions import read_questions
from training.reader import measure

from quire import Library
from tests.conftest import PAPERS

TRAINING = Path(manifest.__file__).parent


def test_weights_and_features_are_those_of_the_manifest() -> None:
    assert manifest.faults() == []


def test_each_file_of_weights_has_a_trainer_that_is_there() -> None:
    known = json.loads(manifest.FILE.read_text("utf-8"))
    nothing = argparse.Namespace(
        jats=[], facts=[], icdar=[], renders=[], restyled=None, typeset=None, cache=None, library=None
    )
    trainers = manifest.commands(nothing)
    assert set(trainers) == set(known)
    for name in {command[0] for command in trainers.values() if command}:
        assert (Path(manifest.__file__).parent / f"{name.replace('.', '/')}.py").is_file()
    for name in ("search/ranking_paper.npz", "search/encoders/reader/model8.safetensors"):
        at = trainers[name].index("--asked") + 1
        assert all(read_questions(Path(file)) for file in trainers[name][at : at + 2])


@pytest.mark.parametrize("name", sorted(manifest.named()))
def test_features_in_another_order_are_found_out(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = json.loads(manifest.FILE.read_text("utf-8"))
    own = known[name]["features"]
    own[3], own[4] = own[4], own[3]
    (tmp_path / "manifest.json").write_text(json.dumps(known), "utf-8")
    monkeypatch.setattr(manifest, "FILE", tmp_path / "manifest.json")
    (fault,) = manifest.faults()
    assert fault.startswith(name)
    assert "(the first: 3)" in fault


@pytest.mark.parametrize("name", ["reader.train", "ranking.train", "table_regions", "minilm"])
def test_a_trainer_tells_its_options_or_what_it_wants(name: str) -> None:
    command = [sys.executable, "-m", f"training.{name}", "-h"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=TRAINING.parent)
    assert "usage:" in done.stdout if done.returncode == 0 else "pip install --group training" in done.stderr


def test_what_says_the_answer_is_counted_with_the_reader_and_by_the_ranking_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {
        "question": "What changes how long a boat stays afloat?",
        "source_pdf": "paper-boats",
        "writer": "w",
    }
    with Library.open(tmp_path / "library") as library:
        library.add(PAPERS / "paper-boats.pdf")
    told = [
        {
            **asked,
            "says": [[1, "weight of the sheet change the time that a boat stays afloat."]],
            "partly": [],
        },
        {**asked, "says": [[9, "which no paper says"]], "partly": []},
    ]
    file = tmp_path / "asked.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in told))
    monkeypatch.setattr(sys, "argv", ["measure", str(tmp_path / "library"), "--asked", str(file)])
    measure.main()
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("all, 2: ")
    assert printed[0].endswith("with the reader 0.500 / 0.500; its page first / in five 0.500 / 0.500")
    assert printed[2].startswith("the other, 0: ")


def test_the_group_for_training_names_what_trainers_import() -> None:
    wanted = set()
    for path in TRAINING.rglob("*.py"):
        wanted |= set(re.findall(r'wanted\("(\w+)', path.read_text("utf-8")))
    project = tomllib.loads((TRAINING.parent / "pyproject.toml").read_text("utf-8"))
    group = project["dependency-groups"]["training"]
    names = {"sklearn": "scikit-learn", "pycrfsuite": "python-crfsuite"}
    assert {names.get(name, name) for name in wanted} == {line.partition(">")[0] for line in group}


def test_a_feature_is_named_by_the_expression_that_computes_it() -> None:
    def features(x: float, y: float) -> tuple[float, ...]:
        whole = (x, y)
        return (x + y, *whole, max(x, y))

    assert manifest.computed(features) == ["x + y", "*whole", "max(x, y)"]
    assert manifest.assigned(features, "whole") == ["x", "y"]
