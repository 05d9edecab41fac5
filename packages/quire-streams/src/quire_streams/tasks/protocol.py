"""What a task is: samples with their gold, how a reply is read, how an answer is scored; and its protocols.

    task = open_task("ddxplus")
    samples = task.load(Path("data/ddxplus"))
    task.score(samples[0], task.parse("12. Anemia", samples[0].instance)).value   # 1.0 or 0.0

A task object is small and holds no data: it is given the folder each time. Everything that touches gold
(`load`, `score`) runs on the judge's side of the wall; `parse` runs on the solver's side.

A protocol says what is asked of a solver and how it is scored, in rows of `protocols.toml`. What is filled
into its templates is never looked at for further {parts}.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Protocol, cast

from quire.errors import QuireError, SettingsError, TaskError, UnknownNameError
from quire.eval import files
from quire.eval.result import Result
from quire.eval.run import DEFAULT, RunSpec
from quire.llm import Model
from quire.registry import Registry
from quire.types import Experience, Instance, Verdict

SYNTHETIC = "synthetic"  # ids of samples that were drawn by a rule begin so
_PART = re.compile(r"\{(\w+)\}")

TASKS = Registry(
    "task",
    {
        "spider": "quire_streams.tasks.text_to_sql:Spider",
        "cosql": "quire_streams.tasks.text_to_sql:Cosql",
        "bird": "quire_streams.tasks.text_to_sql:Bird",
        "ds1000": "quire_streams.tasks.ds1000:Ds1000",
        "toolbench": "quire_streams.tasks.toolbench:ToolBench",
        "ddxplus": "quire_streams.tasks.ddxplus:DdxPlus",
        "hotpotqa": "quire_streams.tasks.hotpotqa:HotpotQa",
        "papers": "quire_streams.tasks.papers:PaperQuestions",
    },
    "quire.tasks",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """An instance and its gold. Lives on the judge's side only.

    `reply` is one that must score 1, for checking the scorer; "" where none can be told.
    """

    instance: Instance
    gold: Any
    reply: str = ""

    def example(self) -> Experience:
        """The sample as it is shown to the few-shot method: its gold as the answer."""
        told = self.instance
        return gold_example(told.task, told.id, told.key, str(self.gold), told.shot)


def gold_example(task: str, id: str, key: str, answer: str, shot: str, **shown: str) -> Experience:
    """A pair of question and right answer as an experience; `shown` are further fields of its prompt."""
    right = Verdict("right", source="metric")
    return Experience(key, task, id, {"shot": shot, **shown}, answer, right, -1, "gold", "")


def hand_written(task: str, family: str, before: str = "") -> list[Experience]:
    """The examples of `examples.toml` for a task; `before` stands before each question."""
    text = resources.files("quire_streams.tasks").joinpath("examples.toml").read_text(encoding="utf-8")
    rows = [{**row, "shot": before + row["question"]} for row in tomllib.loads(text)[family]]
    return [
        gold_example(task, f"example-{n}", row.pop("question"), row.pop("answer"), **row)
        for n, row in enumerate(rows)
    ]


class Task(Protocol):
    """One data set: where it comes from, what a solver is told, what counts as right."""

    name: str
    shots: int  # k of the paper
    metric: str

    def load(self, data: Path) -> Sequence[Sample]:
        """All samples, in the order of the file. Raises TaskError naming file, line and field."""
        ...

    def examples(self, data: Path) -> Sequence[Experience]:
        """Gold pairs for the few-shot method; never one of the samples."""
        ...

    def parse(self, reply: str, instance: Instance) -> str:
        """The answer in a model's reply, in one canonical form; "" if there is none. Never raises."""
        ...

    def score(self, sample: Sample, output: str) -> Result:
        """Judge a parsed answer."""
        ...


@dataclass(frozen=True, slots=True)
class TaskProtocol:
    """A row: templates of an instance's texts, the name of the metric, and which rows come in which order."""

    instruction: str = ""
    input: str = ""
    shot: str = ""
    answer_format: str = ""
    metric: str = ""
    published: str = ""
    first: int = 0
    family: str = ""


def names() -> tuple[str, ...]:
    """All protocols, the default first."""
    return tuple(_rows())


@cache
def find_protocol(name: str, task: str) -> TaskProtocol:
    """The row of a protocol for a task; the default has every task, if only to leave it its own words.

    Raises:
        UnknownNameError: there is no such protocol.
        SettingsError: it does not have that task.
    """
    if name not in _rows():
        raise UnknownNameError(
            f"There is no protocol named `{name}`.", hint=f"Choose from: {', '.join(names())}."
        )
    if name != DEFAULT and task not in _rows()[name]:
        raise SettingsError(
            f"The protocol `{name}` does not have the task `{task}`.",
            hint=f"It has {', '.join(one for one in TASKS if one in _rows()[name])}.",
        )
    family = _rows()[DEFAULT].get(task, {}).get("family", "")
    merged: dict[str, Any] = {}
    for own in (DEFAULT, name):
        merged |= {**_rows()[own].get(family, {}), **_rows()[own].get(task, {})}
    return TaskProtocol(**merged)


def spec_over(spec: RunSpec, data: Path) -> RunSpec:
    """The run over the data in a folder, in the order that its protocol wants of it, where that is there.

    Raises:
        UnknownNameError, SettingsError: there is no such protocol, or it does not have the task.
    """
    config = find_protocol(spec.protocol, spec.task).published
    published = config and files.find(data, *files.hub(config, "test"))
    return replace(spec, data=str(data), order="published" if published else "shuffled")


@cache
def _rows() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    file = resources.files("quire_streams.tasks").joinpath("protocols.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


class WordedTask:
    """What tasks share whose words stand in `protocols.toml`."""

    name = ""

    def __init__(self) -> None:
        self.words = find_protocol(DEFAULT, self.name)

    def instance(self, id: str, key: str, fields: Mapping[str, str], **parts: str) -> Instance:
        """An instance in the words of the protocol; `parts` fill them, `fields` stay public besides."""

        def filled(template: str) -> str:
            return _PART.sub(lambda match: parts[match[1]], template)

        words = self.words
        told, asked, shot = map(filled, (words.instruction, words.input, words.shot))
        return Instance(self.name, id, key, told, asked, shot, words.answer_format, fields)


def open_task(name: str, judge: Model | None = None, protocol: str = DEFAULT) -> Task:
    """The task of that name in the words of a protocol; the model `judge` judges what no rule can.

    Raises:
        UnknownNameError: there is no such task or protocol.
        SettingsError: the protocol does not have that task.
    """
    kind = TASKS.load(name)
    row = find_protocol(protocol, name)
    task = kind.with_model(judge) if judge and hasattr(kind, "with_model") else kind()
    if isinstance(task, WordedTask):
        task.words = row
    return cast("Task", task)


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """A record of a data file: its fields, its number (the first is 0), and where it stands, for errors."""

    row: files.FileRow
    number: int
    where: str

    def text(self, field: str) -> str:
        """A field that must be a text.

        Raises:
            TaskError: it is missing or something else.
        """
        return files.text(self.row, field, self.where)


def records(path: Path) -> Iterator[TaskRecord]:
    """The records of a data file of any kind; see `quire.eval.files.rows`."""
    for number, row in enumerate(files.rows(path)):
        yield TaskRecord(row, number, f"{path}, record {number + 1}")


@contextmanager
def read_as(task: str, data: Path) -> Iterator[None]:
    """What a reader of a known layout meets in another one, told as TaskError."""
    try:
        yield
    except (AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, QuireError):
            raise
        raise TaskError(
            f"{data} cannot be read as {task}: {type(error).__name__}: {error}.",
            hint="Its layout may be another.",
        ) from error


# The machine-readable part of a reply.

_FENCE = re.compile(r"```[ \t]{0,99}(\w{0,30})[ \t]{0,99}\n(.*?)(?:```|\Z)", re.DOTALL)
_decoder = json.JSONDecoder()


def first_object(reply: str) -> dict[str, Any] | None:
    """The first JSON object that can be read in the reply, wherever it stands; None if there is none."""
    start = reply.find("{")
    while start >= 0:
        try:
            value, _ = _decoder.raw_decode(reply, start)
        except (json.JSONDecodeError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        start = reply.find("{", start + 1)
    return None


def fenced(reply: str, *languages: str) -> str:
    """The first fenced block in one of those languages, else the first block, else the whole reply.

    Indentation is kept: only empty lines around the text are dropped.
    """
    blocks = _FENCE.findall(reply)
    wanted = [body for language, body in blocks if language.lower() in languages]
    lines = (wanted[0] if wanted else blocks[0][1] if blocks else reply).splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)
