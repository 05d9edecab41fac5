"""The all-MiniLM-L6-v2 of the package: made of the original bit for bit, found, loaded, nearly as good."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from quire.search.encoders.graphs import loaded
from quire.search.encoders.transformer import TransformerEncoder
from quire.search.models import MINILM_SOURCE, SHIPPED, find, require

ROOT = Path(__file__).parents[2]
ORIGINAL = require(MINILM_SOURCE)
TEXTS = ["Boats float on water.", "The dough rises at 24 degrees.", "A transformer is trained on pairs." * 9]


@pytest.fixture(scope="module")
def shipped() -> Path:
    """The folder of the package, where the original is here to compare it with."""
    if ORIGINAL == SHIPPED:
        pytest.skip("the original weights are not installed")
    return SHIPPED


def test_the_command_makes_the_shipped_files_again(shipped: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "training.minilm", str(ORIGINAL), str(tmp_path)]
    subprocess.run(command, check=True, cwd=ROOT)
    made = {file.relative_to(tmp_path): file.read_bytes() for file in tmp_path.rglob("*.*")}
    assert {name: (shipped / name).read_bytes() for name in made} == made
    assert len(made) == 6


def test_they_are_a_quarter_and_encode_nearly_the_same(shipped: Path) -> None:
    size = (shipped / "model8.safetensors").stat().st_size
    assert size < 0.26 * (ORIGINAL / "model.safetensors").stat().st_size
    whole, eight = TransformerEncoder("a", ORIGINAL), TransformerEncoder("b", shipped)
    cosines = (whole.encode(TEXTS) * eight.encode(TEXTS)).sum(axis=1)
    assert (cosines > 0.998).all()


def test_each_matrix_is_within_half_a_step(shipped: Path) -> None:
    before, after = load_file(ORIGINAL / "model.safetensors"), loaded(shipped)
    assert set(after) == set(before) - {"embeddings.position_ids"}
    for name, value in after.items():
        step = np.abs(before[name]).max(axis=-1, keepdims=True) / 127
        assert (np.abs(before[name] - value) <= 0.51 * step).all(), name


def test_where_nothing_is_installed_the_packages_own_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path))
    monkeypatch.setattr("quire.search.models._in_wheel", lambda package: [])
    assert find(MINILM_SOURCE) == SHIPPED
    own = tmp_path / "models" / MINILM_SOURCE.name
    own.mkdir(parents=True)
    (own / "config.json").write_text("{}")
    assert find(MINILM_SOURCE) == own
