"""How often the shipped search has a unit first that says the answer, over questions that taught nothing.

    python -m training.reader.measure LIBRARY [--asked FILE]

FILE is in the layout of `training/asked_held_out.jsonl.gz`, which it is by default; LIBRARY holds its papers.
Printed are the first and the first three, by the ranking alone and with the reader, of all and of two halves
of the papers; then the page of one that says it, first and in five. PyTorch and LightGBM are not wanted.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quire import Library
from training.questions import is_one_of, read_asked, view_in

HELD_OUT = Path(__file__).parents[1] / "asked_held_out.jsonl.gz"


def told(library: Library, questions: Sequence[dict[str, Any]]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """[question, (ranking first, of three, with the reader first, of three, page first, of five)]."""
    view, ranker = view_in(library), library._resources.ranker
    rows = []
    for question in questions:
        paper = library.paper(question["source_pdf"] + ".pdf").id
        vector = ranker.encoded(question["question"], read=True)
        found = ranker.rank(view, question["question"], papers=[paper], vector=vector)
        says, pages = question["says"], {page for page, _ in question["says"]}
        both = [is_one_of(each.unit, says) for each in found[:3]]
        before = sorted(found, key=lambda each: -float(each.model.scores(each.features[None])[0]))
        alone = [is_one_of(each.unit, says) for each in before[:3]]
        on = [each.unit.page in pages for each in found[:5]]
        rows.append((*_first(alone), *_first(both), *_first(on)))
    return np.asarray(rows)


def _first(told: Sequence[bool]) -> tuple[bool, bool]:
    return any(told[:1]), any(told)


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("--asked", type=Path, nargs="+", default=[HELD_OUT])
    given = parser.parse_args()
    questions = read_asked(*given.asked)
    with Library.open(given.library) as library:
        rows = told(library, questions)
    names = sorted({each["source_pdf"] for each in questions})
    odd = np.asarray([names.index(each["source_pdf"]) % 2 == 1 for each in questions])
    for title, of in (("all", odd | ~odd), ("one half of the papers", ~odd), ("the other", odd)):
        shares = rows[of].mean(axis=0) if of.any() else np.zeros(6)
        pairs = [f"{first:.3f} / {more:.3f}" for first, more in shares.reshape(3, 2)]
        print(
            f"{title}, {of.sum()}: says it first / of three by the ranking {pairs[0]}, with the reader"
            f" {pairs[1]}; its page first / in five {pairs[2]}"
        )


if __name__ == "__main__":
    main()
