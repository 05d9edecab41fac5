"""M3SciQA (Li et al. 2024, https://github.com/yale-nlp/M3SciQA): its own files and the AirQA layout.

Its own files: `combined_val.jsonl` (a question over the figure of one paper whose answer stands in another)
and `locality.jsonl` (only the first half: what does the figure name?).

A record (shortened):
    {"question": "Consider the paper that introduces the method that ...", "answer": "...",
     "anchor_arxiv_id": "2310.08395", "reference_arxiv_id": "2309.14362", "modal": "table"}

Contract: papers are named by arXiv id. In the AirQA layout `reference_pdf` lists the whole cluster of cited
papers, so one of them is enough to ask the question; its own files name the one that is needed. Agents see
the question's picture only as a page of the paper.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from quire.eval.questions import airqa
from quire.eval.questions.fields import QuestionRow
from quire.eval.questions.items import QuestionItem
from quire.eval.scorers.evaluators import Evaluator
from quire.types import Question


def item(record: QuestionRow) -> QuestionItem:
    """One question of any of its files."""
    if "uuid" in record.row:
        return replace(airqa.item(record), any_cited=True)
    return _locality(record) if "anchor_id" in record.row else _combined(record)


def _combined(record: QuestionRow) -> QuestionItem:
    text, paper = record.text("question"), record.text("anchor_arxiv_id")
    question = Question(
        id=_name(paper, text),
        text=text,
        answer_format="A short answer in one or two sentences.",
        anchor_papers=(paper,),
        tags=("multiple", record.text("modal", "figure"), "subjective"),
    )
    parameters = {"question": text, "reference_answer": record.text("answer")}
    return QuestionItem(
        question, Evaluator("eval_m3sciqa", parameters), cited=(record.text("reference_arxiv_id"),)
    )


def _locality(record: QuestionRow) -> QuestionItem:
    text, paper = record.text("question_anchor"), record.text("anchor_id")
    question = Question(
        id=_name(paper, text),
        text=text,
        answer_format="The name only, as a string.",
        anchor_papers=(paper,),
        tags=("single", record.text("modal", "figure"), "objective"),
    )
    parameters = {"gold": record.text("answer_anchor"), "lowercase": True, "ignore_blank": True}
    return QuestionItem(question, Evaluator("eval_string_exact_match", parameters))


def _name(paper: str, text: str) -> str:
    """Its own files give no ids: the paper and a hash of the question stay the same in any order of lines."""
    return f"{paper}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
