"""CoSQL: questions that build on the ones before them in a dialogue. Execution accuracy.

Yu et al. 2019, https://yale-lily.github.io/cosql; CC BY-SA 4.0. Layout read: `dev.json` (or
`sql_state_tracking/cosql_dev.json`) with `tables.json`, and Spider's databases in `database/` or in a folder
`spider` beside it. Each turn of each dialogue is one instance; it shows the questions before it.

A record: {"database_id": "car_1", "interaction": [{"utterance": "Which models are the most popular?",
           "query": "SELECT ..."}], "final": {...}}

Some gold queries were tokenised until an operator broke (`! =`, `> =`); outside quotes these are joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from quire.errors import TaskError
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

_FOLDERS = ("database", "../spider/database")
_PARTS = re.compile(r"""('(?:[^']|'')*'|"[^"]*"|`[^`]*`)""")
_SPLIT = re.compile(r"([!<>])\s+=|<\s+>")


class Cosql(TextToSql):
    """Turns of dialogues."""

    name = "cosql"

    def load(self, data: Path) -> Sequence[Sample]:
        """Every turn, in the order of the dialogues."""
        path = reading.need(data, "dev.json", "cosql_dev.json", "sql_state_tracking/cosql_dev.json")
        schemas = from_tables(reading.read_json(reading.need(data, "tables.json")))
        samples = []
        for number, dialogue in enumerate(reading.rows(path)):
            where = f"{path}, dialogue {number}"
            database = reading.text(dialogue, "database_id", where)
            file = database_file(data, _FOLDERS, database)
            for turn, (question, earlier, sql) in enumerate(_turns(dialogue, where)):
                shown = instance(
                    self.name, f"{number:03d}-{turn:02d}", schema_of(schemas, database), question, database,
                    before=" / ".join(earlier),
                )  # fmt: skip
                samples.append(Sample(shown, SqlGold(rejoined(sql), file)))
        return samples

    def examples(self, data: Path) -> Sequence[Experience]:
        """Single questions of the training file, else sixteen hand-written pairs."""
        path = reading.find(data, "sql_state_tracking/cosql_train.json", "cosql_train.json", "train.json")
        if path is None:
            return example_pairs(self.name, EXAMPLES)
        first = [next(iter(_turns(row, str(path)))) for row in reading.rows(path)[: self.shots]]
        return example_pairs(self.name, [(question, rejoined(sql)) for question, _, sql in first])


def rejoined(sql: str) -> str:
    """The query with broken operators joined, texts in quotes left alone."""
    parts = _PARTS.split(sql)
    return "".join(
        part if number % 2 else _SPLIT.sub(lambda m: f"{m[1]}=" if m[1] else "<>", part)
        for number, part in enumerate(parts)
    )


def _turns(dialogue: reading.Row, where: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    earlier: tuple[str, ...] = ()
    turns = dialogue.get("interaction")
    if not isinstance(turns, list):
        raise TaskError(f"{where}: field `interaction` must be a list.")
    for turn in turns:
        question = reading.text(turn, "utterance", where).strip()
        yield question, earlier, reading.text(turn, "query", where)
        earlier += (question,)
