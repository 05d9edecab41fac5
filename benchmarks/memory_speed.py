"""Time that the memory of verdicts adds to one question, over libraries of many judged answers.

    python benchmarks/memory_speed.py [--sizes 10000 100000] [--encoder minilm]

Items are made up (words drawn from a list); vectors are random unit rows of the encoder's size, so filling is
quick and the search does the same work. `cold` is the first question of a process whose encoder is loaded, as
it is for the search; `warm` the median of the next 200, with the worst twentieth and the mean processor time.
A question looks for the same one, for examples, for what the search learned, and for one that may be the
same; encoding is not counted, since the search encodes the same question anyway.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from quire.ask.personal.memory import PersonalMemory
from quire.ask.personal.searching import LearnedSearch
from quire.library import Library
from quire.memory import HashEncoder, MemoryStore
from quire.memory.codes import Codes
from quire.memory.items import JudgedAnswer
from quire.memory.searches import Shown, refit, teach
from quire.memory.verdicts import Ruling, Verdicts
from quire.search.cells import KINDS, Unit
from quire.search.encoders import MINILM, load
from quire.search.ranking import Ranked
from quire.types import Evidence, Question

WORDS = [a + b + c for a in "bdfgklmnprst" for b in "aeiou" for c in "bdfgklmnprst"]


TEXT = "Some text of a page."


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--encoder", choices=["hash", "minilm"], default="minilm")
    args = parser.parse_args()
    encoder = load(MINILM) if args.encoder == "minilm" else HashEncoder()
    encoder.encode(["warm"])
    for size in args.sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "memory.sqlite"
            fill(path, size, encoder)
            asks = [f"What is the {random.choice(WORDS)} of {random.choice(WORDS)}?" for _ in range(202)]
            rows = {text: encoder.encode_query(text) for text in asks}

            start = time.perf_counter()
            with MemoryStore(path) as store:
                library = Library.open(Path(folder) / "library", create=True)
                memory = PersonalMemory(store, library, lambda: {"p": "s"}, partial(Known, encoder, rows))
                opened = (time.perf_counter() - start) * 1000
                times = [timed(memory, text) for text in asks[:1]]
                worked = time.process_time()
                times += [timed(memory, text) for text in asks[1:]]
                worked = (time.process_time() - worked) / len(asks[1:]) * 1000
            cold, warm = opened + times[0], statistics.median(times[1:])
            worst = float(np.percentile(times[1:], 95))
            told = f"cold {cold:.1f} ms, warm {warm:.1f} ms, p95 {worst:.1f} ms, CPU {worked:.1f} ms"
            print(f"{size} items: {told}", flush=True)


class Known:
    """An encoder that has encoded the questions already."""

    def __init__(self, encoder: Any, rows: dict[str, Any]) -> None:
        self.name, self.dim, self.encode, self.encode_query = (
            encoder.name,
            encoder.dim,
            encoder.encode,
            rows.__getitem__,
        )


def timed(memory: PersonalMemory, text: str) -> float:
    """Milliseconds that one question spends in the memory."""
    units = [Ranked(None, n, 0.0, np.zeros(1), None, (0, 1)) for n in range(60)]  # type: ignore[arg-type]
    for each in units:
        each.__dict__["unit"] = Unit(KINDS["sentence"], "p", 1, "k", TEXT, TEXT)
    start = time.perf_counter()
    memory.remembered(Question("q", text))
    memory.recall(Question("q", text))
    LearnedSearch(memory, print)(text, units)
    memory.suggested(Question("q", text))
    return (time.perf_counter() - start) * 1000


def fill(path: Path, size: int, encoder: Any) -> None:
    """A memory of that many right items, half of which taught the search."""
    draw = np.random.default_rng(1)
    evidence = Evidence("p", 1, None, TEXT, True, key="k")
    shown = Shown(("number",), "cells.row_content", 1.0, (("sentences.sentence_content", 2.0),))
    with MemoryStore(path) as store, store.transaction():
        verdicts = Verdicts(store)
        for number in range(size):
            text = f"What is the {random.choice(WORDS)} of {random.choice(WORDS)} number {number}?"
            item = JudgedAnswer(
                text, "", (), number, (evidence,), (), {"p": "s"}, "ann", f"run-{number}", "offline", "2026"
            )
            id = verdicts.judge(item, Ruling("ann", "right"))
            if number % 2:
                teach(store, id, shown)
        refit(store)
        codes = Codes(store, encoder.name, encoder.dim)
        while missing := codes.missing(5000):
            rows = draw.standard_normal((len(missing), encoder.dim)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            codes.add([one for one, _ in missing], rows)
    with MemoryStore(path) as store:
        Codes(store, encoder.name, encoder.dim).sync()


if __name__ == "__main__":
    main()
