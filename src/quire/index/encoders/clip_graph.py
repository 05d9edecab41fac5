"""The two towers of CLIP as ONNX graphs, drawn from their weights (names as in a Hugging Face checkpoint).

Architecture: Radford et al. 2021, "Learning Transferable Visual Models From Natural Language Supervision",
section 2.4: pre-norm transformers; the text tower is causal and read at its last token, the image tower is a
ViT over patches read at its class token; both are projected into one space and normalised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quire.errors import EncoderUnavailable
from quire.index.encoders.bert import Weights

_ACTIVATIONS = {"quick_gelu": "QuickGelu", "gelu": "Gelu"}


def draw_text(weights: Weights, config: Mapping[str, Any]) -> Any:
    """Token ids int32 [batch, length], equally long, ending with the end token -> float32 [batch, dim]."""
    from onnx import TensorProto

    tower = _Tower("clip_text", weights, config, "text_model.")
    graph = tower.graph
    positions = tower.get("embeddings.position_embedding.weight")
    length = graph.node("Shape", "input_ids", start=1, end=2)
    kept = graph.node("Slice", graph.weight(positions), tower.integers(0), length)
    words = graph.node("Gather", graph.weight(tower.get("embeddings.token_embedding.weight")), "input_ids")
    hidden = tower.layers(graph.node("Add", words, kept), causal=True)
    last = graph.node("Gather", hidden, graph.weight(np.asarray(-1, dtype=np.int64)), axis=1)
    output = tower.project(tower.norm(last, "final_layer_norm"), "text_projection.weight")
    return graph.finish([("input_ids", TensorProto.INT32, ["batch", "length"])], output)


def draw_image(weights: Weights, config: Mapping[str, Any]) -> Any:
    """Pixels float32 [batch, 3, size, size], already normalised -> float32 [batch, dim]."""
    from onnx import TensorProto

    tower = _Tower("clip_image", weights, config, "vision_model.")
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
    pooled = graph.node("Gather", hidden, graph.weight(np.asarray(0, dtype=np.int64)), axis=1)
    output = tower.project(tower.norm(pooled, "post_layernorm"), "visual_projection.weight")
    return graph.finish([("pixel_values", TensorProto.FLOAT, ["batch", 3, "height", "width"])], output)


class _Tower:
    """One tower under construction."""

    def __init__(self, name: str, weights: Weights, config: Mapping[str, Any], prefix: str) -> None:
        from quire.index.encoders.onnx_graph import Graph

        self.graph = Graph(name)
        self._weights = weights
        self._config = config
        self._prefix = prefix

    def get(self, name: str) -> Any:
        return self._whole(self._prefix + name)

    def _whole(self, name: str) -> Any:
        try:
            return self._weights[name]
        except KeyError:
            raise EncoderUnavailable(f"The model's weights have no `{name}`.") from None

    def integers(self, *values: int) -> str:
        return self.graph.weight(np.asarray(values, dtype=np.int64))

    def norm(self, hidden: str, name: str) -> str:
        scale, shift = (self.graph.weight(self.get(f"{name}.{part}")) for part in ("weight", "bias"))
        epsilon = self._config.get("layer_norm_eps", 1e-5)
        return self.graph.node("LayerNormalization", hidden, scale, shift, axis=-1, epsilon=epsilon)

    def linear(self, hidden: str, name: str) -> str:
        product = self.graph.node("MatMul", hidden, self.graph.weight(self.get(f"{name}.weight").T))
        return self.graph.node("Add", product, self.graph.weight(self.get(f"{name}.bias")))

    def layers(self, hidden: str, *, causal: bool) -> str:
        for number in range(self._config["num_hidden_layers"]):
            hidden = self._layer(hidden, f"encoder.layers.{number}.", causal)
        return hidden

    def _layer(self, hidden: str, at: str, causal: bool) -> str:
        names = [f"{at}self_attn.{part}_proj" for part in ("q", "k", "v")]
        attended = self.graph.node(
            "Attention",
            self.norm(hidden, f"{at}layer_norm1"),
            self.graph.weight(np.concatenate([self.get(f"{name}.weight").T for name in names], axis=1)),
            self.graph.weight(np.concatenate([self.get(f"{name}.bias") for name in names])),
            num_heads=self._config["num_attention_heads"],
            unidirectional=int(causal),
        )
        hidden = self.graph.node("Add", hidden, self.linear(attended, f"{at}self_attn.out_proj"))
        inner = self.linear(self.norm(hidden, f"{at}layer_norm2"), f"{at}mlp.fc1")
        inner = self.graph.node(_activation(self._config), inner)
        return self.graph.node("Add", hidden, self.linear(inner, f"{at}mlp.fc2"))

    def project(self, pooled: str, name: str) -> str:
        projected = self.graph.node("MatMul", pooled, self.graph.weight(self._whole(name).T))
        return self.graph.node("LpNormalization", projected, axis=-1, p=2)


def _activation(config: Mapping[str, Any]) -> str:
    name = config.get("hidden_act", "quick_gelu")
    if name not in _ACTIVATIONS:
        raise EncoderUnavailable(f"No graph can be drawn for the activation `{name}`.")
    return _ACTIVATIONS[name]
