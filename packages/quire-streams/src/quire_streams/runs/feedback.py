"""What the solver's side hears of how right an answer was, and when.

    exact       at once, as judged
    noisy:P     flipped with probability P
    sparse:P    only with probability P, else nobody says anything
    delayed:N   after N further steps
    human       a person says so

joined by `+`: `noisy:0.1+delayed:50`. The measured score of a run is always the judge's; feedback is only
what is learnt from. Draws depend on the seed and the instance, so a resumed run hears the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from quire.errors import SettingsError
from quire.eval.result import Result
from quire.eval.scorers.scores import is_right
from quire.types import Attempt, Instance, Verdict

Ask = Callable[[Instance, Attempt], Verdict]


@dataclass(frozen=True, slots=True)
class Feedback:
    """A kind of feedback. `ask` is called for human feedback."""

    noise: float = 0.0
    share: float = 1.0
    delay: int = 0
    human: bool = False
    ask: Ask | None = None

    def verdict(self, instance: Instance, attempt: Attempt, result: Result, seed: int) -> Verdict:
        """What is said of this attempt. Of an attempt without an answer: that it is wrong."""
        if self.human:
            return self.ask(instance, attempt) if self.ask else Verdict("unknown")
        dice = random.Random(f"feedback/{seed}/{instance.id}")
        heard, flipped = dice.random() < self.share, dice.random() < self.noise
        if not heard or result.value is None:
            return Verdict("unknown", source="metric")
        right = is_right(result.value) != flipped
        return Verdict("right" if right else "wrong", source="metric")


def read_feedback(text: str, ask: Ask | None = None) -> Feedback:
    """From `exact`, `noisy:0.1`, `delayed:50`, `sparse:0.2`, `human`, joined by `+`.

    Raises:
        SettingsError: an unknown kind or a number out of range.
    """
    values: dict[str, float] = {}
    for part in text.split("+"):
        kind, _, number = part.strip().partition(":")
        values[kind] = 0.0 if kind in ("exact", "human") and not number else _number(kind, number)
    delay = int(values.get("delayed", 0))
    return Feedback(values.get("noisy", 0.0), values.get("sparse", 1.0), delay, "human" in values, ask)


_HIGHEST = {"noisy": 1.0, "sparse": 1.0, "delayed": 1e9}


def _number(kind: str, number: str) -> float:
    try:
        value, high = float(number), _HIGHEST[kind]
    except (ValueError, KeyError) as error:
        raise SettingsError(
            f"Unknown feedback `{':'.join(filter(None, (kind, number)))}`.",
            hint="Choose from exact, noisy:P, sparse:P, delayed:N, human.",
        ) from error
    if not 0.0 <= value <= high:
        raise SettingsError(f"Feedback `{kind}:{number}`: the number must be from 0 to {high:g}.")
    return value
