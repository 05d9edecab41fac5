"""The layout of AirQA (NeuSym-RAG, Cao et al. 2025, https://github.com/X-LANCE/NeuSym-RAG).

A record (shortened):
    {"uuid": "cd235027-...", "question": "...", "answer_format": "Your answer should be a Python float ...",
     "tags": ["objective", "single", "table"], "anchor_pdf": ["1d672477-..."], "reference_pdf": [],
     "conference": ["acl2023"], "evaluator": {"eval_func": "eval_float_exact_match",
     "eval_kwargs": {"gold": 7.05, "ndigits": 2}}}

Contract: `anchor_pdf` are the papers that the question speaks of, `reference_pdf` those that an agent has to
find by itself, `conference` a hint where. How the answer was found by people (`reasoning_steps`) and which
models got it right (`state`) are not shown to agents.
"""

from __future__ import annotations

from quire.scoring.evaluators import read_evaluator
from quire.tasks.questions.fields import Record
from quire.tasks.questions.items import Item
from quire.types import Question


def item(record: Record) -> Item:
    """One question.

    Raises:
        TaskError: a field is missing or of the wrong type.
        ScoringError: the evaluator names no scorer.
    """
    question = Question(
        id=record.text("uuid"),
        text=record.text("question"),
        answer_format=record.text("answer_format", ""),
        anchor_papers=record.texts("anchor_pdf"),
        conferences=record.texts("conference"),
        tags=record.texts("tags"),
    )
    if "evaluator" not in record.row:
        raise record.error("evaluator", "an object with `eval_func` and `eval_kwargs`")
    reading = read_evaluator(record.row["evaluator"])
    evaluator = reading.evaluator
    impossible = [finding.message for finding in reading.findings if finding.impossible]
    titles = (
        evaluator.parameters.get("reference_answer", ())
        if evaluator and "relevance" in evaluator.name
        else ()
    )
    return Item(
        question,
        evaluator,
        problem=" ".join(impossible),
        notes=tuple(finding.message for finding in reading.findings),
        cited=record.texts("reference_pdf"),
        sought=(titles,) if isinstance(titles, str) else tuple(titles),
    )
