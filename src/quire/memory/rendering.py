"""How remembered experiences are shown in a prompt, and which of them fit into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from quire.types import Experience, Verdict

_WORDS = {
    "right": "This answer was right.",
    "wrong": "This answer was wrong.",
    "unknown": "Nobody has judged this answer.",
}


def in_words(verdict: Verdict) -> str:
    """The verdict as a sentence. Only the label: a reason could give the gold away."""
    return _WORDS[verdict.label]


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


class Texted(Protocol):
    """What has a text: a shot, an example."""

    @property
    def text(self) -> str:
        """As it stands in a prompt."""
        ...


T = TypeVar("T", bound=Texted)


def pack(best_first: Sequence[T], budget: int, count: Callable[[str], int]) -> tuple[T, ...]:
    """The longest run of best shots whose texts take at most `budget` tokens (0: all), best last."""
    if not budget:
        return tuple(reversed(best_first))
    kept: list[T] = []
    used = 0
    for shot in best_first:
        used += count(shot.text)
        if used > budget:
            break
        kept.append(shot)
    return tuple(reversed(kept))


def approximate_tokens(text: str) -> int:
    """Tokens of a text without a tokenizer: a token is about four bytes of UTF-8. Rounds up."""
    return (len(text.encode("utf-8", "surrogatepass")) + 3) // 4
