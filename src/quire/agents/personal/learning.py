"""What is kept of a judged run: the answer as an item, or the user's own word in its place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from quire.agents.evidence import describe, verify
from quire.agents.methods import ANSWER
from quire.agents.sources import gather
from quire.agents.stream.lessons import ModelLessons
from quire.environment import Readable
from quire.errors import RunError
from quire.memory.items import Item
from quire.models import Model
from quire.types import Answer, Attempt, Instance, Question, Trajectory, Verdict

_MOST_ACTIONS = 6
_SEEN = ("rows", "text", "image")


def learned(
    run: Trajectory, author: str, library: Readable, present: Mapping[str, str], word: Any = None
) -> Item:
    """The run as an item of `author`, or, with `word`, the correction of its answer.

    `present` holds the papers that the library has, id to SHA-256. Evidence of a correction is what the run
    saw of it. An item about no paper that is there rests on nothing, and is no answer to offer.

    Raises:
        RunError: the run has no answer that could be judged.
    """
    if word is None and run.answer.status == "failed":
        raise RunError(
            f"The run {run.run_id} failed: there is no answer to judge.",
            hint='Tell the right one: quire verdict wrong RUN --answer "...".',
        )
    answer = run.answer
    if word is not None:
        seen = describe([verify(each, library) for each in gather(word, run.steps)], library)
        answer = Answer("answered", word, tuple(each for each in seen if each.verified))
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
        kind="answer" if word is None else "correction",
    )
    return resting(item, present).identified()


def resting(item: Item, present: Mapping[str, str]) -> Item:
    """The item with the papers that its evidence and its question name, as they are now."""
    named = dict.fromkeys((*(each.paper_id for each in item.evidence), *item.scope))
    return replace(item, papers={paper: present[paper] for paper in named if paper in present})


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
