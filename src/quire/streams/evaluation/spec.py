"""What an evaluation is of: written beside its records, so that a resumed run is the same run.

A run's folder is named for its questions, its method and model, and a hash of all of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from quire.errors import RunError

FILE, RECORDS = "run.json", "records.jsonl"


@dataclass(frozen=True, slots=True)
class EvalSpec:
    """One evaluation. `digest` is the SHA-256 of the file of questions; `settings` whatever else matters."""

    questions: str
    digest: str
    method: str = ""
    model: str = ""
    judge: str = ""
    votes: int = 1
    limit: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """A short name that is another for every other specification."""
        told = "-".join(_slug(part) for part in (self.questions, self.method, self.model) if part)
        return f"{told[:60]}-{hashlib.sha256(_dump(self).encode()).hexdigest()[:8]}"


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def open_folder(root: Path, spec: EvalSpec, *, resume: bool = False) -> Path:
    """The folder of a run: with `resume` the last one of that specification, else a new one."""
    earlier = sorted(
        (folder for folder in root.glob(f"{spec.name}*") if (folder / FILE).is_file()),
        key=lambda folder: (len(folder.name), folder.name),
    )
    if resume and earlier:
        return earlier[-1]
    number = len(earlier) + 1
    while (folder := root / (spec.name if number == 1 else f"{spec.name}-{number}")).exists():
        number += 1
    return folder


def claim(folder: Path, spec: EvalSpec) -> None:
    """Make the folder a run of that specification.

    Raises:
        RunError: it holds a run of another one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    if not path.exists():
        path.write_text(_dump(spec), encoding="utf-8")
    elif _dump(read(folder)) != _dump(spec):  # as text: JSON knows no tuples
        raise RunError(
            f"{folder} holds an evaluation with other questions or settings.",
            hint="Give another folder, or leave out --resume.",
        )


def read(folder: Path) -> EvalSpec:
    """The specification of a run.

    Raises:
        RunError: the folder holds none.
    """
    path = folder / FILE
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        return EvalSpec(**row)
    except (OSError, ValueError, TypeError) as error:
        raise RunError(f"{folder} holds no evaluation: {error}.", hint="Give the folder of a run.") from error


def _dump(spec: EvalSpec) -> str:
    return json.dumps(asdict(spec), indent=1, sort_keys=True, default=str)


def _slug(text: str) -> str:
    return "".join(char if char.isalnum() or char in "._" else "_" for char in text)
