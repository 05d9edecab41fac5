"""From a task's name to a task, with the judge that it may need."""

from __future__ import annotations

from typing import Any, cast

from quire.tasks import TASKS
from quire.tasks.protocol import Task


def open_task(name: str, judge_model: str = "") -> Task:
    """The task of that name; `judge_model` judges what no rule can (ToolBench's free-text arguments).

    Raises:
        UnknownNameError: there is no such task.
    """
    kind = TASKS.load(name)
    if judge_model and hasattr(kind, "with_model"):
        return cast("Task", kind.with_model(judge_model, _model(judge_model)))
    return cast("Task", kind())


def _model(name: str) -> Any:
    from quire.models import Gateway
    from quire.settings import load

    return Gateway(load()).model("judge", name)
