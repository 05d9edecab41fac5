"""What can be asked, one file per kind: does a question ask for it, and how is it found.

To add a kind: a file here with a `KIND`, a row below, a test with several wordings.
"""

from __future__ import annotations

from quire.ask.offline.kinds import (
    abbreviation,
    caption,
    cell,
    comparing,
    counting,
    gap,
    library,
    metadata,
    parts,
    reference,
    section,
    summary,
)
from quire.ask.offline.kinds.kind import QuestionKind

# Those that ask about all papers at once, before it is known which paper is meant.
OVERALL: tuple[QuestionKind, ...] = (library.KIND, comparing.KIND)

# Of those that fit alike the first is tried first.
KINDS: tuple[QuestionKind, ...] = (
    *OVERALL,
    summary.KIND,
    gap.KIND,
    cell.EXTREME,
    cell.KIND,
    caption.KIND,
    reference.KIND,
    counting.KIND,
    abbreviation.KIND,
    section.KIND,
    section.HEADING,
    parts.PAGE,
    parts.EQUATION,
    metadata.KIND,
    parts.LIST,
    parts.TRUTH,
)

__all__ = ["KINDS", "OVERALL", "QuestionKind", "abbreviation"]
