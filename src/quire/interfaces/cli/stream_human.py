"""A person at the terminal says whether answers are right; the run, behind its wall, asks for it."""

from __future__ import annotations

from typing import Literal

from quire.interfaces.cli.output import messages, safe


def person(asked: str, answered: str) -> Literal["right", "wrong", "unknown"]:
    """Ask; an empty reply means that nobody knows."""
    screen = messages()
    screen.print(f"\n[bold]{safe(asked)}[/]\n[cyan]{safe(answered)}[/]", soft_wrap=True)
    said = screen.input("right? [y/n, Enter: cannot say] ").strip().lower()
    if said[:1] == "y":
        return "right"
    return "wrong" if said[:1] == "n" else "unknown"
