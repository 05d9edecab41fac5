"""OfflinePolicy: rules in place of a language model, for the same actions and the same loop.

    policy = OfflinePolicy()
    step = policy.decide(question, history=[])     # thought and action; the loop adds the observation

It reads what the question asks for, tries the kinds of asking that fit, best first, and answers with the
first finding that is sure enough. If none is, it abstains and shows the closest passages. It decides from
the history alone, so a run can be stopped and taken up anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any

from quire.agents.answer_format import AnswerFormat
from quire.agents.offline.confidence import EXACT, FITTING, is_enough
from quire.agents.offline.kinds import KINDS, Kind, shelf
from quire.agents.offline.papers import settle
from quire.agents.offline.plan import NOTHING, Act, Finding, Row, evidence_of, search
from quire.agents.offline.question.reading import Reading, read
from quire.environment import ACTIONS
from quire.errors import AnswerFormatError
from quire.types import Answer, Call, Evidence, Observation, Question, Step

NOTE = "Answered by rules; no language model was used."
_CLOSEST = 3
_Decisions = Generator[Act | Finding, Observation, None]

_NUMBER = re.compile(r"[-+\u2212]?\d{1,30}(?:,\d{3}){0,9}(?:\.\d{1,30})?(?:[eE][-+]?\d{1,3})?")
_NUMBER_FIRST = re.compile(rf"\W{{0,3}}{_NUMBER.pattern}\s?(?:[%(\u00b1]|\+/-)")


class OfflinePolicy:
    """The policy `offline`."""

    name = "offline"

    def __init__(self) -> None:
        self._running: tuple[Question, int, _Decisions] | None = None

    @property
    def actions(self) -> tuple[str, ...]:
        """All: its rules take what they need."""
        return tuple(ACTIONS)

    def decide(self, question: Question, history: Sequence[Step]) -> Step:
        """The next act of the rules, or their answer."""
        decisions = self._resume(question, history)
        seen = history[-1].observation if history else None
        decided = decisions.send(seen) if seen is not None else next(decisions)
        self._running = (question, len(history), decisions)
        return _step(decided)

    def conclude(self, question: Question, history: Sequence[Step]) -> Step:
        """Abstain with the closest passages seen so far."""
        return _step(Finding(None, evidence=_closest(history)))

    def _resume(self, question: Question, history: Sequence[Step]) -> _Decisions:
        """The decisions, ready for the last observation; replayed from the history if need be."""
        if self._running is not None:
            known, length, decisions = self._running
            if known is question and length == len(history) - 1:
                return decisions
        decisions = _decisions(question)
        seen: Observation | None = None
        for step in history[:-1]:
            decisions.send(seen) if seen is not None else next(decisions)
            seen = step.observation
        if history:
            decisions.send(seen) if seen is not None else next(decisions)
        return decisions


def _decisions(question: Question) -> _Decisions:
    reading = read(question)
    if not shelf.fits(reading):
        reading = (yield from settle(reading)).value
    best: Finding = NOTHING
    evidence: tuple[Evidence, ...] = ()
    for kind in _kinds(reading):
        finding = _formed((yield from kind.plan(reading)), reading.form)
        if is_enough(finding):
            best = finding
            break
        best = max(best, finding, key=lambda each: each.confidence)
    if not is_enough(best):
        query = " ".join([*reading.quotes, *reading.topic]) or reading.text
        seen = yield search("Nothing is sure enough; show the closest passages.", query, _CLOSEST)
        evidence = _passages(seen.rows) if seen.kind == "rows" else best.evidence
        best = Finding(None, best.confidence, evidence)
    while True:
        yield best


def _kinds(reading: Reading) -> Iterator[Kind]:
    """The kinds that fit, best first.

    The passage search is the last, and only where nothing exact is asked: a sentence is no table cell.
    """
    fitting = [(kind.fits(reading), -number, kind) for number, kind in enumerate(KINDS)]
    fitting.sort(key=lambda each: (each[0], each[1]), reverse=True)
    exact = fitting[0][0] >= EXACT
    for fit, _, kind in fitting:
        if fit >= FITTING or (kind.name == "passage" and not exact):
            yield kind


def _formed(finding: Finding, form: AnswerFormat) -> Finding:
    """The finding with its value in the asked form; nothing if it cannot be."""
    if finding.value is None:
        return NOTHING
    try:
        return replace(finding, value=form.coerce(_shaped(finding.value, form.kind)))
    except AnswerFormatError:
        return replace(NOTHING, evidence=finding.evidence)


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


def _step(decided: Act | Finding) -> Step:
    if isinstance(decided, Act):
        return Step(decided.thought, decided.call)
    call = Call("GenerateAnswer", {"answer": decided.value})
    if decided.value is None:
        note = f"{NOTE} The evidence is too weak for an answer; these are the closest passages."
        answer = Answer("abstained", None, decided.evidence, decided.confidence, note)
        return Step("The evidence is too weak: I abstain.", call, answer=answer)
    answer = Answer("answered", decided.value, decided.evidence, decided.confidence, NOTE)
    return Step(f"This is what was asked for (confidence {decided.confidence:.2f}).", call, answer=answer)


def _passages(rows: Sequence[Row]) -> tuple[Evidence, ...]:
    found: list[Evidence] = []
    for row in rows[:_CLOSEST]:
        table, key = str(row.get("table_name") or ""), str(row.get("primary_key") or "")
        found += evidence_of(row, str(row.get("text") or "")[:400], table, key)
    return tuple(found)


def _closest(history: Sequence[Step]) -> tuple[Evidence, ...]:
    searched = [s for s in history if s.call and s.call.name == "ClassicRetrieve" and s.observation]
    return _passages(searched[-1].observation.rows) if searched and searched[-1].observation else ()
