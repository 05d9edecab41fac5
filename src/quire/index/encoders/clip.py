"""CLIP: pictures and questions in one space, through onnxruntime, from a folder of a Hugging Face CLIP model.

encoder = ClipEncoder("image_clip_clip_vit_base_patch32", Path(".../clip-vit-base-patch32"))
encoder.encode([png_bytes]); encoder.encode_query("a bar chart of accuracies")
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.errors import EncoderUnavailable, QueryError
from quire.index.encoders.clip_graph import draw_image, draw_text
from quire.index.encoders.graphs import drawn
from quire.index.encoders.tokenizers import token_ids, tokenizer
from quire.index.encoders.transformer import read_json, session

Floats = NDArray[np.float32]
_BATCH = 16  # pictures
_MEAN = np.asarray((0.48145466, 0.4578275, 0.40821073), dtype=np.float32)
_STD = np.asarray((0.26862954, 0.26130258, 0.27577711), dtype=np.float32)


class ClipEncoder:
    """Both towers; each is loaded when it is first needed."""

    def __init__(self, name: str, folder: Path) -> None:
        """Read the model's configuration.

        Raises:
            EncoderUnavailable: it is not a CLIP model, or files are missing.
        """
        config = read_json(folder / "config.json")
        if config.get("model_type") != "clip" or "vision_config" not in config:
            raise EncoderUnavailable(f"{folder} does not hold a CLIP model.")
        self.name = name
        self.dim = int(config.get("projection_dim", 512))
        self._folder = folder
        self._text = {**_DEFAULT_TEXT, **config.get("text_config", {})}
        self._vision = {**_DEFAULT_VISION, **config["vision_config"]}
        self.max_tokens = int(self._text["max_position_embeddings"])
        self._tokenizer = tokenizer(folder, self.max_tokens)

    def encode(self, items: Sequence[str | bytes]) -> Floats:
        """Encode pictures (PNG or JPEG bytes): float32 (len(items), dim)."""
        unique = {item: None for item in items}
        rows: dict[str | bytes, Floats] = {}
        todo = list(unique)
        for start in range(0, len(todo), _BATCH):
            batch = todo[start : start + _BATCH]
            pixels = np.stack([self._pixels(item) for item in batch])
            rows.update(zip(batch, self._image_session.run(None, {"pixel_values": pixels})[0], strict=True))
        if not items:
            return np.empty((0, self.dim), dtype=np.float32)
        return np.stack([rows[item] for item in items])

    def encode_query(self, text: str) -> Floats:
        """Encode a question: float32 (dim,). Words beyond `max_tokens` are not read."""
        ids = np.asarray(token_ids(self._tokenizer, [text]), dtype=np.int32)
        row: Floats = self._text_session.run(None, {"input_ids": ids})[0][0]
        return row

    @cached_property
    def _image_session(self) -> Any:
        return session(drawn(self._folder, "image", lambda weights: draw_image(weights, self._vision)))

    @cached_property
    def _text_session(self) -> Any:
        return session(drawn(self._folder, "text", lambda weights: draw_text(weights, self._text)))

    def _pixels(self, picture: str | bytes) -> Floats:
        """Scale the shorter side to the model's size, cut out the middle, normalise."""
        from PIL import Image, UnidentifiedImageError

        size = int(self._vision["image_size"])
        try:
            with Image.open(io.BytesIO(picture if isinstance(picture, bytes) else picture.encode())) as image:
                rgb = image.convert("RGB")
        except UnidentifiedImageError as error:
            raise QueryError("An image to encode is neither PNG nor JPEG.") from error
        scale = size / min(rgb.size)
        width, height = (max(size, round(side * scale)) for side in rgb.size)
        rgb = rgb.resize((width, height), Image.Resampling.BICUBIC)
        left, top = (width - size) // 2, (height - size) // 2
        values = np.asarray(rgb.crop((left, top, left + size, top + size)), dtype=np.float32) / 255
        return ((values - _MEAN) / _STD).transpose(2, 0, 1).astype(np.float32)


# What a checkpoint's config.json leaves out has these values (ViT-B/32).
_DEFAULT_TEXT: dict[str, Any] = {
    "num_hidden_layers": 12,
    "num_attention_heads": 8,
    "max_position_embeddings": 77,
    "hidden_act": "quick_gelu",
    "layer_norm_eps": 1e-5,
}
_DEFAULT_VISION: dict[str, Any] = {
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "image_size": 224,
    "hidden_act": "quick_gelu",
    "layer_norm_eps": 1e-5,
}
