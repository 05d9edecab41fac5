"""CoSQL: questions that build on the ones before them in a dialogue. Execution accuracy.

Yu et al. 2019, https://yale-lily.github.io/cosql; CC BY-SA 4.0. Layouts read: `dev.json` (or
`sql_state_tracking/cosql_dev.json`), in which each turn of each dialogue is one instance that shows the
questions before it; and the configuration `cosql` of the StreamBench set on Hugging Face (fields question,
SQL, db_id), which has no dialogues. Databases in `database/`, or Spider's in a folder `spider` beside it.

A record: {"database_id": "car_1", "interaction": [{"utterance": "Which models are the most popular?",
           "query": "SELECT ..."}], "final": {...}}

Some gold queries were tokenised until an operator broke (`! =`, `> =`); outside quotes these are joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from quire.errors import TaskError
from quire.eval import files
from quire.types import Experience
from quire_streams.tasks.protocol import Sample
from quire_streams.tasks.text_to_sql import (
    Databases,
    TextToSql,
    example_pairs,
    from_tables,
    row_sql,
)

# `cosql/` is how the archive that StreamBench points to unpacks.
_FOLDERS = ("database", "cosql*/database", "cosql", ".", "../spider/database", "../spider/spider")
_DIALOGUES = "sql_state_tracking/cosql_{}.json"
_PARTS = re.compile(r"""('(?:[^']|'')*'|"[^"]*"|`[^`]*`)""")
_SPLIT = re.compile(r"([!<>])\s+=|<\s+>")


class Cosql(TextToSql):
    """Turns of dialogues."""

    name = "cosql"

    def load(self, data: Path) -> Sequence[Sample]:
        """Every turn, in the order of the file."""
        ours = (_DIALOGUES.format("dev"), "cosql_dev.json", f"cosql*/{_DIALOGUES.format('dev')}")
        path = files.need(data, *files.hub("cosql", "test"), "dev.json", *ours)
        tables = files.find(data, "tables.json", "cosql*/tables.json")
        databases = Databases(data, _FOLDERS, from_tables(files.read_json(tables)) if tables else {})
        return [
            self.sample(
                databases, turn.id, turn.database, turn.question, rejoined(turn.sql),
                before=" / ".join(turn.earlier),
            )
            for number, row in enumerate(files.rows(path))
            for turn in _turns(row, number, str(path))
        ]  # fmt: skip

    def examples(self, data: Path) -> Sequence[Experience]:
        """Single questions of the training file, else sixteen hand-written pairs."""
        ours = (_DIALOGUES.format("train"), "cosql_train.json", f"cosql*/{_DIALOGUES.format('train')}")
        if path := files.find(data, *ours, "train.json"):
            rows = enumerate(files.rows(path)[: self.shots])
            first = [next(iter(_turns(row, number, str(path)))) for number, row in rows]
            return example_pairs(self.name, [(turn.question, rejoined(turn.sql)) for turn in first])
        return super().examples(data)


@dataclass(frozen=True, slots=True)
class _Turn:
    id: str
    database: str
    question: str
    earlier: tuple[str, ...]
    sql: str


def rejoined(sql: str) -> str:
    """The query with broken operators joined, texts in quotes left alone."""
    parts = _PARTS.split(sql)
    return "".join(
        part if number % 2 else _SPLIT.sub(lambda m: f"{m[1]}=" if m[1] else "<>", part)
        for number, part in enumerate(parts)
    )


def _turns(row: files.Row, number: int, path: str) -> Iterator[_Turn]:
    """The turns of a dialogue; a row without dialogue is one turn."""
    where = f"{path}, record {number}"
    database = files.text(row, "database_id" if "interaction" in row else "db_id", where)
    if not database:
        raise TaskError(f"{where}: no database is named.")
    if "interaction" not in row:
        yield _Turn(f"{number:04d}", database, files.text(row, "question", where), (), row_sql(row))
        return
    turns = row["interaction"]
    if not isinstance(turns, list):
        raise TaskError(f"{where}: field `interaction` must be a list.")
    earlier: tuple[str, ...] = ()
    for place, turn in enumerate(turns):
        question = files.text(turn, "utterance", where).strip()
        yield _Turn(
            f"{number:03d}-{place:02d}", database, question, earlier, files.text(turn, "query", where)
        )
        earlier += (question,)
