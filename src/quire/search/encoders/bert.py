"""BERT-like encoders (BERT, MiniLM, BGE, E5, GTE-base ...) as an ONNX graph, drawn from their weights.

    model = draw(load_file("model.safetensors"), json.loads(config), pooling="mean", normalise=True)

The graph takes `input_ids` int32 [batch, length] WITHOUT padding (all texts of a batch are equally long: the
caller groups them), so it needs no mask, and gives `embedding` float32 [batch, dim]. How it multiplies by
weights is told by `products`: in float32, or in eight bits (`quire.search.encoders.eight_bits`). Between
layers, tokens are rows of a matrix: [batch * length, hidden]. Architecture: Devlin et al., "BERT", section 3
(post-norm transformer, learned absolute positions). Not covered: relative positions (MPNet, DeBERTa), rotary
ones (ModernBERT, Nomic).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from quire.errors import EncoderUnavailable
from quire.search.encoders.onnx_graph import INT32, Drawn, Graph

Pooling = Literal["mean", "cls"]
Weights = Mapping[str, NDArray[Any]]
FAMILIES = frozenset({"bert", "roberta", "xlm-roberta", "camembert"})


class Products(Protocol):
    """How a graph multiplies token rows by weights. `site` names the place: "0.attend", "0.up" ..."""

    def linear(self, graph: Graph, site: str, rows: str, matrix: NDArray[Any], bias: NDArray[Any]) -> str:
        """The sum of `rows @ matrix` and the bias."""
        ...

    def attend(
        self, graph: Graph, site: str, rows: str, matrix: NDArray[Any], bias: NDArray[Any], **attributes: Any
    ) -> str:
        """Self-attention of [batch, length, hidden], whose queries, keys and values are one product."""
        ...


class Float32:
    """Products in float32."""

    def linear(self, graph: Graph, site: str, rows: str, matrix: NDArray[Any], bias: NDArray[Any]) -> str:
        """One matrix product, one sum."""
        return graph.node("Add", graph.node("MatMul", rows, graph.weight(matrix)), graph.weight(bias))

    def attend(
        self, graph: Graph, site: str, rows: str, matrix: NDArray[Any], bias: NDArray[Any], **attributes: Any
    ) -> str:
        """The fused operator of onnxruntime."""
        return graph.node("Attention", rows, graph.weight(matrix), graph.weight(bias), **attributes)


def draw(
    weights: Weights,
    config: Mapping[str, Any],
    *,
    pooling: Pooling,
    normalise: bool,
    products: Products | None = None,
) -> Drawn:
    """Draw the graph: an ONNX file and its weights.

    Raises:
        EncoderUnavailable: the architecture is another one, or a weight is missing.
    """
    _check(config)
    bert = _Bert(Graph("bert"), _Names(weights), config, products or Float32())
    if pooling == "mean":
        pooled = bert.graph.node("ReduceMean", bert.hidden(), axes=[1], keepdims=0)
    else:
        pooled = bert.first()
    if normalise:
        pooled = bert.graph.node("LpNormalization", pooled, axis=-1, p=2)
    return bert.graph.finish([("input_ids", INT32, ["batch", "length"])], pooled)


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


class _Bert:
    """The layers, under construction."""

    def __init__(self, graph: Graph, get: _Names, config: Mapping[str, Any], products: Products) -> None:
        self.graph = graph
        self._get = get
        self._config = config
        self._products = products
        size = graph.weight(np.asarray([config["hidden_size"]], dtype=np.int64))
        self._texts = graph.node("Concat", graph.node("Shape", "input_ids"), size, axis=0)
        self._rows = graph.weight(np.asarray([-1, config["hidden_size"]], dtype=np.int64))

    def hidden(self) -> str:
        """The last layer's output: [batch, length, hidden]."""
        return self.graph.node("Reshape", self._layers(first=False), self._texts)

    def first(self) -> str:
        """The last layer's output of each text's first token, behind whose attention the others are left."""
        return self._layers(first=True)

    def _layers(self, *, first: bool) -> str:
        rows = self.graph.node("Reshape", self._embed(), self._rows)
        last = self._config["num_hidden_layers"] - 1
        for layer in range(last + 1):
            rows = self._layer(layer, rows, first=first and layer == last)
        return rows

    def _embed(self) -> str:
        weight, get = self.graph.weight, self._get
        positions = get("embeddings.position_embeddings.weight")
        if self._config["model_type"] != "bert":  # RoBERTa counts positions from the padding index on
            positions = positions[self._config.get("pad_token_id", 1) + 1 :]
        # All tokens are of segment 0, so its embedding is a part of the position's.
        positions = positions + get("embeddings.token_type_embeddings.weight")[0]
        return self.graph.node(
            "EmbedLayerNormalization",
            "input_ids",
            "",
            weight(get("embeddings.word_embeddings.weight")),
            weight(positions),
            "",
            weight(get("embeddings.LayerNorm.weight")),
            weight(get("embeddings.LayerNorm.bias")),
            outputs=2,
            epsilon=self._config["layer_norm_eps"],
        )

    def _layer(self, number: int, rows: str, *, first: bool) -> str:
        """Rows behind a layer: of all tokens, or of each text's `first`."""
        at = f"encoder.layer.{number}."
        parts = [f"{at}attention.self.{name}" for name in ("query", "key", "value")]
        texts = self.graph.node("Reshape", rows, self._texts)
        attended = self._products.attend(
            self.graph,
            f"{number}.attend",
            texts,
            np.concatenate([self._get(f"{name}.weight").T for name in parts], axis=1),
            np.concatenate([self._get(f"{name}.bias") for name in parts]),
            num_heads=self._config["num_attention_heads"],
        )
        if first:
            place = self.graph.weight(np.asarray(0, dtype=np.int64))
            rows = self.graph.node("Gather", texts, place, axis=1)
            attended = self.graph.node("Gather", attended, place, axis=1)
        else:
            attended = self.graph.node("Reshape", attended, self._rows)
        out = self._linear(f"{number}.out", attended, f"{at}attention.output.dense")
        rows = self._add_and_norm(out, rows, f"{at}attention.output.LayerNorm")
        up = self.graph.node("Gelu", self._linear(f"{number}.up", rows, f"{at}intermediate.dense"))
        down = self._linear(f"{number}.down", up, f"{at}output.dense")
        return self._add_and_norm(down, rows, f"{at}output.LayerNorm")

    def _linear(self, site: str, rows: str, name: str) -> str:
        return self._products.linear(
            self.graph, site, rows, self._get(f"{name}.weight").T, self._get(f"{name}.bias")
        )

    def _add_and_norm(self, value: str, residual: str, name: str) -> str:
        # onnxruntime's SkipLayerNormalization takes five times as long as these two.
        return self.graph.node(
            "LayerNormalization",
            self.graph.node("Add", value, residual),
            self.graph.weight(self._get(f"{name}.weight")),
            self.graph.weight(self._get(f"{name}.bias")),
            axis=-1,
            epsilon=self._config["layer_norm_eps"],
        )
