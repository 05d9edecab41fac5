"""Reason first, then answer (chain of thought, Kojima et al. 2022), with or without a memory.

The reasoning is kept with the answer, so that a memory can show how a right answer was reached. A reply
without the marker is read as an answer without reasoning, never as the reasoning of an earlier instance.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from quire.agents.stream.prompting import prompt
from quire.agents.stream.solver import Parse
from quire.types import Attempt, Instance, Shot

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
