"""BIRD: questions over large databases, with a hint of outside knowledge. Execution accuracy.

Li et al. 2023, https://bird-bench.github.io; CC BY-SA 4.0. Layouts read: `dev.json` or `mini_dev_sqlite.json`
with `dev_tables.json` in either of its two forms, databases in `dev_databases/` (without them nothing can be
judged: every value is None); and `test.jsonl`/`test*.parquet` of the StreamBench set on Hugging Face.

A record: {"question_id": 0, "db_id": "california_schools", "question": "What is the highest ...",
           "evidence": "Eligible free rate = ...", "SQL": "SELECT ...", "difficulty": "simple"}
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quire.tasks import reading
from quire.tasks.protocol import Sample
from quire.tasks.sql_examples import EXAMPLES
from quire.tasks.sql_schemas import from_columns, from_tables
from quire.tasks.text_to_sql import (
    SqlGold,
    TextToSql,
    database_file,
    example_pairs,
    instance,
    schema_of,
)
from quire.types import Experience

_FOLDERS = ("dev_databases", "database")


class Bird(TextToSql):
    """Questions with evidence."""

    name = "bird"

    def load(self, data: Path) -> Sequence[Sample]:
        """Every question."""
        path = reading.need(data, "test.jsonl", "test*.parquet", "dev.json", "mini_dev_sqlite.json")
        schemas = _schemas(data)
        samples = []
        for number, row in enumerate(reading.rows(path)):
            where = f"{path}, record {number}"
            database = reading.text(row, "db_id", where)
            shown = instance(
                self.name,
                f"{row.get('question_id', number)!s:0>4}",
                schema_of(schemas, database),
                reading.text(row, "question", where).strip(),
                database,
                hint=str(row.get("evidence") or "").strip(),
            )
            sql = str(row.get("SQL") or row.get("sql") or row.get("query") or "")
            samples.append(Sample(shown, SqlGold(sql, database_file(data, _FOLDERS, database))))
        return samples

    def examples(self, data: Path) -> Sequence[Experience]:
        """The first of the training file, else sixteen hand-written pairs."""
        path = reading.find(data, "train.jsonl", "train*.parquet", "train.json", "train/train.json")
        if path is None:
            return example_pairs(self.name, EXAMPLES)
        rows = reading.rows(path)[: self.shots]
        return example_pairs(
            self.name, [(str(row["question"]), str(row.get("SQL") or row.get("sql"))) for row in rows]
        )


def _schemas(data: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in ("dev_tables.json", "*tables.json"):
        path = reading.find(data, name)
        if path:
            loaded = reading.read_json(path)
            found |= from_columns(loaded) if isinstance(loaded, dict) else from_tables(loaded)
    # The full form has keys and wins over the one that lists columns only.
    full = reading.find(data, "mini_dev_sqlite_tables.json")
    return found | (from_tables(reading.read_json(full)) if full else {})
