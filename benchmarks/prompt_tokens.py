"""How many tokens an agent's first messages take, beside those of recorded conversations.

    python benchmarks/prompt_tokens.py --seeds DIR

DIR holds recorded conversations as JSON Lines of chat messages (`*.txt` or `*.jsonl`); other files are
skipped. For each, the recorded system message and question (with its schemas) are counted, and quire's for
the same question and the same set of actions, over a library in which every table, column and collection is
filled (the longest that quire's prompt gets). Tokens are those of the all-MiniLM-L6-v2 tokenizer
(WordPiece), because the byte-pair vocabularies of chat models cannot be had without a network; the ratio is
what counts. `per run` counts all requests of the recorded run: a recorded one sends everything before it
again, quire's the same turns after its own first messages (window of 5).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quire.ask.actions import load_actions
from quire.ask.chats import import_chat
from quire.ask.methods import METHODS
from quire.ask.prompt import LibrarySchema, question_text, system_text
from quire.errors import RunError
from quire.search.encoders import ENCODERS
from quire.search.encoders.tokenizers import tokenizer
from quire.search.models import MINILM_SOURCE, require
from quire.store.schema import TABLES
from quire.types import Trajectory

Count = Callable[[str], int]
_EVERYTHING = LibrarySchema(
    100, {table.name: frozenset(column.name for column in table.columns) for table in TABLES}, tuple(ENCODERS)
)
_WINDOW = 5
_ROW = "{:24.24} {:12} {:>9} {:>7} {:>6} {:>16} {:>6}"


def counter() -> Count:
    """Tokens of MiniLM's tokenizer."""
    loaded = tokenizer(require(MINILM_SOURCE), None)
    return lambda text: len(loaded.encode(text, add_special_tokens=False).ids)


@dataclass(frozen=True)
class Line:
    """Tokens of one conversation: recorded and quire's."""

    name: str
    method: str
    recorded: int
    ours: int
    recorded_run: int
    ours_run: int


def measure(name: str, lines: Sequence[str], count: Count) -> Line:
    """Both prompts, counted.

    Raises:
        RunError: the lines are no conversation.
    """
    run = import_chat(lines, name)
    theirs = [json.loads(line)["content"] for line in lines[:2]]
    chosen = METHODS["full_hybrid" if "RetrieveFromVectorstore(query: str" in theirs[0] else "classic_sql"]
    ours = [
        system_text(chosen, load_actions(), _EVERYTHING, "markdown", max_turns=20),
        question_text(run.question, {}),
    ]
    turns = _turns(run, count)
    return Line(
        name,
        chosen.name,
        sum(map(count, theirs)),
        sum(map(count, ours)),
        _run(sum(map(count, theirs)), turns, len(turns)),
        _run(sum(map(count, ours)), turns, _WINDOW),
    )


def _turns(run: Trajectory, count: Count) -> list[int]:
    return [
        count(step.reply) + count(step.observation.text if step.observation else "") for step in run.steps
    ]


def _run(first: int, turns: Sequence[int], window: int) -> int:
    return sum(first + sum(turns[max(0, number - window) : number]) for number in range(len(turns)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=Path, required=True)
    folder = parser.parse_args().seeds
    count = counter()
    print(_ROW.format("conversation", "method", "recorded", "quire", "ratio", "per run", "ratio"))
    for file in sorted([*folder.glob("*.txt"), *folder.glob("*.jsonl")]):
        try:
            lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
            line = measure(file.stem, lines, count)
        except RunError:
            continue
        first, whole = line.ours / line.recorded, line.ours_run / line.recorded_run
        runs = f"{line.recorded_run} -> {line.ours_run}"
        print(
            _ROW.format(
                line.name, line.method, line.recorded, line.ours, f"{first:.2f}", runs, f"{whole:.2f}"
            )
        )


if __name__ == "__main__":
    main()
