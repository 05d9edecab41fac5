"""What the REST interface gives, described: for the OpenAPI document, and for tests that hold it to its word.

Boxes are [x0, y0, width, height] in points (1/72 inch) from the top left of the page as it is displayed.
Times are ISO 8601, UTC.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

BoxShape = Annotated[list[float], Field(min_length=4, max_length=4)]


class Shape(BaseModel):
    """A JSON object with these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class CountsShape(Shape):
    """How many of each a paper has."""

    sections: int
    tables: int
    figures: int
    equations: int
    references: int


class PaperShape(Shape):
    """A paper. `error` says why it failed, `remarks` what could not be read; `old`: a refresh would help."""

    id: str
    title: str
    authors: list[str]
    year: int | None
    file_name: str
    pages: int
    state: Literal["parsed", "encoded", "failed"]
    error: str
    remarks: list[str]
    added: str
    doi: str
    arxiv_id: str
    old: bool
    counts: CountsShape


class Papers(Shape):
    """A part of the papers, and how many fit."""

    papers: list[PaperShape]
    total: int


class Removed(Shape):
    """The paper that was removed."""

    removed: PaperShape


class PageSizeShape(Shape):
    """A page: its number in the file from 1, its printed number, its size in points."""

    number: int
    label: str
    width: int
    height: int


class HeadingShape(Shape):
    """A section: its heading, its depth from 1, where the heading stands."""

    title: str
    level: int
    page: int
    bbox: BoxShape | None


class FloatingShape(Shape):
    """A table or figure."""

    label: str
    caption: str
    page: int
    bbox: BoxShape | None


class CitedShape(Shape):
    """An entry of the references; `cited_paper` is the id of the work where the library has it, else ""."""

    label: str
    text: str
    title: str
    year: int | None
    page: int
    bbox: BoxShape | None
    cited_paper: str


class WholePaper(Shape):
    """A paper and all that hangs on it, in reading order."""

    paper: PaperShape
    abstract: str
    venue: str
    tldr: str
    tags: list[str]
    language: str
    bibtex: str
    pages: list[PageSizeShape]
    sections: list[HeadingShape]
    tables: list[FloatingShape]
    figures: list[FloatingShape]
    references: list[CitedShape]


class PageText(Shape):
    """The text of a page in reading order."""

    text: str


class WordShape(Shape):
    """A word; `glued`: no space before it; `line`: the number of its line in the order of the file."""

    text: str
    box: BoxShape
    glued: bool
    line: int


class PageWords(Shape):
    """The words of a page, and its size in points."""

    page: int
    width: int
    height: int
    words: list[WordShape]


class HitShape(Shape):
    """A passage; `quote` is what speaks in it, `bbox` its place, `spans` the matching words in `text`."""

    score: float
    text: str
    paper_id: str
    page: int
    table: str
    column: str
    key: str
    bbox: BoxShape | None
    section: str
    paper_title: str
    page_label: str
    spans: list[list[int]]
    quote: str
    why: list[str]
    link: str


class Found(Shape):
    """Passages, best first; `notes` say what one should know of the search."""

    hits: list[HitShape]
    notes: list[str]


class Rows(Shape):
    """The result of a statement; `truncated` if a limit cut it."""

    columns: list[str]
    types: list[str]
    rows: list[list[Any]]
    truncated: bool


class EvidenceShape(Shape):
    """Where an answer stands; `verified`: the quote was found there; `link` opens the page at the box."""

    paper_id: str
    page: int
    bbox: BoxShape | None
    quote: str
    verified: bool
    page_label: str
    paper_title: str
    table: str
    key: str
    link: str


class AnswerShape(Shape):
    """An answer: a value, or evidence alone (abstained), or nothing found (abstained without evidence)."""

    status: Literal["answered", "abstained", "failed"]
    value: Any
    evidence: list[EvidenceShape]
    confidence: float
    note: str


class UsageShape(Shape):
    """What language models took. Cost in US dollars."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    calls: int
    cost: float


class SuggestionShape(Shape):
    """A past answer to a question that may be the same, and who judged it.

    `absent`: it says that the papers do not say it.
    """

    id: str
    question: str
    answer: Any
    absent: bool
    author: str
    created: str
    evidence: list[EvidenceShape]


class RunShape(BaseModel):
    """A question from end to end: each step with thought, call and observation, and the answer.

    `suggested` stands beside an abstention; `{"label": "right", "suggested": true}` takes it as the answer.
    """

    run_id: str
    question: dict[str, Any]
    steps: list[dict[str, Any]]
    answer: AnswerShape
    usage: UsageShape
    seconds: float
    turns: int
    method: str
    model: str
    started: str
    suggested: SuggestionShape | None


class JobShape(Shape):
    """A piece of long work. `progress` is the work's own, `result` there when it is done."""

    id: str
    kind: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    created: str
    started: str
    ended: str
    attempts: int
    spec: dict[str, Any]
    progress: dict[str, Any]
    result: Any
    error: dict[str, str] | None


class Accepted(Shape):
    """What was asked became a job."""

    job: JobShape


class JobList(Shape):
    """Jobs, the newest first."""

    jobs: list[JobShape]


class TurnShape(Shape):
    """A question of a conversation; `run` is its stored run, `ask` the id to follow or stop it by."""

    number: int
    question: str
    state: Literal["asking", "answered", "cancelled", "failed", "interrupted"]
    run: str
    ask: str


class ThreadShape(Shape):
    """A conversation. Without papers it is about the whole library."""

    id: str
    title: str
    papers: list[str]
    created: str
    updated: str
    turns: list[TurnShape]


class ThreadList(Shape):
    """Conversations without their turns, the latest first."""

    threads: list[ThreadShape]
    total: int


class JudgedShape(Shape):
    """What a verdict did: the item it is on, that of the correction, what it retired; what was `used`."""

    run: str
    label: Literal["right", "wrong"]
    item: str
    correction: str
    retired: list[str]
    used: list[str]


class ItemShape(BaseModel):
    """What is remembered of a judged answer, how often it was judged, and how often it helped or hurt."""

    id: str
    state: str
    retired: str
    question: str
    answer: Any
    kind: str
    author: str
    run: str
    imported: bool
    created: str
    right: int
    wrong: int
    helped: int
    hurt: int


class Items(Shape):
    """Items of the memory."""

    items: list[ItemShape]
