"""The weights of `quire-minilm` are made, found and loaded; their vectors are nearly the original's."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from quire.search.encoders.catalogue import MINILM_SOURCE
from quire.search.encoders.folders import find, require
from quire.search.encoders.graphs import loaded
from quire.search.encoders.transformer import TransformerEncoder

MAKER = Path(__file__).parents[2] / "packages" / "quire-minilm" / "make_weights.py"
FOLDER = find(MINILM_SOURCE)
TEXTS = ["Boats float on water.", "The dough rises at 24 degrees.", "A transformer is trained on pairs." * 9]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package's folder of files, made from the original."""
    if FOLDER is None:
        pytest.skip("the weights are not installed")
    spec = importlib.util.spec_from_file_location("make_weights", MAKER)
    assert spec is not None
    assert spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    target = tmp_path_factory.mktemp("quire_minilm") / "model"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(maker, "MODEL", target)
        patch.setattr("sys.argv", ["make_weights.py", str(FOLDER)])
        maker.main()
    return target


def test_they_are_a_quarter_and_encode_nearly_the_same(made: Path, tmp_path: Path) -> None:
    assert FOLDER is not None
    size = (made / "model8.safetensors").stat().st_size
    assert size < 0.26 * (FOLDER / "model.safetensors").stat().st_size
    whole, eight = TransformerEncoder("a", FOLDER), TransformerEncoder("b", made)
    cosines = (whole.encode(TEXTS) * eight.encode(TEXTS)).sum(axis=1)
    assert (cosines > 0.998).all()


def test_each_matrix_is_within_half_a_step(made: Path) -> None:
    assert FOLDER is not None
    before, after = load_file(FOLDER / "model.safetensors"), loaded(made)
    assert set(after) == set(before) - {"embeddings.position_ids"}
    for name, value in after.items():
        step = np.abs(before[name]).max(axis=-1, keepdims=True) / 127
        assert (np.abs(before[name] - value) <= 0.51 * step).all(), name


def test_a_folder_of_them_is_a_model(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path))
    shutil.copytree(made, tmp_path / "models" / MINILM_SOURCE.folder)
    assert require(MINILM_SOURCE) == tmp_path / "models" / MINILM_SOURCE.folder
