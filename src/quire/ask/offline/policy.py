"""OfflinePolicy: rules and a search in place of a language model, for the same actions and the same loop.

    policy = OfflinePolicy()
    step = policy.decide(question, history=[])     # thought and action; the loop adds the observation

Without a language model quire finds evidence. An answer is one of three things: a value, where a rule
explains every content word of the question or the extractor is sure of what it took out of the best
passages; evidence, the best sentences and rows, whole; or nothing. A policy serves one run. An error of the
library ends it: it is never read as finding nothing.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quire.ask.actions import ACTIONS
from quire.ask.answer_format import AnswerFormat
from quire.ask.offline import searched
from quire.ask.offline.kinds import KINDS, abbreviation, library
from quire.ask.offline.plan import ENOUGH, FITTING, Finding, QuestionKind, left_over
from quire.ask.offline.question import read
from quire.errors import ActionError, AnswerFormatError
from quire.types import Answer, Call, Failed, Observation, Question, Step

RULED = "Answered by rules; no language model was used."
EVIDENCE = "No language model was used; one would be needed to conclude from these passages."
_NOTHING = "No language model was used. Nothing was found that speaks of this."
_NUMBER = re.compile(r"[-+\u2212]?\d{1,30}(?:,\d{3}){0,9}(?:\.\d{1,30})?(?:[eE][-+]?\d{1,3})?")
_NUMBER_FIRST = re.compile(rf"\W{{0,3}}{_NUMBER.pattern}\s?(?:[%(\u00b1]|\+/-)")
_Decisions = Generator[Step | Finding, Any, None]


class OfflinePolicy:
    """The policy `offline`."""

    name = "offline"
    actions = tuple(ACTIONS)  # its rules write their own calls

    def __init__(self) -> None:
        self._decisions: _Decisions | None = None

    def decide(self, question: Question, history: Sequence[Step]) -> Step:
        """The next act of the rules, or their answer.

        Raises:
            ActionError: the last act failed, so nothing is known.
        """
        seen = history[-1].observation if history else None
        if isinstance(seen, Failed):
            raise ActionError(seen.why)
        if self._decisions is None:
            self._decisions = _decisions(question)
        return _step(self._decisions.send(seen))

    def conclude(self, question: Question, history: Sequence[Step]) -> Step:
        """Abstain with what the search has found so far."""
        return _step(Finding(None, evidence=searched.seen_last(history)))


def _decisions(question: Question) -> _Decisions:
    field, asked = _alone(question)
    best = yield from _ruled(asked)
    if best is None:
        best = yield from searched.plan(asked)
    if field and best.value is not None:
        best = replace(best, value={field: best.value})
    while True:
        yield best


def _alone(question: Question) -> tuple[str, Question]:
    """Of an object of one field, which is how programs ask for a value, that field and its own question."""
    fields = (question.schema or {}).get("properties")
    if not isinstance(fields, Mapping) or len(fields) != 1:
        return "", question
    ((name, schema),) = fields.items()
    if not isinstance(schema, Mapping):
        return "", question
    known = {key: each for key, each in (question.schema or {}).items() if key in ("$defs", "definitions")}
    return str(name), replace(question, schema={**known, **schema})


def _ruled(question: Question) -> Generator[Step, Observation, Finding | None]:
    """What a rule finds that understands all of the question."""
    reading = read(question)
    kinds: tuple[QuestionKind, ...] = ()
    if not library.KIND.fits(reading):
        settled = yield from library.settle(reading)
        if settled.value is None:
            settled, kinds = (yield from abbreviation.meant(reading)), (abbreviation.KIND,)
        if settled.value is None:
            return None
        reading = settled.value
    for kind in sorted(kinds or KINDS, key=lambda kind: -kind.fits(reading)):
        if kind.fits(reading) >= FITTING:
            finding = yield from kind.plan(reading)
            formed = replace(finding, value=_formed(finding.value, reading.form), note=RULED)
            if formed.value is not None and formed.confidence >= ENOUGH and not left_over(formed, reading):
                return formed
    return None


def _formed(value: Any, form: AnswerFormat) -> Any:
    """The value in the asked form; None if it cannot be."""
    try:
        return None if value is None else form.coerce(_shaped(value, form.kind))
    except AnswerFormatError:
        return None


def _shaped(value: Any, kind: str) -> Any:
    """What the rules found, as the asked kind: the number of a cell such as "81.2 %", one thing as a list."""
    if kind in ("int", "float") and isinstance(value, str):
        numbers = _NUMBER.findall(value)
        if len(numbers) != 1 and not _NUMBER_FIRST.match(value):
            raise AnswerFormatError("There is not just one number.")
        number = float(numbers[0].replace(",", "").replace("\u2212", "-"))
        if kind == "int" and not number.is_integer():
            raise AnswerFormatError("The number is not whole.")
        return number
    if kind == "list" and not isinstance(value, list | tuple):
        return [value]
    return str(value) if kind == "str" and isinstance(value, int | float) else value


def _step(decided: Step | Finding) -> Step:
    if isinstance(decided, Step):
        return decided
    call = Call("GenerateAnswer", {"answer": decided.value})
    if decided.value is None:
        why = EVIDENCE if decided.evidence and decided.spoken else _NOTHING
        note = f"{decided.note} {why}".strip()
        answer = Answer("abstained", None, decided.evidence, decided.confidence, note, spoken=decided.spoken)
        return Step("No answer is sure: I show what comes closest.", call, answer=answer)
    likely = decided.probability
    answer = Answer("answered", decided.value, decided.evidence, decided.confidence, decided.note, likely)
    return Step(f"This is what was asked for (confidence {decided.confidence:.2f}).", call, answer=answer)
