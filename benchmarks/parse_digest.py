"""One digest per PDF over everything that is made of it: its `Document` and all rows of all views.

    python benchmarks/parse_digest.py --data DIR [DIR ...] > before.txt
    python benchmarks/parse_digest.py --data DIR [DIR ...] --against before.txt [--rows FOLDER]

Whoever changes the parser for speed or size compares: equal digests mean that no row has changed. With
`--rows` the rows are written, one a line, to be compared by `diff` where digests differ. Each line also tells
the pages and the seconds of processor time that parsing took; the end tells the most memory in use.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import re
import resource
import sys
import time
from dataclasses import fields
from functools import partial
from pathlib import Path

from quire.errors import QuireError
from quire.library.views import make_views
from quire.pdf import bibtex, chunk, parse

_PAPER = "00000000-0000-0000-0000-000000000000"


def rows_of(path: Path) -> tuple[list[str], int, float]:
    """Everything made of a file, a value a line; its pages; the processor time of parsing alone."""
    started = time.process_time()
    try:
        document = parse(path)
    except QuireError as error:
        return [f"{type(error).__name__}: {error}"], 0, time.process_time() - started
    took = time.process_time() - started
    lines: list[str] = []
    for field in fields(document):
        value = getattr(document, field.name)
        lines += [f"{field.name}: {each!r}" for each in (value if isinstance(value, tuple) else (value,))]
    chunks = chunk(document, _words, 250)
    rows = make_views(document, chunks, _PAPER, path.name, bibtex(document.metadata))
    lines += [f"row: {row!r}" for row in rows]
    return lines, len(document.pages), took


def _words(text: str) -> int:
    return len(text.split())


def one(path: Path, folder: Path | None) -> tuple[str, int, float, int]:
    """A file's digest, pages, seconds and the process's most memory in use so far, in MB."""
    lines, pages, took = rows_of(path)
    if folder:
        (folder / f"{path.stem}.txt").write_text("\n".join(lines), encoding="utf-8")
    digest = hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return digest, pages, took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _printed(text: str) -> dict[str, str]:
    return {name: digest for digest, name in re.findall(r"^(\S+)  (.+?)  \d+ pages", text, re.MULTILINE)}


def main() -> int:
    """Print the digests; 1 if one differs from those it is compared with."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, nargs="+", required=True, help="folders of PDFs, or PDFs")
    arguments.add_argument("--against", type=Path, help="what this script printed before")
    arguments.add_argument("--rows", type=Path, help="a folder to write what was made of each file")
    arguments.add_argument("--processes", type=int, default=1)
    options = arguments.parse_args()
    files = [f for d in options.data for f in ([d] if d.is_file() else sorted(d.glob("*.pdf")))]
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # as in the child that reads for `add`
    known = _printed(options.against.read_text(encoding="utf-8")) if options.against else {}
    if options.rows:
        options.rows.mkdir(parents=True, exist_ok=True)
    total, busy, most, differ = 0, 0.0, 0, []
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        results = pool.imap(partial(one, folder=options.rows), files)
        for path, (digest, pages, took, memory) in zip(files, results, strict=True):
            changed = known.get(path.name, digest) != digest
            differ += [path.name] * changed
            total, busy, most = total + pages, busy + took, max(most, memory)
            print(f"{digest}  {path.name}  {pages} pages  {took:.2f} s{'  DIFFERS' * changed}", flush=True)
    print(f"# {total} pages, {total / busy:.2f} a second of processor time, at most {most} MB")
    if known:
        same = len(files) - len(differ)
        print(f"# {same} of {len(files)} as before; changed: {', '.join(differ) or 'none'}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
