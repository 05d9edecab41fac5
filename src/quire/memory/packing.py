"""Fitting shots into a prompt: whole shots only, the least similar dropped first, the most similar last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar


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
