"""The sparse encoder: a text as counted words. Saturation and idf are added where collections are known.

>>> load().encode_query("attention is all you need")
{1098473829: 1, 1393478211: 1}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from quire.index.analyzer import term_numbers


class Bm25Encoder:
    """Counts the stems of English words."""

    name = "text_bm25_en"
    dim = 2**31
    max_tokens = 2**31

    def encode(self, items: Sequence[str]) -> list[dict[int, int]]:
        """Each text as {number of a stem: how often}."""
        return [dict(Counter(term_numbers(text))) for text in items]

    def encode_query(self, text: str) -> dict[int, int]:
        """A question as {number of a stem: how often}."""
        return dict(Counter(term_numbers(text)))


def load(models: Path | None = None, batch_tokens: int = 0) -> Bm25Encoder:
    """The encoder; it needs neither weights nor batches."""
    return Bm25Encoder()
