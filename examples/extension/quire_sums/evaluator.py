"""A scorer: right is what is as long as the reference."""

from __future__ import annotations

from typing import Any

from quire.types import Score


def same_length(prediction: Any, reference: str) -> Score:
    """1 if both have the same number of characters. In records: `{"eval_func": "same_length", ...}`."""
    same = len(str(prediction)) == len(reference)
    return Score(float(same), "As long." if same else "Of another length.")
