"""Verdicts in words, and what of that which is remembered fits into a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from quire.types import Verdict

_WORDS = {
    "right": "This answer was right.",
    "wrong": "This answer was wrong.",
    "unknown": "Nobody has judged this answer.",
}


def in_words(verdict: Verdict) -> str:
    """The verdict as a sentence. Only the label: a reason could give the gold away."""
    return _WORDS[verdict.label]


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
