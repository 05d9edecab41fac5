"""The layout of AirQA (NeuSym-RAG, Cao et al. 2025, https://github.com/X-LANCE/NeuSym-RAG).

A record (shortened):
    {"uuid": "cd235027-...", "question": "...", "answer_format": "Your answer should be a Python float ...",
     "tags": ["objective", "single", "table"], "anchor_pdf": ["1d672477-..."], "reference_pdf": [],
     "conference": ["acl2023"], "evaluator": {"eval_func": "eval_float_exact_match",
     "eval_kwargs": {"gold": 7.05, "ndigits": 2}}}

Contract: `anchor_pdf` are the papers that the question speaks of, `reference_pdf` those that an agent has to
find by itself, `conference` a hint where. How the answer was found by people (`reasoning_steps`) and which
models got it right (`state`) are not shown to agents. Where the answer is a list of papers by the set's own
ids, `resolve` puts the library's ids into the gold.
"""

from __future__ import annotations

from quire.eval.questions.fields import QuestionRow
from quire.eval.questions.items import QuestionItem
from quire.eval.scorers.evaluators import Evaluator, read_evaluator
from quire.library.ids import ID
from quire.types import Question

_RELEVANCE = "eval_paper_relevance_with_reference_answer"


def item(record: QuestionRow) -> QuestionItem:
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
    return QuestionItem(
        question,
        evaluator,
        problem=" ".join(impossible),
        notes=tuple(finding.message for finding in reading.findings),
        cited=record.texts("reference_pdf"),
        targets=_targets(evaluator) if evaluator else (),
        all_targets=evaluator is not None and evaluator.name != _RELEVANCE,
    )


def _targets(evaluator: Evaluator) -> tuple[str, ...]:
    """The papers that are the answer: titles to be found, or ids of the set's papers."""
    name = "reference_answer" if evaluator.name == _RELEVANCE else "gold"
    gold = evaluator.parameters.get(name, ())
    listed = gold if isinstance(gold, list) else [gold]
    papers = tuple(each for each in listed if isinstance(each, str))
    if name == "gold" and not (papers and all(ID.fullmatch(each) for each in papers)):
        return ()
    return papers
