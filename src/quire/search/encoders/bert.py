"""BERT-like encoders (BERT, MiniLM, BGE, E5, GTE-base ...) as an ONNX graph, drawn from their weights.

    model = draw(load_file("model.safetensors"), json.loads(config), pooling="mean", normalise=True)

The graph takes `input_ids` int32 [batch, length] WITHOUT padding (all texts of a batch are equally long: the
caller groups them), so it needs no mask, and gives `embedding` float32 [batch, dim]. How it multiplies by
weights is told by `products`: in float32, or in eight bits (`quire.search.encoders.eight_bits`). Between
layers, tokens are rows of a matrix: [batch * length, hidden]. Architecture: Devlin et al., "BERT", section 3
(post-norm transformer, learned absolute positions). Not covered: relative positions (MPNet, DeBERTa), rotary
ones (ModernBERT, Nomic).

`Graph` is a small pen: names are made up, weights become initialisers, the end is a `Drawn`. Neither PyTorch
nor the `onnx` package is needed: a graph is written down as the messages of onnx.proto, of which it takes few
fields (on protobuf's wire: the number of a field, then a count, or a size and so many bytes). Large weights
stand beside the graph, in a file that is mapped and not read. The fused operators of the `com.microsoft`
domain are onnxruntime's own, so a drawn graph runs there and nowhere else.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.errors import EncoderUnavailable

Pooling = Literal["mean", "cls"]
Weights = Mapping[str, NDArray[Any]]
FAMILIES = frozenset({"bert", "roberta", "xlm-roberta", "camembert"})
_OPSET = 17
_IR_VERSION = 9
_MICROSOFT = "com.microsoft"
FUSED = frozenset({"Attention", "QAttention", "QGemm", "EmbedLayerNormalization", "Gelu", "QuickGelu"})
FLOAT, INT32 = 1, 6
WEIGHTS = "weights"  # the file of the large ones, beside the graph
_SMALL = 256  # bytes of a weight that stands in the graph itself
_PAGE = 4096  # bytes: where the others begin, so that they can be mapped
_KINDS = {"float32": FLOAT, "uint8": 2, "int8": 3, "int32": INT32, "int64": 7}


class Drawn(NamedTuple):
    """A graph, and the weights that it names by their place in the file `WEIGHTS`."""

    graph: bytes
    weights: bytes


class Graph:
    """A graph under construction."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[bytes] = []
        self._weights: list[bytes] = []
        self._large = bytearray()
        self._outputs: list[bytes] = []

    def weight(self, values: NDArray[Any] | np.generic) -> str:
        """Add a constant; gives its name. Half precision is widened to float32."""
        name = f"w{len(self._weights)}"
        array = np.asarray(values, order="C")
        if array.dtype in (np.float16, np.float64):
            array = array.astype(np.float32)
        dims = b"".join(_count(1, size) for size in array.shape)
        kind = _count(2, _KINDS[array.dtype.name])
        self._weights.append(dims + kind + _text(8, name) + self._content(array.tobytes()))
        return name

    def node(self, operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        """Add an operation; gives the name of its first output."""
        names = [f"t{len(self._nodes)}_{i}" for i in range(outputs)]
        self._add(operator, inputs, names, **attributes)
        return names[0]

    def output(self, value: str, name: str, shape: Sequence[str | int]) -> None:
        """Make a value of floats an output of this name."""
        self._add("Identity", [value], [name])
        self._outputs.append(_value(name, FLOAT, shape))

    def finish(self, inputs: Sequence[tuple[str, int, Sequence[str | int]]], output: str) -> Drawn:
        """The model with these inputs (name, element type, shape) and the output `embedding`."""
        self.output(output, "embedding", ["batch", "dim"])
        parts = [
            *(_bytes(1, node) for node in self._nodes),
            _text(2, self._name),
            *(_bytes(5, weight) for weight in self._weights),
            *(_bytes(11, _value(*one)) for one in inputs),
            *(_bytes(12, one) for one in self._outputs),
        ]
        opsets = (_text(1, domain) + _count(2, v) for domain, v in (("", _OPSET), (_MICROSOFT, 1)))
        head = [_count(1, _IR_VERSION), _text(2, "quire"), *(_bytes(8, opset) for opset in opsets)]
        return Drawn(b"".join([*head, _start(7, sum(map(len, parts))), *parts]), bytes(self._large))

    def _content(self, content: bytes) -> bytes:
        """The field of a weight that holds it, or says where it stands."""
        if len(content) < _SMALL:
            return _bytes(9, content)
        self._large += bytes(-len(self._large) % _PAGE)
        place = {"location": WEIGHTS, "offset": str(len(self._large)), "length": str(len(content))}
        self._large += content
        entries = (_bytes(13, _text(1, key) + _text(2, value)) for key, value in place.items())
        return b"".join(entries) + _count(14, 1)

    def _add(self, operator: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> None:
        self._nodes.append(
            b"".join(_text(1, name) for name in inputs)
            + b"".join(_text(2, name) for name in outputs)
            + _text(4, operator)
            + b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())
            + _text(7, _MICROSOFT if operator in FUSED else "")
        )


def _attribute(name: str, value: float | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _count(3, value) + _count(20, 2)
    if isinstance(value, float):
        return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _count(20, 1)
    return _text(1, name) + b"".join(_count(8, one) for one in value) + _count(20, 7)


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    """An input or output: its name, and its type, which is a tensor of a kind and a shape."""
    sides = (_text(2, side) if isinstance(side, str) else _count(1, side) for side in shape)
    tensor = _count(1, kind) + _bytes(2, b"".join(_bytes(1, side) for side in sides))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _varint(value: int) -> bytes:
    value &= 2**64 - 1
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _count(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _start(field: int, size: int) -> bytes:
    return _varint(field << 3 | 2) + _varint(size)


def _bytes(field: int, content: bytes) -> bytes:
    return _start(field, len(content)) + content


def _text(field: int, content: str) -> bytes:
    return _bytes(field, content.encode())


class Product(NamedTuple):
    """A product of token rows and weights: the name of its place ("0.attend", "0.up" ...), weights, bias."""

    site: str
    matrix: NDArray[Any]
    bias: NDArray[Any]


class Products:
    """How a graph multiplies token rows by weights: in float32, unless a subclass says otherwise."""

    def linear(self, graph: Graph, rows: str, by: Product) -> str:
        """The sum of `rows @ matrix` and the bias."""
        return graph.node("Add", graph.node("MatMul", rows, graph.weight(by.matrix)), graph.weight(by.bias))

    def attend(self, graph: Graph, rows: str, by: Product, **attributes: Any) -> str:
        """Self-attention of [batch, length, hidden], whose queries, keys and values are one product."""
        return graph.node("Attention", rows, graph.weight(by.matrix), graph.weight(by.bias), **attributes)


class Network:
    """A network under construction, from weights whose names may have a prefix."""

    def __init__(
        self, name: str, weights: Weights, prefix: str, config: Mapping[str, Any], products: Products
    ) -> None:
        self.graph = Graph(name)
        self.config = config
        self._weights = weights
        self._prefix = prefix
        self._products = products

    def get(self, name: str) -> NDArray[Any]:
        """A weight of this network."""
        return self.whole(self._prefix + name)

    def whole(self, name: str) -> NDArray[Any]:
        """A weight by its whole name.

        Raises:
            EncoderUnavailable: there is none.
        """
        try:
            return self._weights[name]
        except KeyError:
            raise EncoderUnavailable(f"The model's weights have no `{name}`.") from None

    def integers(self, *values: int) -> str:
        """A constant list."""
        return self.graph.weight(np.asarray(values, dtype=np.int64))

    def at(self, place: int, *rows: str) -> list[str]:
        """Of several [batch, length, hidden], the rows of one place."""
        constant = self.graph.weight(np.asarray(place, dtype=np.int64))
        return [self.graph.node("Gather", each, constant, axis=1) for each in rows]

    def norm(self, rows: str, name: str) -> str:
        """Layer norm."""
        scale, shift = (self.graph.weight(self.get(f"{name}.{part}")) for part in ("weight", "bias"))
        epsilon = self.config["layer_norm_eps"]
        return self.graph.node("LayerNormalization", rows, scale, shift, axis=-1, epsilon=epsilon)

    def linear(self, rows: str, name: str, site: str = "") -> str:
        """A product with weights and bias of that name."""
        by = Product(site, self.get(f"{name}.weight").T, self.get(f"{name}.bias"))
        return self._products.linear(self.graph, rows, by)

    def attend(self, rows: str, names: Sequence[str], site: str = "", **attributes: Any) -> str:
        """Self-attention; `names` are those of queries, keys and values."""
        matrix = np.concatenate([self.get(f"{name}.weight").T for name in names], axis=1)
        by = Product(site, matrix, np.concatenate([self.get(f"{name}.bias") for name in names]))
        heads = self.config["num_attention_heads"]
        return self._products.attend(self.graph, rows, by, num_heads=heads, **attributes)


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
    bert = _Bert(weights, config, products or Products())
    if pooling == "mean":
        texts = bert.graph.node("Reshape", bert.layers(first=False), bert.texts)
        pooled = bert.graph.node("ReduceMean", texts, axes=[1], keepdims=0)
    else:
        pooled = bert.layers(first=True)
    if normalise:
        pooled = bert.graph.node("LpNormalization", pooled, axis=-1, p=2)
    return bert.graph.finish([("input_ids", INT32, ["batch", "length"])], pooled)


class _Bert(Network):
    def __init__(self, weights: Weights, config: Mapping[str, Any], products: Products) -> None:
        ends = "embeddings.word_embeddings.weight"
        prefix = next((name[: -len(ends)] for name in weights if name.endswith(ends)), "")
        super().__init__("bert", weights, prefix, config, products)
        size = self.integers(config["hidden_size"])
        self.texts = self.graph.node("Concat", self.graph.node("Shape", "input_ids"), size, axis=0)
        self._rows = self.integers(-1, config["hidden_size"])

    def layers(self, *, first: bool) -> str:
        """The last layer's rows; with `first` those of each text's first token alone."""
        rows = self.graph.node("Reshape", self._embed(), self._rows)
        last = self.config["num_hidden_layers"] - 1
        for layer in range(last + 1):
            rows = self._layer(layer, rows, first=first and layer == last)
        return rows

    def _embed(self) -> str:
        weight, get = self.graph.weight, self.get
        positions = get("embeddings.position_embeddings.weight")
        if self.config["model_type"] != "bert":  # RoBERTa counts positions from the padding index on
            positions = positions[self.config.get("pad_token_id", 1) + 1 :]
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
            epsilon=self.config["layer_norm_eps"],
        )

    def _layer(self, number: int, rows: str, *, first: bool) -> str:
        at = f"encoder.layer.{number}."
        names = [f"{at}attention.self.{name}" for name in ("query", "key", "value")]
        texts = self.graph.node("Reshape", rows, self.texts)
        attended = self.attend(texts, names, f"{number}.attend")
        if first:
            rows, attended = self.at(0, texts, attended)
        else:
            attended = self.graph.node("Reshape", attended, self._rows)
        out = self.linear(attended, f"{at}attention.output.dense", f"{number}.out")
        rows = self._add_and_norm(out, rows, f"{at}attention.output.LayerNorm")
        up = self.graph.node("Gelu", self.linear(rows, f"{at}intermediate.dense", f"{number}.up"))
        down = self.linear(up, f"{at}output.dense", f"{number}.down")
        return self._add_and_norm(down, rows, f"{at}output.LayerNorm")

    def _add_and_norm(self, value: str, residual: str, name: str) -> str:
        # onnxruntime's SkipLayerNormalization takes five times as long as these two.
        return self.norm(self.graph.node("Add", value, residual), name)
