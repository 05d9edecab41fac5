"""The encoders that a memory may measure similarity with, by name.

`minilm` is all-MiniLM-L6-v2, the smallest of the paper's Table 4, and the default where its weights are;
every other model of `quire models list`, folders of the user's too, goes by its name or its collection's.
`hash-512` (or another size) needs no weights; it knows words, not meanings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.errors import EncoderUnavailable, SettingsError, UnknownNameError
from quire.eval.run import DEFAULT_ENCODER
from quire.memory import HashEncoder, TextEncoder
from quire.settings import load as load_settings

WITHOUT_WEIGHTS = "hash-512"
_MINILM = "all-MiniLM-L6-v2"
_BLOCK = 32  # texts
_BLOCKS = 16  # that are kept, for verdicts that come late


class IndexEncoder:
    """An encoder of the index room, loaded when it is first asked: behind the wall, where one stands."""

    def __init__(self, name: str, load: Callable[[], Any]) -> None:
        self.name, self._load = name, load

    @cached_property
    def _encoder(self) -> Any:
        return self._load()

    @property
    def dim(self) -> int:
        """How many numbers a row has."""
        return int(self._encoder.dim)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dim)` float32, rows of length 1."""
        if self._encoder.name.startswith("image_"):  # it takes pictures, and texts as questions only
            encoded = [self._encoder.encode_query(text) for text in texts]
        else:
            encoded = self._encoder.encode(list(texts))
        rows = np.array(encoded, dtype=np.float32).reshape(len(texts), self.dim)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        rows /= lengths
        return rows


class AheadEncoder:
    """An encoder for a stream whose texts are known: a block at once costs less than each alone.

    Blocks are fixed by the stream, so a text gets the same vector in a run that was resumed. Other texts are
    encoded as they come.
    """

    def __init__(self, encoder: TextEncoder, texts: Sequence[str]) -> None:
        self.name, self._encoder = encoder.name, encoder
        self._texts = list(dict.fromkeys(texts))
        self._place = {text: place for place, text in enumerate(self._texts)}
        self._block = lru_cache(_BLOCKS)(
            lambda block: encoder.encode(self._texts[block * _BLOCK : (block + 1) * _BLOCK])
        )

    @property
    def dim(self) -> int:
        """How many numbers a row has."""
        return self._encoder.dim

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dim)` float32."""
        if not texts or any(text not in self._place for text in texts):
            return self._encoder.encode(texts)
        places = [divmod(self._place[text], _BLOCK) for text in texts]
        return np.stack([self._block(block)[row] for block, row in places])


def default_encoder() -> str:
    """`minilm` where its weights are on this machine, else `hash-512`."""
    from quire.search.models import path_of

    try:
        path_of(_MINILM, models_folder())
    except EncoderUnavailable:
        return WITHOUT_WEIGHTS
    return DEFAULT_ENCODER


def open_encoder(name: str) -> TextEncoder:
    """The encoder of that name.

    Raises:
        SettingsError: `hash-` is not followed by a number of cells.
        UnknownNameError: there is none.
        EncoderUnavailable: its weights are not on this machine.
    """
    if name.startswith("hash"):
        cells = name.removeprefix("hash").removeprefix("-") or "512"
        if not cells.isdigit() or not 8 <= int(cells) <= 65536:
            raise SettingsError(f"Unknown encoder `{name}`.", hint="Write hash-512, or another size.")
        return HashEncoder(int(cells))
    from quire.search.encoders import load
    from quire.search.models import list_models, path_of

    folder = models_folder()
    known = list_models(folder)
    wanted = _MINILM if name == DEFAULT_ENCODER else name
    found = next((model for model in known if wanted in (model.name, model.collection)), None)
    if found is None:
        choices = ", ".join((DEFAULT_ENCODER, *(model.name for model in known), WITHOUT_WEIGHTS))
        raise UnknownNameError(
            f"There is no encoder named `{name}` for memories.",
            hint=f"Choose from: {choices} (or another size).",
        )
    path_of(found.name, folder)
    return IndexEncoder(name, lambda: load(found.collection, models=folder))


@cache
def prepare(name: str) -> None:
    """Keep what an encoder needs to be loaded later behind a wall, where nothing can be kept.

    Raises:
        EncoderUnavailable: its weights are not on this machine, or cannot be read.
    """
    open_encoder(name).encode([])


def models_folder() -> Path | None:
    """The user's folder of models, where the settings name one."""
    return load_settings().index.models
