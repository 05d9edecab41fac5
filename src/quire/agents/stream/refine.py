"""Answer, criticise, answer again (Self-Refine, Madaan et al. 2024): up to four rounds, no verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quire.agents.stream.prompting import prompt
from quire.agents.stream.solver import Parse
from quire.types import Attempt, Instance, Shot

_ROUNDS = 4
_KEEP = "KEEP THIS ANSWER"


class RefineStyle:
    """The model is its own critic."""

    def attempt(
        self, ask: Callable[[str], str], instance: Instance, shots: tuple[Shot, ...], parse: Parse
    ) -> Attempt:
        """Stop as soon as the critic is content; an unreadable refinement leaves the answer as it was."""
        reply = ask(prompt(instance, shots, f"Give only the answer. {instance.answer_format}"))
        output = parse(reply, instance)
        history: list[str] = []
        for _ in range(_ROUNDS):
            critique = ask(prompt(instance, shots, _critic(output or reply)))
            if _KEEP in critique.upper():
                break
            history.append(f"Answer: {output or reply}\nCriticism: {critique}")
            reply = ask(prompt(instance, shots, _again(history, instance.answer_format)))
            output = parse(reply, instance) or output
        return Attempt(output, reply, "\n\n".join(history))


def _critic(answer: str) -> str:
    return (
        f"Proposed answer:\n{answer}\n\n"
        f"Check whether this answer is right. If it is, reply with the words {_KEEP}. "
        "If it is not, say briefly what is wrong and how to mend it."
    )


def _again(history: Sequence[str], answer_format: str) -> str:
    return (
        "Your answers so far and the criticism of each:\n\n" + "\n\n".join(history) + "\n\n"
        f"Answer again, heeding the last criticism. Give only the answer. {answer_format}"
    )
