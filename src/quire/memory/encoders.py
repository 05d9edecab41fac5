"""What tells how alike two texts are: an encoder, and one without a model.

`HashEncoder` hashes words and word pairs into a fixed number of signed cells: feature hashing (Weinberger
et al. 2009, "Feature hashing for large scale multitask learning") with damped counts. Similarity is that of
shared words, not of meaning; it needs no weights, no library and about 20 microseconds per short text. The
hash is keyed by nothing but the word, so vectors are the same on every machine and may be stored.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class TextEncoder(Protocol):
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


_WORD = re.compile(r"[^\W_]+")
_COMMON = frozenset(
    "a an and are as at be by can could did do does for from had has have how i in is it its me my of on or "
    "please provide that the their there these this to was were what when where which who will with would "
    "you your".split()
)


class HashEncoder:
    """Bag of words and pairs in `dim` cells."""

    def __init__(self, dim: int = 512) -> None:
        self.dim = dim
        self.name = f"hash-{dim}"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dim)` float32 unit rows; a text without words is all zero."""
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            cells = [0.0] * self.dim
            for feature, weight in _features(text).items():
                hashed = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
                cells[hashed % self.dim] += weight if hashed & 0x80000000 else -weight
            length = math.sqrt(sum(cell * cell for cell in cells))
            if length:
                row[:] = cells
                row /= length
        return rows

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """`(dim,)` float32: a question is encoded as any text."""
        row: NDArray[np.float32] = self.encode([text])[0]
        return row


def _features(text: str) -> dict[str, float]:
    words = [word for word in _WORD.findall(text.lower()) if word not in _COMMON]
    counts = Counter(words)
    features = {word: 1.0 + math.log(count) for word, count in counts.items()}
    for pair in zip(words, words[1:], strict=False):
        features[" ".join(pair)] = 0.5
    return features
