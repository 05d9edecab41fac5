"""Spider, BIRD and CoSQL: a schema and a question in, one SQLite query out, judged by running it.

The main figure is the paper's execution accuracy (same set of rows); part `strict` also wants the same
multiplicity and, where the gold query orders, the same order. A question whose database or gold query does
not run cannot be judged: its value is None and the reason names why.

All three are also read as the configurations `spider`, `bird` and `cosql` of the StreamBench set on Hugging
Face (fields question, SQL, db_id, of BIRD evidence too). Without a file of schemas these are read out of the
databases; without databases nothing can be judged.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from quire.errors import TaskError
from quire.eval import files
from quire.eval.result import Result
from quire.types import Experience, Instance
from quire.worker import Child, ChildDied, ChildLate, Pool
from quire_streams.tasks.protocol import (
    Sample,
    TaskRecord,
    WordedTask,
    fenced,
    first_object,
    gold_example,
    hand_written,
    records,
)

_GRACE = 10.0  # seconds beyond both limits before the child is ended

SqlStatus = Literal["ok", "error", "timeout", "limit", "missing"]


@dataclass(frozen=True, slots=True)
class QueryComparison:
    """How two queries compare; `said` and `gold` tell whether each ran, `rows` how many the answer gave."""

    said: SqlStatus
    gold: SqlStatus
    strict: bool
    loose: bool
    message: str = ""
    rows: int = 0


class SqlRunner:
    """A child that is started at the first query and again after it had to be ended. Thread-safe."""

    def __init__(self, seconds: float = 30.0) -> None:
        self._seconds = seconds
        self._children = Pool(lambda: Child("quire_streams.tasks.sql_child", environment={}))

    def compare(self, database: Path, said: str, gold: str) -> QueryComparison:
        """Run both queries on the database."""
        request = {"db": str(database), "said": said, "gold": gold, "seconds": self._seconds}
        try:
            with self._children.child() as child:
                child.send(json.dumps(request).encode())
                answer = child.receive(2 * self._seconds + _GRACE)
        except (ChildLate, ChildDied):
            return QueryComparison("timeout", "ok", False, False, "the query had to be ended")
        return QueryComparison(**json.loads(answer))


# Whether an answer's rows are the gold's: as sets, and as the published code has it, where no row is wrong.
METRICS: Mapping[str, Callable[[QueryComparison], bool]] = {
    "same_rows": lambda outcome: outcome.loose,
    "same_rows_not_none": lambda outcome: outcome.loose and outcome.rows > 0,
}

_SQL = re.compile(r"(?is)\b(?:select|with)\b.*")
_STARTS = re.compile(r"(?is)\A\s*+(?:(?:--[^\n]*+\n|/\*.*?\*/)\s*+)*+\(*+\s*+(?:select|with|values)\b")


@dataclass(frozen=True, slots=True)
class SqlGold:
    """A gold query and the file that it runs on."""

    sql: str
    database: Path


@dataclass(frozen=True, slots=True)
class SqlQuestion:
    """A question over a database with its query; `hints` are told before it where the protocol tells them."""

    id: str
    database: str
    question: str
    sql: str
    hints: Mapping[str, str] = field(default_factory=dict)


class TextToSql(WordedTask):
    """Base of the three tasks, which say where their files are and what a record holds.

    All names of files are glob patterns, the first that is there counts: `questions` and `training` besides
    the hub's place, `folders` those of databases. Of each of `tables` one file of schemas is read; what a
    later one says of a database wins.
    """

    name = ""
    questions: Sequence[str] = ()
    training: Sequence[str] = ()
    folders: Sequence[str] = ()
    tables: Sequence[Sequence[str]] = ()
    shots = 16
    metric = "execution accuracy"

    def __init__(self, seconds: float = 30.0) -> None:
        super().__init__()
        self._runner = SqlRunner(seconds)

    def load(self, data: Path) -> Sequence[Sample]:
        """Every question, in the order of the file."""
        path = files.need(data, *files.hub(self.name, "test"), *self.questions)
        databases = Databases(data, self.folders, read_schemas(data, self.tables))
        return [self.sample(databases, asked) for one in records(path) for asked in self.read_record(one)]

    def read_record(self, one: TaskRecord) -> Iterator[SqlQuestion]:
        """The questions of a record."""
        yield SqlQuestion(f"{one.number:04d}", one.text("db_id"), one.text("question"), record_sql(one))

    def sample(self, databases: Databases, one: SqlQuestion) -> Sample:
        """What is told of a question, and its gold."""
        question, schema = one.question.strip(), databases.schema(one.database)
        fields = {"db_id": one.database, "question": question, **one.hints}
        told = "".join(f"{name.capitalize()}: {text}\n" for name, text in one.hints.items() if text)
        parts = {"schema": schema, "question": question, "hints": told}
        shown = self.instance(one.id, question, fields, **parts)
        return Sample(shown, SqlGold(one.sql, databases.file(one.database)), one.sql)

    def examples(self, data: Path) -> Sequence[Experience]:
        """The first of the training file, of a dialogue its first turn, else sixteen hand-written pairs."""
        path = files.find(data, *files.hub(self.name, "train"), *self.training)
        if path is None:
            return hand_written(self.name, "sql", "Question: ")
        first = (next(self.read_record(one), None) for one in islice(records(path), self.shots))
        pairs = ((one.question.strip(), one.sql) for one in first if one)
        return [
            gold_example(self.name, f"example-{n}", question, sql, f"Question: {question}")
            for n, (question, sql) in enumerate(pairs)
        ]

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
        right = METRICS[self.words.metric](outcome)
        return Result(float(right), {"strict": float(outcome.strict)}, reason)


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
        folders = (
            folder
            for name in self.folders
            for folder in (sorted(self.data.glob(name)) if "*" in name else [self.data / name])
        )
        places = (folder / tail for folder in folders)
        return next((place for place in places if place.exists()), self.data / self.folders[0] / tail)

    def schema(self, database: str) -> str:
        """The published schema, else the database's own, else a word that it is not known."""
        if database in self.schemas:
            return self.schemas[database]
        return from_database(self.file(database)) or f"(the schema of {database} is not known)"


def record_sql(one: TaskRecord) -> str:
    """The gold query of a record, under any of the names that sets give it.

    Raises:
        TaskError: it has none of them.
    """
    if not any(name in one.row for name in _QUERIES):
        raise TaskError(f"{one.where} has no query: none of the fields {', '.join(_QUERIES)}.")
    return str(next(filter(None, map(one.row.get, _QUERIES)), ""))


_QUERIES = ("SQL", "query", "sql")


def read_schemas(data: Path, tables: Sequence[Sequence[str]]) -> dict[str, str]:
    """Database -> statements, of the first file of each row of names that is there.

    Raises:
        TaskError: a file is malformed.
    """
    schemas: dict[str, str] = {}
    for names in tables:
        if path := files.find(data, *names):
            loaded = files.read_json(path)
            try:
                schemas |= from_columns(loaded) if isinstance(loaded, dict) else from_tables(loaded)
            except (KeyError, IndexError, TypeError) as error:
                raise TaskError(f"{path} lacks a field: {error}.") from error
    return schemas


def from_tables(entries: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """From a `tables.json` (Spider, CoSQL, BIRD): database -> statements."""
    return {entry["db_id"]: "\n\n".join(_statements(entry)) for entry in entries}


def from_columns(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """From BIRD's `database#sep#table` -> columns layout, which has no keys."""
    found: dict[str, list[str]] = {}
    for entry in entries.values():
        columns = zip(entry["column_names_original"], entry["column_types"], strict=True)
        lines = [f"  {_quoted(name)} {kind}" for name, kind in columns]
        found.setdefault(entry["db_id"], []).append(_create(entry["table_name_original"], lines))
    return {database: "\n\n".join(tables) for database, tables in found.items()}


@lru_cache(maxsize=512)
def from_database(path: Path) -> str:
    """The statements that made a SQLite file; "" where there is no such file.

    Raises:
        TaskError: it is no database.
    """
    if not path.exists():
        return ""
    sql = "SELECT sql FROM sqlite_master WHERE type = 'table' AND sql NOT NULL AND name NOT LIKE 'sqlite%'"
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            return "\n\n".join(f"{row[0]};" for row in db.execute(sql))
    except sqlite3.Error as error:
        raise TaskError(f"{path} is no SQLite database: {error}.") from error


def _statements(entry: Mapping[str, Any]) -> Iterable[str]:
    columns = entry["column_names_original"]
    tables = entry["table_names_original"]
    primary = {key for keys in entry["primary_keys"] for key in (keys if isinstance(keys, list) else [keys])}
    for number, table in enumerate(tables):
        own = [index for index, (owner, _) in enumerate(columns) if owner == number]
        lines = [f"  {_quoted(columns[index][1])} {entry['column_types'][index]}" for index in own]
        keys = [_quoted(columns[index][1]) for index in own if index in primary]
        if keys:
            lines.append(f"  PRIMARY KEY ({', '.join(keys)})")
        for source, target in entry["foreign_keys"]:
            if source in own:
                owner, name = columns[target]
                lines.append(
                    f"  FOREIGN KEY ({_quoted(columns[source][1])}) "
                    f"REFERENCES {_quoted(tables[owner])} ({_quoted(name)})"
                )
        yield _create(table, lines)


def _create(table: str, lines: Sequence[str]) -> str:
    return f"CREATE TABLE {_quoted(table)} (\n" + ",\n".join(lines) + "\n);"


def _quoted(name: str) -> str:
    return name if name.replace("_", "a").isalnum() and not name[0].isdigit() else '"' + name + '"'


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

    def read_record(self, one: TaskRecord) -> Iterator[SqlQuestion]:
        """The question with its hint."""
        id = f"{one.row.get('question_id', one.number)!s:0>4}"
        hints = {"hint": str(one.row.get("evidence") or "").strip()}
        yield from (replace(asked, id=id, hints=hints) for asked in super().read_record(one))


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

    def read_record(self, one: TaskRecord) -> Iterator[SqlQuestion]:
        """The turns of a dialogue; a row without dialogue is one turn."""
        if "interaction" not in one.row:
            for asked in super().read_record(one):
                yield replace(asked, sql=rejoined(asked.sql), hints={"before": ""})
            return
        database, turns = one.text("database_id"), one.row["interaction"]
        if not isinstance(turns, list):
            raise TaskError(f"{one.where}: field `interaction` must be a list.")
        earlier: list[str] = []
        for place, turn in enumerate(turns):
            question, sql = (files.text(turn, name, one.where) for name in ("utterance", "query"))
            hints = {"before": " / ".join(earlier)}
            yield SqlQuestion(f"{one.number:03d}-{place:02d}", database, question, rejoined(sql), hints)
            earlier.append(question.strip())


def rejoined(sql: str) -> str:
    """The query with broken operators joined, texts in quotes left alone."""
    parts = _PARTS.split(sql)
    return "".join(
        part if number % 2 else _SPLIT.sub(lambda m: f"{m[1]}=" if m[1] else "<>", part)
        for number, part in enumerate(parts)
    )
