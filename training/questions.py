"""The questions that the ranking, the reader and what takes answers out of passages learn from.

    questions = read_questions(Path("training/questions.jsonl.gz"))

Each has the fields of AirQA plus kind, source_pdf, page and quote; `anchor_pdf` is empty where it is asked of
the whole library. Of most, a language model judged the best twelve to sixteen units: `says` the answer,
`partly`, or `not`, though it stands where the question's writer found it.

    asked = read_asked(Path("training/asked.jsonl.gz"))

These have no answer to compare with: a language model, in eight manners, wrote them over the numbered units
of a paper and noted which say the answer. A third is of papers about software (vignettes of packages of R,
named as they are installed), none of a paper that measures the reader. Two files are like it:
`asked_later.jsonl.gz`, from which the reader went on (4239, of the papers that measured it before and of 40
more vignettes; the ranking has not learned from it), and `asked_held_out.jsonl.gz` to measure by (700, two
writers, 20 papers that nothing is trained on).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quire import Library
from quire.library.indexing import view_of
from quire.search.cells import Unit
from quire.search.view import View


def read_questions(file: Path) -> list[dict[str, Any]]:
    """A question a line, packed by gzip or not."""
    told = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return [json.loads(line) for line in told.decode().splitlines()]


def read_asked(*files: Path) -> list[dict[str, Any]]:
    """The same with the fields of the others; `writer` is the last but one part of the name."""
    told = [each for file in files for each in read_questions(file)]
    for number, each in enumerate(told):
        each |= {"uuid": f"asked-{each['writer']}-{number}", "anchor_pdf": [each["source_pdf"]]}
        each |= {"page": (each["says"] or each["partly"])[0][0], "quote": "", "evaluator": {}}
    return told


def view_in(library: Library) -> View:
    """The entries of a library as they are searched."""
    with library._resources.database.reading() as connection:
        return view_of(library._resources, connection)


def is_one_of(unit: Unit, places: Sequence[tuple[int, str]]) -> bool:
    """Whether a unit stands at one of these places: pages with the last letters of a unit there."""
    return any(unit.page == page and " ".join(unit.text.split()).endswith(end) for page, end in places)
