"""BIRD: questions over large databases, with a hint of outside knowledge. Execution accuracy.

Li et al. 2023, https://bird-bench.github.io; CC BY-SA 4.0. Layouts read: `dev.json` or `mini_dev_sqlite.json`
with `dev_tables.json` in either of its two forms, databases in `dev_databases/` (without them nothing can be
judged: every value is None); and the configuration `bird` of the StreamBench set on Hugging Face.

A record: {"question_id": 0, "db_id": "california_schools", "question": "What is the highest ...",
           "evidence": "Eligible free rate = ...", "SQL": "SELECT ...", "difficulty": "simple"}
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quire.eval import files
from quire_streams.tasks.protocol import Sample
from quire_streams.tasks.text_to_sql import (
    Databases,
    TextToSql,
    from_columns,
    from_tables,
    row_sql,
)

# The published archive unpacks to a folder with the day of its release, e.g. `dev_20240627`.
_FOLDERS = ("dev_databases", "dev*/dev_databases", "bird/dev_databases", "database")


class Bird(TextToSql):
    """Questions with evidence."""

    name = "bird"
    training = ("train.json", "train/train.json")

    def load(self, data: Path) -> Sequence[Sample]:
        """Every question."""
        others = ("dev.json", "dev*/dev.json", "mini_dev_sqlite.json")
        path = files.need(data, *files.hub("bird", "test"), *others)
        databases = Databases(data, _FOLDERS, _schemas(data))
        return [
            self.sample(
                databases,
                f"{row.get('question_id', number)!s:0>4}",
                files.text(row, "db_id", f"{path}, record {number}"),
                files.text(row, "question", f"{path}, record {number}"),
                row_sql(row),
                hint=str(row.get("evidence") or "").strip(),
            )
            for number, row in enumerate(files.rows(path))
        ]


def _schemas(data: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for names in (("dev_tables.json", "dev*/dev_tables.json"), ("*tables.json",)):
        path = files.find(data, *names)
        if path:
            loaded = files.read_json(path)
            found |= from_columns(loaded) if isinstance(loaded, dict) else from_tables(loaded)
    # The full form has keys and wins over the one that lists columns only.
    full = files.find(data, "mini_dev_sqlite_tables.json")
    return found | (from_tables(files.read_json(full)) if full else {})
