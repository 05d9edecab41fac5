"""Products of a BERT-like graph in eight bits: about three times as fast where the processor has VNNI.

    ranges = watch(weights, config, frame=(101, 102), max_tokens=256)
    model = bert.draw(weights, config, pooling="mean", normalise=True, products=EightBits(ranges))

What goes into a product is counted in steps of a fixed size, so a vector depends on its text alone and not
on the batch that it came in. Behind a layer norm, the few features that are far larger than the others
would take all steps: each is made smaller, and its weights larger (Xiao et al. 2022, "SmoothQuant",
equation 4). What comes out of GELU is large in some tokens, whatever the feature: there each token's row
has its own step, which its largest feature tells. How large the features are is seen by running the model
once over tokens drawn at random, which needs no text and covers the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.search.encoders import bert
from quire.search.encoders.graphs import has_vnni, session
from quire.search.encoders.onnx_graph import Graph

Floats = NDArray[np.float32]
Ranges = dict[str, tuple[Floats, Floats]]
_STEPS = 255  # of what goes into a product
WEIGHT_STEPS = 127  # to either side of zero
# Processors without VNNI add two products in 16 bits, which 2 * 255 * 64 just fits: more would be cut.
_FEW_WEIGHT_STEPS = 64
_ATTENDED, _AFTER_GELU = ".out", ".down"  # the ends of the names of sites that are not smoothed
_GELU_LOWEST = np.float32(0.17)  # below zero
_LEAST = np.float32(1.0)  # of the largest features of rows
_SHARE = 0.7  # of the largeness of features that goes into the weights
_TEXTS = ((4, 40), (12, 40), (24, 40), (48, 40), (96, 8), (200, 4))  # tokens of a text, texts


class EightBits:
    """The products, for features of these ranges (lowest and highest of each feature, by site)."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = dict(ranges)
        self._steps = WEIGHT_STEPS if has_vnni() else _FEW_WEIGHT_STEPS

    def linear(self, graph: Graph, site: str, rows: str, matrix: NDArray[Any], bias: NDArray[Any]) -> str:
        """Bias and result in float32."""
        matrix = matrix.astype(np.float32)
        if site.endswith(_AFTER_GELU):
            return self._row_by_row(graph, rows, matrix, bias)
        if not site.endswith(_ATTENDED):
            rows, matrix = self._smoothed(graph, site, rows, matrix)
        counts = self._counted(graph, site, rows)
        return _product(graph, counts, _columns(matrix, self._steps), bias)

    def _row_by_row(self, graph: Graph, rows: str, matrix: Floats, bias: NDArray[Any]) -> str:
        """The same, with each row counted up to its own largest feature; none is below the lowest of GELU."""
        largest = graph.node("ReduceMax", rows, axes=[1], keepdims=1)
        largest = graph.node("Max", largest, graph.weight(_LEAST))
        step = np.float32((1 + _GELU_LOWEST / _LEAST) / _STEPS)
        zero = np.uint8(round(float(_GELU_LOWEST / _LEAST / step)))
        counts = _count(graph, graph.node("Div", rows, largest), step, zero)
        product = _product(graph, counts, _columns(matrix, self._steps), np.zeros_like(bias))
        return graph.node("Add", graph.node("Mul", product, largest), graph.weight(bias))

    def attend(
        self, graph: Graph, site: str, rows: str, matrix: NDArray[Any], bias: NDArray[Any], **attributes: Any
    ) -> str:
        """Queries, keys and values in eight bits; what they attend to in float32."""
        rows, matrix = self._smoothed(graph, site, rows, matrix)
        counts = self._counted(graph, site, rows)
        weights, scales = _columns(matrix, self._steps)
        return graph.node(
            "QAttention",
            counts.rows,
            graph.weight(weights),
            graph.weight(bias),
            graph.weight(counts.step),
            graph.weight(scales),
            "",
            graph.weight(counts.zero),
            graph.weight(np.zeros(len(scales), dtype=np.int8)),
            **attributes,
        )

    def _smoothed(self, graph: Graph, site: str, rows: str, matrix: NDArray[Any]) -> tuple[str, Floats]:
        """Rows whose large features are smaller, and the matrix for such rows. Changes the site's ranges."""
        low, high = self._ranges[site]
        matrix = matrix.astype(np.float32)
        size = np.maximum(np.maximum(-low, high), 1e-5)
        smaller = size**_SHARE / np.maximum(np.abs(matrix).max(axis=1), 1e-5) ** (1 - _SHARE)
        smaller = (smaller / np.exp(np.log(smaller).mean())).astype(np.float32)
        self._ranges[site] = low / smaller, high / smaller
        return graph.node("Mul", rows, graph.weight(1 / smaller)), matrix * smaller[:, None]

    def _counted(self, graph: Graph, site: str, rows: str) -> _Counts:
        """Rows in as many steps as there are, from the lowest to the highest feature of the site."""
        low, high = self._ranges[site]
        lowest, highest = min(0.0, float(low.min())), max(0.0, float(high.max()))
        step = np.float32(max(highest - lowest, 1e-5) / _STEPS)
        return _count(graph, rows, step, np.uint8(round(-lowest / float(step))))


class _Counts(NamedTuple):
    rows: str
    step: np.float32
    zero: np.uint8  # the count that means 0


def _count(graph: Graph, rows: str, step: np.float32, zero: np.uint8) -> _Counts:
    counted = graph.node("QuantizeLinear", rows, graph.weight(step), graph.weight(zero))
    return _Counts(counted, step, zero)


def _product(
    graph: Graph, counts: _Counts, columns: tuple[NDArray[np.int8], Floats], bias: NDArray[Any]
) -> str:
    weights, scales = columns
    return graph.node(
        "QGemm",
        counts.rows,
        graph.weight(counts.step),
        graph.weight(counts.zero),
        graph.weight(weights),
        graph.weight(scales),
        graph.weight(np.zeros(len(scales), dtype=np.int8)),
        graph.weight(np.round(bias / (counts.step * scales)).astype(np.int32)),
    )


def _columns(matrix: Floats, steps: int) -> tuple[NDArray[np.int8], Floats]:
    scales = (np.maximum(np.abs(matrix).max(axis=0), 1e-12) / steps).astype(np.float32)
    return np.round(matrix / scales).astype(np.int8), scales


class _Watched(bert.Float32):
    """Products in float32; what goes into each is a further output of the graph."""

    def __init__(self) -> None:
        self.sites: list[str] = []

    def linear(self, graph: Graph, site: str, rows: str, matrix: NDArray[Any], bias: NDArray[Any]) -> str:
        self.sites.append(site)
        graph.output(rows, site, ["rows", "features"])
        return super().linear(graph, site, rows, matrix, bias)

    def attend(
        self, graph: Graph, site: str, rows: str, matrix: NDArray[Any], bias: NDArray[Any], **attributes: Any
    ) -> str:
        self.sites.append(site)
        graph.output(rows, site, ["rows", "features"])
        return super().attend(graph, site, rows, matrix, bias, **attributes)


def watch(
    weights: bert.Weights, config: Mapping[str, Any], *, frame: tuple[int, ...], max_tokens: int
) -> Ranges:
    """The ranges of all features in texts of random tokens; `frame` are the tokens of an empty text."""
    return ranges_in(weights, config, _random_texts(int(config["vocab_size"]), frame, max_tokens))


def ranges_in(weights: bert.Weights, config: Mapping[str, Any], texts: Iterable[NDArray[np.int32]]) -> Ranges:
    """The ranges of all features in texts: tokens [batch, length] each."""
    products = _Watched()
    model = bert.draw(weights, config, pooling="mean", normalise=True, products=products)
    running = session(model)
    seen: Ranges = {}
    for ids in texts:
        for site, values in zip(products.sites, running.run(products.sites, {"input_ids": ids}), strict=True):
            rows = values.reshape(-1, values.shape[-1])
            low, high = seen.get(site, (rows[0], rows[0]))
            seen[site] = np.minimum(low, rows.min(axis=0)), np.maximum(high, rows.max(axis=0))
    return seen


def _random_texts(vocabulary: int, frame: tuple[int, ...], max_tokens: int) -> Iterator[NDArray[np.int32]]:
    draw = np.random.default_rng(0)
    for length, texts in _TEXTS:
        inner = draw.integers(0, vocabulary, (texts, max(1, min(length, max_tokens) - len(frame))))
        ends = np.tile(frame, (texts, 1))
        yield np.concatenate([ends[:, :1], inner, ends[:, 1:]], axis=1).astype(np.int32)
