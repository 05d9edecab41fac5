"""Every input that fuzzing kept, once more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS, timed

CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize("name", TARGETS)
def test_what_fuzzing_kept(name: str) -> None:
    kept = sorted((CORPUS / name).iterdir())
    assert kept
    for file in kept:
        timed(TARGETS[name], 5)(file.read_bytes())
