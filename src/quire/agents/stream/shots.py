"""What the PDF agent keeps of a run, and how it is shown again.

    trace(steps)   ->  '[Action]: RetrieveFromDatabase(sql="SELECT num_pages FROM metadata")'
    shown(shot)    ->  the memory's own text of the shot, and below it the actions behind the answer

The memory of a method says what stands in a shot (the verdict, the author, the reasoning, a lesson); this
adds only the actions, which are the example's point, and only where that text does not hold them already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from quire.agents.methods import ANSWER
from quire.environment import render_call
from quire.types import Shot, Step


def trace(steps: Sequence[Step]) -> str:
    """The look-ups of a run that worked, each with its thought if it had one; the answer stands elsewhere."""
    return "\n".join(_lines(steps))


def shown(shot: Shot) -> str:
    """The shot as a prompt shows it."""
    actions = shot.experience.prompt_fields.get("rationale", "")
    if not actions or actions in shot.text:
        return shot.text
    return f"{shot.text}\nThe actions behind this answer:\n{actions}"


def _lines(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        failed = step.observation is not None and step.observation.kind == "error"
        if step.call is None or step.call.name == ANSWER or failed:
            continue
        if step.thought:
            yield f"[Thought]: {step.thought}"
        yield f"[Action]: {render_call(step.call)}"
