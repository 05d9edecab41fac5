"""`add` stage by stage and end to end, against PyMuPDF text + sentence-transformers on PyTorch.

    python benchmarks/add_speed.py --data DIR_OF_PDFS [--rival VENV/bin/python] [--limit 24]

Printed are, in one go: pages a second of processor time of reading alone; seconds and processor seconds of
`add` without vectors and of the whole `add`, its memory at most (all of its processes, shared pages counted
once), and how far off the time left was that it told after a quarter, a half and three quarters; the seconds
of a search from the shell right after one more paper. The rival's interpreter has `pymupdf`,
`sentence-transformers` and `torch` (plain CPU); it reads the text of every page and encodes the chunks that
quire made, with the same weights, and is not charged for imports or for loading its model. quire is charged
for everything: children, parsing of all views, rows, words, vectors of every encodable column.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from quire import pdf
from quire.library import Library
from quire.library.report import Outlook, Progress
from quire.search import MINILM
from quire.search.models import MINILM_SOURCE, require

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


@dataclass
class Added:
    """What an `add` took: seconds, processor seconds, MB; and what it told of the time left, at what time."""

    seconds: float = 0.0
    worked: float = 0.0
    most: float = 0.0
    pages: int = 0
    told: list[tuple[float, float]] = field(default_factory=list)

    def misses(self) -> list[str]:
        """By how much the time left was wrong after a quarter, a half, three quarters."""
        found = []
        for part in (0.25, 0.5, 0.75):
            at, left = min(self.told, key=lambda each: abs(each[0] - part * self.seconds), default=(0.0, 0.0))
            found.append(f"{left / max(self.seconds - at, 0.1) - 1:+.0%}")
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rival", type=Path)
    parser.add_argument("--limit", type=int, default=24)
    parser.add_argument("--precision", choices=["float32", "int8", "auto"], default="auto")
    options = parser.parse_args()
    *pdfs, one_more = sorted(options.data.glob("*.pdf"))[: options.limit + 1]
    started = time.process_time()
    pages = sum(len(pdf.parse(path).pages) for path in pdfs)
    reading = time.process_time() - started
    print(f"{len(pdfs)} PDFs, {pages} pages, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"reading alone: {pages / reading:.1f} pages a second of processor time")
    with tempfile.TemporaryDirectory() as folder:
        words = added(Path(folder) / "words", pdfs, ("text_bm25_en",), options.precision)
        print(f"add without vectors: {words.seconds:.1f} s, of the processor {words.worked:.1f} s")
        place = Path(folder) / "whole"
        whole = added(place, pdfs, ("text_bm25_en", MINILM), options.precision)
        print(
            f"add: {whole.seconds:.1f} s, of the processor {whole.worked:.1f} s, {whole.most:.0f} MB at most"
        )
        print(f"  the time left told after a quarter, a half, three quarters: {', '.join(whole.misses())}")
        added(place, [one_more], ("text_bm25_en", MINILM), options.precision)
        print(f"a search from the shell right after one more paper: {searched(place):.2f} s")
        if options.rival:
            text, encoding = rival_seconds(options.rival, pdfs, chunks(place))
            print(f"rival: text {text:.1f} s + chunks {encoding:.1f} s = {text + encoding:.1f} s")
            print(f"quire adds every column {(text + encoding) / whole.seconds:.2f} times as fast as that")


def added(folder: Path, pdfs: list[Path], encoders: tuple[str, ...], precision: str) -> Added:
    """Add papers, and watch."""
    done, outlook = Added(), Outlook()
    started, before, over = time.monotonic(), worked(), threading.Event()

    def heard(now: Progress) -> None:
        if (left := outlook.seconds_left(now)) is not None:
            done.told.append((time.monotonic() - started, left))

    def watched() -> None:
        while not over.wait(0.25):
            done.most = max(done.most, memory(os.getpid()))

    watcher = threading.Thread(target=watched)
    watcher.start()
    try:
        with Library.open(folder, index__encoders=encoders, index__precision=precision) as library:
            report = library.add(pdfs, progress=heard)
    finally:
        over.set()
        watcher.join()
    done.seconds, done.worked = time.monotonic() - started, worked() - before
    done.pages = sum(file.pages for file in report.added)
    return done


def worked() -> float:
    """Seconds that the processor has worked for this process and its ended children."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def memory(pid: int) -> float:
    """MB of a process and its children, pages that they share counted once."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended
        return 0.0
    pss = next((line for line in rollup.splitlines() if line.startswith("Pss:")), "Pss: 0")
    return int(pss.split()[1]) / 1024 + sum(memory(int(child)) for child in children)


def searched(place: Path) -> float:
    """Seconds of `quire search`, the middle of five."""
    took = []
    for _ in range(5):
        started = time.perf_counter()
        command = [sys.executable, "-m", "quire", "search", "what was measured", "--library", str(place)]
        subprocess.run(command, check=True, capture_output=True)
        took.append(time.perf_counter() - started)
    return statistics.median(took)


def chunks(place: Path) -> list[str]:
    """The texts of a library's chunks."""
    with Library.open(place) as library:
        return [row[0] for row in library.sql("SELECT text_content FROM chunks").rows]


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
