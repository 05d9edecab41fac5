"""The name of a text that has none: what stands between the abstract and the first heading.

Many journals print no heading over it. Their own XML calls it "Introduction", and so do readers who ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.documents.labeller.lexicon import named
from quire.types import Section

NAME = "Introduction"
_SHORTEST = 400  # characters
_USUAL = frozenset({"section"})  # kinds of names that a paper of the usual parts has, one of them at least


def with_introduction(sections: Sequence[Section], language: str) -> list[Section]:
    """The sections, the untitled one behind an abstract named if the others are those of an English paper."""
    out = list(sections)
    if language != "en" or len(out) < 3 or "abstract" not in named(out[0].title):
        return out
    titles = [section.title for section in out[1:]]
    usual = any(named(title) & _USUAL for title in titles)
    taken = any("introduction" in named(title) for title in titles)
    if usual and not taken and not out[1].title and len(out[1].text) >= _SHORTEST:
        out[1] = replace(out[1], title=NAME)
    return out
