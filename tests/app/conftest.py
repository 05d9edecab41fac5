"""A library of the example papers for all interfaces."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quire import Library

PAPERS = Path(__file__).parents[2] / "examples" / "papers"


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the example papers with BM25 alone: quick, and what a machine without weights has."""
    folder = tmp_path_factory.mktemp("filled") / "library"
    with Library.open(folder, index__encoders=("text_bm25_en",)) as library:
        assert not library.add(PAPERS).failed
    (folder / "quire.toml").write_text('[index]\nencoders = ["text_bm25_en"]\n')
    return folder


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
