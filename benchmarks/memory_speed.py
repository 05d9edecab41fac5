"""Time that the memory of verdicts adds to one question, over libraries of many judged answers.

    python benchmarks/memory_speed.py [--sizes 10000 100000] [--encoder minilm]

Items are made up (words drawn from a list); vectors are random unit rows of the encoder's size, so filling is
quick and the search does the same work. `cold` is the first question of a process (the store is read), `warm`
the median of the next: looking for the same question, then for examples, encoding included.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from quire.agents.personal import Context, PersonalMemory
from quire.environment.double import MemoryLibrary
from quire.index.encoders import MINILM, load
from quire.memory import HashEncoder, MemoryStore
from quire.memory.items import Item
from quire.memory.verdicts import Ruling, Verdicts
from quire.types import Question

WORDS = [a + b + c for a in "bdfgklmnprst" for b in "aeiou" for c in "bdfgklmnprst"]


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
            fill(path, size, encoder.name, encoder.dim)
            with MemoryStore(path) as store:
                memory = PersonalMemory(
                    store, Context(MemoryLibrary({}), lambda: {"p": "s"}), lambda: encoder
                )
                asks = [f"What is the {random.choice(WORDS)} of {random.choice(WORDS)}?" for _ in range(21)]
                times = [timed(memory, text) for text in asks]
            print(f"{size} items: cold {times[0]:.0f} ms, warm {statistics.median(times[1:]):.1f} ms")


def timed(memory: PersonalMemory, text: str) -> float:
    """Milliseconds that one question spends in the memory."""
    start = time.perf_counter()
    memory.remembered(Question("q", text))
    memory.recall(Question("q", text))
    return (time.perf_counter() - start) * 1000


def fill(path: Path, size: int, encoder: str, dim: int) -> None:
    """A memory of that many right items."""
    draw = np.random.default_rng(1)
    with MemoryStore(path) as store, store.transaction():
        verdicts = Verdicts(store)
        for number in range(size):
            text = f"What is the {random.choice(WORDS)} of {random.choice(WORDS)} number {number}?"
            item = Item(text, "", (), number, (), (), {"p": "s"}, "ann", f"run-{number}", "offline", "2026")
            verdicts.judge(item, Ruling("ann", "right"))
        while missing := verdicts.unencoded(encoder, 5000):
            rows = draw.standard_normal((len(missing), dim)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            verdicts.encoded([one for one, _ in missing], rows, encoder)


if __name__ == "__main__":
    main()
