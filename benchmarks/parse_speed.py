"""Pages a second of quire's parser, all views, beside PyMuPDF's text and `find_tables`.

    python benchmarks/parse_speed.py --data DIR [--processes 2] [--other-python PYTHON] [--pages 60]

Every file is given whole to quire. PyMuPDF (AGPL, not a dependency of quire) runs from an interpreter of
its own that has it; as it is slow it reads at most `--pages` pages of a file. Both are told in
milliseconds of processor time per page, so that what else runs on the machine does not count.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

from quire.errors import QuireError
from quire.pdf import parse

_OTHER = """
import json, sys, time, contextlib, io
import pymupdf
for name in json.load(sys.stdin):
    started, pages = time.process_time(), 0
    try:
        with contextlib.redirect_stdout(io.StringIO()), pymupdf.open(name) as document:
            for page in document.pages(0, min(LIMIT, document.page_count)):
                page.get_text()
                page.find_tables()
                pages += 1
    except Exception as error:
        pass
    print(json.dumps([name, pages, time.process_time() - started]), flush=True)
"""


def one(path: str) -> tuple[str, int, float]:
    """Parse a file: name, pages, seconds of processor time."""
    started = time.process_time()
    try:
        pages = len(parse(Path(path)).pages)
    except QuireError:
        pages = 0
    return path, pages, time.process_time() - started


def main() -> int:
    """Measure both and print a table with the ratio."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--processes", type=int, default=2)
    arguments.add_argument("--other-python", help="an interpreter that has pymupdf")
    arguments.add_argument("--pages", type=int, default=60)
    options = arguments.parse_args()
    files = sorted(str(p) for p in options.data.glob("*.pdf"))
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # as in the child that reads for `add`
    started = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        ours = {name: (pages, took) for name, pages, took in pool.imap_unordered(one, files)}
    wall = time.perf_counter() - started
    total = sum(pages for pages, _ in ours.values())
    print(
        f"quire: {total} pages in {wall:.1f} s on {options.processes} processes: {total / wall:.1f} pages/s"
    )
    busy = sum(took for _, took in ours.values())
    print(f"quire: {total / busy:.1f} pages per second of processor time")
    if not options.other_python:
        return 0
    other = subprocess.run(
        [options.other_python, "-c", _OTHER.replace("LIMIT", str(options.pages))],
        input=json.dumps(files), capture_output=True, text=True, check=True,
    )  # fmt: skip
    theirs = {name: (pages, took) for name, pages, took in map(json.loads, other.stdout.splitlines())}
    same = [f for f in files if ours[f][0] and theirs.get(f, (0, 0))[0]]
    print(f"{'file':45s} {'quire ms/page':>14s} {'PyMuPDF ms/page':>16s}")
    our_time = their_time = 0.0
    for name in same:
        a = 1000 * ours[name][1] / ours[name][0]
        b = 1000 * theirs[name][1] / theirs[name][0]
        our_time += a * theirs[name][0]
        their_time += b * theirs[name][0]
        print(f"{Path(name).name[:45]:45s} {a:14.1f} {b:16.1f}")
    print(f"PyMuPDF text + find_tables takes {their_time / our_time:.1f} times as long per page")
    return 0


if __name__ == "__main__":
    sys.exit(main())
