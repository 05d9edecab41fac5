"""Recorded conversations, read and played again over a library that holds the rows they quote.

    python benchmarks/recorded_runs.py --seeds DIR [--milvus]

DIR holds conversations as JSON Lines of chat messages with actions written as Python calls; other files are
skipped. For each assistant message: is it parsed to the action and arguments that Python's own parser reads
in it? Then a library (DuckDB, BM25 and, where its weights are there, MiniLM) is filled with the rows that
the observations quote, and a scripted model plays the conversation in the loop of all agents: does every
look-up give the recorded rows back (the same set of cells; scores differ, because the corpus does), every
empty one a warning, and every faulty action an error?
"""

from __future__ import annotations

import argparse
import ast
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the tests' own helpers

from tests.ask.recorded import quoted_rows

from quire.ask.chats import import_chat
from quire.ask.environment import Environment
from quire.ask.llm import llm_policy
from quire.ask.loop import run
from quire.errors import RunError
from quire.library import Library, encoding, indexing
from quire.library.resources import Resources
from quire.library.units import units_of
from quire.llm import Model, Scripted
from quire.search import BM25, MINILM, entries
from quire.search.batch import analyse
from quire.settings import Agent
from quire.store.rows import rows_of
from quire.store.schema import TABLES
from quire.types import Call, Hit, Observation, Step, Trajectory

_IGNORED = {"score", "section"}
_UNTOLD = dict.fromkeys(("title", "abstract", "doi", "arxiv_id"), "")


class MeaningOnly(Library):
    """A library whose plain search goes by MiniLM alone, as the recorded one did (quire's fuses BM25 in)."""

    def search(self, query: str, *, collection: str | None = None, **more: Any) -> list[Hit]:  # noqa: D102
        return super().search(query, collection=collection or MINILM, **more)


def as_python(reply: str) -> Call:
    """The action that Python reads in a recorded reply."""
    tree = ast.parse(reply.split("[Action]:", 1)[1].strip(), mode="eval").body
    assert isinstance(tree, ast.Call)
    assert isinstance(tree.func, ast.Name)
    arguments = {str(word.arg): ast.literal_eval(word.value) for word in tree.keywords}
    return Call(tree.func.id, arguments)


def filled(folder: Path, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Library:
    """A library of those rows, encoded."""
    library = MeaningOnly.open(folder, create=True)
    resources = Resources(library.settings)
    with resources.database.writing() as connection:
        for table in TABLES:
            for quoted in rows.get(table.name, ()):
                row = {**_UNTOLD, **quoted} if table.name == "metadata" else quoted
                names = ", ".join(f'"{name}"' for name in row)
                marks = ", ".join("?" for _ in row)
                connection.execute(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", list(row.values()))
        for row in rows.get("metadata", ()):
            connection.execute(
                "INSERT INTO papers (paper_id, file_name, title, state, doi, arxiv_id, added, notes)"
                " VALUES (?, ?, '', 'encoded', '', '', now()::TIMESTAMP, [])",
                [row["paper_id"], f"{row['paper_id']}.pdf"],
            )
            paper = row["paper_id"]
            entries.write(connection, analyse(paper, units_of(paper, rows_of(connection, paper))))
    indexing.bring_up(resources)
    encoding.encode(resources)
    return library


def cells_of(observation: Observation | None) -> list[str]:
    """The rows without what must differ, sorted."""
    rows = observation.rows if observation else ()
    kept = [{key: str(value) for key, value in row.items() if key not in _IGNORED} for row in rows]
    return sorted(str(sorted(row.items())) for row in kept)


def compare(recorded: Sequence[Step], played: Sequence[Step]) -> list[str]:
    """What was not as recorded."""
    amiss = []
    for number, (then, now) in enumerate(zip(recorded, played, strict=True), 1):
        kinds = (then.observation and then.observation.kind, now.observation and now.observation.kind)
        if then.call and then.call.name == "GenerateAnswer":
            continue
        if kinds[0] != kinds[1]:
            amiss.append(f"turn {number}: {kinds[0]} became {kinds[1]}")
        elif kinds[0] == "rows" and cells_of(then.observation) != cells_of(now.observation):
            there = set(cells_of(then.observation))
            both = len(there & set(cells_of(now.observation)))
            amiss.append(f"turn {number}: {both} of {len(there)} rows")
    return amiss


def play(recorded: Trajectory, library: Library) -> Trajectory:
    """The conversation again, its replies from a script."""
    environment = Environment(library)
    method = "full_hybrid"
    if any(step.call and step.call.name == "ClassicRetrieve" for step in recorded.steps):
        method = "classic_sql"
    model = Model("scripted", Scripted([step.reply for step in recorded.steps]))
    policy = llm_policy(model, environment, Agent(method=method), (BM25,))
    return run(policy, environment, recorded.question)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=Path, required=True)
    parser.add_argument("--milvus", action="store_true", help="move the vectors to a Milvus Lite file first")
    given = parser.parse_args()
    folder = given.seeds
    for file in sorted([*folder.glob("*.txt"), *folder.glob("*.jsonl")]):
        try:
            recorded = import_chat(file.read_text(encoding="utf-8").splitlines(), file.stem)
        except RunError:
            continue
        same = sum(step.call == as_python(step.reply) for step in recorded.steps)
        with tempfile.TemporaryDirectory() as place:
            library = filled(Path(place), quoted_rows(recorded))
            if given.milvus:
                library.move_vectors(f"milvus:{place}/vectors.db")
                library = MeaningOnly.open(place)
            played = play(recorded, library)
            library.close()
        amiss = compare(recorded.steps, played.steps)
        alike = len(recorded.steps) - len(amiss)
        print(f"{file.stem}: {same} actions parsed alike, {alike} turns alike, of {len(recorded.steps)}")
        for line in amiss:
            print(f"    {line}")
        for step in played.steps:
            if step.observation and step.observation.kind in ("error", "warning"):
                print(f"    {step.observation.text}")
        print(
            f"    answer {str(played.answer.value)[:80]!r}, {len(played.answer.evidence)} pieces of evidence"
        )


if __name__ == "__main__":
    main()
