"""What a recalled case says is how far it stands out from the cases that say something else.

By its likeness alone, whatever is in memory would outbid every answer that is not in it yet; and what is
never given is never right, so a memory of right answers would lock it out (see docs/log.d/streams.md).
"""

from __future__ import annotations

from collections.abc import Sequence

_BEFORE_ANY = 0.1  # likeness that a case of another answer is taken to have before one is seen


def usual(others: Sequence[float]) -> float:
    """The likeness to expect of a case that tells nothing, from the cases of other answers."""
    return (sum(others) + _BEFORE_ANY) / (len(others) + 1)
