"""Which experiences a memory may recall, and whose: small predicates that a method names.

`right` and `wrong` are the paper's Self-StreamICL and its two ablations (Figure 2); `judged` is MemPrompt
and GrowPrompt, which show both with the verdict in words. What nobody has judged is never recalled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from quire.types import Experience


def right(experience: Experience) -> bool:
    """Only what was judged right."""
    return experience.verdict.label == "right"


def wrong(experience: Experience) -> bool:
    """Only what was judged wrong."""
    return experience.verdict.label == "wrong"


def judged(experience: Experience) -> bool:
    """Whatever has a verdict."""
    return experience.verdict.label != "unknown"


def everyone(author: str, reader: str) -> bool:
    """All models share one memory (MAM-StreamICL, Algorithm 2)."""
    return True


def oneself(author: str, reader: str) -> bool:
    """A model sees only what it said itself."""
    return author == reader


ADMISSIONS: Mapping[str, Callable[[Experience], bool]] = {"right": right, "wrong": wrong, "judged": judged}
READERS: Mapping[str, Callable[[str, str], bool]] = {"everyone": everyone, "oneself": oneself}
