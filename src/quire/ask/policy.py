"""What decides the next step: a language model, or rules in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from quire.types import Question, Step


class Policy(Protocol):
    """Decides one step at a time; it never touches the library itself.

    A step comes back without observation: the loop fills it in.
    A reply that could not be understood comes back with `call=None` and an error observation.
    """

    @property
    def name(self) -> str:
        """The model's name, or "offline"."""
        ...

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions that it may take; what the environment tells it names no other."""
        ...

    def decide(self, question: Question, history: Sequence[Step]) -> Step:
        """The next step, given all steps so far with their observations.

        Raises:
            ModelError: the model could not be asked; the run ends as failed or with its best answer.
        """
        ...

    def conclude(self, question: Question, history: Sequence[Step]) -> Step:
        """The last step, when a limit is reached: its call is `GenerateAnswer`, None to abstain."""
        ...
