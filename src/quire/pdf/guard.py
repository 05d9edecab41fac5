"""A stage that fails costs what it would have found, never the paper: the rest goes in, and a remark says so.

guard = Guard()
references = guard.run("references", (), take_references, blocks)
guard.notes        # ["The references could not be read (ValueError: ...)."]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_MOST = 20  # remarks of one paper
_LONGEST = 120  # characters of an error's message


@dataclass
class Guard:
    """Runs stages and keeps a remark for each that failed. Errors of memory are not held back."""

    notes: list[str] = field(default_factory=list)

    def run(self, what: str, otherwise: T, stage: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the stage gives, or `otherwise` if it fails."""
        try:
            return stage(*args, **kwargs)
        except MemoryError:
            raise
        except Exception as error:  # the border of a stage: whatever a bug raises on a strange page
            told = " ".join(str(error).split())[:_LONGEST]
            if len(self.notes) < _MOST:
                self.notes.append(f"The {what} could not be read ({type(error).__name__}: {told}).")
            return otherwise
