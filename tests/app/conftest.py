"""Copies of the library of the example papers, for all interfaces."""

from __future__ import annotations

import shutil
from pathlib import Path

from quire import Library
from tests.conftest import PAPERS

__all__ = ["PAPERS"]


def copied(filled: Path, folder: Path) -> Path:
    """A copy of that library, without what other tests have asked, judged and measured in it."""
    left_out = shutil.ignore_patterns("runs", "evaluations", "quizzes", "streams", "*.sqlite*", "*.lock")
    return Path(shutil.copytree(filled, folder, ignore=left_out))


FOLDS = "Why does a fold that is pressed longer soak faster?"
FOLDS_AGAIN = "What makes a fold that is pressed longer soak faster?"


def tell_of_folds(library: Library) -> str:
    """Correct an answer of this library, so that it is suggested beside `FOLDS_AGAIN`; its item."""
    run = library.ask(FOLDS, papers=["paper-boats.pdf"])
    return library.verdict("wrong", run.run_id, answer="tears fibres", author="ann").correction
