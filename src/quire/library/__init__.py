"""A folder that holds PDFs, rows and vectors, always consistent: add, remove, search, check, repair."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quire.library.audits import Problem
    from quire.library.checking import Health
    from quire.library.contents import Contents, Counts
    from quire.library.library import Library
    from quire.library.papers import Paper
    from quire.library.report import AddReport, FileReport, Progress
    from quire.library.status import Status

# Loaded on first use: the child that parses a PDF needs neither the library nor its database.
_PLACES = {
    "AddReport": "report",
    "Contents": "contents",
    "Counts": "contents",
    "FileReport": "report",
    "Health": "checking",
    "Library": "library",
    "Paper": "papers",
    "Problem": "audits",
    "Progress": "report",
    "Status": "status",
}

__all__ = [
    "AddReport",
    "Contents",
    "Counts",
    "FileReport",
    "Health",
    "Library",
    "Paper",
    "Problem",
    "Progress",
    "Status",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"quire.library.{_PLACES[name]}"), name)
