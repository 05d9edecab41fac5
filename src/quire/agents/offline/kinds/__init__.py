"""What can be asked, one file per kind: does a question ask for it, and how is it found.

To add a kind: a file here with a `KIND`, a row below, a test with several wordings.
"""

from __future__ import annotations

from quire.agents.offline.kinds import (
    abbreviation,
    caption,
    cell,
    comparing,
    counting,
    equation,
    extreme,
    gap,
    heading,
    library,
    listing,
    metadata,
    page,
    reference,
    section,
    summary,
    yesno,
)
from quire.agents.offline.kinds.kind import Kind

# Those that ask about all papers at once, before it is known which paper is meant.
OVERALL: tuple[Kind, ...] = (library.KIND, comparing.KIND)

KINDS: tuple[Kind, ...] = (
    *OVERALL,
    summary.KIND,
    gap.KIND,
    extreme.KIND,
    cell.KIND,
    caption.KIND,
    reference.KIND,
    counting.KIND,
    abbreviation.KIND,
    section.KIND,
    heading.KIND,
    page.KIND,
    equation.KIND,
    metadata.KIND,
    listing.KIND,
    yesno.KIND,
)

__all__ = ["KINDS", "OVERALL", "Kind", "abbreviation"]
