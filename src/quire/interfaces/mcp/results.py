"""What the tools give back: plain values with a schema, never longer than a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from quire.interfaces.links import link
from quire.memory.items import Item
from quire.models.token_estimate import estimate_tokens
from quire.types import Box, Evidence, Hit, Trajectory

MAX_TOKENS = 5000  # of any one result
_BOX = "[x0, y0, width, height] in points from the top left of the page, for view_page."


class Passage(BaseModel):
    """A passage that answers, and the words in it that speak."""

    paper: Annotated[str, Field(description="Id of the paper.")]
    title: str
    page: Annotated[int, Field(description="Page in the file, from 1; -1 for what has no page.")]
    section: str
    text: str
    speaks: Annotated[str, Field(description="The sentence, row or caption that fits best.")]
    box: Annotated[list[float] | None, Field(description=_BOX)]
    score: float


class Found(BaseModel):
    """What a search found, best first."""

    passages: list[Passage]
    notes: Annotated[list[str], Field(description="What you should know of this search.")]


class Source(BaseModel):
    """Where an answer stands."""

    paper: Annotated[str, Field(description="Id of the paper.")]
    title: str
    page: int
    quote: str
    verified: Annotated[bool, Field(description="Whether the quote was found on that page.")]
    box: Annotated[list[float] | None, Field(description=_BOX)]
    link: Annotated[str, Field(description="Opens the page at the box; empty where no page is served.")]


class Suggested(BaseModel):
    """A past answer to a question that may be the same, for the user to decide."""

    question: Annotated[str, Field(description="What was asked then.")]
    answer: Annotated[Any, Field(description="A JSON value; null: the papers do not say it.")]
    author: Annotated[str, Field(description="Who judged it right.")]
    judged: Annotated[str, Field(description="When, ISO 8601.")]
    evidence: list[Source]


class Reply(BaseModel):
    """An answer with its evidence, or an honest abstention with the closest passages."""

    status: Annotated[str, Field(description="answered, abstained or failed.")]
    answer: Annotated[Any, Field(description="A JSON value; null unless answered.")]
    confidence: float
    note: str
    evidence: list[Source]
    suggested: Annotated[
        Suggested | None,
        Field(description="Show it to the user; where it fits, call `verdict` with right and `suggested`."),
    ]
    run: Annotated[str, Field(description="Id of this run, for `verdict`.")]
    model: str
    tokens: int
    cost: Annotated[float, Field(description="US dollars.")]


class Ruled(BaseModel):
    """What a verdict did."""

    run: str
    label: str
    learned: Annotated[str, Field(description="Id of the remembered answer, or of the correction.")]
    retired: list[str]


class Added(BaseModel):
    """What became of the files that were added."""

    files: Annotated[list[str], Field(description="Outcome and file, one a line; failures with reason.")]
    counts: dict[str, int]
    notes: list[str]


def found(hits: Sequence[Hit], notes: Sequence[str]) -> Found:
    """The hits that fit; the rest is told."""
    passages: list[Passage] = []
    left = MAX_TOKENS
    for hit in hits:
        text = cut(hit.text, left)
        left -= estimate_tokens(text) + estimate_tokens(hit.quote) + 100  # names, ids and boxes
        if left < 0 and passages:
            break
        passages.append(
            Passage(
                paper=hit.paper_id,
                title=hit.paper_title[:200],
                page=hit.page,
                section=hit.section[:200],
                text=text,
                speaks=cut(hit.quote, MAX_TOKENS // 10),
                box=_edges(hit.bbox),
                score=round(hit.score, 4),
            )
        )
    told = list(notes)
    if len(passages) < len(hits):
        told.append(f"{len(hits) - len(passages)} more did not fit; ask in narrower words.")
    if not hits:
        told.append(
            "Nothing was found; try other words, or `schema` and `sql` for what can be asked exactly."
        )
    return Found(passages=passages, notes=told)


def reply(run: Trajectory, server: str = "", beside: Item | None = None) -> Reply:
    """A run as an agent needs it, with the past answer that was shown `beside` it.

    `server` is the address of the pages that links lead to.
    """
    answer = run.answer
    shown = answer.evidence[:10]
    return Reply(
        status=answer.status,
        answer=_value(answer.value, MAX_TOKENS // 2),
        confidence=round(answer.confidence, 3),
        note=cut(answer.note, MAX_TOKENS // 10),
        evidence=[_source(each, server, MAX_TOKENS // 2 // max(len(shown), 1)) for each in shown],
        suggested=_suggested(beside, server) if beside else None,
        run=run.run_id,
        model=run.model,
        tokens=run.usage.prompt_tokens + run.usage.completion_tokens,
        cost=run.usage.cost,
    )


def _suggested(item: Item, server: str) -> Suggested:
    return Suggested(
        question=cut(item.question, MAX_TOKENS // 10),
        answer=_value(item.answer, MAX_TOKENS // 10),
        author=item.author[:200],
        judged=item.created,
        evidence=[_source(each, server, MAX_TOKENS // 20) for each in item.evidence[:3]],
    )


def _value(value: Any, tokens: int) -> Any:
    """A JSON value, as a text that is cut where it is longer."""
    if isinstance(value, str) or estimate_tokens(str(value)) > tokens:
        return cut(str(value), tokens)
    return value


def _source(item: Evidence, server: str, tokens: int) -> Source:
    return Source(
        paper=item.paper_id,
        title=item.paper_title[:200],
        page=item.page,
        quote=cut(item.quote, tokens),
        verified=item.verified,
        box=_edges(item.bbox),
        link=link(item.paper_id, item.page, item.bbox, server=server) if server else "",
    )


def _edges(box: Box | None) -> list[float] | None:
    return [round(edge, 1) for edge in box] if box else None


def cut(text: str, tokens: int, more: str = " [...]") -> str:
    """The beginning of a text that has about so many tokens at most; `more` says that it was cut."""
    if estimate_tokens(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + more
