"""How remembered experiences are shown in a prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from quire.memory.rendering import in_words
from quire.types import Experience


def plain(experience: Experience) -> str:
    """Question and answer."""
    return f"{_question(experience)}\nAnswer: {experience.output}"


def with_verdict(experience: Experience) -> str:
    """Question, answer and verdict."""
    return f"{plain(experience)}\nVerdict: {in_words(experience.verdict)}"


def reasoned(experience: Experience) -> str:
    """Question, reasoning (if any was kept) and answer."""
    rationale = experience.prompt_fields.get("rationale", "")
    lines = [
        _question(experience),
        f"Reasoning: {rationale}" if rationale else "",
        f"Answer: {experience.output}",
    ]
    return "\n".join(line for line in lines if line)


def with_author(experience: Experience) -> str:
    """Question, answer and the model that gave it."""
    return f"{_question(experience)}\nAnswer (by {experience.model}): {experience.output}"


def _question(experience: Experience) -> str:
    return experience.prompt_fields.get("shot", experience.key)


RENDERERS: Mapping[str, Callable[[Experience], str]] = {
    "plain": plain,
    "verdict": with_verdict,
    "reasoned": reasoned,
    "author": with_author,
}
