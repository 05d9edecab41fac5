"""CLIP: pictures and questions in one space, through onnxruntime, from a folder of a Hugging Face CLIP model.

encoder = ClipEncoder("image_clip_clip_vit_base_patch32", Path(".../clip-vit-base-patch32"))
encoder.encode([png_bytes]); encoder.encode_query("a bar chart of accuracies")
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.errors import EncoderUnavailable, QueryError
from quire.search.encoders.bert import FLOAT, INT32, Drawn, Network, Products, Weights
from quire.search.encoders.graphs import drawn, session
from quire.search.encoders.tokenizers import token_ids, tokenizer
from quire.search.encoders.transformer import read_json

_ACTIVATIONS = {"quick_gelu": "QuickGelu", "gelu": "Gelu"}


def draw_text(weights: Weights, config: Mapping[str, Any]) -> Drawn:
    """Token ids int32 [batch, length], equally long, ending with the end token -> float32 [batch, dim]."""
    tower = _Tower("clip_text", weights, "text_model.", config, Products())
    graph = tower.graph
    positions = tower.get("embeddings.position_embedding.weight")
    length = graph.node("Shape", "input_ids", start=1, end=2)
    kept = graph.node("Slice", graph.weight(positions), tower.integers(0), length)
    words = graph.node("Gather", graph.weight(tower.get("embeddings.token_embedding.weight")), "input_ids")
    hidden = tower.layers(graph.node("Add", words, kept), causal=True)
    (last,) = tower.at(-1, hidden)
    output = tower.project(tower.norm(last, "final_layer_norm"), "text_projection.weight")
    return graph.finish([("input_ids", INT32, ["batch", "length"])], output)


def draw_image(weights: Weights, config: Mapping[str, Any]) -> Drawn:
    """Pixels float32 [batch, 3, size, size], already normalised -> float32 [batch, dim]."""
    tower = _Tower("clip_image", weights, "vision_model.", config, Products())
    graph = tower.graph
    kernel = tower.get("embeddings.patch_embedding.weight")
    hidden_size, _, side, _ = kernel.shape
    patches = graph.node("Conv", "pixel_values", graph.weight(kernel), strides=[side, side])
    patches = graph.node("Reshape", patches, tower.integers(0, hidden_size, -1))
    patches = graph.node("Transpose", patches, perm=[0, 2, 1])
    batch = graph.node("Shape", "pixel_values", start=0, end=1)
    shape = graph.node("Concat", batch, tower.integers(1, hidden_size), axis=0)
    first = tower.get("embeddings.class_embedding").reshape(1, 1, hidden_size)
    tokens = graph.node("Concat", graph.node("Expand", graph.weight(first), shape), patches, axis=1)
    positions = tower.get("embeddings.position_embedding.weight")
    hidden = tower.norm(graph.node("Add", tokens, graph.weight(positions)), "pre_layrnorm")
    hidden = tower.layers(hidden, causal=False)
    (pooled,) = tower.at(0, hidden)
    output = tower.project(tower.norm(pooled, "post_layernorm"), "visual_projection.weight")
    return graph.finish([("pixel_values", FLOAT, ["batch", 3, "height", "width"])], output)


class _Tower(Network):
    def layers(self, hidden: str, *, causal: bool) -> str:
        activation = self.config["hidden_act"]
        if activation not in _ACTIVATIONS:
            raise EncoderUnavailable(f"No graph can be drawn for the activation `{activation}`.")
        for number in range(self.config["num_hidden_layers"]):
            at = f"encoder.layers.{number}."
            names = [f"{at}self_attn.{part}_proj" for part in ("q", "k", "v")]
            attended = self.attend(self.norm(hidden, f"{at}layer_norm1"), names, unidirectional=int(causal))
            hidden = self.graph.node("Add", hidden, self.linear(attended, f"{at}self_attn.out_proj"))
            inner = self.linear(self.norm(hidden, f"{at}layer_norm2"), f"{at}mlp.fc1")
            inner = self.graph.node(_ACTIVATIONS[activation], inner)
            hidden = self.graph.node("Add", hidden, self.linear(inner, f"{at}mlp.fc2"))
        return hidden

    def project(self, pooled: str, name: str) -> str:
        projected = self.graph.node("MatMul", pooled, self.graph.weight(self.whole(name).T))
        return self.graph.node("LpNormalization", projected, axis=-1, p=2)


Floats = NDArray[np.float32]
_BATCH = 16  # pictures
# What a checkpoint's config.json leaves out has these values (ViT-B/32).
_DEFAULT = {"num_hidden_layers": 12, "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5}
_DEFAULT_TEXT: dict[str, Any] = {**_DEFAULT, "num_attention_heads": 8, "max_position_embeddings": 77}
_DEFAULT_VISION: dict[str, Any] = {**_DEFAULT, "num_attention_heads": 12}
_MEAN = np.asarray((0.48145466, 0.4578275, 0.40821073), dtype=np.float32)
_STD = np.asarray((0.26862954, 0.26130258, 0.27577711), dtype=np.float32)


class ClipEncoder:
    """Both towers; each is loaded when it is first needed."""

    def __init__(self, name: str, folder: Path) -> None:
        """Read the model's configuration.

        Raises:
            EncoderUnavailable: it is not a CLIP model, or files are missing.
        """
        config = read_json(folder / "config.json")
        if config.get("model_type") != "clip" or "vision_config" not in config:
            raise EncoderUnavailable(f"{folder} does not hold a CLIP model.")
        self.name = name
        self.precision = "float32"
        self.dim = int(config.get("projection_dim", 512))
        self._folder = folder
        self._text = {**_DEFAULT_TEXT, **config.get("text_config", {})}
        self._vision = {**_DEFAULT_VISION, **config["vision_config"]}
        self.max_tokens = int(self._text["max_position_embeddings"])
        self._tokenizer = tokenizer(folder, self.max_tokens)

    def encode(self, items: Sequence[str | bytes]) -> Floats:
        """Encode pictures (PNG or JPEG bytes): float32 (len(items), dim)."""
        rows: dict[str | bytes, Floats] = {}
        todo = list(dict.fromkeys(items))
        for start in range(0, len(todo), _BATCH):
            batch = todo[start : start + _BATCH]
            pixels = np.stack([self._pixels(item) for item in batch])
            rows.update(zip(batch, self._image_session.run(None, {"pixel_values": pixels})[0], strict=True))
        return np.stack([rows[item] for item in items]) if items else np.empty((0, self.dim), np.float32)

    def encode_query(self, text: str) -> Floats:
        """Encode a question: float32 (dim,). Words beyond `max_tokens` are not read."""
        ids = np.asarray(token_ids(self._tokenizer, [text]), dtype=np.int32)
        row: Floats = self._text_session.run(None, {"input_ids": ids})[0][0]
        return row

    @cached_property
    def _image_session(self) -> Any:
        return session(drawn(self._folder, "image", lambda weights: draw_image(weights, self._vision)))

    @cached_property
    def _text_session(self) -> Any:
        return session(drawn(self._folder, "text", lambda weights: draw_text(weights, self._text)))

    def _pixels(self, picture: str | bytes) -> Floats:
        """Scale the shorter side to the model's size, cut out the middle, normalise."""
        from PIL import Image, UnidentifiedImageError

        size = int(self._vision["image_size"])
        try:
            with Image.open(io.BytesIO(picture if isinstance(picture, bytes) else picture.encode())) as image:
                rgb = image.convert("RGB")
        except UnidentifiedImageError as error:
            raise QueryError("An image to encode is neither PNG nor JPEG.") from error
        scale = size / min(rgb.size)
        width, height = (max(size, round(side * scale)) for side in rgb.size)
        rgb = rgb.resize((width, height), Image.Resampling.BICUBIC)
        left, top = (width - size) // 2, (height - size) // 2
        values = np.asarray(rgb.crop((left, top, left + size, top + size)), dtype=np.float32) / 255
        return ((values - _MEAN) / _STD).transpose(2, 0, 1).astype(np.float32)
