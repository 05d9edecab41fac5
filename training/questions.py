"""The questions that the ranking, the reader and what takes answers out of passages learn from.

    questions = read_questions(Path("training/questions.jsonl.gz"))

Each has the fields of AirQA plus kind, source_pdf, page and quote; `anchor_pdf` is empty where it is asked of
the whole library.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any


def read_questions(file: Path) -> list[dict[str, Any]]:
    """A question a line, packed by gzip or not."""
    told = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return [json.loads(line) for line in told.decode().splitlines()]
