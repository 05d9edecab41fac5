"""One prompt, one answer (zero-shot, few-shot and every streaming method of the paper)."""

from __future__ import annotations

from collections.abc import Callable

from quire.agents.stream.prompting import prompt
from quire.agents.stream.solver import Parse
from quire.types import Attempt, Instance, Shot


class DirectStyle:
    """Asks for the answer and nothing else."""

    def attempt(
        self, ask: Callable[[str], str], instance: Instance, shots: tuple[Shot, ...], parse: Parse
    ) -> Attempt:
        """Ask once."""
        reply = ask(prompt(instance, shots, f"Give only the answer. {instance.answer_format}"))
        return Attempt(parse(reply, instance), reply)
