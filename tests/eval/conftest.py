"""What the tests of this room share."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.eval.questions import QuestionItem, load
from tests.eval.sums import rows, write


@pytest.fixture
def items(tmp_path: Path) -> tuple[QuestionItem, ...]:
    """A small set of questions; `tests.eval.sums.answer` answers them."""
    return load(write(tmp_path, rows())).items
