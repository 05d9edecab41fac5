"""A run: what it is, its folder with what was asked and one record per step, and going on where it stands.

`run.json` holds the specification, `stream.json` a digest of what is asked, `records.jsonl` the records.

    load_run(folder);  run_folders(evaluations_folder(library.folder))      # the latest first
    named_run(root, "questions-offline-...")    # the name is looked for among those there, it is no path
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path

from quire import atomic, jsontext
from quire.errors import RunError
from quire.eval.record import RECORDS, Record, append_records, read_records
from quire.types import Instance, Usage

DEFAULT_ENCODER = "minilm"
DEFAULT = "quire"  # the protocol that is quire's own

_LARGEST = 1 << 20  # bytes of a specification


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Everything that decides a run's records.

    `seed` orders the stream and feeds every draw; with `order` "published" seed 0 is the order of the data
    set, which "shuffled" never is. `protocol` says what is asked and how it is scored
    (`quire_streams.tasks.protocol`). `shift` names a public field of the instances: those with the same
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
        """As JSON, whole or not at all."""
        atomic.write(path, json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, path: Path) -> RunSpec:
        """From JSON.

        Raises:
            RunError: there is no such file, or it is not a run of this version.
        """
        try:
            return jsontext.of_json(cls, jsontext.read(path, largest=_LARGEST))
        except (OSError, ValueError) as error:
            raise RunError(f"{path} does not describe a run: {error}.") from error


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def open_folder(root: Path, spec: RunSpec, *, resume: bool = False) -> Path:
    """The folder of a run named for its data and models: with `resume` the last one of it, else a new one."""
    agent = dict(spec.settings).get("agent.method", "")
    methods = [agent] * bool(agent and agent not in spec.models)
    told = "-".join(_slug(part) for part in (Path(spec.data).stem, *spec.models, *methods))
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


def _slug(text: str) -> str:
    named = text.replace(":", "-")
    return "".join(char if char.isalnum() or char in "+-._" else "_" for char in named)


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Where a run stands: steps done and in all, the metric so far, what it took."""

    done: int
    total: int
    metric: float
    usage: Usage


_STREAM = "stream.json"
Tell = Callable[[RunProgress], None]


@dataclass(frozen=True, slots=True)
class Run:
    """A run, finished or not. `stream` is a digest of what is asked, `name` that of its folder."""

    spec: RunSpec
    records: tuple[Record, ...]
    stream: str = ""
    name: str = field(default="", compare=False)


def load_run(folder: Path) -> Run:
    """A run from its folder, finished or not.

    Raises:
        RunError: there is none.
    """
    spec = RunSpec.read(folder / "run.json")
    return Run(spec, tuple(read_records(folder / RECORDS)), _known(folder), folder.name)


def claim_folder(folder: Path, spec: RunSpec, digest: str) -> None:
    """Make the folder this run's.

    Raises:
        RunError: it holds a run of another specification or other data.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "run.json"
    if not path.exists():
        atomic.write(folder / _STREAM, json.dumps({"digest": digest}) + "\n")
        spec.write(path)
    elif RunSpec.read(path) != spec:
        raise RunError(
            f"{folder} holds another run, of other data or settings.",
            hint="Give another folder or remove it.",
        )
    elif _known(folder) not in ("", digest):
        raise RunError(
            f"The data is not what it was when the run in {folder} began.",
            hint="Give the data that the run began with, or another folder.",
        )


def digest_instances(instances: Sequence[Instance]) -> str:
    """Of what solvers see, in the order of the file: runs over other data are other runs."""
    seen = hashlib.sha256()
    for one in instances:
        seen.update(json.dumps([one.id, one.key, one.input, one.closed]).encode())
    return seen.hexdigest()[:16]


def known_records(folder: Path, stream: Sequence[Instance]) -> list[Record]:
    """The records that are there.

    Raises:
        RunError: one is of another instance than stands at its step now.
    """
    records = read_records(folder / RECORDS)
    for record, instance in zip(records, stream, strict=False):
        if record.instance != instance.id:
            raise RunError(
                f"Step {record.step} was `{record.instance}`, the data now has `{instance.id}` there.",
                hint="Give the data that the run began with, or another folder.",
            )
    return records


def unjudged_steps(records: Sequence[Record]) -> list[int]:
    """The steps that are worth asking again, where none depends on another."""
    return [record.step for record in records if record.unjudged]


def write_records(
    folder: Path,
    known: Sequence[Record],
    again: Sequence[int],
    total: int,
    made: Callable[[Sequence[int]], Iterator[Record]],
    tell: Tell | None,
) -> tuple[Record, ...]:
    """All records: those that are `known` but for the steps `again`, and the rest as they are made.

    Each is on the disk before the next one is asked for.
    """
    records = {record.step: record for record in known}
    kept = [record for record in known if record.step not in again]
    done, asked, right = len(kept), sum(each.asked for each in kept), sum(each.right for each in kept)
    usage = sum((each.usage for each in kept), Usage())
    made_now = made([*again, *range(len(known), total)])
    with closing(append_records(folder / RECORDS, made_now)) as written:
        for record in written:
            records[record.step] = record
            done, asked, right = done + 1, asked + record.asked, right + record.right
            usage += record.usage
            if tell:
                tell(RunProgress(done, total, right / max(1, asked), usage))
    return tuple(records[step] for step in sorted(records))


def made_ahead(make: Callable[[int], Record], steps: Sequence[int], workers: int) -> Iterator[Record]:
    """The records of steps that do not depend on each other, in order, `workers` at a time."""
    with ThreadPoolExecutor(workers) as pool:
        ahead: deque[Future[Record]] = deque()
        try:
            for step in steps:
                ahead.append(pool.submit(make, step))
                if len(ahead) > 2 * workers:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _known(folder: Path) -> str:
    """The digest of the run's stream; "" where none was kept."""
    try:
        return str(jsontext.read(folder / _STREAM, largest=10_000)["digest"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def evaluations_folder(library: Path) -> Path:
    """The folder of a library's evaluations."""
    return library / "runs" / "evaluations"


def run_folders(root: Path) -> list[Path]:
    """The folders of runs below `root`, the latest first."""
    found = [file.parent for file in root.glob("*/run.json")]
    return sorted(found, key=lambda folder: (folder.stat().st_mtime, folder.name), reverse=True)


def named_run(root: Path, name: str) -> Run:
    """The run of that name.

    Raises:
        RunError: there is none.
    """
    for folder in run_folders(root):
        if folder.name == name:
            return load_run(folder)
    raise RunError(f"There is no run `{name[:80]}`.")


def readable_runs(found: Iterable[Path]) -> list[Run]:
    """The runs of these folders that can be read and have records."""
    runs = []
    for folder in found:
        try:
            runs.append(load_run(folder))
        except RunError:
            continue
    return [run for run in runs if run.records]
