"""Searching and asking: hits, results, questions, answers, the runs that led to them and what those took."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

from quire.text import without_marks
from quire.types.document import Box, table_html


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
class Hit:
    """One entry that a search found: the cell (table, column, key) that was encoded, and where it stands.

    `text` is a passage around it where everything was searched, else the cell alone; `quote` is then the
    sentence, row or caption that speaks (the cells of a row apart by " | "), and `bbox` its place. `spans`
    are (start, end) offsets in `text` of the words that match the query; `why` says what moved it. `meaning`
    is its likeness to the query (a cosine; 0 without vectors), `covered` the share of the query's words that
    it says, rare ones more; both 0 in a search of one column. `says` is how surely it says the answer, by a
    reader of both (a logit); None where it was not read.
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
    meaning: float = 0.0
    covered: float = 0.0
    says: float | None = None

    def _repr_html_(self) -> str:
        return Hits([self])._repr_html_()


class Hits(list[Hit]):
    """Hits, best first; `notes` say in words what the user should know of the search."""

    def __init__(self, hits: Iterable[Hit] = (), notes: tuple[str, ...] = ()) -> None:
        super().__init__(hits)
        self.notes = notes

    def _repr_html_(self) -> str:
        rows = [(hit.paper_title or hit.paper_id, hit.page, hit.quote or hit.text) for hit in self]
        return table_html(("paper", "page", "passage"), rows, " ".join(self.notes))


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

    def df(self) -> Any:
        """The rows as a `pandas.DataFrame`; pandas is not among what quire installs."""
        from importlib import import_module

        return import_module("pandas").DataFrame(list(self.rows), columns=list(self.columns))

    def _repr_html_(self) -> str:
        return table_html(self.columns, self.rows, "Cut by a limit." if self.truncated else "")


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier turn of a conversation: what was asked and answered, and the papers that it was about."""

    question: str
    answer: str = ""
    papers: tuple[str, ...] = ()


LONGEST_QUESTION = 10_000  # characters, of a query too


@dataclass(frozen=True, slots=True)
class Question:
    """A question over PDFs. Papers are ids of the library; `extra` carries a data set's own fields.

    `only` are the papers that the user restricts all searches to; anchors are told and restrict nothing.
    `conversation` are the turns before it, the oldest first: context for a model; `alone`, the text says
    what it takes of them.

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
    alone: bool = False

    @property
    def whole(self) -> str:
        """The text with the questions that it follows, the last two: what it says if it stands alone."""
        if self.alone:
            return self.text
        whole = "\n".join([*(each.question for each in self.conversation[-2:]), self.text])
        return whole[-LONGEST_QUESTION:]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where an answer stands. `verified` is True only if the quote was found on that page.

    `how`: the answer names it ("quoted"), it names none and was shown this ("shown"), or it was read in a
    picture ("seen", never verified). A text says by its `mark`, as [1], where it rests on it; 0: nowhere.
    """

    paper_id: str
    page: int
    bbox: Box | None
    quote: str
    verified: bool
    page_label: str = ""
    paper_title: str = ""
    table: str = ""  # the row it came from: table name and primary key
    key: str = ""
    how: Literal["quoted", "shown", "seen"] = "quoted"
    mark: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of one question.

    `status` is "answered", "abstained" or "failed"; `value` is a JSON value (None unless answered);
    `confidence` is 0 to 1; `note` says in words what the user should know (why it abstained, that no
    language model was used). For an abstention `evidence` holds the closest passages. A tentative answer has
    a `probability`: how often such answers are right; 0 otherwise. `spoken` is False where the papers do not
    seem to speak of the question at all. Of a `stopped` one `value` is what was written by then.
    """

    status: Literal["answered", "abstained", "failed"]
    value: Any = None
    evidence: tuple[Evidence, ...] = ()
    confidence: float = 0.0
    note: str = ""
    probability: float = 0.0
    spoken: bool = True
    stopped: bool = False

    @property
    def headline(self) -> str:
        """What is said first, whatever came of it: an answer, a sentence, or that nothing speaks of it."""
        if self.status == "failed":
            return "Failed"
        if self.status == "answered":
            said = value_in_words(self.value)
            return f"Probably {without_marks(said)}" if self.probability else said
        if not self.spoken:
            return "Your papers do not seem to speak of this"
        return without_marks(self.evidence[0].quote) if self.evidence else "Nothing found"

    def _repr_html_(self) -> str:
        rows = [
            (one.paper_title or one.paper_id, one.page, one.quote, "yes" if one.verified else "no")
            for one in self.evidence
        ]
        table = table_html(("paper", "page", "quote", "verified"), rows, self.note)
        return f"<p><b>{escape(self.headline)}</b></p>{table if rows else ''}"


def value_in_words(value: Any) -> str:
    """A JSON value as a text: a list of words as its words, anything that is nested as JSON."""
    if isinstance(value, str):
        return value
    nests = (list, tuple, dict)
    if isinstance(value, (list, tuple)) and value and not any(isinstance(each, nests) for each in value):
        words = [value_in_words(each) for each in value]
        return ("; " if any("," in word for word in words) else ", ").join(words)
    return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of what a model is writing: of its thought, or of its answer as text.

    What was said is of one turn; the step that follows takes its place.
    """

    kind: Literal["thought", "answer"]
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """An action as it was parsed: its name and its arguments."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Observation:
    """What the environment gave back.

    `kind` is "rows", "text", "image", "warning", "error" or "final". `text` is exactly what the agent is
    shown. `rows` are the values behind it (for evidence), `image` a PNG; `notes` are what a search says of
    itself, which stand in `text` as well.
    """

    kind: Literal["rows", "text", "image", "warning", "error", "final"]
    text: str
    rows: tuple[Mapping[str, Any], ...] = ()
    image: bytes | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed(Observation):
    """An action that failed; `why` in the words of its error, without the tag that an agent is shown."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class Final(Observation):
    """The action that ends a run; `answer` is the value that it gives."""

    answer: Any = None


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

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.question.text)}</p>{self.answer._repr_html_()}"
