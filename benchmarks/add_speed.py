"""`add` end to end with MiniLM, against PyMuPDF text + sentence-transformers on PyTorch, on the same chunks.

    python benchmarks/add_speed.py --data DIR_OF_PDFS --rival VENV/bin/python [--limit 15]

The rival's interpreter has `pymupdf`, `sentence-transformers` and `torch` (plain CPU); it reads the text of
every page and encodes the chunks that quire made, with the same weights, and is not charged for imports or
for loading its model. quire is charged for everything: children, parsing of all views, rows, words, vectors.

- chunks alone: `add` without vectors, plus encoding the chunks' texts; wanted: half of the rival's time.
- every encodable column: the whole of `add`; wanted: no longer than the rival's chunks alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from quire.index import MINILM, load
from quire.index.encoders.catalogue import MINILM_SOURCE
from quire.index.encoders.folders import require
from quire.library import Library

RIVAL = """
import json, sys, time
task = json.load(sys.stdin)
import pymupdf, torch
from sentence_transformers import SentenceTransformer
torch.set_num_threads(task["threads"])
model = SentenceTransformer(task["model"], device="cpu")
model.max_seq_length = 256
model.encode(["warm up"])
started = time.perf_counter()
for path in task["pdfs"]:
    with pymupdf.open(path) as pdf:
        for page in pdf:
            page.get_text()
read = time.perf_counter()
model.encode(task["chunks"], batch_size=32, show_progress_bar=False)
print(json.dumps([read - started, time.perf_counter() - read]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rival", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=15)
    options = parser.parse_args()
    pdfs = sorted(options.data.glob("*.pdf"))[: options.limit]
    with tempfile.TemporaryDirectory() as folder:
        words, chunks = added(Path(folder) / "words", pdfs, dense=False)
        encoder = load(MINILM)
        encoder.encode(["warm up"])
        started = time.perf_counter()
        encoder.encode(chunks)
        encoding = time.perf_counter() - started
        whole, _ = added(Path(folder) / "whole", pdfs, dense=True)
    reading, rival = rival_seconds(options.rival, pdfs, chunks)
    theirs = reading + rival
    print(f"{len(pdfs)} PDFs, {len(chunks)} chunks, {os.cpu_count()} cores")
    print(f"rival: text {reading:.1f} s + chunks {rival:.1f} s = {theirs:.1f} s")
    print(f"quire: add without vectors {words:.1f} s + chunks {encoding:.1f} s = {words + encoding:.1f} s")
    print(f"  chunks alone: {theirs / (words + encoding):.2f} times as fast as the rival (wanted: 2)")
    print(f"quire: add with every encodable column {whole:.1f} s")
    print(f"  every column: {theirs / whole:.2f} times as fast as the rival's chunks alone (wanted: 1)")


def added(folder: Path, pdfs: list[Path], *, dense: bool) -> tuple[float, list[str]]:
    """Seconds that `add` takes, and the texts of the chunks that it made."""
    encoders = ("text_bm25_en", MINILM) if dense else ("text_bm25_en",)
    with Library.open(folder, index__encoders=encoders) as library:
        started = time.perf_counter()
        library.add(pdfs)
        passed = time.perf_counter() - started
        with library._resources.database.reading() as connection:
            texts = connection.execute("SELECT text_content FROM chunks").fetchall()
    return passed, [row[0] for row in texts]


def rival_seconds(python: Path, pdfs: list[Path], chunks: list[str]) -> tuple[float, float]:
    """Seconds of the rival for text and for vectors."""
    task = {
        "pdfs": [str(path) for path in pdfs],
        "chunks": chunks,
        "model": str(require(MINILM_SOURCE, None)),
        "threads": os.cpu_count(),
    }
    done = subprocess.run(
        [python, "-c", RIVAL], input=json.dumps(task), capture_output=True, text=True, check=True
    )
    reading, encoding = json.loads(done.stdout.splitlines()[-1])
    return reading, encoding


if __name__ == "__main__":
    main()
