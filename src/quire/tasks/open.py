"""From a task's name to a task, with the judge that it may need."""

from __future__ import annotations

from typing import cast

from quire.models import Model
from quire.tasks import TASKS
from quire.tasks.protocol import Task
from quire.tasks.protocols import DEFAULT
from quire.tasks.protocols import protocol as read


def open_task(name: str, judge: Model | None = None, protocol: str = DEFAULT) -> Task:
    """The task of that name in the words of a protocol; the model `judge` judges what no rule can.

    Raises:
        UnknownNameError: there is no such task or protocol.
        SettingsError: the protocol does not have that task.
    """
    kind = TASKS.load(name)
    row = read(protocol, name)
    task = kind.with_model(judge.name, judge) if judge and hasattr(kind, "with_model") else kind()
    if hasattr(task, "words"):
        task.words = row
    return cast("Task", task)
