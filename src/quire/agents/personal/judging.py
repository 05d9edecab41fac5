"""One verdict of a person on a run, taken in whole."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from quire import jsontext
from quire.agents.answer_format import read_format
from quire.agents.offline import OfflinePolicy
from quire.agents.personal.learning import learned, resting
from quire.agents.personal.searching import shown
from quire.environment import Readable
from quire.errors import RunError
from quire.memory.verdicts import Ruling, Verdicts
from quire.types import Evidence, Trajectory

_RULES = OfflinePolicy.name


@dataclass(frozen=True, slots=True)
class Judged:
    """What a verdict did: the item that it is on, that of the correction, and what it retired, in words.

    `lesson` is what a model made of a wrong answer, where one is configured for that.
    """

    run: str
    label: Literal["right", "wrong"]
    item: str
    correction: str = ""
    retired: tuple[str, ...] = ()
    lesson: str = ""


def judge(
    verdicts: Verdicts,
    run: Trajectory,
    ruling: Ruling,
    library: Readable,
    present: Mapping[str, str],
    answer: Any = None,
    evidence: int = 0,
    unanswerable: bool = False,
) -> Judged:
    """Keep a verdict, the correction that comes with it, and what it says of the items that took part.

    `evidence` is the number (from 1) of the piece that answers the question: of an abstention, which says no
    more than that, it is what is right. `unanswerable` says that the papers do not answer it.

    Raises:
        RunError: there is nothing to judge, no such piece, or an answer that was right is corrected.
        AnswerFormatError: the correction is not of the form that was asked for.
    """
    if evidence and ruling.label != "right":
        raise RunError("Evidence is named that is right.", hint="quire verdict right RUN --evidence 1")
    if answer is not None and ruling.label == "right":
        raise RunError("A right answer needs no other.", hint="Say `wrong` to correct it.")
    if unanswerable:
        _agree(run, ruling, answer, evidence)
    corrected = None
    if unanswerable and ruling.label == "wrong":
        corrected = learned(run, ruling.author, library, present, absent=True)
    if answer is not None:
        corrected = learned(run, ruling.author, library, present, _typed(answer, run))
    judged = None
    if run.answer.status != "failed" or corrected is None:
        judged = learned(run, ruling.author, library, present)
        if ruling.label == "right":
            judged = replace(judged, evidence=_right(run, evidence, unanswerable))
            judged = resting(judged, present)
    with verdicts.store.transaction():
        verdicts.used(run.run_id, taken(run))
        item = verdicts.judge(judged, ruling, shown(run, judged.evidence)) if judged else ""
        correction = ""
        if corrected:
            right = Ruling(ruling.author, "right", ruling.note)
            correction = verdicts.judge(corrected, right, shown(run, corrected.evidence))
        misled = verdicts.retire_misleading(run.run_id)
    told = tuple(
        f"{one[:8]} is retired: it hurt {tally.hurt} answers and helped {tally.helped}"
        for one, tally in misled
    )
    return Judged(run.run_id, ruling.label, item, correction, told)


def _agree(run: Trajectory, ruling: Ruling, answer: Any, evidence: int) -> None:
    """That the papers do not say it goes with no answer, and is right of an abstention only."""
    if answer is not None or evidence:
        raise RunError("What the papers do not say has no answer and no evidence.")
    answered = run.answer.status == "answered"
    if answered != (ruling.label == "wrong") and run.answer.status != "failed":
        label, gave = ("wrong", "an") if answered else ("right", "no")
        raise RunError(
            f"The run {run.run_id} gave {gave} answer.", hint=f"quire verdict {label} RUN --unanswerable"
        )


def _right(run: Trajectory, number: int, unanswerable: bool) -> tuple[Evidence, ...]:
    """The evidence that is judged right: the piece of that number, of 0 all that the answer gives.

    None of it where the papers do not say it. A model that abstains says so, and so do rules that found
    nothing; where they show what comes closest, their user has to.
    """
    there = run.answer.evidence
    if number and not 1 <= number <= len(there):
        raise RunError(
            f"The run {run.run_id} has {len(there)} pieces of evidence.", hint="See `quire show RUN`."
        )
    if not number and run.answer.status != "answered":
        if unanswerable or run.model != _RULES or not there:
            return ()
        raise RunError(
            f"The run {run.run_id} gave no answer.",
            hint="Say which piece answers it: quire verdict right RUN --evidence 1. Or that the papers do "
            "not say it: quire verdict right RUN --unanswerable. Or tell the answer: "
            'quire verdict wrong RUN --answer "...".',
        )
    return there[number - 1 : number] if number else there


def user_name() -> str:
    """Who gives verdicts where nobody else is named: the user's login name."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name
        return "me"


def taken(run: Trajectory) -> dict[str, str]:
    """The items that took part in a run, and how, as its record says."""
    noted = run.settings.get("remembered")
    if not isinstance(noted, Mapping) or noted.get("how") not in ("example", "remembered"):
        return {}
    return {str(one): str(noted["how"]) for one in noted.get("items") or ()}


def hinted(run: Trajectory) -> str:
    """The item that was shown beside a run as maybe the same question's; "" for none."""
    return str(run.settings.get("suggested") or "")


def _typed(answer: Any, run: Trajectory) -> Any:
    """A correction in the form that was asked for, else of the kind that the answer had."""
    question = run.question
    if question.answer_format or question.schema is not None:
        return read_format(question.answer_format, question.schema).coerce(answer)
    if isinstance(answer, str) and run.answer.value is not None and not isinstance(run.answer.value, str):
        try:
            return jsontext.loads(answer)
        except ValueError:
            return answer
    return answer
