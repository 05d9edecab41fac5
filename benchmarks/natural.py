"""Natural questions over papers, as several benchmarks read, ask and judge them.

A question has AirQA's fields, and kind, source_pdf, page and quote: where its writer found the answer.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

from quire import Library
from quire.eval.scorers.evaluators import read_evaluator
from quire.eval.scorers.scores import is_right
from quire.types import Trajectory

Question = dict[str, Any]


def read_lines(file: Path) -> list[Question]:
    """A question a line, packed by gzip or not."""
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def read_wordings(file: Path | None) -> dict[str, str]:
    """The questions in other words, by `uuid`."""
    return {row["uuid"]: row["question"] for row in read_lines(file)} if file else {}


def papers_of(question: Question) -> list[str]:
    """The files that it is asked of; none: the whole library."""
    return [f"{stem}.pdf" for stem in question["anchor_pdf"]]


def ask(library: Library, question: Question, words: str = "", **how: Any) -> Trajectory:
    """Ask it, perhaps in other words; `how` are further arguments of `Library.ask`."""
    form = question["answer_format"]
    return library.ask(words or question["question"], papers=papers_of(question), answer_format=form, **how)


def unanswerable(question: Question) -> bool:
    """Whether the papers do not say it."""
    return bool(question["evaluator"]["eval_func"] == "abstain")


def right(question: Question, value: Any) -> bool:
    """Whether the question's evaluator takes the value."""
    evaluator = read_evaluator(question["evaluator"]).evaluator
    return evaluator is not None and is_right(evaluator(value).value)


def bare(text: str) -> str:
    """Letters and digits in lower case."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def parts(quote: str) -> list[str]:
    """The parts of a quote that an ellipsis cuts, to be found in bare texts."""
    return [bare(part) for part in re.split(r"\s(?:…|\.\.\.)\s", quote) if bare(part)]


def says(text: str, quote: str, least: int = 21) -> bool:
    """Whether a text holds a part of the quote, or is a piece of one of so many letters."""
    said = bare(text)
    return any(part in said or (len(said) >= least and said in part) for part in parts(quote))
