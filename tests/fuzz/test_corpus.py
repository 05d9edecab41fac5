"""Every input that fuzzing kept, once more."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize("name", TARGETS)
def test_what_fuzzing_kept(name: str) -> None:
    kept = sorted((CORPUS / name).iterdir())
    assert kept
    for file in kept:
        start = time.process_time()
        TARGETS[name](file.read_bytes())
        assert time.process_time() - start < 5, file
