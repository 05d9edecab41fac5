"""Spider: questions over many databases, one SQL query each. Execution accuracy.

Yu et al. 2018, https://yale-lily.github.io/spider; CC BY-SA 4.0. Layouts read: the published folder
(`dev.json` or `test.json`, `tables.json`/`test_tables.json`, `database/` or `test_database/`, and
`train_spider.json` for examples) and `test.jsonl`/`test*.parquet` of the StreamBench set on Hugging Face.

A record: {"db_id": "concert_singer", "question": "How many singers do we have?",
           "query": "SELECT count(*) FROM singer"}
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quire.tasks import reading
from quire.tasks.protocol import Sample
from quire.tasks.sql_examples import EXAMPLES
from quire.tasks.sql_schemas import from_tables
from quire.tasks.text_to_sql import (
    SqlGold,
    TextToSql,
    database_file,
    example_pairs,
    instance,
    schema_of,
)
from quire.types import Experience

_FOLDERS = ("database", "test_database", "../spider/database")


class Spider(TextToSql):
    """Single questions."""

    name = "spider"

    def load(self, data: Path) -> Sequence[Sample]:
        """The test questions where they are there, else those of the dev set."""
        path = reading.need(data, "test.jsonl", "test*.parquet", "test.json", "dev.json")
        schemas: dict[str, str] = {}
        for name in ("tables.json", "test_tables.json"):
            if found := reading.find(data, name):
                schemas |= from_tables(reading.read_json(found))
        samples = []
        for number, row in enumerate(reading.rows(path)):
            where = f"{path}, record {number}"
            database = reading.text(row, "db_id", where)
            question = reading.text(row, "question", where).strip()
            sql = str(row.get("query") or row.get("SQL") or "")
            shown = instance(self.name, f"{number:04d}", schema_of(schemas, database), question, database)
            samples.append(Sample(shown, SqlGold(sql, database_file(data, _FOLDERS, database))))
        return samples

    def examples(self, data: Path) -> Sequence[Experience]:
        """The first of the training file, else sixteen hand-written pairs."""
        path = reading.find(data, "train.jsonl", "train*.parquet", "train_spider.json")
        if path is None:
            return example_pairs(self.name, EXAMPLES)
        rows = reading.rows(path)[: self.shots]
        return example_pairs(
            self.name, [(str(row["question"]), str(row.get("query") or row.get("SQL"))) for row in rows]
        )
