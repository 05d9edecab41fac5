"""A small pen for drawing ONNX graphs: names are made up, weights become initialisers.

PyTorch is not needed. The fused operators of the `com.microsoft` domain are onnxruntime's own, so a drawn
graph runs there and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

_OPSET = 17
_MICROSOFT = "com.microsoft"
FUSED = frozenset(
    {"Attention", "EmbedLayerNormalization", "SkipLayerNormalization", "BiasGelu", "Gelu", "QuickGelu"}
)


class Graph:
    """A graph under construction."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []

    def weight(self, values: NDArray[Any]) -> str:
        """Add a constant; gives its name. Half precision is widened to float32."""
        name = f"w{len(self._weights)}"
        array = np.asarray(values, order="C")
        if array.dtype in (np.float16, np.float64):
            array = array.astype(np.float32)
        self._weights.append(numpy_helper.from_array(array, name))
        return name

    def node(self, operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        """Add an operation; gives the name of its first output."""
        names = [f"t{len(self._nodes)}_{i}" for i in range(outputs)]
        domain = _MICROSOFT if operator in FUSED else ""
        self._nodes.append(helper.make_node(operator, list(inputs), names, domain=domain, **attributes))
        return names[0]

    def finish(self, inputs: Sequence[tuple[str, int, Sequence[str | int]]], output: str) -> onnx.ModelProto:
        """The model with these inputs (name, element type, shape) and one float output, `embedding`."""
        self._nodes.append(helper.make_node("Identity", [output], ["embedding"]))
        graph = helper.make_graph(
            self._nodes,
            self._name,
            [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in inputs],
            [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", "dim"])],
            self._weights,
        )
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="quire")
