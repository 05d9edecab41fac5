"""Listing, finding and fetching models."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.errors import EncoderUnavailable, OfflineError, UnknownNameError
from quire.search.models import download, list_models, path_of
from tests.search import tiny_models as tiny


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))


def test_known_models_have_sizes_and_own_ones_are_listed(tmp_path: Path) -> None:
    own = tiny.bert_folder(tmp_path / "home" / "models" / "Own Model")
    found = {model.name: model for model in list_models()}
    assert found["bge-large-en-v1.5"].path is None
    assert found["bge-large-en-v1.5"].size > 1e9
    assert found["Own Model"].path == own
    assert found["Own Model"].collection == "text_sentence_transformers_own_model"
    assert found["Own Model"].size > 1000


def test_a_path_is_given_or_how_to_get_it(tmp_path: Path) -> None:
    own = tiny.clip_folder(tmp_path / "models" / "clip-vit-base-patch32")
    assert path_of("clip-vit-base-patch32", tmp_path / "models") == own
    assert path_of("image_clip_clip_vit_base_patch32", tmp_path / "models") == own
    with pytest.raises(EncoderUnavailable, match="fetches 1340 MB"):
        path_of("BAAI/bge-large-en-v1.5")
    with pytest.raises(UnknownNameError, match="Choose from"):
        path_of("word2vec")


def test_downloading_is_refused_offline_and_needless_when_it_is_there(tmp_path: Path) -> None:
    with pytest.raises(OfflineError, match="BAAI/bge-large-en-v1.5"):
        download("bge-large-en-v1.5", offline=True)
    own = tiny.bert_folder(tmp_path / "models" / "bge-large-en-v1.5")
    assert download("bge-large-en-v1.5", tmp_path / "models", offline=True) == own
