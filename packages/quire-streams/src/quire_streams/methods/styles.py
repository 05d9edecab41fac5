"""Styles: how one instance is asked for, and how its answer is taken out of the reply.

    solver = PromptSolver("gpt-4o", model, DirectStyle(), task.parse)
    attempt = solver.solve(instance, memory.recall(instance, solver.name))

    direct   one prompt, one answer (zero-shot, few-shot and every streaming method of the paper)
    reason   reason first, then answer (chain of thought, Kojima et al. 2022), with or without a memory
    refine   answer, criticise, answer again (Self-Refine, Madaan et al. 2024): up to four rounds, no verdict

A solver gets the instance and the shots, and nothing else: no gold, no metric, no judge.

All styles share one template: task, past examples (if any), this instance, how to answer. Its parts are
joined, never formatted into one another, so that braces in a schema or a reply stay what they are. Without
shots the section about them is left out, which makes it the zero-shot prompt. Reasoning is kept with the
answer, so that a memory can show how a right answer was reached.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from quire.llm import Model, spending, user
from quire.types import Attempt, Instance, Shot

Parse = Callable[[str, Instance], str]


class Solver(Protocol):
    """Answers one instance, given what memory recalled for it."""

    @property
    def name(self) -> str:
        """The model's name, or that of the offline solver."""
        ...

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """An attempt; `output` is "" when no answer could be read."""
        ...


class PromptingStyle(Protocol):
    """How a model is asked: the template and the number of turns."""

    def attempt(
        self, ask: Callable[[str], str], instance: Instance, shots: tuple[Shot, ...], parse: Parse
    ) -> Attempt:
        """Ask (once or several times) and read the answer. Usage and time are counted by the caller."""
        ...


@dataclass
class PromptSolver:
    """A style over a model."""

    name: str
    model: Model
    style: PromptingStyle
    parse: Parse

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """Prompt the model and read its reply."""
        started = time.perf_counter()

        def ask(prompt: str) -> str:
            return self.model.complete([user(prompt)]).text

        with spending() as spent:
            attempt = self.style.attempt(ask, instance, shots, self.parse)
        seconds = time.perf_counter() - started
        return replace(attempt, model=self.name, usage=spent.usage, seconds=seconds)


_BETWEEN = "\n\n---\n\n"


def prompt(instance: Instance, shots: Sequence[Shot], ending: str) -> str:
    """The whole prompt; the last shot stands next to the question."""
    parts = [instance.instruction]
    if shots:
        parts.append("Earlier cases, the closest one last:")
        parts.append(_BETWEEN.join(shot.text for shot in shots))
        parts.append("End of the earlier cases. The case to work on now:")
    parts += [instance.input, ending]
    return "\n\n".join(part for part in parts if part)


class DirectStyle:
    """Asks for the answer and nothing else."""

    def attempt(
        self, ask: Callable[[str], str], instance: Instance, shots: tuple[Shot, ...], parse: Parse
    ) -> Attempt:
        """Ask once."""
        reply = ask(prompt(instance, shots, f"Give only the answer. {instance.answer_format}"))
        return Attempt(parse(reply, instance), reply)


_MARK = re.compile(r"^[\s*#_]*answer[\s*_]*:[ \t*_]*", re.IGNORECASE | re.MULTILINE)
_LEAD = re.compile(r"^[\s*#_]*reasoning[\s*_]*:\s*", re.IGNORECASE)


class ReasonStyle:
    """Asks for reasoning and a marked answer."""

    def attempt(
        self, ask: Callable[[str], str], instance: Instance, shots: tuple[Shot, ...], parse: Parse
    ) -> Attempt:
        """Ask once; split the reply at its last "Answer:"."""
        ending = (
            "Work it out step by step before you answer. Reply in two parts:\n"
            "Reasoning: your steps, in a few sentences\n"
            f"Answer: the answer alone. {instance.answer_format}"
        )
        reply = ask(prompt(instance, shots, ending))
        rationale, answer = split(reply)
        return Attempt(parse(answer, instance), reply, rationale)


def split(reply: str) -> tuple[str, str]:
    """(reasoning, answer) of a reply; the reasoning is "" where none is marked."""
    marks = list(_MARK.finditer(reply))
    if not marks:
        return "", reply
    return _LEAD.sub("", reply[: marks[-1].start()]).strip(), reply[marks[-1].end() :]


_ROUNDS = 4
_KEEP = "KEEP THIS ANSWER"
_CHECK = (
    f"Check whether this answer is right. If it is, reply with the words {_KEEP}. "
    "If it is not, say briefly what is wrong and how to mend it."
)
_SO_FAR = "Your answers so far and the criticism of each:"
_AGAIN = "Answer again, heeding the last criticism. Give only the answer."


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
            critique = ask(prompt(instance, shots, f"Proposed answer:\n{output or reply}\n\n{_CHECK}"))
            if _KEEP in critique.upper():
                break
            history.append(f"Answer: {output or reply}\nCriticism: {critique}")
            again = f"{_AGAIN} {instance.answer_format}"
            reply = ask(prompt(instance, shots, "\n\n".join([_SO_FAR, *history, again])))
            output = parse(reply, instance) or output
        return Attempt(output, reply, "\n\n".join(history))
