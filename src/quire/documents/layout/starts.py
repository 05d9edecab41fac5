"""Whether a row begins a new block: a paragraph, a heading, a list item.

A block ends where the type changes, at a gap, at an indented line after flush ones, at a bullet, and
after a short line that ends a sentence. At the end of a column or page a paragraph goes on if the next
column neither starts with an indent nor follows a finished sentence on a short line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.documents.layout.profile import Profile
from quire.documents.layout.rows import Row
from quire.documents.raw import joined

_BULLET = re.compile(r"^(?:[•▪◦‣●○■–—*·∙]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})\)|\d{1,2}[.)])$")
_NUMBERED = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*\.?|[A-Z]\.(?:\d{1,2}\.){0,9}\d{0,4}|[IVX]+\.)\s+[A-Z]")
_KEYWORDS = re.compile(r"^(?:key\s?-?words?|index terms)\b", re.IGNORECASE)
_ENDS = re.compile(r"[.!?:;…][\"'”’)\]]*(?:\^?[\d,\[\]–-]+)?$")
_FINISHED = re.compile(r"[.!?][\"'”’)\]]*(?:\^?[\d,\[\]–-]+)?$")


def indents_first(rows: Sequence[Row], profile: Profile) -> bool:
    """Whether paragraphs of this document begin with an indented line rather than after a gap."""
    indented = gaps = 0
    for above, row in zip(rows, rows[1:], strict=False):
        if row.column != above.column or row.page != above.page or abs(row.line.size - profile.size) > 0.3:
            continue
        step = row.line.baseline - above.line.baseline
        if 0.8 * profile.size < step < 1.25 * profile.pitch and above.line.x0 - row.left < 0.4 * profile.size:
            indented += 0.8 * profile.size < row.line.x0 - row.left < 4 * profile.size
        gaps += 1.3 * profile.pitch < step < 2.2 * profile.pitch
    return indented >= max(2, 0.5 * gaps)


def _styled(row: Row) -> tuple[bool, bool]:
    """Whether all words are bold, and whether all are italic; signs alone do not count."""
    words = row.line.words
    if not any(w.bold or w.italic for w in words):
        return False, False
    lettered = [w for w in words if any(c.isalnum() for c in w.text)]
    if not lettered:
        return False, False
    return all(w.bold for w in lettered), all(w.italic for w in lettered)


def starts(block: Sequence[Row], row: Row, profile: Profile, indents: bool, following: Row | None) -> bool:
    """Whether the row begins a new block after `block`."""
    above = block[-1]
    size = max(above.line.size, row.line.size)
    if _restyled(block, row, profile):
        return True
    if above.page != row.page or (above.column != row.column and not _below(above, row)):
        return _breaks(block, row, indents)
    step = row.line.baseline - above.line.baseline
    if step < -size:
        return True
    if step > 1.28 * profile.pitch_of(row.line.size) + 0.5 and not _leaded(block, row, following, step):
        return True
    bigger = min(above.line.size, row.line.size) > 1.07 * profile.size
    if bigger or (_styled(above)[0] and _styled(row)[0] and not profile.bold):
        return _next_heading(block, row)
    if profile.rtl:
        indent, above_indent = row.right - row.line.x1, above.right - above.line.x1
    else:
        indent, above_indent = row.line.x0 - row.left, above.line.x0 - above.left
    first_indent = block[0].line.x0 - block[0].left
    hanging = not profile.rtl and len(block) > 1 and first_indent < above_indent - 0.5 * size
    if indent > 0.8 * size and above_indent < 0.4 * size and not hanging and len(row.line.words) > 1:
        if not _list_item(block[0]):
            return True
    if (
        _BULLET.match(row.line.words[0].text)
        and len(row.line.words) > 1
        and _FINISHED.search(above.text.rstrip())
    ):
        return True
    if hanging and indent < above_indent - 0.5 * size:
        return True
    room = above.line.x0 - above.left if profile.rtl else above.right - above.line.x1
    short = room > max(0.12 * (above.right - above.left), 2 * size)
    return short and bool(_ENDS.search(_unmarked(above))) and not row.text[:1].islower()


def _below(above: Row, row: Row) -> bool:
    """A row right under another, though lines over all columns stand in a band of their own."""
    across = min(above.line.x1, row.line.x1) - max(above.line.x0, row.line.x0)
    narrow = min(above.line.x1 - above.line.x0, row.line.x1 - row.line.x0)
    return row.line.baseline > above.line.baseline and across > 0.5 * narrow


def _restyled(block: Sequence[Row], row: Row, profile: Profile) -> bool:
    """The type alone tells that something new begins."""
    above = block[-1]
    size = max(above.line.size, row.line.size)
    if abs(above.line.size - row.line.size) > 0.07 * size and not _mixed(above, row):
        return True
    if _styled(above)[0] != _styled(row)[0] and not _inline_bold(block, row):
        return True
    if _slanted_heading(block, row, profile) or _bold_start(above, row):
        return True
    return bool(_KEYWORDS.match(row.text)) and (row.line.words[0].bold or row.line.words[0].italic)


def _slanted_heading(block: Sequence[Row], row: Row, profile: Profile) -> bool:
    """A short line in italics ends before upright type if it is numbered or has room below it."""
    last = block[-1]
    if len(block) > 2 or row.line.words[0].italic or not last.line.words[-1].italic:
        return False
    if not all(_styled(r)[1] for r in block):
        return False
    if _NUMBERED.match(block[0].text):
        return last.line.x1 < last.right - 0.08 * (last.right - last.left)
    step = row.line.baseline - last.line.baseline
    return (
        len(block) == 1
        and last.text[:1].isupper()
        and last.line.x1 < last.left + 0.7 * (last.right - last.left)
        and (last.page, last.column) == (row.page, row.column)
        and step > 1.15 * profile.pitch_of(row.line.size)
    )


def _bold_start(above: Row, row: Row) -> bool:
    """A heading in bold begins a paragraph without gap or indent, after a finished sentence."""
    return _opens_bold(above, row) and bool(_FINISHED.search(_unmarked(above)))


def _opens_bold(above: Row, row: Row) -> bool:
    """Bold words at the left edge, closed by a stop or a wide gap, after plain type."""
    if above.line.words[-1].bold or row.line.x0 > row.left + 2 or not any(w.bold for w in row.line.words[:2]):
        return False
    words = [w for w in row.line.words if any(c.isalpha() for c in w.text)]
    if not words or not words[0].bold:
        return False
    count = next((k for k, w in enumerate(words) if not w.bold), 0)
    if not count or not words[0].text[0].isupper():
        return False
    return words[count - 1].text[-1] in ".:" or words[count].x0 - words[count - 1].x1 > 0.8 * words[0].size


def _unmarked(row: Row) -> str:
    """The text of a row without the superscripts at its end, which may cite or point to a note."""
    words = list(row.line.words)
    while len(words) > 1 and words[-1].script == 1:
        words.pop()
    return joined(words).rstrip()


def _leaded(block: Sequence[Row], row: Row, following: Row | None, step: float) -> bool:
    """Full lines one wide step apart, as an abstract may be set with more lead than the body."""
    above = block[-1]
    steps = [step]
    if following is not None and (following.page, following.column) == (row.page, row.column):
        steps.append(following.line.baseline - row.line.baseline)
    if len(block) > 1 and block[-2].column == above.column and block[-2].page == above.page:
        steps.append(above.line.baseline - block[-2].line.baseline)
    full = above.line.x1 > above.right - 0.2 * (above.right - above.left)
    even = max(steps) - min(steps) < 0.05 * step
    return full and even and len(steps) > 1 and step < 2.2 * row.line.size and len(row.line.words) > 1


def _next_heading(block: Sequence[Row], row: Row) -> bool:
    """Whether a bold row under a bold row is a heading of its own: it has a number, or had room above."""
    above, first = block[-1], row.line.words[0]
    if _NUMBERED.match(row.text):
        return True
    aligned = abs(above.line.x0 - row.line.x0) < 0.5 * row.line.size
    ends = [r.line.x1 for r in [*block[-2:], row] if len(r.line.words) >= 5]
    narrow = (
        len(ends) > 1 and min(abs(ends[0] - ends[1]), abs(ends[-1] - above.line.x1)) < 0.2 * row.line.size
    )
    right = max(ends) if narrow else above.right  # lines that end at one place are set to a measure
    return aligned and above.line.x1 + 0.4 * row.line.size + (first.x1 - first.x0) < right - row.line.size


def _list_item(row: Row) -> bool:
    return bool(_BULLET.match(row.line.words[0].text))


def _mixed(above: Row, row: Row) -> bool:
    """Rows of nearly one size where one holds so many scripts that its usual size is off."""
    big = max(w.size for w in above.line.words), max(w.size for w in row.line.words)
    return abs(big[0] - big[1]) <= 0.05 * max(big) and min(above.line.size, row.line.size) < 0.93 * max(big)


def _inline_bold(block: Sequence[Row], row: Row) -> bool:
    """A row that happens to be all bold (or not) within a paragraph of the other kind."""
    above = block[-1]
    if _styled(above)[0] and row.line.words[0].bold and above.line.x1 > above.right - 3 * above.line.size:
        return True  # a bold heading that runs into its paragraph, broken over the line
    if _styled(above)[0]:  # a bold row, then a plain one: a heading unless bold began within the paragraph
        return len(block) > 1 and not _styled(block[-2])[0] and not _FINISHED.search(above.text)
    return not _FINISHED.search(above.text) and any(w.bold for w in above.line.words[-1:])


def _capitals(text: str) -> bool:
    """A heading in capitals at the head of a column: "BIBLIOGRAPHY"."""
    letters = [c for c in text if c.isalpha()]
    return len(letters) >= 6 and all(c.isupper() for c in letters) and len(text.split()) <= 8


def _breaks(block: Sequence[Row], row: Row, indents: bool) -> bool:
    """Whether a new paragraph begins in the next column or page."""
    above = block[-1]
    indent = row.line.x0 - row.left
    if row.text[:1].islower():
        return False
    if _opens_bold(above, row) or _capitals(row.text):
        return True
    if all(_styled(r)[1] for r in block) and not row.line.words[0].italic:
        return True  # a slanted heading at the foot of a column
    if not _ENDS.search(above.text):
        return bool(_styled(row)[0] and _styled(above)[0])
    if indent > 0.8 * row.line.size or _list_item(row):
        return True
    full = above.line.x1 > above.right - 1.5 * above.line.size
    return not (full and indents)
