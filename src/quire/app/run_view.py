"""A run as it is shown: made here, and only printed by each interface.

    view = view_of(library, run)
    view.headline                                   # "243.8"
    [(one.number, one.title, one.where, one.quote, one.found) for one in view.evidence]
    document(view)                                  # the record of the run with its view, as JSON

The record of a run names items of the memory by their ids alone: of what was forgotten since, the id is all
that is left. No run is lost for a memory that cannot be read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, Literal
from urllib.parse import quote

from quire.ask.personal.judging import hinted, suggestion, taken
from quire.ask.personal.memory import REMEMBERED
from quire.build import Library
from quire.errors import MemoryStoreError, QuireError
from quire.jsontext import plain
from quire.memory.items import JudgedAnswer
from quire.text import without_marks
from quire.types import Answer, Box, Evidence, Hit, Step, Trajectory, value_in_words

Outcome = Literal["answer", "probable", "sentence", "unspoken", "unsaid", "nothing", "failed"]
Found = Literal["verified", "unverified", "shown", "seen", "user"]

_LABELS: dict[Outcome, str] = {
    "answer": "Answer",
    "sentence": "No sure answer, but evidence; the first says most",
    "unspoken": "The passages below come closest",
    "unsaid": "That was your verdict, and the papers are as they were",
    "nothing": "Nothing found",
    "failed": "There is no answer: something went wrong on the way",
}
FOUND: Mapping[Found, str] = {
    "verified": "verified",
    "unverified": "not found word for word",
    "shown": "shown to the model, which named nothing",
    "seen": "seen in a picture of the page",
    "user": "its user's word",
}
_UNSAID = "The papers do not say it"


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """A piece of evidence.

    `number` counts from 1, as verdicts name it; a text marks it as [`mark`]. `where` is its page, or the
    table of what stands on none; `quote` is in one line, without marks of references. `found`: the quote was
    found on that page ("verified") or not; or the model named nothing, and was shown this ("shown"); or it
    looked at that page as a picture ("seen"); or it is the word of the user who judged it ("user"). `link` is
    its address within `quire serve`.
    """

    number: int
    mark: int
    paper: str
    title: str
    page: int
    where: str
    box: Box | None
    quote: str
    found: Found
    link: str


@dataclass(frozen=True, slots=True)
class Used:
    """A remembered answer that took part: as an example, or itself. `question` is "" if forgotten."""

    id: str
    how: str
    question: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A past answer to a question that may be the same, in words, too; `absent`: the papers do not say it."""

    id: str
    question: str
    answer: Any
    words: str
    absent: bool
    author: str
    created: str
    evidence: tuple[EvidenceView, ...]


@dataclass(frozen=True, slots=True)
class RunView:
    """What is shown of a run.

    `headline` is said first, whatever came of it: an answer, what is probable, the sentence that says most,
    or that nothing speaks of it; `label` says in a few words what kind it is. `value` is the answer as JSON.
    `folded` evidence does not speak of the question, and is the closest there is.
    """

    id: str
    question: str
    outcome: Outcome
    headline: str
    label: str
    value: Any
    confidence: float
    probability: float
    evidence: tuple[EvidenceView, ...]
    folded: bool
    note: str
    used: tuple[Used, ...]
    suggested: Suggestion | None
    turns: int
    seconds: float
    tokens: int
    cost: float
    model: str  # "" where no language model was used
    run: Trajectory


def view_of(library: Library | None, run: Trajectory) -> RunView:
    """A run, with what the memory of its library has to say of it, where it is of one."""
    answer, outcome = run.answer, outcome_of(run)
    usage = run.usage
    return RunView(
        id=run.run_id,
        question=run.question.text,
        outcome=outcome,
        headline=_headline(outcome, answer),
        label=_label(outcome, answer),
        value=answer.value,
        confidence=answer.confidence,
        probability=answer.probability,
        evidence=pieces(answer.evidence, run, library),
        folded=not answer.spoken,
        note=answer.note,
        used=_used(library, run),
        suggested=_suggested(library, run),
        turns=run.turns,
        seconds=run.seconds,
        tokens=usage.prompt_tokens + usage.completion_tokens,
        cost=usage.cost,
        model=run.model if usage.calls else "",
        run=run,
    )


def document(view: RunView) -> dict[str, Any]:
    """The record of a run as JSON, its `view` beside it; pictures that were looked at are left out."""
    run: dict[str, Any] = plain(view.run)
    run["turns"] = view.turns
    run["steps"] = [step_document(step) for step in view.run.steps]
    names = (each.name for each in fields(view) if each.name != "run")
    run["view"] = {name: plain(getattr(view, name)) for name in names}
    return run


def step_document(step: Step) -> dict[str, Any]:
    """A step as JSON; its picture is left out."""
    told: dict[str, Any] = plain(step)
    if step.observation is not None:
        told["observation"]["image"] = None
    return told


def outcome_of(run: Trajectory) -> Outcome:
    """What came of it, in a word."""
    answer = run.answer
    if answer.status == "failed":
        return "failed"
    if answer.status == "answered":
        if not answer.probability:
            return "answer"
        whole = bool(answer.evidence) and answer.value == answer.evidence[0].quote
        return "sentence" if whole else "probable"
    if run.method == REMEMBERED:
        return "unsaid"
    if not answer.spoken:
        return "unspoken"
    return "sentence" if answer.evidence else "nothing"


def _headline(outcome: Outcome, answer: Answer) -> str:
    if outcome == "unsaid":
        return _UNSAID
    return one_line(answer.headline) if outcome == "sentence" else answer.headline


def _label(outcome: Outcome, answer: Answer) -> str:
    if answer.stopped:
        return "Stopped; this is what came"
    if answer.probability:
        return f"Probably ({answer.probability:.0%})"
    if outcome == "answer" and not answer.evidence:
        return "Answer, but no page was named for it"
    if outcome == "unspoken" and not answer.evidence:
        return _LABELS["nothing"]
    return _LABELS[outcome]


def pieces(
    evidence: Sequence[Evidence], run: Trajectory | None = None, library: Library | None = None
) -> tuple[EvidenceView, ...]:
    """Evidence as it is shown: of a run, or of a past answer."""
    return tuple(
        EvidenceView(
            number=number,
            mark=one.mark or number,
            paper=one.paper_id,
            title=title_of(one, library),
            page=one.page,
            where=where(one.page, one.page_label) if one.page > 0 else one.table or "metadata",
            box=one.bbox,
            quote=one_line(one.quote),
            found=_found(one, run),
            link=link(one.paper_id, one.page, one.bbox),
        )
        for number, one in enumerate(evidence, 1)
    )


def title_of(one: Evidence | Hit, library: Library | None) -> str:
    """What the paper of a place is called: its title, else its file's name; its id where it is gone."""
    with suppress(QuireError):
        return one.paper_title or (library.any_paper(one.paper_id).name if library else one.paper_id)
    return one.paper_id


def _found(one: Evidence, run: Trajectory | None) -> Found:
    if one.how == "seen":
        return "seen"
    if one.verified:
        return "shown" if one.how == "shown" and run and run.usage.calls else "verified"
    if run is None or run.method == REMEMBERED:
        return "user"
    return "seen" if any(_looked(step, one) for step in run.steps) else "unverified"


def _looked(step: Step, one: Evidence) -> bool:
    """Whether a step looked at the page of a piece of evidence as a picture."""
    if step.call is None or step.observation is None or step.observation.kind != "image":
        return False
    given = step.call.arguments
    return (given.get("paper_id"), given.get("page_number")) == (one.paper_id, one.page)


def _used(library: Library | None, run: Trajectory) -> tuple[Used, ...]:
    how, known = taken(run), dict[str, JudgedAnswer]()
    if how and library:
        with suppress(MemoryStoreError):
            known = library.memory.verdicts.found(list(how))
    return tuple(Used(id, how[id], known[id].question if id in known else "") for id in how)


def _suggested(library: Library | None, run: Trajectory) -> Suggestion | None:
    if library is None or not hinted(run):
        return None
    with suppress(MemoryStoreError):
        if item := suggestion(library.memory.verdicts, run, library):
            words = _UNSAID if item.absent else value_in_words(item.said)
            return Suggestion(
                item.id,
                item.question,
                item.said,
                words,
                item.absent,
                item.author,
                item.created,
                pieces(item.evidence),
            )
    return None


def one_line(text: str) -> str:
    """A text without breaks and marks of references."""
    return " ".join(without_marks(text).split())


def link(paper: str, page: int, box: Box | None = None) -> str:
    """The path of the page that shows a place: open at the box where there is one.

    What has no page (below 1) is on the paper's own page.
    """
    named = quote(paper, safe="")
    if page < 1:
        return f"/papers/{named}"
    at = "?box=" + ",".join(f"{edge:g}" for edge in box) if box is not None else ""
    return f"/read/{named}/{page}{at}"


def where(page: int, label: str) -> str:
    """The page as this program counts, and what is printed on it."""
    return f"page {page}" + (f" (printed {label})" if label and label != str(page) else "")


def box_of(text: str) -> Box | None:
    """`x,y,width,height` in points as a box, None where it is something else; brackets are forgiven."""
    try:
        edges = [float(part) for part in text.strip(" []()").split(",", 4)]
    except ValueError:
        return None
    return Box(*edges) if len(edges) == 4 and all(isfinite(edge) for edge in edges) else None
