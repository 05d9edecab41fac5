"""One verdict of a person on a run, taken in whole; the answer, or the user's own word, as an item."""

from __future__ import annotations

import getpass
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal

from quire import jsontext
from quire.ask.actions.search import row_of
from quire.ask.answer_format import read_format
from quire.ask.evidence import check, gather, says
from quire.ask.methods import ANSWER
from quire.ask.offline import OfflinePolicy
from quire.ask.personal.memory import form_of
from quire.ask.personal.searching import shown_search
from quire.errors import QuireError, RunError
from quire.library import Library
from quire.llm import Model
from quire.memory.items import WHOLE, JudgedAnswer, fingerprint
from quire.memory.rendering import ModelLessons
from quire.memory.same_question import meaning_words
from quire.memory.verdicts import Ruling, Verdicts
from quire.types import (
    LONGEST_QUESTION,
    Answer,
    Attempt,
    Evidence,
    Instance,
    Observation,
    Question,
    Step,
    Trajectory,
    Verdict,
)

_MOST_ACTIONS = 6
_LOOKED = 8  # passages in which a correction is looked for
_WORDY = 3  # letters of a correction from which on any passage that holds it may be its evidence
_SEEN = ("rows", "text", "image")


def learned(
    run: Trajectory,
    author: str,
    library: Library,
    present: Mapping[str, str],
    word: Any = None,
    absent: bool = False,
) -> JudgedAnswer:
    """The run as an item of `author`, or the correction of its answer: `word`, or that it is `absent`.

    `present` holds the papers that the library has, id to SHA-256. Evidence of a correction is what the run
    saw of it, or else what a search for it finds. An item about no paper that is there rests on nothing, and
    is no answer to offer.

    Raises:
        RunError: the run has no answer that could be judged.
    """
    corrects = absent or word is not None
    if not corrects and run.answer.status == "failed":
        raise RunError(
            f"The run {run.run_id} failed: there is no answer to judge.",
            hint='Tell the right one: quire verdict wrong RUN --answer "...".',
        )
    answer = Answer("abstained") if absent else run.answer
    if word is not None:
        answer = Answer("answered", word, _saying(word, run, library))
    item = JudgedAnswer(
        question=run.question.whole,
        form=form_of(run.question),
        scope=tuple(sorted(run.question.only)),
        answer=answer.value,
        evidence=answer.evidence if answer.status == "answered" else (),
        actions=_actions(run),
        papers={},
        author=author,
        run=run.run_id,
        model=run.model,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        kind="correction" if corrects else "answer",
    )
    return resting(item, present).identified()


def _saying(word: Any, run: Trajectory, library: Library) -> tuple[Evidence, ...]:
    """Verified evidence of a correction, the best piece alone where it had to be looked for."""

    def verified(steps: Sequence[Step]) -> tuple[Evidence, ...]:
        about = [each for each in gather(word, steps) if _is_about(each.quote, word, run.question)]
        return tuple(each for each in check(about, library) if each.verified)

    if seen := verified(run.steps):
        return seen
    query, papers = f"{run.question.whole} {word}"[-LONGEST_QUESTION:], run.question.only
    with suppress(QuireError):  # a word is kept, wherever it stands
        rows = tuple(row_of(hit) for hit in library.search(query, papers=papers, limit=_LOOKED))
        return verified((Step("", None, Observation("rows", "", rows)),))[:1]
    return ()


def _is_about(quote: str, word: Any, question: Question) -> bool:
    """Whether a passage that holds a correction speaks of what was asked; a bare number stands anywhere."""
    text = str(word)
    if quote.strip() == text or sum(map(str.isalpha, text)) >= _WORDY:
        return True
    return bool(set(meaning_words(quote).split()) & set(meaning_words(question.whole).split()) - {text})


def resting(item: JudgedAnswer, present: Mapping[str, str]) -> JudgedAnswer:
    """The item with the papers that its evidence and its question name, as they are now.

    What no page says rests on all that was asked: on the whole library, another paper may say it.
    """
    named = dict.fromkeys((*(each.paper_id for each in item.evidence), *item.scope))
    papers = {paper: present[paper] for paper in named if paper in present}
    if (item.absent or item.own_word) and not item.scope:
        papers = {WHOLE: fingerprint(present)}
    return replace(item, papers=papers)


def lesson_of(run: Trajectory, model: Model) -> str:
    """What a model makes of an answer that was judged wrong, in a sentence or two; "" for nothing.

    Raises:
        ModelError: the model cannot be asked.
    """
    asked, said = run.question.whole, json.dumps(run.answer.value, ensure_ascii=False, default=str)
    case = Instance("papers", run.run_id, asked, "Answer questions about papers.", asked, asked, "")
    return ModelLessons(model).write(case, Attempt(said), Verdict("wrong", source="human"))


def _actions(run: Trajectory) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """The look-ups that found something, the last ones where there are many."""
    done = [
        (step.call.name, dict(step.call.arguments))
        for step in run.steps
        if step.call and step.call.name != ANSWER and step.observation and step.observation.kind in _SEEN
    ]
    return tuple(done[-_MOST_ACTIONS:])


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


@dataclass(frozen=True, slots=True)
class Claim:
    """What a person says beyond right or wrong: one of these at most, and `place` beside an `answer`.

    `answer` is the right one where it was wrong. `evidence` is the number (from 1) of the piece that answers
    the question: its words are what is right, unless a value was given that it says, too. `place` is the same
    on a page that no piece of evidence names, such as a user's own highlight. `unanswerable` says that the
    papers do not answer it, `suggested` that the past answer shown beside an abstention does.
    """

    answer: Any = None
    evidence: int = 0
    unanswerable: bool = False
    suggested: bool = False
    place: Evidence | None = None

    def check(self, run: Trajectory, label: str) -> None:
        """That it goes with that verdict on that run.

        Raises:
            RunError: it does not.
        """
        told = self.answer is not None or self.place is not None
        if sum((told, bool(self.evidence), self.unanswerable, self.suggested)) > 1:
            raise RunError(
                "Only one of these can be told: the right answer, a piece of evidence, that the papers do "
                "not say it, that the past answer fits."
            )
        if (self.evidence or (self.place and self.answer is None)) and label != "right":
            raise RunError("Evidence is named that is right.", hint="quire verdict right RUN --evidence 1")
        if self.answer is not None and label == "right":
            raise RunError("A right answer needs no other.", hint="Say `wrong` to correct it.")
        answered = run.answer.status == "answered"
        if self.unanswerable and answered != (label == "wrong") and run.answer.status != "failed":
            fits, gave = ("wrong", "an") if answered else ("right", "no")
            raise RunError(
                f"The run {run.run_id} gave {gave} answer.", hint=f"quire verdict {fits} RUN --unanswerable"
            )
        if self.suggested and (label != "right" or not hinted(run)):
            raise RunError(
                f"No past answer was shown beside the run {run.run_id} that could be right.",
                hint="quire verdict right RUN --suggested",
            )


def judge(
    verdicts: Verdicts,
    run: Trajectory,
    ruling: Ruling,
    library: Library,
    present: Mapping[str, str],
    claim: Claim = Claim(),
) -> Judged:
    """Keep a verdict, the correction that comes with it, and what it says of the items that took part.

    Raises:
        RunError: there is nothing to judge, no such piece, or an answer that was right is corrected.
        AnswerFormatError: the correction is not of the form that was asked for.
    """
    if ruling.label not in ("right", "wrong"):
        raise RunError(f"A verdict is right or wrong, not {ruling.label!r}.")
    claim.check(run, ruling.label)
    claim = replace(claim, place=_proven(claim.place, library)) if claim.place else claim
    learn = partial(learned, run, ruling.author, library, present)
    corrected, judged, took = None, None, taken(run)
    if claim.unanswerable and ruling.label == "wrong":
        corrected = learn(absent=True)
    if claim.answer is not None:
        corrected = learn(_typed(claim.answer, run))
        if claim.place:
            corrected = resting(replace(corrected, evidence=(claim.place,)), present)
    if run.answer.status != "failed" or corrected is None:
        judged = learn()
        if claim.suggested:
            judged = _same_as(suggestion(verdicts, run, library), judged)
            took = {**took, hinted(run): "example"}
        elif ruling.label == "right":
            places = _right(run, claim)
            answer = None if _answers_itself(places, run, claim) else judged.answer
            judged = replace(judged, answer=answer, evidence=places)
        if ruling.label == "right":
            judged = resting(judged, present)
    with verdicts.store.transaction():
        verdicts.used(run.run_id, took)
        item = verdicts.judge(judged, ruling, shown_search(run, judged.evidence)) if judged else ""
        correction = ""
        if corrected:
            right = Ruling(ruling.author, "right", ruling.note)
            correction = verdicts.judge(corrected, right, shown_search(run, corrected.evidence))
        misled = verdicts.retire_misleading(run.run_id)
    told = tuple(
        f"{one[:8]} is retired: it hurt {tally.hurt} and helped {tally.helped}" for one, tally in misled
    )
    return Judged(run.run_id, ruling.label, item, correction, told)


def _right(run: Trajectory, claim: Claim) -> tuple[Evidence, ...]:
    """The evidence that is judged right: the piece of that number, of 0 all that the answer gives.

    None of it where the papers do not say it. A model that abstains says so, and so do rules that found
    nothing; where they show what comes closest, their user has to.
    """
    there, number = run.answer.evidence, claim.evidence
    if claim.place:
        return (claim.place,)
    if number and not 1 <= number <= len(there):
        raise RunError(
            f"The run {run.run_id} has {len(there)} pieces of evidence.", hint="See `quire show RUN`."
        )
    if not number and run.answer.status != "answered":
        if claim.unanswerable or run.model != _RULES or not there:
            return ()
        raise RunError(
            f"The run {run.run_id} gave no answer.",
            hint="Say which piece answers it: quire verdict right RUN --evidence 1. Or that the papers do "
            "not say it: quire verdict right RUN --unanswerable. Or tell the answer: "
            'quire verdict wrong RUN --answer "...".',
        )
    return there[number - 1 : number] if number else there


def _answers_itself(right: Sequence[Evidence], run: Trajectory, claim: Claim) -> bool:
    """Whether the one place that was named answers by its own words, and not what the run had said.

    So it does where the run told another sentence whole, or a value that was not sure and is not said there.
    """
    value, asked = run.answer.value, run.question
    if not (claim.evidence or claim.place) or right[0].quote == value:
        return False
    if any(one.quote == value for one in run.answer.evidence):
        return True
    textual = read_format(asked.answer_format, asked.schema).kind in ("any", "str")
    return textual and bool(run.answer.probability) and not says(value, right[0].quote)


def _proven(place: Evidence, library: Library) -> Evidence:
    """A place that a user names, with its paper's title; its words must stand there."""
    (found,) = check([place], library)
    if not found.verified:
        raise RunError(
            f"These words are not found on page {place.page} of that paper.",
            hint="Highlight whole words of one page.",
        )
    return found


def _same_as(item: JudgedAnswer | None, asked: JudgedAnswer) -> JudgedAnswer:
    """What was asked, with the answer of a past item."""
    if item is None:
        raise RunError("The past answer is no longer in use, or no longer on its page.", hint="Ask anew.")
    return replace(asked, answer=item.answer, evidence=item.evidence, actions=item.actions)


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
    """The id of the item that was shown beside a run as maybe the same question's; "" for none."""
    return str(run.settings.get("suggested") or "")


def suggestion(verdicts: Verdicts, run: Trajectory, library: Library) -> JudgedAnswer | None:
    """That item, as long as it is held right and its evidence is found on its pages."""
    item = verdicts.found([hinted(run)]).get(hinted(run))
    if item is None or item.label != "right":
        return None
    checked = check(item.evidence, library)
    return replace(item, evidence=checked) if all(each.verified for each in checked) else None


def _typed(answer: Any, run: Trajectory) -> Any:
    """A correction in the form that was asked for, else of the kind that the answer had."""
    question = run.question
    if question.answer_format or question.schema is not None:
        return read_format(question.answer_format, question.schema).coerce(answer)
    other = run.answer.value is not None and not isinstance(run.answer.value, str)
    if isinstance(answer, str) and (other or answer.lstrip()[:1] in ("[", "{")):
        try:
            return jsontext.loads(answer)
        except ValueError:
            return answer
    return answer
