"""Whether a quote is LaTeX of an equation on its page.

    in_equation(evidence, library)      # (True, Box(...)) for r"E = mc^{2}"

Formulas are stored as LaTeX, which no page prints; so a quote of one is compared with what is stored. Blanks
do not count, and the quote may be a part of the equation that is long enough to be one.
"""

from __future__ import annotations

import re

from quire.environment import Readable
from quire.errors import QuireError
from quire.types import Box, Evidence

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LONGEST = 4000  # characters of a quote
_SHORTEST = 5  # characters of a quote without blanks


def in_equation(evidence: Evidence, library: Readable) -> tuple[bool, Box | None]:
    """Whether the quote is an equation of its page, or a part of one, and the equation's box."""
    wanted = _squeezed(evidence.quote[:_LONGEST])
    if len(wanted) < _SHORTEST or not _UUID.fullmatch(evidence.paper_id):
        return False, None
    try:
        rows = library.sql(
            "SELECT e.equation_content, e.bounding_box FROM equations e "
            "JOIN pages p ON e.ref_page_id = p.page_id "
            f"WHERE p.ref_paper_id = '{evidence.paper_id}' AND p.page_number = {int(evidence.page)}"
        ).rows
    except QuireError:
        return False, None
    for content, edges in rows:
        if wanted in _squeezed(str(content or "")):
            box = Box(*(float(edge) for edge in edges)) if edges and len(edges) == 4 else None
            return True, box
    return False, None


def _squeezed(text: str) -> str:
    return re.sub(r"\s+|\$", "", text)
