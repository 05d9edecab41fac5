"""Encoders: drawn graphs against plain numpy forwards, folders, caching, what happens without weights."""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from safetensors.numpy import load_file

from quire.errors import EncoderUnavailable, QueryError, UnknownNameError
from quire.search import BM25, ENCODERS, MINILM, load
from quire.search.encoders import bert
from quire.search.encoders.bert import Drawn
from quire.search.encoders.clip import ClipEncoder
from quire.search.encoders.graphs import drawn, has_vnni
from quire.search.encoders.transformer import TransformerEncoder, equal_lengths
from tests.search import tiny_models as tiny


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path / "home"))


TEXTS = ["the cat sat", "a dog", "the graph model of attention", "a dog", "on the mat the cat sat"]


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_drawn_bert_computes_what_numpy_computes(tmp_path: Path, pooling: str) -> None:
    folder = tiny.bert_folder(tmp_path / "tiny", pooling=pooling, prefix="bert.")
    encoder = TransformerEncoder("text_x", folder, precision="float32")
    weights = {k.removeprefix("bert."): v for k, v in load_file(folder / "model.safetensors").items()}
    rows = encoder.encode(TEXTS)
    assert rows.shape == (5, tiny.HIDDEN) == (5, encoder.dim)
    for text, row in zip(TEXTS, rows, strict=True):
        ids = [2, *(tiny.VOCABULARY.index(word) for word in text.split()), 3]
        assert np.abs(row - tiny.bert_forward(weights, tiny.BERT, ids, pooling)).max() < 1e-4


def test_texts_are_cut_and_equal_ones_are_equal(tmp_path: Path) -> None:
    encoder = TransformerEncoder("text_x", tiny.bert_folder(tmp_path / "tiny", query="the "), batch_tokens=8)
    assert encoder.max_tokens == 12
    long, longer = encoder.encode(["cat " * 10, "cat " * 500])
    assert np.array_equal(long, longer)
    assert encoder.encode([]).shape == (0, tiny.HIDDEN)
    assert encoder.encode([""]).shape == (1, tiny.HIDDEN)
    assert np.allclose(encoder.encode_query("cat"), encoder.encode(["the cat"])[0]), "the model's own prompt"


def test_an_exported_graph_is_taken_as_it_is(tmp_path: Path) -> None:
    from quire.search.encoders import bert

    folder = tiny.bert_folder(tmp_path / "tiny")
    wanted = TransformerEncoder("text_x", folder, precision="float32").encode(TEXTS)
    model = bert.draw(load_file(folder / "model.safetensors"), tiny.BERT, pooling="mean", normalise=True)
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(model.graph)
    (folder / "onnx" / "weights").write_bytes(model.weights)
    (folder / "model.safetensors").unlink()
    encoder = TransformerEncoder("text_x", folder, precision="int8")
    assert encoder.precision == "float32", "that of the exported graph"
    assert np.allclose(encoder.encode(TEXTS), wanted)


def test_a_graph_is_drawn_once_and_again_when_the_weights_change(tmp_path: Path) -> None:
    folder = tiny.bert_folder(tmp_path / "tiny")
    kept = tmp_path / "home" / "cache" / "graphs"
    for _ in range(2):
        TransformerEncoder("text_x", folder)
        assert len(list(kept.iterdir())) == 1
    content = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").write_bytes(content)
    TransformerEncoder("text_x", folder)
    assert len(list(kept.iterdir())) == 2
    assert not list(kept.glob(".draft*"))


@pytest.mark.parametrize("name", ["graph.onnx", "weights"])
@pytest.mark.parametrize("cut", [slice(0, 0), slice(0, 500), slice(1, None)], ids=["empty", "short", "moved"])
def test_a_damaged_graph_is_drawn_again(tmp_path: Path, cut: slice, name: str) -> None:
    folder = tiny.bert_folder(tmp_path / "tiny")
    wanted = TransformerEncoder("text_x", folder).encode(TEXTS)
    (kept,) = (tmp_path / "home" / "cache" / "graphs").iterdir()
    content = (kept / name).read_bytes()
    (kept / name).write_bytes(content[cut])
    assert np.array_equal(TransformerEncoder("text_x", folder).encode(TEXTS), wanted)
    assert [kept] == list(kept.parent.iterdir())
    assert (kept / name).read_bytes() == content


def test_a_graph_that_another_process_kept_meanwhile_stays(tmp_path: Path) -> None:
    folder = tiny.bert_folder(tmp_path / "tiny")
    TransformerEncoder("text_x", folder, precision="float32")
    (kept,) = (tmp_path / "home" / "cache" / "graphs").iterdir()
    place, aside = kept.stat().st_ino, tmp_path / "aside"
    kept.rename(aside)

    def late(weights: Mapping[str, NDArray[Any]]) -> Drawn:
        aside.rename(kept)
        return bert.draw(weights, tiny.BERT, pooling="mean", normalise=True)

    assert drawn(folder, "text-float32", late).parent == kept
    assert kept.stat().st_ino == place, "it may be being opened"


def test_graphs_that_nobody_opened_for_a_month_go(tmp_path: Path) -> None:
    cache, then = tmp_path / "home" / "cache" / "graphs", time.time() - 31 * 24 * 3600
    for name in ("old", "used"):
        TransformerEncoder("text_x", tiny.bert_folder(tmp_path / name))
    for kept in cache.iterdir():
        os.utime(kept, (then, then))
    TransformerEncoder("text_x", tmp_path / "used")
    TransformerEncoder("text_x", tiny.bert_folder(tmp_path / "new"))
    assert sorted(kept.name.partition("-")[0] for kept in cache.iterdir()) == ["new", "used"]


@pytest.mark.parametrize("vnni", [True, False])
def test_eight_bits_are_near_the_floats_whatever_the_batch(
    tmp_path: Path, vnni: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.search.encoders.eight_bits.has_vnni", lambda: vnni)
    folder = tiny.bert_folder(tmp_path / "tiny")
    floats = TransformerEncoder("text_x", folder, precision="float32")
    eight = TransformerEncoder("text_x", folder, precision="int8")
    assert (floats.precision, eight.precision) == ("float32", "int8")
    rows = eight.encode(TEXTS)
    assert ((rows * floats.encode(TEXTS)).sum(axis=1) > 0.98).all()
    assert not np.allclose(rows, floats.encode(TEXTS), atol=1e-5)
    for text, row in zip(TEXTS, rows, strict=True):
        assert np.array_equal(eight.encode([text])[0], row)


def test_eight_bits_are_the_default_where_the_processor_has_vnni(tmp_path: Path) -> None:
    cpu = tmp_path / "cpuinfo"
    cpu.write_text("processor : 0\nflags : fpu avx2 avx512_vnni\n")
    assert has_vnni(cpu)
    cpu.write_text("processor : 0\nflags : fpu avx2\n")
    assert not has_vnni(cpu)
    assert not has_vnni(tmp_path / "none")
    folder = tiny.bert_folder(tmp_path / "tiny")
    assert TransformerEncoder("text_x", folder).precision == ("int8" if has_vnni() else "float32")


def test_clip_computes_what_numpy_computes(tmp_path: Path) -> None:
    folder = tiny.clip_folder(tmp_path / "clip")
    encoder = ClipEncoder("image_x", folder)
    weights = load_file(folder / "model.safetensors")
    ids = [2, *(tiny.VOCABULARY.index(word) for word in ["the", "cat", "sat"]), 3]
    assert encoder.encode_query("the cat sat").shape == (tiny.PROJECTED,)
    assert np.abs(encoder.encode_query("the cat sat") - tiny.clip_text_forward(weights, ids)).max() < 1e-4

    noise = np.random.default_rng(3).integers(0, 256, (tiny.SIZE, tiny.SIZE, 3), dtype=np.uint8)
    pictures = [png(noise), png(noise[::-1]), png(noise)]
    rows = encoder.encode(pictures)
    assert rows.shape == (3, tiny.PROJECTED) == (3, encoder.dim)
    assert np.array_equal(rows[0], rows[2])
    pixels = (noise / 255 - [0.48145466, 0.4578275, 0.40821073]) / [0.26862954, 0.26130258, 0.27577711]
    wanted = tiny.clip_image_forward(weights, pixels.transpose(2, 0, 1).astype(np.float32))
    assert np.abs(rows[0] - wanted).max() < 1e-4
    wide = encoder.encode([png(np.repeat(noise, 3, axis=1)), png(noise[:1, :1])])
    assert np.isfinite(wide).all()
    with pytest.raises(QueryError, match="neither PNG nor JPEG"):
        encoder.encode([b"not a picture"])


def png(pixels: NDArray[np.uint8]) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize("name", [n for n in ENCODERS if n not in (BM25, MINILM)])
def test_without_weights_the_error_says_what_to_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", "/nonexistent")
    with pytest.raises(EncoderUnavailable, match="quire models download"):
        load(name)


def test_models_are_found_in_the_given_folder(tmp_path: Path) -> None:
    tiny.bert_folder(tmp_path / "models" / "bge-large-en-v1.5")
    tiny.bert_folder(tmp_path / "models" / "My Own-Model")
    tiny.clip_folder(tmp_path / "models" / "clip-vit-base-patch32")
    for name, dim in (
        ("text_sentence_transformers_bge_large_en_v1_5", tiny.HIDDEN),
        ("text_sentence_transformers_my_own_model", tiny.HIDDEN),
        ("image_clip_clip_vit_base_patch32", tiny.PROJECTED),
    ):
        encoder = load(name, models=tmp_path / "models")
        assert (encoder.name, encoder.dim) == (name, dim)
    with pytest.raises(UnknownNameError):
        load("text_sentence_transformers_other", models=tmp_path / "models")
    with pytest.raises(QueryError):
        load(BM25)


@pytest.mark.parametrize("broken", ["tokenizer.json", "model.safetensors", "family", "json", "weights"])
def test_a_broken_folder_is_told(tmp_path: Path, broken: str) -> None:
    folder = tiny.bert_folder(tmp_path / "tiny")
    if broken == "family":
        (folder / "config.json").write_text(json.dumps({**tiny.BERT, "model_type": "mpnet"}))
    elif broken == "json":
        (folder / "config.json").write_text("{")
    elif broken == "weights":
        (folder / "config.json").write_text(json.dumps({**tiny.BERT, "num_hidden_layers": 3}))
    else:
        (folder / broken).unlink()
    with pytest.raises(EncoderUnavailable):
        TransformerEncoder("text_x", folder)


def test_batches_are_of_one_length_and_within_the_budget() -> None:
    lengths = [1, 1, 1, 2, 2, 5, 5, 5, 9]
    batches = list(equal_lengths([(0,) * n for n in lengths], 6))
    assert [len(s) for batch in batches for s in batch] == lengths
    assert all(len({len(s) for s in batch}) == 1 for batch in batches)
    assert all(len(batch) == 1 or sum(map(len, batch)) <= 6 for batch in batches)
