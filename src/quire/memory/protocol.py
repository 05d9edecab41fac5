"""What tells how alike two texts are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Texts to unit vectors, row by row."""

    @property
    def name(self) -> str:
        """What its vectors are stored under."""
        ...

    @property
    def dim(self) -> int:
        """How many numbers a row has."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """`(len(texts), dim)` float32, each row of length 1 (or all zero for a text without words)."""
        ...
