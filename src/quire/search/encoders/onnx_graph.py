"""A small pen for drawing ONNX graphs: names are made up, weights become initialisers, the end is a `Drawn`.

Neither PyTorch nor the `onnx` package is needed: a graph is written down as the messages of onnx.proto, of
which it takes few fields (on protobuf's wire: the number of a field, then a count, or a size and so many
bytes). Large weights stand beside the graph, in a file that is mapped and not read. The fused operators of
the `com.microsoft` domain are onnxruntime's own, so a drawn graph runs there and nowhere else.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
