"""Many runs at once: methods x models x seeds, from a file, on threads or on a Ray cluster.

A sweep file (TOML, JSON or YAML):

    data = "data/ddxplus"
    task = "ddxplus"
    methods = ["zero_shot", "self_stream_icl", "mam_stream_icl"]
    models = ["offline:a", "offline:b", "offline:c"]
    seeds = 5                      # or a list; 5 means 0 to 4

Any other key is a setting of `RunSpec` and holds for all. A method on one model runs once per model, one that
routes runs once on all of them. Each run has its own folder and its own judge; a run that fails is reported
and does not stop the others; a finished one is not run again.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol

from quire.agents.stream.methods import method
from quire.errors import QuireError, SettingsError
from quire.streams.opening import open_setup
from quire.streams.runner import Run, Setup, run
from quire.streams.spec import RunSpec

Opener = Callable[[RunSpec], Setup]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one run of a sweep: the run, or the error that ended it."""

    spec: RunSpec
    folder: Path
    run: Run | None = None
    error: str = ""


class Engine(Protocol):
    """Applies a function to items, several at a time, and gives the results in order."""

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterable[Any]:
        """Results in the order of the items."""
        ...


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this process: enough, since a run mostly waits for its model."""

    workers: int = 4

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        """Results in the order of the items."""
        with ThreadPoolExecutor(self.workers) as pool:
            yield from pool.map(function, items)


@dataclass(frozen=True, slots=True)
class RayCluster:
    """A Ray cluster (extra `[ray]`); folders must be on storage that all its machines share."""

    address: str = "auto"

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        """Results in the order of the items.

        Raises:
            SettingsError: Ray is not installed.
        """
        try:
            import ray
        except ImportError as error:
            raise SettingsError("Ray is not installed.", hint="pip install 'quire[ray]'") from error
        if not ray.is_initialized():
            ray.init(address=self.address)
        remote = ray.remote(function)
        yield from ray.get([remote.remote(item) for item in items])


def read_sweep(path: Path) -> list[RunSpec]:
    """The runs that a sweep file asks for.

    Raises:
        SettingsError: it cannot be read, or a key is unknown or missing.
    """
    return expand(_parsed(path))


def expand(settings: dict[str, Any]) -> list[RunSpec]:
    """All combinations of a sweep's settings."""
    given = dict(settings)
    try:
        task, data = str(given.pop("task")), str(given.pop("data"))
        methods, models = list(given.pop("methods")), [str(name) for name in given.pop("models")]
    except (KeyError, TypeError) as error:
        raise SettingsError(f"The sweep needs task, data, methods and models: {error}.") from error
    seeds = given.pop("seeds", 1)
    unknown = set(given) - {field.name for field in fields(RunSpec)}
    if unknown:
        raise SettingsError(f"The sweep has unknown settings: {', '.join(sorted(unknown))}.")
    return [
        RunSpec(task, name, chosen, data, **{**given, "seed": seed})
        for name in methods
        for chosen in _teams(name, models)
        for seed in (range(seeds) if isinstance(seeds, int) else seeds)
    ]


def sweep(
    specs: Sequence[RunSpec],
    folder: Path,
    *,
    engine: Engine | None = None,
    opener: Opener = open_setup,
    done: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Run all; each in `folder / spec.name`."""
    outcomes = []
    for outcome in (engine or Threads()).map(_Job(folder, opener), list(specs)):
        outcomes.append(outcome)
        if done:
            done(outcome)
    return outcomes


@dataclass(frozen=True, slots=True)
class _Job:
    folder: Path
    opener: Opener

    def __call__(self, spec: RunSpec) -> Outcome:
        folder = self.folder / spec.name
        try:
            setup = self.opener(spec)
            try:
                return Outcome(spec, folder, run(spec, setup, folder))
            finally:
                setup.judge.close()
        except QuireError as error:
            return Outcome(spec, folder, error=str(error))


def _teams(name: str, models: Sequence[str]) -> list[tuple[str, ...]]:
    return [(model,) for model in models] if method(name).router == "one" else [tuple(models)]


def _parsed(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            return tomllib.loads(text)
        if path.suffix == ".json":
            loaded = json.loads(text)
        else:
            import yaml

            loaded = yaml.safe_load(text)
    except (OSError, ValueError) as error:
        raise SettingsError(f"Cannot read the sweep {path}: {error}.") from error
    if not isinstance(loaded, dict):
        raise SettingsError(f"The sweep {path} must be a table of settings.")
    return loaded
