"""The ONNX graph of a model's folder: an exported one if it is there, else drawn once and kept.

Drawn graphs lie in `$QUIRE_HOME/cache/graphs`, named by what they were drawn from; they can be deleted at any
time. A graph appears there whole or not at all, also when several processes draw it at once.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from quire.errors import EncoderUnavailable
from quire.settings import home

_VERSION = 2  # raise it when graphs are drawn differently
Draw = Callable[[Mapping[str, Any]], Any]


def exported(folder: Path) -> Path | None:
    """`model.onnx` of the folder, where exports put it."""
    return next((f for f in (folder / "model.onnx", folder / "onnx" / "model.onnx") if f.is_file()), None)


def drawn(folder: Path, part: str, draw: Draw) -> Path:
    """The kept graph of a part ("text", "image") of the model, drawn by `draw(weights)` if need be.

    Raises:
        EncoderUnavailable: the folder has no `model.safetensors`, or the cache cannot be written.
    """
    weights = folder / "model.safetensors"
    if not weights.is_file():
        raise EncoderUnavailable(
            f"{folder} has neither `model.onnx` nor `model.safetensors`.", hint="Download the model again."
        )
    kept = home() / "cache" / "graphs" / f"{folder.name}-{part}-{_fingerprint(weights)}.onnx"
    if not kept.is_file():
        from safetensors.numpy import load_file

        _put(kept, draw(load_file(weights)).SerializeToString())
    return kept


def _fingerprint(weights: Path) -> str:
    config = (weights.parent / "config.json").read_bytes()
    stat = weights.stat()
    facts = f"{_VERSION} {weights.resolve()} {stat.st_size} {stat.st_mtime_ns}"
    return hashlib.sha256(facts.encode() + config).hexdigest()[:16]


def _put(target: Path, content: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, suffix=".part", delete=False) as file:
            file.write(content)
        os.replace(file.name, target)  # noqa: PTH105 - one atomic step
    except OSError as error:
        raise EncoderUnavailable(
            f"The model's graph cannot be kept in {target.parent}: {error.strerror}.",
            hint="Set QUIRE_HOME to a folder that can be written.",
        ) from error
