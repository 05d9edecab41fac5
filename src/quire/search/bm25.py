"""BM25 scores: a document's weight times a query's weight, summed over words.

    document weight   tf / (tf + k1 * (1 - b + b * length / average))      in (0, 1)
    query weight      ln(1 + (N - df + 0.5) / (df + 0.5)) * count in the query

Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework", with the idf and without the constant
factor k1 + 1, as Lucene computes it; k1 and b are Lucene's and Anserini's usual 0.9 and 0.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

K1 = 0.9
B = 0.4


def document_weights(tf: NDArray[Any], length: NDArray[Any], average: float) -> NDArray[np.float32]:
    """Weights of words that occur `tf` times in entries of `length` words."""
    counts = tf.astype(np.float32)
    norm = K1 * (1 - B + B * length.astype(np.float32) / np.float32(average))
    weights: NDArray[np.float32] = (counts / (counts + norm)).astype(np.float32)
    return weights
