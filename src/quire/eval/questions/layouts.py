"""The layouts of sets of questions: of AirQA, M3SciQA and SciDQA as published, and our own.

A file is JSON Lines (or a JSON list); blank lines are skipped. Its layout is told by the first record's
fields. Results are matched by id, so a question whose id is taken already gets another one, and this is told.

AirQA (NeuSym-RAG, Cao et al. 2025, https://github.com/X-LANCE/NeuSym-RAG), a record (shortened):
    {"uuid": "cd235027-...", "question": "...", "answer_format": "Your answer should be a Python float ...",
     "tags": ["objective", "single", "table"], "anchor_pdf": ["1d672477-..."], "reference_pdf": [],
     "conference": ["acl2023"], "evaluator": {"eval_func": "eval_float_exact_match",
     "eval_kwargs": {"gold": 7.05, "ndigits": 2}}}

`anchor_pdf` are the papers that the question speaks of, `reference_pdf` those that an agent has to find by
itself, `conference` a hint where. How the answer was found by people (`reasoning_steps`) and which models got
it right (`state`) are not shown to agents. Where the answer is a list of papers by the set's own ids,
`resolve` puts the library's ids into the gold.

SciDQA (Singh et al. 2024, https://github.com/yale-nlp/SciDQA) is in the same layout: questions of reviewers,
answered by the authors, one paper each, graded by a judge (`eval_scidqa`).

M3SciQA (Li et al. 2024, https://github.com/yale-nlp/M3SciQA) comes in this layout too, where `reference_pdf`
lists the whole cluster of cited papers, so that one of them is enough to ask; and as its own files:
`combined_val.jsonl` (a question over the figure of one paper whose answer stands in another)
and `locality.jsonl` (only the first half: what does the figure name?), papers named by arXiv id:
    {"question": "Consider the paper that introduces the method that ...", "answer": "...",
     "anchor_arxiv_id": "2310.08395", "reference_arxiv_id": "2309.14362", "modal": "table"}
Agents see the question's picture only as a page of the paper.

Our own, for a user's questions: one JSON object per line.

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
import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from quire.ask.json_schema import refuse_unusable
from quire.errors import AnswerFormatError, ScoringError, TaskError
from quire.eval import files
from quire.eval.questions.items import QuestionItem, QuestionRow, QuestionSet, checked_item
from quire.eval.scorers.evaluators import Evaluator
from quire.library.ids import ID
from quire.types import Question

_RELEVANCE = "eval_paper_relevance_with_reference_answer"


def airqa_item(record: QuestionRow) -> QuestionItem:
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
    item = replace(checked_item(question, record.row["evaluator"]), cited=record.texts("reference_pdf"))
    if item.evaluator is None:
        return item
    every = item.evaluator.name != _RELEVANCE
    return replace(item, targets=_targets(item.evaluator), all_targets=every)


def _targets(evaluator: Evaluator) -> tuple[str, ...]:
    """The papers that are the answer: titles to be found, or ids of the set's papers."""
    name = "reference_answer" if evaluator.name == _RELEVANCE else "gold"
    gold = evaluator.parameters.get(name, ())
    listed = gold if isinstance(gold, list) else [gold]
    papers = tuple(each for each in listed if isinstance(each, str))
    if name == "gold" and not (papers and all(ID.fullmatch(each) for each in papers)):
        return ()
    return papers


def m3sciqa_item(record: QuestionRow) -> QuestionItem:
    """One question of any of its files."""
    if "uuid" in record.row:
        return replace(airqa_item(record), any_cited=True)
    if "anchor_id" in record.row:
        gold = {"gold": record.text("answer_anchor"), "lowercase": True, "ignore_blank": True}
        question = _own_question(
            record, "question_anchor", "anchor_id", "The name only, as a string.", ("single", "objective")
        )
        return QuestionItem(question, Evaluator("eval_string_exact_match", gold))
    form = "A short answer in one or two sentences."
    question = _own_question(record, "question", "anchor_arxiv_id", form, ("multiple", "subjective"))
    gold = {"question": question.text, "reference_answer": record.text("answer")}
    cited = (record.text("reference_arxiv_id"),)
    return QuestionItem(question, Evaluator("eval_m3sciqa", gold), cited=cited)


def _own_question(record: QuestionRow, asked: str, anchor: str, form: str, tags: tuple[str, str]) -> Question:
    """A question of M3SciQA's own files; they give no ids, this one hangs on no order of lines."""
    text, paper = record.text(asked), record.text(anchor)
    return Question(
        id=f"{paper}-{hashlib.sha256(text.encode()).hexdigest()[:10]}",
        text=text,
        answer_format=form,
        anchor_papers=(paper,),
        tags=(tags[0], record.text("modal", "figure"), tags[1]),
    )


_KNOWN = {
    *("id", "question", "answer", "papers", "paper", "format", "schema", "tags", "kind"),
    *("evaluator", "judge", "note"),
}  # fmt: skip
_FORMATS = {bool: "true or false", int: "an integer", float: "a number", list: "a list", dict: "a mapping"}


def own_item(record: QuestionRow) -> QuestionItem:
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


_READERS: Mapping[str, Callable[[QuestionRow], QuestionItem]] = {
    "airqa": airqa_item, "m3sciqa": m3sciqa_item, "scidqa": airqa_item, "quire": own_item
}  # fmt: skip


def load(path: Path) -> QuestionSet:
    """Read a file of questions.

    Raises:
        TaskError: the file is missing or malformed; names line and field.
    """
    records = [QuestionRow(where, row) for where, row in files.located_rows(path)]
    if not records:
        raise TaskError(f"{path} holds no questions.")
    layout = layout_of(records[0])
    items, lines = [], dict[str, str]()
    for record in records:
        try:
            item = _READERS[layout](record)
        except ScoringError as error:
            raise TaskError(f"{record.where}: field `evaluator`: {error}") from error
        item = _with_own_id(item, record, lines)
        lines[item.question.id] = record.where
        items.append(item)
    return QuestionSet(path.stem, layout, tuple(items))


def _with_own_id(item: QuestionItem, record: QuestionRow, lines: Mapping[str, str]) -> QuestionItem:
    """An id that is taken gets a number; one that the file gave twice is told, too."""
    name = item.question.id
    if name not in lines:
        return item
    number = next(n for n in itertools.count(2) if f"{name}-{n}" not in lines)
    question = replace(item.question, id=f"{name}-{number}")
    if "uuid" not in record.row and "id" not in record.row:
        return replace(item, question=question)
    note = f"its id was taken already ({lines[name]}); this one ({record.where}) is called `{question.id}`."
    return replace(item, question=question, given_id=name, notes=(*item.notes, note))


def layout_of(record: QuestionRow) -> str:
    """Which layout a record is of, told by its fields.

    Raises:
        TaskError: it is none that is known.
    """
    row = record.row
    if isinstance(evaluator := row.get("evaluator"), Mapping) and "uuid" in row:
        own = {"eval_m3sciqa": "m3sciqa", "eval_scidqa": "scidqa"}
        return own.get(str(evaluator.get("eval_func")), "airqa")
    if "anchor_arxiv_id" in row or "anchor_id" in row:
        return "m3sciqa"
    if "question" in row and ("answer" in row or "evaluator" in row):
        return "quire"
    raise TaskError(
        f"{record.where}: this is no question of a known layout.",
        hint="A question needs at least `question` and `answer`; see `quire eval --help`.",
    )
