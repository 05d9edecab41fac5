"""BERT-like encoders (BERT, MiniLM, BGE, E5, GTE-base ...) as an ONNX graph, drawn from their weights.

    model = draw(load_file("model.safetensors"), json.loads(config), pooling="mean", normalise=True)

The graph takes `input_ids` int32 [batch, length] WITHOUT padding (all texts of a batch are equally long: the
caller groups them), so it needs no mask, and gives `embedding` float32 [batch, dim]. Operators are
onnxruntime's fused ones. Architecture: Devlin et al., "BERT", section 3 (post-norm transformer, learned
absolute positions). Not covered: relative positions (MPNet, DeBERTa), rotary ones (ModernBERT, Nomic).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quire.errors import EncoderUnavailable

Pooling = Literal["mean", "cls"]
Weights = Mapping[str, NDArray[Any]]
FAMILIES = frozenset({"bert", "roberta", "xlm-roberta", "camembert"})


def draw(weights: Weights, config: Mapping[str, Any], *, pooling: Pooling, normalise: bool) -> Any:
    """Draw the graph; gives an `onnx.ModelProto`.

    Raises:
        EncoderUnavailable: the architecture is another one, or a weight is missing.
    """
    from onnx import TensorProto

    from quire.index.encoders.onnx_graph import Graph

    _check(config)
    get = _Names(weights)
    graph = Graph("bert")
    hidden = _embed(graph, get, config)
    for layer in range(config["num_hidden_layers"]):
        hidden = _layer(graph, get, config, f"encoder.layer.{layer}.", hidden)
    if pooling == "mean":
        pooled = graph.node("ReduceMean", hidden, axes=[1], keepdims=0)
    else:
        pooled = graph.node("Gather", hidden, graph.weight(np.asarray(0, dtype=np.int64)), axis=1)
    if normalise:
        pooled = graph.node("LpNormalization", pooled, axis=-1, p=2)
    return graph.finish([("input_ids", TensorProto.INT32, ["batch", "length"])], pooled)


class _Names:
    """Weights by their BERT name, whatever prefix the checkpoint puts before it."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        ends = "embeddings.word_embeddings.weight"
        self._prefix = next((name[: -len(ends)] for name in weights if name.endswith(ends)), "")

    def __call__(self, name: str) -> NDArray[Any]:
        try:
            return self._weights[self._prefix + name]
        except KeyError:
            raise EncoderUnavailable(f"The model's weights have no `{self._prefix}{name}`.") from None


def _check(config: Mapping[str, Any]) -> None:
    family = config.get("model_type")
    if family not in FAMILIES:
        raise EncoderUnavailable(
            f"No graph can be drawn for the architecture `{family}`.",
            hint="Put an exported `model.onnx` into the model's folder.",
        )
    if config.get("hidden_act", "gelu") != "gelu" or (
        config.get("position_embedding_type", "absolute") != "absolute"
    ):
        raise EncoderUnavailable("Only GELU and absolute positions can be drawn as a graph.")


def _embed(graph: Any, get: _Names, config: Mapping[str, Any]) -> str:
    positions = get("embeddings.position_embeddings.weight")
    if config["model_type"] != "bert":  # RoBERTa counts positions from the padding index on
        positions = positions[config.get("pad_token_id", 1) + 1 :]
    # All tokens are of segment 0, so its embedding is a part of the position's.
    positions = positions + get("embeddings.token_type_embeddings.weight")[0]
    return str(
        graph.node(
            "EmbedLayerNormalization",
            "input_ids",
            "",
            graph.weight(get("embeddings.word_embeddings.weight")),
            graph.weight(positions),
            "",
            graph.weight(get("embeddings.LayerNorm.weight")),
            graph.weight(get("embeddings.LayerNorm.bias")),
            outputs=2,
            epsilon=config["layer_norm_eps"],
        )
    )


def _layer(graph: Any, get: _Names, config: Mapping[str, Any], at: str, hidden: str) -> str:
    heads = [f"{at}attention.self.{name}" for name in ("query", "key", "value")]
    attended = graph.node(
        "Attention",
        hidden,
        graph.weight(np.concatenate([get(f"{name}.weight").T for name in heads], axis=1)),
        graph.weight(np.concatenate([get(f"{name}.bias") for name in heads])),
        num_heads=config["num_attention_heads"],
    )
    out = graph.node("MatMul", attended, graph.weight(get(f"{at}attention.output.dense.weight").T))
    hidden = _add_and_norm(graph, get, config, f"{at}attention.output.", out, hidden)
    up = graph.node("MatMul", hidden, graph.weight(get(f"{at}intermediate.dense.weight").T))
    up = graph.node("BiasGelu", up, graph.weight(get(f"{at}intermediate.dense.bias")))
    down = graph.node("MatMul", up, graph.weight(get(f"{at}output.dense.weight").T))
    return _add_and_norm(graph, get, config, f"{at}output.", down, hidden)


def _add_and_norm(
    graph: Any, get: _Names, config: Mapping[str, Any], at: str, value: str, residual: str
) -> str:
    return str(
        graph.node(
            "SkipLayerNormalization",
            value,
            residual,
            graph.weight(get(f"{at}LayerNorm.weight")),
            graph.weight(get(f"{at}LayerNorm.bias")),
            graph.weight(get(f"{at}dense.bias")),
            epsilon=config["layer_norm_eps"],
        )
    )
