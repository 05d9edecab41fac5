"""Spider, BIRD and CoSQL: where each is published, how its files lie, and what a record looks like.

All three are also read as the configurations `spider`, `bird` and `cosql` of the StreamBench set on Hugging
Face (fields question, SQL, db_id, of BIRD evidence too). Without a file of schemas these are read out of the
databases; without databases nothing can be judged: every value is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from quire.errors import TaskError
from quire.eval import files
from quire_streams.tasks.text_to_sql import SqlQuestion, TextToSql, record_sql


class Spider(TextToSql):
    """Single questions over many databases. Yu et al. 2018, https://yale-lily.github.io/spider; CC BY-SA 4.0.

    The test questions where they are there, else those of the dev set. A record:
        {"db_id": "concert_singer", "question": "How many singers do we have?",
         "query": "SELECT count(*) FROM singer"}
    """

    name = "spider"
    questions = ("test.json", "dev.json", "spider*/dev.json")
    training = ("train_spider.json", "spider*/train_spider.json")
    # `spider/` is how the archive that StreamBench points to unpacks.
    folders = ("database", "test_database", "spider*/database", "spider", ".", "../spider/database")
    tables = tuple((name, f"spider*/{name}") for name in ("tables.json", "test_tables.json"))


class Bird(TextToSql):
    """Questions over large databases with a hint. Li et al. 2023, https://bird-bench.github.io; CC BY-SA 4.0.

    A record:
        {"question_id": 0, "db_id": "california_schools", "question": "What is the highest ...",
         "evidence": "Eligible free rate = ...", "SQL": "SELECT ...", "difficulty": "simple"}
    """

    name = "bird"
    questions = ("dev.json", "dev*/dev.json", "mini_dev_sqlite.json")
    training = ("train.json", "train/train.json")
    # The published archive unpacks to a folder with the day of its release, e.g. `dev_20240627`.
    folders = ("dev_databases", "dev*/dev_databases", "bird/dev_databases", "database")
    # The last, full form has keys and wins over those that list columns only.
    tables = (
        ("dev_tables.json", "dev*/dev_tables.json"),
        ("*tables.json",),
        ("mini_dev_sqlite_tables.json",),
    )

    def read_record(self, row: files.Row, number: int, where: str) -> Iterator[SqlQuestion]:
        """The question with its hint."""
        for one in super().read_record(row, number, where):
            id = f"{row.get('question_id', number)!s:0>4}"
            yield replace(one, id=id, hints={"hint": str(row.get("evidence") or "").strip()})


_DIALOGUES = ("sql_state_tracking/cosql_{}.json", "cosql_{}.json", "cosql*/sql_state_tracking/cosql_{}.json")
_PARTS = re.compile(r"""('(?:[^']|'')*'|"[^"]*"|`[^`]*`)""")
_SPLIT = re.compile(r"([!<>])\s+=|<\s+>")


class Cosql(TextToSql):
    """Turns of dialogues. Yu et al. 2019, https://yale-lily.github.io/cosql; CC BY-SA 4.0.

    Each turn is one instance that shows the questions before it; StreamBench's rows are no dialogues. Some
    gold queries were tokenised until an operator broke (`! =`, `> =`); outside quotes these are joined.
    A record:
        {"database_id": "car_1", "interaction": [{"utterance": "Which models are the most popular?",
         "query": "SELECT ..."}], "final": {...}}
    """

    name = "cosql"
    questions = ("dev.json", *(name.format("dev") for name in _DIALOGUES))
    training = (*(name.format("train") for name in _DIALOGUES), "train.json")
    # `cosql/` is how the archive that StreamBench points to unpacks; else Spider's folder beside it.
    folders = ("database", "cosql*/database", "cosql", ".", "../spider/database", "../spider/spider")
    tables = (("tables.json", "cosql*/tables.json"),)

    def read_record(self, row: files.Row, number: int, where: str) -> Iterator[SqlQuestion]:
        """The turns of a dialogue; a row without dialogue is one turn."""
        database = files.text(row, "database_id" if "interaction" in row else "db_id", where)
        if not database:
            raise TaskError(f"{where}: no database is named.")
        if "interaction" not in row:
            question, sql = files.text(row, "question", where), rejoined(record_sql(row))
            yield SqlQuestion(f"{number:04d}", database, question, sql, {"before": ""})
            return
        turns = row["interaction"]
        if not isinstance(turns, list):
            raise TaskError(f"{where}: field `interaction` must be a list.")
        earlier: list[str] = []
        for place, turn in enumerate(turns):
            question, sql = (files.text(turn, name, where) for name in ("utterance", "query"))
            hints = {"before": " / ".join(earlier)}
            yield SqlQuestion(f"{number:03d}-{place:02d}", database, question, rejoined(sql), hints)
            earlier.append(question.strip())


def rejoined(sql: str) -> str:
    """The query with broken operators joined, texts in quotes left alone."""
    parts = _PARTS.split(sql)
    return "".join(
        part if number % 2 else _SPLIT.sub(lambda m: f"{m[1]}=" if m[1] else "<>", part)
        for number, part in enumerate(parts)
    )
