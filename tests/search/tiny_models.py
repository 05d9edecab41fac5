"""Tiny models with random weights, made on the spot, and plain numpy forwards of the same architectures."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

Weights = dict[str, NDArray[np.float32]]
VOCABULARY = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *"the a cat dog sat on mat graph model of".split(),
    "attention",
]
HIDDEN, LAYERS, HEADS = 16, 2, 4
BERT = {
    "model_type": "bert",
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": 32,
    "max_position_embeddings": 24,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
    "vocab_size": len(VOCABULARY),
}
TOWER = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": 32,
    "hidden_act": "quick_gelu",
    "layer_norm_eps": 1e-5,
}
SIZE, PATCH, PROJECTED = 32, 8, 12


def random_weights(shapes: dict[str, tuple[int, ...]], seed: int) -> Weights:
    draw = np.random.default_rng(seed)
    return {name: draw.standard_normal(shape, dtype=np.float32) * 0.5 for name, shape in shapes.items()}


def save_tokenizer(folder: Path) -> None:
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def bert_folder(folder: Path, *, pooling: str = "mean", prefix: str = "", query: str = "") -> Path:
    """A Sentence-Transformers folder."""
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), HIDDEN),
        "embeddings.position_embeddings.weight": (24, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
    }
    norms = ["embeddings.LayerNorm"]
    for n in range(LAYERS):
        at = f"encoder.layer.{n}."
        linear = {f"attention.self.{part}": (HIDDEN, HIDDEN) for part in ("query", "key", "value")}
        linear |= {"attention.output.dense": (HIDDEN, HIDDEN)}
        linear |= {"intermediate.dense": (32, HIDDEN), "output.dense": (HIDDEN, 32)}
        for name, shape in linear.items():
            shapes |= {f"{at}{name}.weight": shape, f"{at}{name}.bias": shape[:1]}
        norms += [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
    for norm in norms:
        shapes |= {f"{norm}.weight": (HIDDEN,), f"{norm}.bias": (HIDDEN,)}
    folder.mkdir(parents=True)
    save_file({prefix + k: v for k, v in random_weights(shapes, 1).items()}, folder / "model.safetensors")
    save_tokenizer(folder)
    (folder / "1_Pooling").mkdir()
    _json(folder / "config.json", BERT)
    _json(folder / "1_Pooling" / "config.json", {"pooling_mode_cls_token": pooling == "cls"})
    _json(folder / "sentence_bert_config.json", {"max_seq_length": 12})
    _json(folder / "config_sentence_transformers.json", {"prompts": {"query": query}})
    return folder


def clip_folder(folder: Path) -> Path:
    """A folder of a CLIP model."""
    shapes: dict[str, tuple[int, ...]] = {
        "text_model.embeddings.token_embedding.weight": (len(VOCABULARY), HIDDEN),
        "text_model.embeddings.position_embedding.weight": (10, HIDDEN),
        "vision_model.embeddings.class_embedding": (HIDDEN,),
        "vision_model.embeddings.patch_embedding.weight": (HIDDEN, 3, PATCH, PATCH),
        "vision_model.embeddings.position_embedding.weight": ((SIZE // PATCH) ** 2 + 1, HIDDEN),
        "text_projection.weight": (PROJECTED, HIDDEN),
        "visual_projection.weight": (PROJECTED, HIDDEN),
    }
    norms = ["text_model.final_layer_norm", "vision_model.pre_layrnorm", "vision_model.post_layernorm"]
    for tower in ("text_model", "vision_model"):
        for n in range(LAYERS):
            at = f"{tower}.encoder.layers.{n}."
            linear = {f"self_attn.{part}_proj": (HIDDEN, HIDDEN) for part in ("q", "k", "v", "out")}
            linear |= {"mlp.fc1": (32, HIDDEN), "mlp.fc2": (HIDDEN, 32)}
            for name, shape in linear.items():
                shapes |= {f"{at}{name}.weight": shape, f"{at}{name}.bias": shape[:1]}
            norms += [f"{at}layer_norm1", f"{at}layer_norm2"]
    for norm in norms:
        shapes |= {f"{norm}.weight": (HIDDEN,), f"{norm}.bias": (HIDDEN,)}
    folder.mkdir(parents=True)
    save_file(random_weights(shapes, 2), folder / "model.safetensors")
    save_tokenizer(folder)
    config = {
        "model_type": "clip",
        "projection_dim": PROJECTED,
        "text_config": {**TOWER, "max_position_embeddings": 10},
        "vision_config": {**TOWER, "image_size": SIZE, "patch_size": PATCH},
    }
    _json(folder / "config.json", config)
    return folder


def _json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value))


# --------------------------------------------------------------------------- plain forwards

Array = NDArray[np.float64]


def norm(x: Array, w: Weights, name: str, epsilon: float) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    scaled: Array = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]


def linear(x: Array, w: Weights, name: str) -> Array:
    product: Array = x @ w[f"{name}.weight"].T.astype(np.float64) + w[f"{name}.bias"]
    return product


def attend(q: Array, k: Array, v: Array, heads: int, *, causal: bool = False) -> Array:
    length, hidden = q.shape
    parts = [part.reshape(length, heads, hidden // heads).transpose(1, 0, 2) for part in (q, k, v)]
    logits = parts[0] @ parts[1].transpose(0, 2, 1) / math.sqrt(hidden // heads)
    if causal:
        logits = np.where(np.tril(np.ones((length, length))) > 0, logits, -np.inf)
    shares = np.exp(logits - logits.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    out: Array = (shares @ parts[2]).transpose(1, 0, 2).reshape(length, hidden)
    return out


def gelu(x: Array) -> Array:
    out: Array = x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return out


def unit(x: Array) -> Array:
    normalised: Array = x / np.linalg.norm(x)
    return normalised


def bert_forward(w: Weights, config: dict[str, Any], ids: list[int], pooling: str = "mean") -> Array:
    """One text through a BERT: the normalised vector."""
    epsilon = config["layer_norm_eps"]
    x = w["embeddings.word_embeddings.weight"][ids].astype(np.float64)
    x = x + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], w, "embeddings.LayerNorm", epsilon)
    for n in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{n}."
        q, k, v = (linear(x, w, f"{at}attention.self.{part}") for part in ("query", "key", "value"))
        out = linear(attend(q, k, v, config["num_attention_heads"]), w, f"{at}attention.output.dense")
        x = norm(out + x, w, f"{at}attention.output.LayerNorm", epsilon)
        inner = linear(gelu(linear(x, w, f"{at}intermediate.dense")), w, f"{at}output.dense")
        x = norm(inner + x, w, f"{at}output.LayerNorm", epsilon)
    return unit(x.mean(0) if pooling == "mean" else x[0])


def clip_layers(w: Weights, tower: str, x: Array, *, causal: bool) -> Array:
    for n in range(LAYERS):
        at = f"{tower}.encoder.layers.{n}."
        inner = norm(x, w, f"{at}layer_norm1", 1e-5)
        q, k, v = (linear(inner, w, f"{at}self_attn.{part}_proj") for part in ("q", "k", "v"))
        x = x + linear(attend(q, k, v, HEADS, causal=causal), w, f"{at}self_attn.out_proj")
        inner = linear(norm(x, w, f"{at}layer_norm2", 1e-5), w, f"{at}mlp.fc1")
        x = x + linear(inner / (1 + np.exp(-1.702 * inner)), w, f"{at}mlp.fc2")
    return x


def clip_text_forward(w: Weights, ids: list[int]) -> Array:
    """One text through CLIP's text tower: the normalised vector."""
    x = w["text_model.embeddings.token_embedding.weight"][ids].astype(np.float64)
    x = x + w["text_model.embeddings.position_embedding.weight"][: len(ids)]
    x = norm(clip_layers(w, "text_model", x, causal=True), w, "text_model.final_layer_norm", 1e-5)
    return unit(x[-1] @ w["text_projection.weight"].T)


def clip_image_forward(w: Weights, pixels: NDArray[np.float32]) -> Array:
    """One picture [3, size, size] through CLIP's image tower: the normalised vector."""
    kernel = w["vision_model.embeddings.patch_embedding.weight"].reshape(HIDDEN, -1).astype(np.float64)
    count = SIZE // PATCH
    patches = pixels.reshape(3, count, PATCH, count, PATCH).transpose(1, 3, 0, 2, 4).reshape(count**2, -1)
    first = w["vision_model.embeddings.class_embedding"][None].astype(np.float64)
    x: Array = np.concatenate([first, patches @ kernel.T])
    x = x + w["vision_model.embeddings.position_embedding.weight"]
    x = clip_layers(w, "vision_model", norm(x, w, "vision_model.pre_layrnorm", 1e-5), causal=False)
    return unit(norm(x[0], w, "vision_model.post_layernorm", 1e-5) @ w["visual_projection.weight"].T)
