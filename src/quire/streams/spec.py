"""What a run is, in one value that can be written down and compared."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quire.errors import RunError

DEFAULT_ENCODER = "hash-512"


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Everything that decides a run's records.

    `seed` orders the stream and feeds every draw. `shift` names a public field of the instances: those with
    the same value then come together (the paper's Appendix C.2). `k` 0 means the task's own number of shots;
    `budget` is in tokens, 0 for none. `data` is the folder of the data set.
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

    @property
    def name(self) -> str:
        """A folder name that tells the runs of a sweep apart."""
        parts = [self.task, self.method, "+".join(self.models), f"seed{self.seed}"]
        parts += [self.shift] * bool(self.shift)
        parts += [self.feedback.replace(":", "")] * (self.feedback != "exact")
        parts += [self.encoder] * (self.encoder != DEFAULT_ENCODER)
        parts += [f"{name}{value}" for name in ("limit", "k", "budget") if (value := getattr(self, name))]
        parts += [f"judge-{self.judge_model}"] * bool(self.judge_model)
        return "--".join(_slug(part) for part in parts)

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
            return cls.of(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(f"{path} does not describe a run: {error}.") from error

    @classmethod
    def of(cls, values: dict[str, Any]) -> RunSpec:
        """From the values of its fields, as JSON has them (KeyError, TypeError: they are others)."""
        return cls(**{**values, "models": tuple(values["models"])})


def _slug(text: str) -> str:
    named = text.replace(":", "-")
    return "".join(char if char.isalnum() or char in "+-._" else "_" for char in named)
