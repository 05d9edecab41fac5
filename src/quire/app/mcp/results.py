"""What the tools give back: plain values with a schema, of so many tokens at most; errors with hints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from quire.app.run_view import EvidenceView, RunView, Suggestion, title_of
from quire.ask.personal.judging import Judged
from quire.build import Library
from quire.errors import QuireError
from quire.library.contents import Contents, Floating, SectionHeading
from quire.library.papers import Paper
from quire.llm.messages import estimate_tokens
from quire.types import Box, Hit

_SHELL = re.compile(r"`quire ([a-z-]{1,20})\b[^`]{0,200}`")
_TOOLS = {  # what the shell's verbs are called here
    "status": "`list_papers`",
    "schema": "`schema`",
    "search": "`search`",
    "ask": "`ask`",
    "show": "`ask`",
    "verdict": "`verdict`",
    "page": "`view_page`",
}
_VERDICT = re.compile(r'quire verdict (right|wrong) RUN(?: --([a-z]{1,20})(?: (\d|"\.\.\."))?)?')


def in_tools(error: QuireError | OSError) -> str:
    """An error as an agent is told it: by names of tools; what only the user's shell can do is said so."""
    if isinstance(error, OSError):
        return f"The disk or network refuses: {error.strerror or error}."
    told = _VERDICT.sub(_verdict, f"{error.kind}: {error}")
    told = _SHELL.sub(lambda found: _TOOLS.get(found[1], found[0]), told)
    return f"{told} (`quire ...` is for the user's shell.)" if _SHELL.search(told) else told


def _verdict(found: re.Match[str]) -> str:
    label, name, value = found.groups()
    return f"`verdict` with label={label}" + (f" and {name}={value or 'true'}" if name else "")


MAX_TOKENS = 5000  # of any one result
_PaperId = Annotated[str, Field(description="Id of the paper.")]
_Edges = Annotated[
    list[float] | None,
    Field(description="[x0, y0, width, height] in points from the top left of the page, for view_page."),
]


class ToolPassage(BaseModel):
    """A passage that answers, and the words in it that speak."""

    paper: _PaperId
    title: str
    page: Annotated[int, Field(description="Page in the file, from 1; -1 for what has no page.")]
    section: str
    text: str
    speaks: Annotated[str, Field(description="The sentence, row or caption that fits best.")]
    box: _Edges
    score: float


class ToolFound(BaseModel):
    """What a search found, best first."""

    passages: list[ToolPassage]
    notes: Annotated[list[str], Field(description="What you should know of this search.")]


class ToolSource(BaseModel):
    """Where an answer stands."""

    paper: _PaperId
    title: str
    page: int
    quote: str
    verified: Annotated[bool, Field(description="Whether the quote was found on that page.")]
    box: _Edges
    link: Annotated[str, Field(description="Opens the page at the box; empty where no page is served.")]


class Suggested(BaseModel):
    """A past answer to a question that may be the same, for the user to decide."""

    question: Annotated[str, Field(description="What was asked then.")]
    answer: Annotated[Any, Field(description="A JSON value; null: the papers do not say it.")]
    author: Annotated[str, Field(description="Who judged it right.")]
    judged: Annotated[str, Field(description="When, ISO 8601.")]
    evidence: list[ToolSource]


class ToolReply(BaseModel):
    """An answer with its evidence, or an honest abstention with the closest passages."""

    status: Annotated[str, Field(description="answered, abstained or failed.")]
    headline: Annotated[str, Field(description="What to tell the user first.")]
    answer: Annotated[Any, Field(description="A JSON value; null unless answered.")]
    confidence: float
    probability: Annotated[float, Field(description="Of a tentative answer: how likely it is right; else 0.")]
    note: str
    evidence: list[ToolSource]
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


class Listed(BaseModel):
    """A paper of the library."""

    paper: _PaperId
    title: str
    authors: list[str]
    year: int | None
    pages: int
    file: str
    state: Annotated[str, Field(description="encoded: whole; parsed: words only; failed: not readable.")]


class PaperList(BaseModel):
    """Papers, the latest first."""

    papers: list[Listed]
    total: Annotated[int, Field(description="How many fit; call again with `start` for the rest.")]


class ToolPart(BaseModel):
    """A section, table or figure, and where it begins."""

    title: str
    page: int
    box: _Edges


class Outline(BaseModel):
    """What a paper consists of; sections are indented by their depth."""

    paper: _PaperId
    title: str
    authors: list[str]
    year: int | None
    venue: str
    doi: str
    pages: int
    abstract: str
    sections: list[ToolPart]
    tables: list[ToolPart]
    figures: list[ToolPart]
    references: Annotated[int, Field(description="How many entries its bibliography has.")]


class ToolAdded(BaseModel):
    """What became of the files that were added."""

    files: Annotated[list[str], Field(description="Outcome and file, one a line; failures with reason.")]
    counts: dict[str, int]
    notes: list[str]


def found(library: Library | None, hits: Sequence[Hit], notes: Sequence[str]) -> ToolFound:
    """The hits that fit; the rest is told."""
    passages: list[ToolPassage] = []
    left = MAX_TOKENS
    for hit in hits:
        text = cut(hit.text, left)
        left -= estimate_tokens(text) + estimate_tokens(hit.quote) + 100  # names, ids and boxes
        if left < 0 and passages:
            break
        passages.append(
            ToolPassage(
                paper=hit.paper_id,
                title=title_of(hit, library)[:200],
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
    return ToolFound(passages=passages, notes=told)


def listed(paper: Paper) -> Listed:
    """A paper in short."""
    return Listed(
        paper=paper.id,
        title=paper.title[:300],
        authors=[name[:100] for name in paper.authors[:20]],
        year=paper.year,
        pages=paper.pages,
        file=paper.file_name[:200],
        state=paper.state,
    )


def paper_list(papers: Sequence[Paper], start: int, limit: int) -> PaperList:
    """So many of them, as far as they fit."""
    told: list[Listed] = []
    left = MAX_TOKENS
    for paper in papers[start : start + limit]:
        told.append(listed(paper))
        left -= estimate_tokens(told[-1].model_dump_json())
        if left < 0 and len(told) > 1:
            del told[-1]
            break
    return PaperList(papers=told, total=len(papers))


def outline(found: Contents) -> Outline:
    """What a paper consists of; headings and captions are cut, and what is too much is left out."""
    paper = found.paper
    return Outline(
        paper=paper.id,
        title=paper.title[:300],
        authors=[name[:100] for name in paper.authors[:20]],
        year=paper.year,
        venue=found.venue[:200],
        doi=paper.doi,
        pages=paper.pages,
        abstract=cut(found.abstract, MAX_TOKENS // 5),
        sections=_parts([("  " * (one.level - 1) + one.title, one) for one in found.sections]),
        tables=_parts([(one.caption or one.label, one) for one in found.tables]),
        figures=_parts([(one.caption or one.label, one) for one in found.figures]),
        references=len(found.references),
    )


def _parts(told: Sequence[tuple[str, SectionHeading | Floating]]) -> list[ToolPart]:
    width = 300 if len(told) <= 20 else 100
    return [ToolPart(title=title[:width], page=one.page, box=_edges(one.bbox)) for title, one in told[:60]]


def reply(view: RunView, server: str = "") -> ToolReply:
    """A run as an agent needs it; `server` is the address of the pages that links lead to."""
    shown = view.evidence[:10]
    return ToolReply(
        status=view.run.answer.status,
        answer=_value(view.value, MAX_TOKENS // 2),
        headline=cut(view.headline, MAX_TOKENS // 10),
        confidence=round(view.confidence, 3),
        probability=view.probability,
        note=cut(view.note, MAX_TOKENS // 10),
        evidence=[_source(each, server, MAX_TOKENS // 2 // max(len(shown), 1)) for each in shown],
        suggested=_suggested(view.suggested, server) if view.suggested else None,
        run=view.id,
        model=view.run.model,
        tokens=view.tokens,
        cost=view.cost,
    )


def ruled(judged: Judged) -> Ruled:
    """What a verdict did."""
    learned = judged.correction or judged.item
    return Ruled(run=judged.run, label=judged.label, learned=learned, retired=list(judged.retired))


def _suggested(item: Suggestion, server: str) -> Suggested:
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


def _source(item: EvidenceView, server: str, tokens: int) -> ToolSource:
    return ToolSource(
        paper=item.paper,
        title=item.title[:200],
        page=item.page,
        quote=cut(item.quote, tokens),
        verified=item.found == "verified",
        box=_edges(item.box),
        link=f"{server}{item.link}" if server else "",
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
