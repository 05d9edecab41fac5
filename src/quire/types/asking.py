"""Searching and asking: hits, results, questions, answers and the runs that led to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from quire.types.document import Box


@dataclass(frozen=True, slots=True)
class Hit:
    """One entry that a search found: the cell (table, column, key) that was encoded, and where it stands.

    `text` is a passage around it where everything was searched, else the cell alone; `quote` is then the
    sentence, row or caption that speaks (the cells of a row apart by " | "), and `bbox` its place. `spans`
    are (start, end) offsets in `text` of the words that match the query; `why` says what moved it.
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
    quote: str = ""
    why: tuple[str, ...] = ()


class Hits(list[Hit]):
    """Hits, best first; `notes` say in words what the user should know of the search."""

    def __init__(self, hits: Iterable[Hit] = (), notes: tuple[str, ...] = ()) -> None:
        super().__init__(hits)
        self.notes = notes


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


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier turn of a conversation: what was asked and answered, and the papers that it was about."""

    question: str
    answer: str = ""
    papers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question over PDFs. Papers are ids of the library; `extra` carries a data set's own fields.

    `only` are the papers that the user restricts all searches to; anchors are told and restrict nothing.
    `conversation` are the turns before it, the oldest first: context for a model.

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
    only: tuple[str, ...] = ()
    conversation: tuple[Exchange, ...] = ()

    @property
    def whole(self) -> str:
        """The text with the questions that it follows, the last two: what it says if it stands alone."""
        return "\n".join([*(each.question for each in self.conversation[-2:]), self.text])


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
    that the loop adds to the observation (that only its first action was run). `opening` marks the look-up
    that a method makes before its model is asked: nobody decided it, so it is no turn.
    """

    thought: str
    call: Call | None  # None when the reply could not be understood
    observation: Observation | None = None
    reply: str = ""  # the model's raw reply, "" for rules
    usage: Usage = Usage()
    seconds: float = 0.0
    answer: Answer | None = None
    notes: tuple[str, ...] = ()
    opening: bool = False


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

    @property
    def turns(self) -> int:
        """How many of its steps somebody decided."""
        return sum(not step.opening for step in self.steps)
