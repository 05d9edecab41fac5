"""What Spider, CoSQL and BIRD share: a schema and a question in, one SQLite query out, judged by running it.

The main figure is the paper's execution accuracy (same set of rows); part `strict` also wants the same
multiplicity and, where the gold query orders, the same order. A question whose database or gold query does
not run cannot be judged: its value is None and the reason names why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quire.errors import TaskError
from quire.tasks import reading
from quire.tasks.protocol import Result, Sample
from quire.tasks.replies import fenced, first_object
from quire.tasks.sql_execution import SqlRunner
from quire.tasks.sql_schemas import from_database
from quire.types import Experience, Instance, Verdict

_SQL = re.compile(r"(?is)\b(?:select|with)\b.*")
_STARTS = re.compile(r"(?is)^\s*(?:(?:--[^\n]*\n|/\*.*?\*/)\s*)*\(*\s*(?:select|with|values)\b")


@dataclass(frozen=True, slots=True)
class SqlGold:
    """A gold query and the file that it runs on."""

    sql: str
    database: Path


class TextToSql:
    """Base of the three tasks: parsing and scoring."""

    name = ""
    shots = 16
    metric = "execution accuracy"

    def __init__(self, seconds: float = 30.0) -> None:
        self._runner = SqlRunner(seconds)

    def parse(self, reply: str, instance: Instance) -> str:
        """The query: a fenced block, else from the first SELECT or WITH on, up to the first empty line."""
        found = first_object(reply) if reply.lstrip().startswith("{") else None
        if found and isinstance(found.get("sql"), str):
            reply = found["sql"]
        text = fenced(reply, "sql", "sqlite").strip()
        if not _STARTS.match(text):
            match = _SQL.search(text)
            text = re.split(r"\n\s*\n", match[0])[0] if match else ""
        return text.strip().rstrip(";").rstrip()

    def score(self, sample: Sample, output: str) -> Result:
        """Run both queries."""
        gold: SqlGold = sample.gold
        outcome = self._runner.compare(gold.database, output, gold.sql)
        if outcome.gold != "ok":
            return Result(None, {"strict": None}, f"cannot run: {outcome.message}; gold: {gold.sql}")
        reason = f"{outcome.message or outcome.said}; gold: {gold.sql}"
        return Result(float(outcome.loose), {"strict": float(outcome.strict)}, reason)

    def gold(self, sample: Sample) -> str:
        """The query."""
        gold: SqlGold = sample.gold
        return gold.sql


def instance(task: str, id: str, schema: str, question: str, database: str, **extra: str) -> Instance:
    """The prompt parts of a question. `extra` fields with a value stand before the question."""
    hints = "".join(f"{name.capitalize()}: {text}\n" for name, text in extra.items() if text)
    return Instance(
        task=task,
        id=id,
        key=question,
        instruction="Write one SQLite query that answers the question about the database.",
        input=f"Schema:\n{schema}\n\n{hints}Question: {question}",
        shot=f"{hints}Question: {question}",
        answer_format="Write only the query, in a ```sql block.",
        fields={"db_id": database, "question": question, **extra},
    )


def example_pairs(task: str, pairs: Sequence[tuple[str, str]]) -> list[Experience]:
    """Question and query pairs as examples."""
    right = Verdict("right", source="metric")
    return [
        Experience(
            question, task, f"example-{n}", {"shot": f"Question: {question}"}, sql, right, -1, "gold", ""
        )
        for n, (question, sql) in enumerate(pairs)
    ]


@dataclass(frozen=True, slots=True)
class Databases:
    """The databases of a data set: where their files are, and their schemas as far as they are published."""

    data: Path
    folders: Sequence[str]
    schemas: Mapping[str, str]

    def file(self, database: str) -> Path:
        """Where a database's SQLite file is, or would be.

        Raises:
            TaskError: the name leads out of the folders.
        """
        if database in ("", ".", "..") or "/" in database or "\\" in database:
            raise TaskError(f"`{database}` is no name of a database.")
        tail = Path(database) / f"{database}.sqlite"
        places = [folder / tail for name in self.folders for folder in self._folders(name)]
        return next((place for place in places if place.exists()), self.data / self.folders[0] / tail)

    def schema(self, database: str) -> str:
        """The published schema, else the database's own, else a word that it is not known."""
        if database in self.schemas:
            return self.schemas[database]
        return from_database(self.file(database)) or f"(the schema of {database} is not known)"

    def _folders(self, name: str) -> Sequence[Path]:
        return sorted(self.data.glob(name)) if "*" in name else [self.data / name]


def row_sql(row: Mapping[str, object]) -> str:
    """The gold query, under any of the names that sets give it."""
    return str(row.get("SQL") or row.get("query") or row.get("sql") or "")


def from_training(task: str, path: Path, count: int) -> list[Experience]:
    """The first pairs of a training file."""
    pairs = [
        (reading.text(row, "question", f"{path}, record {number}").strip(), row_sql(row))
        for number, row in enumerate(reading.rows(path)[:count])
    ]
    return example_pairs(task, pairs)
