"""Which of quire's sentences an independent reader (poppler's pdftotext) finds on their page, too.

    PYTHONPATH=.:benchmarks python benchmarks/poppler_sentences.py --data DIR ... [--half 1] [--show 20]

DIR holds PDFs; where the publishers' JATS XML lies beside them, `--half` keeps the houses of half 0 or 1 (at
half 1 nobody looked: `training.papers.half_of`). Letters and digits are compared, in the three orders that
pdftotext knows, on the page and over its end. Sentences of fewer than 25 such signs do not count. What is not
found is text that was mixed or lost, or a sentence joined over a formula: `--show` prints some.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from training.papers import half_of, publisher

from quire.pdf import chunk, parse
from quire.search.encoders.tokenizers import count_tokens

LEAST = 25
ORDERS = (["-raw"], [], ["-layout"])


def bare(text: str) -> str:
    """Letters and digits, without accents."""
    return re.sub(r"[^a-z0-9]+", "", unicodedata.normalize("NFKD", text).lower())


def printed(path: Path) -> list[list[str]]:
    """The pages by poppler, in each order."""
    told = (["pdftotext", *order, str(path), "-"] for order in ORDERS)
    texts = (subprocess.run(one, capture_output=True, check=True).stdout for one in told)
    return [[bare(page) for page in text.decode(errors="replace").split("\f")] for text in texts]


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Those of quire's passages, with their pages."""
    for passage in chunk(parse(path), count_tokens, 256):
        yield from ((each.page, each.text) for each in passage.sentences if len(bare(each.text)) >= LEAST)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, nargs="+", required=True)
    arguments.add_argument("--half", type=int, choices=(0, 1))
    arguments.add_argument("--show", type=int, default=0)
    options = arguments.parse_args()
    files = [path for folder in options.data for path in sorted(folder.rglob("*.pdf"))]
    if options.half is not None:
        files = [path for path in files if half_of(publisher(path.with_suffix(".xml"))) == options.half]
    count, missing = 0, []
    for path in files:
        orders = printed(path)
        for page, text in sentences(path):
            count += 1
            near = ("".join(pages[page - 1 : page + 1]) for pages in orders)
            if not any(bare(text) in own for own in near):
                missing.append((path.name, page, text))
    found = count - len(missing)
    print(f"{len(files)} files: {found} of {count} sentences found, {found / max(1, count):.4f}")
    for name, page, text in random.Random(1).sample(missing, min(options.show, len(missing))):
        print(f"{name}, page {page}: {text}")


if __name__ == "__main__":
    main()
