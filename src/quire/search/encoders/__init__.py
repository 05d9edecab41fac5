"""Encoders: texts or pictures to vectors. One per collection, loaded by the collection's name.

    encoder = load("text_sentence_transformers_all_minilm_l6_v2")
    encoder.encode(["A passage.", "Another one."])     # float32 (2, 384), rows of length 1
    encoder.encode_query("which passage?")             # float32 (384,)

An encoder that has no weights here raises `EncoderUnavailable`; callers go on with `text_bm25_en`, which is
counted (`quire.search.words`), not encoded. Adding an encoder is one line in `ENCODERS`: its name gives
`modality_type_model`, its value a
`load(models: Path | None, batch_tokens: int, precision: Precision) -> Encoder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from quire.errors import QueryError
from quire.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Precision = Literal["auto", "float32", "int8"]
BM25 = "text_bm25_en"
MINILM = "text_sentence_transformers_all_minilm_l6_v2"
BGE_LARGE = "text_sentence_transformers_bge_large_en_v1_5"
CLIP = "image_clip_clip_vit_base_patch32"

ENCODERS = Registry(
    "encoder",
    {
        BM25: "quire.search.words:WordIndex",  # a collection as the others, but counted: see `load`
        MINILM: "quire.search.models:load_minilm",
        BGE_LARGE: "quire.search.models:load_bge_large",
        CLIP: "quire.search.models:load_clip",
    },
    "quire.encoders",
)


class Encoder(Protocol):
    """Turns items into rows of length 1. Items are texts or, for `image_...`, pictures (PNG or JPEG bytes).

    `max_tokens` counts the special tokens of the model; longer texts are read up to there. `precision` is
    "float32" or "int8": vectors of one are to be searched by questions of the same.
    """

    name: str
    dim: int
    max_tokens: int
    precision: str

    def encode(self, items: Sequence[str | bytes]) -> NDArray[np.float32]:
        """Encode documents: float32 (len(items), dim). Equal items are computed once."""

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Encode a question: float32 (dim,)."""


def load(
    name: str, *, models: Path | None = None, batch_tokens: int = 512, precision: Precision = "float32"
) -> Encoder:
    """Load a dense encoder by its collection's name. `models` is a folder to look for weights first.

    "auto" is "int8" where the processor is faster with it; an encoder that has but one precision takes that.

    Besides the names of `ENCODERS`, `text_sentence_transformers_X` loads the folder X of a folder of models
    (with signs other than letters and digits as `_`).

    Raises:
        UnknownNameError: no such encoder; the message lists the choices.
        EncoderUnavailable: its weights are not on this machine; the message says how to get them.
        QueryError: the collection is sparse.
    """
    if name == BM25:
        raise QueryError("BM25 vectors are counted, not encoded.", hint="They are in quire.search.words.")
    if name not in ENCODERS:
        from quire.search.models import load_folder

        return load_folder(name, models, batch_tokens, precision)
    encoder: Encoder = ENCODERS.load(name)(models, batch_tokens, precision)
    return encoder
