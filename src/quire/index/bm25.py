"""BM25 scores, the same in every backend: a document's weight times a query's weight, summed over words.

    document weight   tf / (tf + k1 * (1 - b + b * length / average))      in (0, 1)
    query weight      ln(1 + (N - df + 0.5) / (df + 0.5)) * count in the query

Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework", with the idf and without the constant
factor k1 + 1, as Lucene computes it; k1 and b are Lucene's and Anserini's usual 0.9 and 0.4. `average` is
frozen between doublings of a pair's size (quire.index.writing), so stored document weights stay valid.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.cells import Pair

K1 = 0.9
B = 0.4


@dataclass(frozen=True, slots=True)
class PairSize:
    """How many entries a pair has, and the average length that its weights are normalised by."""

    entries: int
    average: float


def pair_size(connection: duckdb.DuckDBPyConnection, pair: Pair) -> PairSize:
    """The size of a pair as it is stored."""
    rows = connection.execute(
        "SELECT entries, frozen_words, frozen_entries FROM pair_sizes WHERE pair = ?", [pair.number]
    ).fetchall()
    if not rows:
        return PairSize(0, 1.0)
    entries, frozen_words, frozen_entries = rows[0]
    return PairSize(entries, max(frozen_words / max(frozen_entries, 1), 1.0))


def document_weights(tf: NDArray[Any], length: NDArray[Any], average: float) -> NDArray[np.float32]:
    """Weights of words that occur `tf` times in entries of `length` words."""
    counts = tf.astype(np.float32)
    norm = K1 * (1 - B + B * length.astype(np.float32) / np.float32(average))
    weights: NDArray[np.float32] = (counts / (counts + norm)).astype(np.float32)
    return weights


def query_weights(counts: Mapping[int, int], df: Mapping[int, int], entries: int) -> dict[int, float]:
    """Weights of the query's words; words that no entry has are left out."""
    return {
        term: count * math.log(1 + (entries - df[term] + 0.5) / (df[term] + 0.5))
        for term, count in counts.items()
        if df.get(term)
    }


def document_frequencies(
    connection: duckdb.DuckDBPyConnection, pair: Pair, terms: Mapping[int, int]
) -> dict[int, int]:
    """In how many entries of the pair each word stands."""
    rows = connection.execute(
        """SELECT term, count(*) FROM (FROM postings UNION ALL FROM postings_recent)
           WHERE pair = ? AND term IN (SELECT unnest(?::INTEGER[])) GROUP BY term""",
        [pair.number, list(terms)],
    ).fetchall()
    return dict(rows)
