"""The nouns that cross rooms: frozen values, no behaviour beyond reading themselves.

Boxes are `(x0, y0, width, height)` in PDF points (1/72 inch) with the origin at the top left of the page
as it is displayed (after /Rotate and relative to the crop box). Page numbers start at 1. Ordinals start
at 0. Texts are Unicode in NFC, with ligatures resolved and line-break hyphens removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

# --------------------------------------------------------------------------- a parsed PDF


class Box(NamedTuple):
    """A rectangle in PDF points, origin top left."""

    x0: float
    y0: float
    width: float
    height: float

    @property
    def x1(self) -> float:
        """Right edge."""
        return self.x0 + self.width

    @property
    def y1(self) -> float:
        """Bottom edge."""
        return self.y0 + self.height

    @classmethod
    def from_edges(cls, x0: float, y0: float, x1: float, y1: float) -> Box:
        """The box between two corners."""
        return cls(x0, y0, x1 - x0, y1 - y0)

    def union(self, other: Box) -> Box:
        """The smallest box that holds both."""
        return Box.from_edges(
            min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1)
        )


@dataclass(frozen=True, slots=True)
class Element:
    """Anything that stands in one place of one page."""

    page: int
    bbox: Box


@dataclass(frozen=True, slots=True)
class TextLine(Element):
    """A printed line of a paragraph: from the character `start` of its text on, it stands here."""

    start: int


@dataclass(frozen=True, slots=True)
class Paragraph(Element):
    """A paragraph (or list item) of running text; its box is on the page and in the column where it begins.

    `lines` tell where each part of the text stands, over columns and pages; empty if it is not known.
    """

    text: str
    lines: tuple[TextLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A section with the text that stands directly under its own heading (not in its subsections).

    `parent` is the ordinal (index in `Document.sections`) of the enclosing section; `level` is 1 for the
    top. `number` is the printed number ("3.2") or "". The paragraphs joined by blank lines are the text.
    """

    title: str
    number: str
    level: int
    parent: int | None
    page: int
    bbox: Box | None
    paragraphs: tuple[Paragraph, ...]
    pages: tuple[int, ...]

    @property
    def text(self) -> str:
        """The section's own text."""
        return "\n\n".join(p.text for p in self.paragraphs)


@dataclass(frozen=True, slots=True)
class Chunk(Element):
    """A passage for search: whole sentences of one section on one page, within the encoder's tokens."""

    text: str
    section: int | None  # index in Document.sections


@dataclass(frozen=True, slots=True)
class Page:
    """One page: size in points, the label printed on it (or given by the file), its text in reading order."""

    number: int
    width: float
    height: float
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Table(Element):
    """A table: label ("Table 2" or ""), caption (with its label), cells as HTML with header rows, spans."""

    label: str
    caption: str
    html: str


@dataclass(frozen=True, slots=True)
class Image(Element):
    """A figure: label ("Figure 2" or ""), caption (with its label, "" if it has none)."""

    label: str
    caption: str


@dataclass(frozen=True, slots=True)
class Equation(Element):
    """A displayed equation: its raw text and its printed number ("(3)" or "")."""

    text: str
    number: str


@dataclass(frozen=True, slots=True)
class Reference(Element):
    """One entry of the list of references. `label` as printed ("[12]", "12.", "" for author-year lists)."""

    text: str
    label: str
    title: str
    year: int | None


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the paper says of itself; empty where it does not say."""

    title: str = ""
    authors: tuple[str, ...] = ()
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""  # full name as printed: conference or journal
    venue_short: str = ""  # abbreviation, e.g. "ACL"
    volume: str = ""
    doi: str = ""
    arxiv_id: str = ""
    url: str = ""
    emails: tuple[str, ...] = ()
    language: str = ""  # ISO 639-1 as far as it can be told, e.g. "en"


@dataclass(frozen=True, slots=True)
class Document:
    """A PDF as many views. Everything stands in reading order.

    `scanned` holds the numbers of pages that have no usable text layer. `notes` says in words what could
    not be read, for people.
    """

    metadata: Metadata
    pages: tuple[Page, ...]
    sections: tuple[Section, ...] = ()
    tables: tuple[Table, ...] = ()
    images: tuple[Image, ...] = ()
    equations: tuple[Equation, ...] = ()
    references: tuple[Reference, ...] = ()
    scanned: tuple[int, ...] = ()
    parser: str = ""  # name and version of the parser
    notes: tuple[str, ...] = ()


# --------------------------------------------------------------------------- searching


@dataclass(frozen=True, slots=True)
class Hit:
    """One entry that a search found: the cell (table, column, key) that was encoded, and where it stands.

    `spans` are (start, end) offsets in `text` of the words that match the query.
    """

    score: float
    text: str
    paper_id: str
    page: int  # -1 when the cell has no page (metadata)
    table: str
    column: str
    key: str
    bbox: Box | None = None
    section: str = ""
    paper_title: str = ""
    page_label: str = ""
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ResultSet:
    """What a SQL query gave: column names, DuckDB type names, rows; `truncated` if limits cut it.

    `total` is the number of rows of the whole result, or None when it was not counted.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    total: int | None = None


# --------------------------------------------------------------------------- asking


@dataclass(frozen=True, slots=True)
class Question:
    """A question over PDFs. Papers are ids of the library; `extra` carries a data set's own fields.

    The gold answer is never here: it stays on the judge's side.
    """

    id: str
    text: str
    answer_format: str = ""
    anchor_papers: tuple[str, ...] = ()
    reference_papers: tuple[str, ...] = ()
    conferences: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None  # JSON schema that the answer must satisfy
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where an answer stands. `verified` is True only if the quote was found on that page."""

    paper_id: str
    page: int
    bbox: Box | None
    quote: str
    verified: bool
    page_label: str = ""
    paper_title: str = ""
    table: str = ""  # the row it came from: table name and primary key
    key: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of one question.

    `status` is "answered", "abstained" or "failed"; `value` is a JSON value (None unless answered);
    `confidence` is 0 to 1; `note` says in words what the user should know (why it abstained, that no
    language model was used). For an abstention `evidence` holds the closest passages.
    """

    status: Literal["answered", "abstained", "failed"]
    value: Any = None
    evidence: tuple[Evidence, ...] = ()
    confidence: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls to language models took. Cost in US dollars."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    calls: int = 0
    cost: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.calls + other.calls,
            self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True)
class Call:
    """An action as it was parsed: its name and its arguments."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Observation:
    """What the environment gave back.

    `kind` is "rows", "text", "image", "warning", "error" or "final". `text` is exactly what the agent is
    shown. `rows` are the values behind it (for evidence), `image` a PNG.
    """

    kind: Literal["rows", "text", "image", "warning", "error", "final"]
    text: str
    rows: tuple[Mapping[str, Any], ...] = ()
    image: bytes | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One turn: what the policy thought and did, and what it saw.

    `answer` is what the policy itself says of its final answer (evidence, confidence, that it abstains);
    None when it says nothing, and on every step that does not end the run. `notes` are remarks on the reply
    that the loop adds to the observation (that only its first action was run).
    """

    thought: str
    call: Call | None  # None when the reply could not be understood
    observation: Observation | None = None
    reply: str = ""  # the model's raw reply, "" for rules
    usage: Usage = Usage()
    seconds: float = 0.0
    answer: Answer | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A whole run: the question, every step, the answer, and what is needed to replay it."""

    run_id: str
    question: Question
    steps: tuple[Step, ...]
    answer: Answer
    usage: Usage = Usage()
    seconds: float = 0.0
    method: str = ""
    model: str = ""  # "offline" when no language model was used
    started: str = ""  # ISO 8601, UTC
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


# --------------------------------------------------------------------------- judging and learning


@dataclass(frozen=True, slots=True)
class Score:
    """A scorer's result: 0 to 1, or None when it could not judge, and the reason in words."""

    value: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Feedback on one attempt. Nobody yet, or a judge that failed, is "unknown", never "right"."""

    label: Literal["right", "wrong", "unknown"]
    reason: str = ""
    source: str = ""  # "metric", "human", "judge"


@dataclass(frozen=True, slots=True)
class Experience:
    """One remembered attempt: what was asked, what was said, how it was judged, and where that came from."""

    key: str  # the text that similarity is measured on
    task: str
    instance_id: str
    prompt_fields: Mapping[str, str]
    output: str
    verdict: Verdict
    step: int
    model: str
    created: str  # ISO 8601, UTC
    id: str = ""


# --------------------------------------------------------------------------- streams of tasks


@dataclass(frozen=True, slots=True)
class Instance:
    """One input of a stream, as a solver and a memory may see it. The gold is never here.

    The texts are parts; the style of a method owns the template that puts them together.
    """

    task: str
    id: str
    key: str  # the text that similarity is measured on
    instruction: str  # what is to be done, the same for every instance of the task
    input: str  # this instance in full (schema, documents, question)
    shot: str  # this instance as a past example shows it (question only)
    answer_format: str  # how the final answer is to be written
    fields: Mapping[str, str] = field(default_factory=dict)  # further public fields, e.g. "db_id", "level"


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a solver made of one instance. `output` is the parsed answer, "" when there was none."""

    output: str
    reply: str = ""  # the model's raw text
    rationale: str = ""
    model: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    error: str = ""
    shots: tuple[str, ...] = ()  # ids of what memory recalled for it


@dataclass(frozen=True, slots=True)
class Shot:
    """A remembered experience as it goes into a prompt; similarity from -1 to 1 (0 where none is measured)."""

    text: str
    experience: Experience
    similarity: float = 0.0
