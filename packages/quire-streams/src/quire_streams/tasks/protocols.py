"""Protocols: what is asked of a solver and how it is scored, as rows of `protocols.toml`.

    row = find_protocol("streambench", "bird")
    instance(row, "bird", "0001", "How many?", schema="CREATE ...", question="How many?", hints="")

Contract: what is filled in is never looked at for further {parts}.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, cast

from quire.errors import SettingsError, UnknownNameError
from quire.eval import files
from quire.eval.run import DEFAULT, RunSpec
from quire.llm import Model
from quire.types import Instance
from quire_streams.tasks import TASKS
from quire_streams.tasks.protocol import Task

_PART = re.compile(r"\{(\w+)\}")


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


def instance(
    row: TaskProtocol, task: str, id: str, key: str, fields: Mapping[str, str], **parts: str
) -> Instance:
    """An instance in the words of a protocol; `parts` fill its templates, `fields` stay public besides."""

    def filled(template: str) -> str:
        return _PART.sub(lambda match: parts[match[1]], template)

    return Instance(
        task=task,
        id=id,
        key=key,
        instruction=filled(row.instruction),
        input=filled(row.input),
        shot=filled(row.shot),
        answer_format=row.answer_format,
        fields=fields,
    )


@cache
def _rows() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    file = resources.files("quire_streams.tasks").joinpath("protocols.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def open_task(name: str, judge: Model | None = None, protocol: str = DEFAULT) -> Task:
    """The task of that name in the words of a protocol; the model `judge` judges what no rule can.

    Raises:
        UnknownNameError: there is no such task or protocol.
        SettingsError: the protocol does not have that task.
    """
    kind = TASKS.load(name)
    row = find_protocol(protocol, name)
    task = kind.with_model(judge.name, judge) if judge and hasattr(kind, "with_model") else kind()
    if hasattr(task, "words"):
        task.words = row
    return cast("Task", task)
