"""Tokenizers of encoder models, and how many tokens a text has for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from quire.errors import EncoderUnavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@lru_cache(maxsize=8)
def tokenizer(folder: Path, max_tokens: int | None) -> Tokenizer:
    """The model's own tokenizer, cutting at `max_tokens` (special tokens included), without padding.

    It is loaded once, which takes as long as a search.

    Raises:
        EncoderUnavailable: the folder has no `tokenizer.json`.
    """
    from tokenizers import Tokenizer

    file = folder / "tokenizer.json"
    if not file.is_file():
        raise EncoderUnavailable(f"{folder} has no `tokenizer.json`.", hint="Download the model again.")
    loaded = Tokenizer.from_file(str(file))
    loaded.no_padding()
    if max_tokens is None:
        loaded.no_truncation()
    else:
        loaded.enable_truncation(max_tokens)
    return loaded


def token_ids(of: Tokenizer, texts: Sequence[str]) -> list[tuple[int, ...]]:
    """The token numbers of each text."""
    return [tuple(encoding.ids) for encoding in of.encode_batch(list(texts))]


def count_tokens(text: str) -> int:
    """How many tokens all-MiniLM-L6-v2 reads of a text, its two special tokens included."""
    return len(_minilm().encode(text).ids)


def rank(word: str) -> int | None:
    """Which place a lower-case word has by frequency in that model's vocabulary; None for what it has not."""
    return _minilm().token_to_id(word)


@lru_cache(maxsize=1)
def _minilm() -> Tokenizer:
    from quire.search.models import MINILM_SOURCE, require

    return tokenizer(require(MINILM_SOURCE), None)
