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

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.search.encoders import bert
from quire.search.encoders.bert import Graph, Product, Products
from quire.search.encoders.graphs import has_vnni, session

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


class EightBits(Products):
    """The products, for features of these ranges (lowest and highest of each feature, by site)."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = dict(ranges)
        self._steps = WEIGHT_STEPS if has_vnni() else _FEW_WEIGHT_STEPS

    def linear(self, graph: Graph, rows: str, by: Product) -> str:
        """Bias and result in float32."""
        by = by._replace(matrix=by.matrix.astype(np.float32))
        if by.site.endswith(_AFTER_GELU):
            return self._row_by_row(graph, rows, by)
        if not by.site.endswith(_ATTENDED):
            rows, by = self._smoothed(graph, rows, by)
        return self._product(graph, self._counted(graph, by.site, rows), by)

    def attend(self, graph: Graph, rows: str, by: Product, **attributes: Any) -> str:
        """Queries, keys and values in eight bits; what they attend to in float32."""
        rows, by = self._smoothed(graph, rows, by)
        counts = self._counted(graph, by.site, rows)
        weights, scales = self._columns(by.matrix)
        return graph.node(
            "QAttention",
            counts.rows,
            graph.weight(weights),
            graph.weight(by.bias),
            graph.weight(counts.step),
            graph.weight(scales),
            "",
            graph.weight(counts.zero),
            graph.weight(np.zeros(len(scales), dtype=np.int8)),
            **attributes,
        )

    def _row_by_row(self, graph: Graph, rows: str, by: Product) -> str:
        """The same, with each row counted up to its own largest feature; none is below the lowest of GELU."""
        largest = graph.node("ReduceMax", rows, axes=[1], keepdims=1)
        largest = graph.node("Max", largest, graph.weight(_LEAST))
        step = np.float32((1 + _GELU_LOWEST / _LEAST) / _STEPS)
        zero = np.uint8(round(float(_GELU_LOWEST / _LEAST / step)))
        counts = _count(graph, graph.node("Div", rows, largest), step, zero)
        product = self._product(graph, counts, by._replace(bias=np.zeros_like(by.bias)))
        return graph.node("Add", graph.node("Mul", product, largest), graph.weight(by.bias))

    def _smoothed(self, graph: Graph, rows: str, by: Product) -> tuple[str, Product]:
        """Rows whose large features are smaller, and weights for such rows. Changes the site's ranges."""
        low, high = self._ranges[by.site]
        matrix = by.matrix.astype(np.float32)
        size = np.maximum(np.maximum(-low, high), 1e-5)
        smaller = size**_SHARE / np.maximum(np.abs(matrix).max(axis=1), 1e-5) ** (1 - _SHARE)
        smaller = (smaller / np.exp(np.log(smaller).mean())).astype(np.float32)
        self._ranges[by.site] = low / smaller, high / smaller
        smoothed = by._replace(matrix=matrix * smaller[:, None])
        return graph.node("Mul", rows, graph.weight(1 / smaller)), smoothed

    def _counted(self, graph: Graph, site: str, rows: str) -> _Counts:
        """Rows in as many steps as there are, from the lowest to the highest feature of the site."""
        low, high = self._ranges[site]
        lowest, highest = min(0.0, float(low.min())), max(0.0, float(high.max()))
        step = np.float32(max(highest - lowest, 1e-5) / _STEPS)
        return _count(graph, rows, step, np.uint8(round(-lowest / float(step))))

    def _product(self, graph: Graph, counts: _Counts, by: Product) -> str:
        weights, scales = self._columns(by.matrix)
        return graph.node(
            "QGemm",
            counts.rows,
            graph.weight(counts.step),
            graph.weight(counts.zero),
            graph.weight(weights),
            graph.weight(scales),
            graph.weight(np.zeros(len(scales), dtype=np.int8)),
            graph.weight(np.round(by.bias / (counts.step * scales)).astype(np.int32)),
        )

    def _columns(self, matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
        scales = (np.maximum(np.abs(matrix).max(axis=0), 1e-12) / self._steps).astype(np.float32)
        return np.round(matrix / scales).astype(np.int8), scales


class _Counts(NamedTuple):
    rows: str
    step: np.float32
    zero: np.uint8  # the count that means 0


def _count(graph: Graph, rows: str, step: np.float32, zero: np.uint8) -> _Counts:
    counted = graph.node("QuantizeLinear", rows, graph.weight(step), graph.weight(zero))
    return _Counts(counted, step, zero)


class _Watched(Products):
    """What goes into each product is a further output of the graph."""

    def __init__(self) -> None:
        self.sites: list[str] = []

    def linear(self, graph: Graph, rows: str, by: Product) -> str:
        self._watch(graph, rows, by.site)
        return super().linear(graph, rows, by)

    def attend(self, graph: Graph, rows: str, by: Product, **attributes: Any) -> str:
        self._watch(graph, rows, by.site)
        return super().attend(graph, rows, by, **attributes)

    def _watch(self, graph: Graph, rows: str, site: str) -> None:
        self.sites.append(site)
        graph.output(rows, site, ["rows", "features"])


def watch(
    weights: bert.Weights, config: Mapping[str, Any], *, frame: tuple[int, ...], max_tokens: int
) -> Ranges:
    """The ranges of all features in texts of random tokens; `frame` are the tokens of an empty text."""
    draw, drawn = np.random.default_rng(0), []
    for length, texts in _TEXTS:
        size = (texts, max(1, min(length, max_tokens) - len(frame)))
        inner = draw.integers(0, int(config["vocab_size"]), size)
        ends = np.tile(frame, (texts, 1))
        drawn.append(np.concatenate([ends[:, :1], inner, ends[:, 1:]], axis=1).astype(np.int32))
    return ranges_in(weights, config, drawn)


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
