"""From a task's name to a task, with the judge that it may need."""

from __future__ import annotations

from typing import cast

from quire.models import Model
from quire.tasks import TASKS
from quire.tasks.protocol import Task


def open_task(name: str, judge: Model | None = None) -> Task:
    """The task of that name; the model `judge` judges what no rule can (ToolBench's free-text arguments).

    Raises:
        UnknownNameError: there is no such task.
    """
    kind = TASKS.load(name)
    if judge and hasattr(kind, "with_model"):
        return cast("Task", kind.with_model(judge.name, judge))
    return cast("Task", kind())
