"""The file of a sweep (TOML, JSON or YAML):

    task = "ddxplus"
    data = "data/ddxplus"          # from the file's folder, else from here
    methods = ["zero_shot", "self_stream_icl", "mam_stream_icl"]
    models = ["offline:a", "offline:b", "offline:c"]
    seeds = 5                      # or a list; 5 means 0 to 4

Any other key is a setting of `RunSpec` (protocol, limit, feedback, shift, encoder, k, budget,
judge_model) and holds
for all. A method on one model runs once per model, one that routes runs once on all of them.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from quire.errors import SettingsError
from quire.eval.run import RunSpec
from quire_streams.methods.methods import METHODS
from quire_streams.runs.encoders import default_encoder
from quire_streams.tasks import TASKS
from quire_streams.tasks.offline import VARIANTS
from quire_streams.tasks.protocols import spec_over

_NEEDED = ("task", "data", "methods", "models")
_OWN = {"task", "data", "method", "models", "seed", "order", "settings"}
_MORE = {field.name: field.type for field in fields(RunSpec) if field.name not in _OWN}


def read_sweep(path: Path, instead: Mapping[str, Any] = MappingProxyType({})) -> list[RunSpec]:
    """The runs that a sweep file asks for, with settings given `instead` of the file's.

    Raises:
        SettingsError: it cannot be read; a key is unknown, missing or of the wrong type.
        UnknownNameError: there is no such task, method or protocol.
    """
    settings = _parsed(path)
    data = settings.get("data")
    if isinstance(data, str) and (beside := path.parent / Path(data).expanduser()).exists():
        settings["data"] = str(beside.resolve())
    return expand({**settings, **instead})


def expand(settings: dict[str, Any]) -> list[RunSpec]:
    """All combinations of a sweep's settings.

    Raises:
        SettingsError, UnknownNameError: see `read_sweep`.
    """
    if missing := [name for name in _NEEDED if name not in settings]:
        raise SettingsError(f"The sweep does not say: {', '.join(missing)}.", hint=_shape())
    if unknown := sorted(set(settings) - {*_NEEDED, "seeds", *_MORE}):
        raise SettingsError(f"The sweep has unknown settings: {', '.join(unknown)}.", hint=_shape())
    task, data = str(settings["task"]), str(settings["data"])
    TASKS[task]  # a wrong name is told before anything runs
    more = {name: _typed(name, settings[name]) for name in _MORE if name in settings}
    more.setdefault("encoder", default_encoder())
    runs = [
        spec_over(RunSpec(task, name, chosen, data, seed=seed, **more), Path(data))
        for name in _texts("methods", settings["methods"])
        for chosen in teams(name, _texts("models", settings["models"]))
        for seed in _seeds(settings.get("seeds", 1))
    ]
    return list(dict.fromkeys(runs))


def teams(name: str, models: Sequence[str]) -> list[tuple[str, ...]]:
    """The models of each run of a method; `offline` alone stands for its variants where a method shares.

    Raises:
        UnknownNameError: there is no such method.
    """
    if METHODS[name].router == "one":
        return [(model,) for model in models]
    if list(models) == ["offline"]:
        return [tuple(f"offline:{variant}" for variant in VARIANTS)]
    return [tuple(models)]


def _texts(name: str, value: Any) -> list[str]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not listed or not all(isinstance(one, str) for one in listed):
        raise SettingsError(f"`{name}` of the sweep must be a list of names, not {value!r}.")
    return list(listed)


def _seeds(value: Any) -> Sequence[int]:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return range(value)
    if isinstance(value, list) and value and all(type(one) is int for one in value):
        return value
    raise SettingsError(f"`seeds` of the sweep must be a number of orders or a list of seeds, not {value!r}.")


def _typed(name: str, value: Any) -> Any:
    if _MORE[name] == "int" and type(value) is int and value >= 0:
        return value
    if _MORE[name] == "str" and isinstance(value, str):
        return value
    wanted = "a number from 0" if _MORE[name] == "int" else "a text"
    raise SettingsError(f"`{name}` of the sweep must be {wanted}, not {value!r}.")


def _shape() -> str:
    return f"Settings: {', '.join((*_NEEDED, 'seeds', *_MORE))}."


def _parsed(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            return tomllib.loads(text)
        loaded = json.loads(text) if path.suffix == ".json" else _yaml(text)
    except (OSError, ValueError) as error:
        raise SettingsError(f"Cannot read the sweep {path}: {error}.") from error
    if not isinstance(loaded, dict):
        raise SettingsError(f"The sweep {path} must be a table of settings.", hint=_shape())
    return loaded


def _yaml(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(error) from error
