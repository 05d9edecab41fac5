"""Recall of the passage that holds the gold, for BM25, MiniLM and both fused, on questions over real papers.

    python benchmarks/retrieval_quiz.py --library DIR --quiz QUIZ.jsonl

`DIR` is a library that holds the questions' papers; the quiz has one question a line in the AirQA layout
(`anchor_pdf` is a file name, `evaluator.eval_kwargs.gold` the answer). The question is the query.
A passage is a cell of the column that such questions are about (chunks, tables, captions, references). It
holds the gold if it contains it and, where the question quotes words of the paper or numbers a reference,
most of those; questions whose gold stands in no passage (counts) are left out and told. Recall is the share
of questions with such a passage among the first 1, 5, 10: inside the question's paper ("paper"), and among
the passages of all papers ("library"), there only for questions that quote words: "the first author of this
paper" names no paper.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from quire.library import Library
from quire.search import BM25, MINILM
from quire.search.analyzer import words

DEPTHS = (1, 5, 10)
COUNTED = ("metadata", "reference")
COLUMNS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "text": (("chunks", "text_content", "chunk_id"),),
    "section": (("chunks", "text_content", "chunk_id"),),
    "metadata": (("chunks", "text_content", "chunk_id"),),
    "reference": (("reference", "reference_content", "reference_id"),),
    "table": (("tables", "table_content", "table_id"), ("tables", "table_caption", "table_id")),
    "image": (("images", "image_caption", "image_id"),),
}


@dataclass(frozen=True)
class Task:
    """A question with the passages (keys) of one column that hold its gold."""

    question: str
    kind: str
    paper: str
    table: str
    column: str
    right: frozenset[str]


def stems(text: str) -> list[str]:
    return [word.stem for word in words(re.sub(r"<[^>]*>", " ", text))]


def tasks(connection: duckdb.DuckDBPyConnection, quiz: Path) -> tuple[list[Task], Counter[str]]:
    papers = dict(connection.execute("SELECT file_name, CAST(paper_id AS VARCHAR) FROM papers").fetchall())
    by_stem = {name.rpartition(".")[0]: key for name, key in papers.items()}
    found, left_out = [], Counter[str]()
    for line in quiz.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        kind = next(tag for tag in entry["tags"] if tag in COLUMNS)
        paper = by_stem.get(entry["anchor_pdf"][0], "")
        task = next(filter(None, (_task(connection, entry, kind, paper, *c) for c in COLUMNS[kind])), None)
        if task:
            found.append(task)
        else:
            left_out[kind] += 1
    return found, left_out


def _task(
    connection: duckdb.DuckDBPyConnection,
    entry: dict[str, Any],
    kind: str,
    paper: str,
    table: str,
    column: str,
    key: str,
) -> Task | None:
    rows = connection.execute(
        f"SELECT CAST({key} AS VARCHAR), {column} FROM {table} WHERE CAST(ref_paper_id AS VARCHAR) = ?",
        [paper],
    ).fetchall()
    if kind in COUNTED and entry["question"].startswith("How many"):
        return None  # a count stands in no passage; the same number by chance does
    # Words in double quotes, and the number of a reference.
    quoted = " ".join(a or b for a, b in re.findall(r'"([^"]+)"|\[(\d+)\]', entry["question"]))
    gold = re.sub(r"\.0$", "", str(entry["evaluator"]["eval_kwargs"].get("gold", "")))
    needed = stems(gold) if kind not in ("section",) and not re.match(r"(Table|Figure) ", gold) else []
    asked = [stem for stem in stems(quoted)]
    if not needed and not asked:
        return None
    right = set()
    for cell, text in rows:
        there = set(stems(text or ""))
        share = sum(stem in there for stem in asked) / len(asked) if asked else 1.0
        if share >= 0.8 and all(stem in there for stem in needed):
            right.add(cell)
    return Task(entry["question"], kind, paper, table, column, frozenset(right)) if right else None


Search = Callable[[Task, tuple[str, ...]], list[str]]


def recalls(of: list[Task], search: Search, *, inside: bool) -> dict[int, float]:
    ranks = []
    for task in of:
        keys = search(task, (task.paper,) if inside else ())
        ranks.append(next((rank for rank, key in enumerate(keys, 1) if key in task.right), 10**9))
    return {depth: sum(rank <= depth for rank in ranks) / len(ranks) for depth in DEPTHS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=Path, required=True, metavar="DIR")
    parser.add_argument("--quiz", type=Path, required=True, metavar="QUIZ.jsonl")
    given = parser.parse_args()
    with Library.open(given.library) as library, library._resources.database.reading() as connection:
        found, left_out = tasks(connection, given.quiz)
        quoting = [task for task in found if '"' in task.question]
        print(
            f"{len(found)} questions with a passage, {len(quoting)} quote words; left out: {dict(left_out)}"
        )
        print(
            f"{'':<20}" + "".join(f"{f'R@{d} {where}':>14}" for where in ("paper", "library") for d in DEPTHS)
        )
        for name, collection in (("BM25", BM25), ("MiniLM", MINILM), ("fused", None)):

            def search(task: Task, papers: tuple[str, ...], collection: str | None = collection) -> list[str]:
                hits = library.search(
                    task.question,
                    papers=papers,
                    collection=collection,
                    table=task.table,
                    column=task.column,
                    limit=10,
                )
                return [hit.key for hit in hits]

            line = [recalls(found, search, inside=True), recalls(quoting, search, inside=False)]
            print(f"{name:<20}" + "".join(f"{values[d]:>14.3f}" for values in line for d in DEPTHS))


if __name__ == "__main__":
    main()
