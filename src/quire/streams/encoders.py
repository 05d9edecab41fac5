"""The encoders that a memory may measure similarity with, by name.

`hash-512` needs no weights and is the default. `minilm` is all-MiniLM-L6-v2, the smallest of the paper's
Table 4; any other name is an encoder of the library's index.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.errors import SettingsError, UnknownNameError
from quire.memory import Encoder, HashEncoder
from quire.streams.spec import DEFAULT_ENCODER

_MINILM = "text_sentence_transformers_all_minilm_l6_v2"
_BLOCK = 32  # texts
_BLOCKS = 16  # that are kept, for verdicts that come late


class IndexEncoder:
    """An encoder of the index room, with rows scaled to length 1."""

    def __init__(self, name: str, encoder: Any) -> None:
        self.name = name
        self.dim: int = encoder.dim
        self._encoder = encoder

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dim)` float32."""
        rows = np.array(self._encoder.encode(list(texts)), dtype=np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        rows /= lengths
        return rows


class AheadEncoder:
    """An encoder for a stream whose texts are known: a block at once costs less than each alone.

    Blocks are fixed by the stream, so a text gets the same vector in a run that was resumed. Other texts are
    encoded as they come.
    """

    def __init__(self, encoder: Encoder, texts: Sequence[str]) -> None:
        self.name, self.dim = encoder.name, encoder.dim
        self._encoder = encoder
        self._texts = list(dict.fromkeys(texts))
        self._place = {text: place for place, text in enumerate(self._texts)}
        self._block = lru_cache(_BLOCKS)(self._encoded)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dim)` float32."""
        if not texts or any(text not in self._place for text in texts):
            return self._encoder.encode(texts)
        places = [divmod(self._place[text], _BLOCK) for text in texts]
        return np.stack([self._block(block)[row] for block, row in places])

    def _encoded(self, block: int) -> NDArray[np.float32]:
        return self._encoder.encode(self._texts[block * _BLOCK : (block + 1) * _BLOCK])


def open_encoder(name: str) -> Encoder:
    """The encoder of that name.

    Raises:
        SettingsError: `hash-` is not followed by a number of cells.
        UnknownNameError: there is none, or it makes no vectors of texts.
        EncoderUnavailable: its weights are not on this machine.
    """
    if name.startswith("hash"):
        cells = name.removeprefix("hash").removeprefix("-") or "512"
        if not cells.isdigit() or not 8 <= int(cells) <= 65536:
            raise SettingsError(f"Unknown encoder `{name}`.", hint="Write hash-512, or another size.")
        return HashEncoder(int(cells))
    from quire.index.encoders import BM25, ENCODERS, load

    index = [one for one in ENCODERS if one.startswith("text_") and one != BM25]
    if name != "minilm" and name not in index:
        raise UnknownNameError(
            f"There is no encoder named `{name}` for memories.",
            hint=f"Choose from: {DEFAULT_ENCODER} (or another size), minilm, {', '.join(sorted(index))}.",
        )
    return IndexEncoder(name, load(_MINILM if name == "minilm" else name))
