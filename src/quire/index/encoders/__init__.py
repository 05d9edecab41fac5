"""Encoders: texts or pictures to vectors. One per collection, loaded by the collection's name.

    encoder = load("text_sentence_transformers_all_minilm_l6_v2")
    encoder.encode(["A passage.", "Another one."])     # float32 (2, 384), rows of length 1
    encoder.encode_query("which passage?")             # float32 (384,)

A dense encoder that has no weights here raises `EncoderUnavailable`; callers go on with `text_bm25_en`, which
is counted (`quire.index.postings`), not loaded. Adding an encoder is one line in `ENCODERS`: its name gives
`modality_type_model`, its value a `load(models: Path | None, batch_tokens: int) -> Encoder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from quire.errors import QueryError
from quire.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BM25 = "text_bm25_en"
MINILM = "text_sentence_transformers_all_minilm_l6_v2"
BGE_LARGE = "text_sentence_transformers_bge_large_en_v1_5"
CLIP = "image_clip_clip_vit_base_patch32"

ENCODERS = Registry(
    "encoder",
    {
        BM25: "quire.index.encoders.bm25:load",
        MINILM: "quire.index.encoders.catalogue:load_minilm",
        BGE_LARGE: "quire.index.encoders.catalogue:load_bge_large",
        CLIP: "quire.index.encoders.catalogue:load_clip",
    },
    "quire.encoders",
)


class Encoder(Protocol):
    """Turns items into rows of length 1. Items are texts or, for `image_...`, pictures (PNG or JPEG bytes).

    `max_tokens` counts the special tokens of the model; longer texts are read up to there.
    """

    name: str
    dim: int
    max_tokens: int

    def encode(self, items: Sequence[str | bytes]) -> NDArray[np.float32]:
        """Encode documents: float32 (len(items), dim). Equal items are computed once."""
        ...

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Encode a question: float32 (dim,)."""
        ...


def load(name: str, *, models: Path | None = None, batch_tokens: int = 4096) -> Encoder:
    """Load a dense encoder by its collection's name. `models` is a folder to look for weights first.

    Besides the names of `ENCODERS`, `text_sentence_transformers_X` loads the folder X of a folder of models
    (with signs other than letters and digits as `_`).

    Raises:
        UnknownNameError: no such encoder; the message lists the choices.
        EncoderUnavailable: its weights are not on this machine; the message says how to get them.
        QueryError: the collection is sparse.
    """
    if name == BM25:
        raise QueryError("BM25 vectors are counted, not encoded.", hint="Use quire.index.postings.analyse.")
    if name not in ENCODERS:
        from quire.index.encoders.catalogue import load_folder

        return load_folder(name, models, batch_tokens)
    encoder: Encoder = ENCODERS.load(name)(models, batch_tokens)
    return encoder
