"""Spider: questions over many databases, one SQL query each. Execution accuracy.

Yu et al. 2018, https://yale-lily.github.io/spider; CC BY-SA 4.0. Layouts read: the published folder
(`dev.json` or `test.json`, `tables.json`/`test_tables.json`, `database/` or `test_database/`, and
`train_spider.json` for examples) and the configuration `spider` of the StreamBench set on Hugging Face
(fields question, SQL, db_id). Without a file of tables, schemas are read out of the databases.

A record: {"db_id": "concert_singer", "question": "How many singers do we have?",
           "query": "SELECT count(*) FROM singer"}
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quire.eval import files
from quire_streams.tasks.protocol import Sample
from quire_streams.tasks.text_to_sql import Databases, TextToSql, from_tables, row_sql

# `spider/` is how the archive that StreamBench points to unpacks.
_FOLDERS = ("database", "test_database", "spider*/database", "spider", ".", "../spider/database")


class Spider(TextToSql):
    """Single questions."""

    name = "spider"
    training = ("train_spider.json", "spider*/train_spider.json")

    def load(self, data: Path) -> Sequence[Sample]:
        """The test questions where they are there, else those of the dev set."""
        path = files.need(data, *files.hub("spider", "test"), "test.json", "dev.json", "spider*/dev.json")
        schemas: dict[str, str] = {}
        for name in ("tables.json", "test_tables.json"):
            if found := files.find(data, name, f"spider*/{name}"):
                schemas |= from_tables(files.read_json(found))
        databases = Databases(data, _FOLDERS, schemas)
        return [
            self.sample(
                databases,
                f"{number:04d}",
                files.text(row, "db_id", f"{path}, record {number}"),
                files.text(row, "question", f"{path}, record {number}"),
                row_sql(row),
            )
            for number, row in enumerate(files.rows(path))
        ]
