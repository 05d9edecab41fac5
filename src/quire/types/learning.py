"""Judging and learning: scores, verdicts, experiences, and the instances of a stream of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from quire.types.asking import Trajectory, Usage


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


@dataclass(frozen=True, slots=True)
class Instance:
    """One input of a stream, as a solver and a memory may see it. The gold is never here.

    The texts are parts; the style of a method owns the template that puts them together. `closed` says why it
    is not asked: "missing" (what it is about is not here) or "impossible" (no answer can be right), else "".
    """

    task: str
    id: str
    key: str  # the text that similarity is measured on
    instruction: str  # what is to be done, the same for every instance of the task
    input: str  # this instance in full (schema, documents, question)
    shot: str  # this instance as a past example shows it (question only)
    answer_format: str  # how the final answer is to be written
    fields: Mapping[str, str] = field(default_factory=dict)  # further public fields, e.g. "db_id", "level"
    closed: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a solver made of one instance. `output` is the parsed answer, "" when there was none.

    `abstained`: it chose not to answer. `trajectory` is the run behind it, where an agent made one.
    """

    output: str
    reply: str = ""  # the model's raw text
    rationale: str = ""
    model: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    error: str = ""
    shots: tuple[str, ...] = ()  # ids of what memory recalled for it
    lesson: str = ""  # what was drawn from it once its verdict was known
    abstained: bool = False
    trajectory: Trajectory | None = None


@dataclass(frozen=True, slots=True)
class Shot:
    """A remembered experience as it stands in a prompt; similarity from -1 to 1 (0: not measured)."""

    text: str
    experience: Experience
    similarity: float = 0.0
