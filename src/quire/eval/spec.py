"""What a run is, in one value that can be written down and compared."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quire import jsontext
from quire.errors import RunError

DEFAULT_ENCODER = "minilm"
DEFAULT = "quire"  # the protocol that is quire's own

_LARGEST = 1 << 20  # bytes of a specification


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Everything that decides a run's records.

    `seed` orders the stream and feeds every draw; with `order` "published" seed 0 is the order of the data
    set, which "shuffled" never is. `protocol` says what is asked and how it is scored
    (`quire_streams.tasks.protocols`). `shift` names a public field of the instances: those with the same
    value then come together (the paper's Appendix C.2). `k` 0 means the task's own number of shots; `budget`
    is in tokens, 0 for none. `data` is the folder of the data set. `settings` are (name, value) pairs of
    whatever else decides, e.g. ("agent.max_turns", "20").
    """

    task: str
    method: str
    models: tuple[str, ...]
    data: str
    seed: int = 0
    shift: str = ""
    limit: int = 0
    feedback: str = "exact"
    encoder: str = DEFAULT_ENCODER
    k: int = 0
    budget: int = 0
    judge_model: str = ""
    protocol: str = DEFAULT
    order: str = "shuffled"
    votes: int = 1
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """A folder name that tells the runs of a sweep apart."""
        parts = [self.task, self.method, "+".join(self.models), f"seed{self.seed}"]
        parts += [self.shift] * bool(self.shift)
        parts += [self.feedback.replace(":", "")] * (self.feedback != "exact")
        parts += [self.encoder] * (self.encoder != DEFAULT_ENCODER)
        parts += [f"{name}{value}" for name in ("limit", "k", "budget") if (value := getattr(self, name))]
        parts += [f"judge-{self.judge_model}"] * bool(self.judge_model)
        parts += [self.protocol] * (self.protocol != DEFAULT)
        return "--".join(_slug(part) for part in parts)

    @property
    def digest(self) -> str:
        """Eight letters that are others for every other specification."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:8]

    def write(self, path: Path) -> None:
        """As JSON."""
        path.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> RunSpec:
        """From JSON.

        Raises:
            RunError: there is no such file, or it is not a run of this version.
        """
        try:
            return cls.of(jsontext.read(path, largest=_LARGEST))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise RunError(f"{path} does not describe a run: {error}.") from error

    @classmethod
    def of(cls, values: dict[str, Any]) -> RunSpec:
        """From the values of its fields, as JSON has them (KeyError, TypeError: they are others)."""
        settings = tuple((name, value) for name, value in values.get("settings", ()))
        return cls(**{**values, "models": tuple(values["models"]), "settings": settings})


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def open_folder(root: Path, spec: RunSpec, *, resume: bool = False) -> Path:
    """The folder of a run named for its data and models: with `resume` the last one of it, else a new one."""
    told = "-".join(_slug(part) for part in (Path(spec.data).stem, *spec.models, *_agent(spec)))
    name = f"{told[:60]}-{spec.digest}"
    earlier = sorted(
        (folder for folder in root.glob(f"{name}*") if (folder / "run.json").is_file()),
        key=lambda folder: (len(folder.name), folder.name),
    )
    if resume and earlier:
        return earlier[-1]
    number = len(earlier) + 1
    while (folder := root / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return folder


def _agent(spec: RunSpec) -> list[str]:
    return [value for name, value in spec.settings if name == "agent.method" and value not in spec.models]


def _slug(text: str) -> str:
    named = text.replace(":", "-")
    return "".join(char if char.isalnum() or char in "+-._" else "_" for char in named)
