"""Asking a judge: one or several samples, a reply that must end in a plain verdict, and no guessing.

Contract: `Panel.decide(prompt)` is 1 or 0 as the majority of the samples says, `Panel.grade(prompt, names)`
the mean of grades from 1 to 10. A judge that cannot be reached, or whose replies hold neither verdict, gives
`Score(None)`: unknown, never wrong and never right. A tie is unknown too.

Limits: a judge reads the answer that it judges, and an answer can try to talk to it. It is quoted as JSON
inside marks that it cannot close, and the judge is told that it is data; that is a fence, not a proof.

    >>> Panel(Model("judge", Scripted(["verdict: true"] * 3)), votes=3).decide("...").reason
    '3 of 3 judgements: true. ...'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.errors import ENDS_A_RUN, ModelError
from quire.eval.scorers.scores import right, shorten, unknown, wrong
from quire.llm import Params, Provider, user
from quire.types import Score

_VERDICT = re.compile(r"\bverdict\W{1,6}(true|false)\b", re.IGNORECASE)
_LONGEST = 400  # tokens of a reply
_MARKED_VERDICT = re.compile(r"[*_`]{0,3}\bverdict\W{1,6}(?:true|false)\b[*_`]{0,3}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Panel:
    """A model that judges, and how many samples of it vote: the first is its surest, others are drawn."""

    judge: Provider
    votes: int = 1

    def decide(self, prompt: str) -> Score:
        """True or false by the majority of the samples."""
        replies, failure = self._replies(prompt)
        said = [(verdict, reply) for reply in replies if (verdict := read_verdict(reply)) is not None]
        yes = sum(verdict for verdict, _ in said)
        if 2 * yes == len(said):
            return unknown(failure or _undecided(replies, len(said)))
        outcome = 2 * yes > len(said)
        counted = yes if outcome else len(said) - yes
        why = next(reply for verdict, reply in said if verdict == outcome)
        reason = f"{counted} of {len(said)} judgements: {str(outcome).lower()}. {_explanation(why)}"
        return right(reason) if outcome else wrong(reason)

    def grade(self, prompt: str, names: Sequence[str]) -> Score:
        """The mean of all named grades (1 to 10) over all samples, as a share of 10."""
        replies, failure = self._replies(prompt)
        graded = [grades for reply in replies if (grades := read_grades(reply, names)) is not None]
        if not graded:
            return unknown(failure or f"The judge gave no grades from 1 to 10 for {', '.join(names)}.")
        means = {name: sum(grades[i] for grades in graded) / len(graded) for i, name in enumerate(names)}
        reason = ", ".join(f"{name} {mean:g}" for name, mean in means.items())
        return Score(sum(means.values()) / len(means) / 10, f"Of 10: {reason}.")

    def choose(self, prompt: str, allowed: Sequence[float]) -> Score:
        """One of the allowed values, by the median of the samples."""
        replies, failure = self._replies(prompt)
        chosen = sorted(v for reply in replies if (v := read_choice(reply, allowed)) is not None)
        if not chosen:
            return unknown(failure or _undecided(replies, 0))
        value = chosen[(len(chosen) - 1) // 2]
        return Score(value, f"Judged {value:g} of 1. {_explanation(replies[0])}")

    def _replies(self, prompt: str) -> tuple[list[str], str]:
        """All replies that came, and why the others did not."""
        replies, failure = [], ""
        for sample in range(max(1, self.votes)):
            drawn: Params = {"temperature": 1.0, "seed": sample} if sample else {"temperature": 0.0}
            drawn["max_tokens"] = _LONGEST
            try:
                replies.append(self.judge.complete([user(prompt)], **drawn).text)
            except ENDS_A_RUN:
                raise
            except ModelError as error:
                failure = f"The judge could not be asked: {error}"
        return replies, failure


def read_verdict(reply: str) -> bool | None:
    """The last `verdict: true` or `verdict: false` of a reply; None if there is none."""
    said = [found.lower() == "true" for found in _VERDICT.findall(reply[-4000:])]
    return said[-1] if said else None


def read_grades(reply: str, names: Sequence[str]) -> list[int] | None:
    """The grades of a reply (`name: 7`), each a whole number from 1 to 10; None if one is missing."""
    grades = []
    for name in names:
        found = re.findall(rf"\b{re.escape(name)}\W{{1,6}}(\d+)\b(?!\.\d)", reply[-4000:], re.IGNORECASE)
        if not found or not 1 <= int(found[-1][:3]) <= 10:
            return None
        grades.append(int(found[-1]))
    return grades


def read_choice(reply: str, allowed: Sequence[float]) -> float | None:
    """The last `verdict: X` of a reply where X is an allowed value."""
    found = re.findall(r"\bverdict\W{1,6}(\d(?:\.\d+)?)(?![\d.]*\d)", reply[-4000:], re.IGNORECASE)
    value = float(found[-1]) if found else None
    return value if value in allowed else None


def _undecided(replies: Sequence[str], understood: int) -> str:
    if understood:
        return "The judgements are tied."
    return f"The judge said neither true nor false: {shorten(replies[-1]) if replies else 'no reply'}."


def _explanation(reply: str) -> str:
    return " ".join(_MARKED_VERDICT.sub("", reply).split())[:300]
