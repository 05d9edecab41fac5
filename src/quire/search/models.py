"""The models behind the encoders: which there are, how large, where they lie, and an explicit download.

    for model in list_models():           # sizes are told before anything is fetched
        print(model.name, model.size, model.path)
    download("bge-large-en-v1.5", progress=print)

Nothing else in quire fetches a model.
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from quire.errors import EncoderUnavailable, OfflineError, UnknownNameError
from quire.search.encoders import BGE_LARGE, CLIP, MINILM
from quire.search.encoders.catalogue import BGE_LARGE_SOURCE, CLIP_SOURCE, MINILM_SOURCE, collection_of
from quire.search.encoders.folders import WeightsSource, find, model_folders
from quire.settings import home

_FILES = ("*.json", "1_Pooling/*", "*.txt", "model.safetensors")


@dataclass(frozen=True, slots=True)
class EncoderModel:
    """A model: its collection, name and origin, its download in bytes, where it is (or None)."""

    collection: str
    name: str
    hub: str
    size: int
    path: Path | None


# Sizes of the weights, in bytes, as the hub lists them.
_KNOWN: tuple[tuple[str, WeightsSource, int], ...] = (
    (MINILM, MINILM_SOURCE, 90_900_000),
    (BGE_LARGE, BGE_LARGE_SOURCE, 1_340_000_000),
    (CLIP, CLIP_SOURCE, 605_000_000),
)


def list_models(models: Path | None = None) -> list[EncoderModel]:
    """The models that quire knows, then the others that lie in the folders of models."""
    known = [EncoderModel(name, s.folder, s.hub, size, find(s, models)) for name, s, size in _KNOWN]
    names = {model.name for model in known}
    others = [
        EncoderModel(collection_of(folder.name), folder.name, "", _size(folder), folder)
        for folder in model_folders(models)
        if folder.name not in names
    ]
    return known + others


def path_of(name: str, models: Path | None = None) -> Path:
    """Where a model is, by its name or its collection's.

    Raises:
        UnknownNameError: no such model; the message lists the choices.
        EncoderUnavailable: it is not on this machine.
    """
    model = _named(name, models)
    if model.path is None:
        raise EncoderUnavailable(
            f"The model {model.name} is not on this machine.",
            hint=f"`quire models download {model.name}` fetches {model.size / 1e6:.0f} MB.",
        )
    return model.path


def download(
    name: str,
    models: Path | None = None,
    *,
    offline: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Path:
    """Fetch a model from the Hugging Face hub into the folder of models; whole or not at all.

    Raises:
        UnknownNameError: no such model.
        OfflineError: quire runs offline.
        EncoderUnavailable: huggingface_hub is missing, the hub cannot be reached, or has other files.
    """
    model = _named(name, models)
    if model.path is not None and model.path != MINILM_SOURCE.shipped:  # which the original may replace
        return model.path
    if offline:
        raise OfflineError(f"Downloading {model.hub} is refused: quire runs offline.")
    if importlib.util.find_spec("huggingface_hub") is None:
        raise EncoderUnavailable("Downloading needs huggingface_hub.", hint="pip install huggingface_hub")
    target = (models or home() / "models") / model.name
    if progress:
        progress(f"Fetching {model.hub}, {model.size / 1e6:.0f} MB, into {target}")
    return _fetch(model, target)


def _fetch(model: EncoderModel, target: Path) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    part = target.with_name(f"{target.name}.part")
    try:
        snapshot_download(model.hub, local_dir=part, allow_patterns=list(_FILES))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise EncoderUnavailable(
            f"The hub did not give {model.hub}: {type(error).__name__}.",
            hint=f"Try again later, or put its files into {target}.",
        ) from error
    if not (part / "model.safetensors").is_file():
        raise EncoderUnavailable(
            f"{model.hub} has no `model.safetensors`.", hint=f"Put an exported model.onnx into {target}."
        )
    shutil.rmtree(part / ".cache", ignore_errors=True)
    return part.rename(target)


def _named(name: str, models: Path | None) -> EncoderModel:
    known = list_models(models)
    for model in known:
        if name in (model.name, model.hub, model.collection):
            return model
    choices = ", ".join(model.name for model in known)
    raise UnknownNameError(f"There is no model named `{name}`.", hint=f"Choose from: {choices}.")


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
