from __future__ import annotations

from pathlib import Path

import pytest

from quire.tasks.questions import Item, load
from tests.streams.evaluation.sums import rows, write


@pytest.fixture
def items(tmp_path: Path) -> tuple[Item, ...]:
    return load(write(tmp_path, rows())).items
