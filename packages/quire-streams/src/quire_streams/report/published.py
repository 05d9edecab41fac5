"""The paper's own figures, read from `published.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def published() -> dict[str, Any]:
    """All tables; see the file."""
    file = resources.files("quire_streams.report").joinpath("published.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def average(method: str, task: str) -> float | None:
    """Table 2: percent, mean of the three models; None where the paper has none."""
    return _of(published()["average"], method, task)


def of_model(model: str, method: str, task: str) -> float | None:
    """Tables 3 and 5 to 7: percent of one model, found by the beginning of its name."""
    for name, rows in published()["models"].items():
        if name.startswith(model) or model.startswith(name):
            return _of(rows, method, task)
    return None


def tokens(method: str, task: str) -> str:
    """Table 10: millions of input/output tokens, "" where the paper has none."""
    rows = published()["tokens"]
    tasks = published()["tasks"]
    return str(rows[method][tasks.index(task)]) if method in rows and task in tasks else ""


def _of(rows: dict[str, list[float]], method: str, task: str) -> float | None:
    tasks = published()["tasks"]
    return rows[method][tasks.index(task)] if method in rows and task in tasks else None
