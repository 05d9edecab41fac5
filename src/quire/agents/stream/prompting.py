"""The template that the styles share: task, past examples (if any), this instance, how to answer.

Slots are joined, never formatted into one another, so that braces in a schema or a reply stay what they are.
Without shots the section about them is left out, which makes it the zero-shot prompt.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.types import Instance, Shot

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
