"""What is kept of a judged run: the answer as an item, or the user's own word in its place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from quire.ask.actions.search import row_of
from quire.ask.environment import Readable
from quire.ask.evidence import describe, verify
from quire.ask.lessons import ModelLessons
from quire.ask.methods import ANSWER
from quire.ask.sources import gather
from quire.errors import QuireError, RunError
from quire.llm import Model
from quire.memory.items import WHOLE, Item, fingerprint
from quire.memory.same_question import meaning_words
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
    library: Readable,
    present: Mapping[str, str],
    word: Any = None,
    absent: bool = False,
) -> Item:
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
    item = Item(
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


def _saying(word: Any, run: Trajectory, library: Readable) -> tuple[Evidence, ...]:
    """Verified evidence of a correction, the best piece alone where it had to be looked for."""

    def verified(steps: Sequence[Step]) -> tuple[Evidence, ...]:
        about = [each for each in gather(word, steps) if _is_about(each.quote, word, run.question)]
        checked = describe([verify(each, library) for each in about], library)
        return tuple(each for each in checked if each.verified)

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


def resting(item: Item, present: Mapping[str, str]) -> Item:
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


def form_of(question: Question) -> str:
    """The asked form of an answer as one text."""
    schema = json.dumps(question.schema, sort_keys=True, default=str) if question.schema is not None else ""
    return f"{question.answer_format}\n{schema}".strip()


def _actions(run: Trajectory) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """The look-ups that found something, the last ones where there are many."""
    done = [
        (step.call.name, dict(step.call.arguments))
        for step in run.steps
        if step.call and step.call.name != ANSWER and step.observation and step.observation.kind in _SEEN
    ]
    return tuple(done[-_MOST_ACTIONS:])
