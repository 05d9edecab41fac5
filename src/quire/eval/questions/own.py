"""Our own layout, for a user's questions: one JSON object per line.

    {"question": "How many layers does the encoder have?", "answer": 12, "papers": ["bert.pdf"],
     "format": "an integer"}

Contract: `question` and `answer` are needed. `papers` (or `paper`): ids, file names, titles, DOIs or arXiv
ids; without them the whole library is asked. `format`: what the answer must look like, in words; `schema`:
the same as a JSON schema. `id`, `tags`, and `kind` (one more tag) are optional.

The scorer follows the answer's type: true or false, whole number, number (to 4 digits), list (in any order,
no case), mapping, text (nearly the same, no case). `{"any": [...]}` as the answer accepts each of a list. An
`evaluator` in the AirQA layout decides otherwise; `"judge": true` has a model judge the text.
"""

from __future__ import annotations

import hashlib
from typing import Any

from quire.ask.json_schema import refuse_unusable
from quire.errors import AnswerFormatError, TaskError
from quire.eval.questions.items import QuestionItem, QuestionRow, checked_item
from quire.types import Question

_KNOWN = {
    *("id", "question", "answer", "papers", "paper", "format", "schema", "tags", "kind"),
    *("evaluator", "judge", "note"),
}  # fmt: skip
_FORMATS = {bool: "true or false", int: "an integer", float: "a number", list: "a list", dict: "a mapping"}


def item(record: QuestionRow) -> QuestionItem:
    """One question.

    Raises:
        TaskError: a field is missing, unknown or of the wrong type.
        ScoringError: the evaluator is none.
    """
    unknown = sorted(record.row.keys() - _KNOWN)
    if unknown:
        hint = f"Known fields: {', '.join(sorted(_KNOWN))}."
        raise TaskError(f"{record.where}: field `{unknown[0]}` is unknown.", hint=hint)
    text, schema = record.text("question"), record.row.get("schema")
    if schema is not None and not isinstance(schema, dict):
        raise record.error("schema", "a JSON schema")
    if schema is not None:
        try:
            refuse_unusable(schema)
        except AnswerFormatError as error:
            raise TaskError(f"{record.where}: {error.message}", hint=error.hint) from error
    answer = record.row.get("answer")
    papers = record.texts("papers", "paper")
    name = hashlib.sha256("\n".join((text, *papers)).encode()).hexdigest()[:12]
    question = Question(
        id=str(record.row.get("id", name)),
        text=text,
        answer_format=record.text("format", _FORMATS.get(type(answer), "")),
        anchor_papers=papers,
        tags=(*record.texts("tags"), *record.texts("kind")),
        schema=schema,
    )
    return checked_item(question, record.row.get("evaluator") or _evaluator(record, text, answer))


def _evaluator(record: QuestionRow, question: str, answer: Any) -> dict[str, Any]:
    if answer is None or answer == "":
        raise record.error("answer", "the right answer")
    if record.row.get("judge"):
        if not isinstance(answer, str):
            raise record.error("answer", "a text, for a judge")
        return _spec("eval_reference_answer_with_llm", reference_answer=answer, question=question)
    if isinstance(answer, bool):
        return _spec("eval_bool_exact_match", gold=answer)
    if isinstance(answer, int):
        return _spec("eval_int_exact_match", gold=answer)
    if isinstance(answer, float):
        return _spec("eval_float_exact_match", gold=answer, tolerance=1e-4)
    if isinstance(answer, str):
        return _spec("eval_string_fuzzy_match", gold=answer, threshold=90, lowercase=True)
    if isinstance(answer, dict) and set(answer) == {"any"}:
        return _spec("eval_element_included", gold=answer["any"], threshold=90, lowercase=True)
    return _spec(
        "eval_structured_object_exact_match", gold=answer, ignore_order=True, lowercase=True, threshold=90
    )


def _spec(name: str, **parameters: Any) -> dict[str, Any]:
    return {"eval_func": name, "eval_kwargs": parameters}
