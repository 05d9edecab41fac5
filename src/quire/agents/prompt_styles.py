"""How a model is asked to write each turn: with a thought before the action, or the action alone.

    system_text(method, actions, library_schema, "markdown", max_turns=20, prompt_style=ACTING)

A prompt style is two phrases of the system text; nothing else in it depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass

_ACTION = "[Action]: <one action, written as in the examples>"


@dataclass(frozen=True, slots=True)
class PromptStyle:
    """`turn` ends the sentence "Each turn you reply with ..."; `form` is what a reply looks like."""

    turn: str
    form: str


THINKING = PromptStyle("a short thought and exactly one action", f"[Thought]: <why>\n{_ACTION}")
ACTING = PromptStyle("exactly one action, without any thought before it", _ACTION)
