"""A folder that holds PDFs, rows and vectors, always consistent: add, remove, search, check, repair."""

from quire.library.audits import Problem
from quire.library.checking import Health
from quire.library.contents import Contents, Counts
from quire.library.library import Library
from quire.library.papers import Paper
from quire.library.report import AddReport, FileReport, Progress
from quire.library.status import Status

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
