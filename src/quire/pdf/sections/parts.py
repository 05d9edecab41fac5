"""Labelled rows of the body as parts: headings, run-in headings, paragraphs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.pdf.geometry import CLOSE
from quire.pdf.layout.blocks import Block
from quire.pdf.layout.profile import Profile
from quire.pdf.layout.rows import Row
from quire.pdf.prose import mathematical
from quire.pdf.raw import Word, joined, typed
from quire.pdf.sections.tree import BodyPart, FoundHeading, look_of, parted, split_number
from quire.pdf.vocabulary import (
    CONTENTS,
    OUTLINED,
    ends_sentence,
    lists,
    named,
    names_material,
    numbering,
    opening,
)
from quire.text import sentences

_ROOM = 4.0  # em that a row of a heading may leave free though the next word would have fitted
_PLAIN = "plain"  # kind of a paragraph whose first words are no heading
_RUNNING = ("para", "runin", "text", _PLAIN)
_TITLED = re.compile(r"[^\W\d_]{2}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_CODE = re.compile(r"[_(){};=<>*\\]")
_LISTED = re.compile(r"^\(?(?:[ivx]{1,4}|[a-z])\)\s+(?=\S)")  # "ii) Heart rate"
_BRACKET = re.compile(r"^\s*[(\[{]\S*[)\]}]\s*$")  # "(GC-MS)", the second row of a heading
_BEFORE = 4  # groups of rows, from the last on, that may go on behind a box
_MORE = 2  # rows below its first ones in which a heading may end in front of its paragraph
_ROWS = 4  # over which a heading may run
_WIDE = 0.8  # em of a gap that parts a heading from its paragraph
_SLANTED = 8  # words of a heading in italics without a number
_LONGEST = 24  # words of a heading that runs into its paragraph
_TYPED = 0.9  # share of the characters of a row of a program that are in typewriter type
_LEADERS = re.compile(r"(?<!\.)(?<!\.\s)(?:\.\s?){5,}+\s*+\w{1,5}$")
_ENTRY = re.compile(r"(?<!\.)(?<!\.\s)(?:\.\s?){3,}+\s*+\w{1,5}\s*$|\s\d{1,4}\s*$|\s[ivxlc]{1,6}\s*$")


def body_parts(labelled: Sequence[Row], profile: Profile) -> list[BodyPart]:
    """The parts of the body, in order; rows of other kinds are left out."""
    groups: list[tuple[str, list[Row]]] = []
    back = False
    body = [row for row in labelled if row.label in ("heading", "runin", "para", "text")]
    for at, row in enumerate(body):
        kind, rows = groups[-1] if groups else ("", [])
        label = _label(row, rows, profile)
        if label == "heading":
            back = "back" in named(row.text)
        elif label in ("runin", "para") and back and not _names_back(row):
            # "Methodology: A.B." among the contributions of authors
            groups.append((_PLAIN, [row]))
            continue
        if label == "para" and kind in _RUNNING and _is_inside(rows[-1], row):
            label = "text"
        if label == "text" and kind in _RUNNING and not row.is_like(rows[-1]) and not row.is_under(rows[-1]):
            groups = _going_on(groups, row)  # in other type elsewhere: a box, or a note
        elif kind == "heading" and label != "heading" and _finishes(rows, body[at : at + _MORE], profile):
            groups[-1] = ("runin", [*rows, row])
        elif (label == "text" and kind in _RUNNING and not _turns(rows[-1], row)) or (
            label == "heading" == kind and goes_on(rows[-1], row)
        ):
            rows.append(row)
        else:
            groups.append((label, [row]))
    return _without_contents([part for kind, rows in groups for part in _parts(rows, kind, profile)])


def _turns(above: Row, row: Row) -> bool:
    """Whether a program or what it prints begins or ends here: other type, at a distance."""
    one, other = (typed(each.line.words) >= _TYPED for each in (above, row))
    return one != other and not row.is_under(above, CLOSE)


def _going_on(groups: list[tuple[str, list[Row]]], row: Row) -> list[tuple[str, list[Row]]]:
    """The groups with a row that goes on from the last unfinished one in its type, or begins another."""
    kind, rows = next((own for own in groups[:-_BEFORE:-1] if row.is_like(own[1][-1])), groups[-1])
    ended = kind not in _RUNNING or ends_sentence(rows[-1].text) or numbering(row.text.strip())[0] == OUTLINED
    if ended or rows is groups[-1][1]:
        return [*groups, ("text", [row])]
    rows.append(row)
    return groups


def _is_inside(above: Row, row: Row) -> bool:
    """Whether a sentence of the row above goes on in the row below."""
    goes_on = row.text[:1].islower() and not ends_sentence(above.text) and not _LISTED.match(row.text)
    return goes_on and row.is_under(above, CLOSE) and row.is_like(above)


def _names_back(row: Row) -> bool:
    """Whether a row begins with the name of a part of the back: "Funding:", not "Funding acquisition:"."""
    words = row.line.words
    style = words[0].bold, words[0].italic
    same = next((i for i, w in enumerate(words) if (w.bold, w.italic) != style), len(words))
    count = next((i + 1 for i, w in enumerate(words[:same]) if w.text[-1] in ".:"), same)
    whole = count == len(words) or "back" in named(joined(words[:count]))
    return whole and "back" in opening(row.text)


def _label(row: Row, above: Sequence[Row], profile: Profile) -> str:
    """The label of a row of the body, where its own words do not speak against it."""
    label = row.label
    first = next((c for c in _LISTED.sub("", row.text.strip()) if c.isalpha()), "")
    if label == "heading":
        inner = above and goes_on(above[-1], row)
        odd = not first or first.islower() or not _TITLED.search(row.text) or _is_no_text(row)
        if odd and not inner:
            return "text"
        return "runin" if run_in([row], profile) else label
    if label == "text" and above and above[-1].text.rstrip()[-1:] in ".:?!":
        numbered = numbering(row.text.strip())[0] == OUTLINED or row.line.words[0].bold
        return "runin" if numbered and run_in([row], profile) else label
    return label


def _is_no_text(row: Row) -> bool:
    """A piece of a formula, or of a program: mostly in typewriter type, with signs of programs."""
    formula = all(mathematical(word.font) for word in row.line.words)
    return formula or (typed(row.line.words) > 0.5 and bool(_CODE.search(row.text)))


def goes_on(above: Row, row: Row) -> bool:
    """Whether a heading goes on in the row below: set alike, close to it, without a number of its own."""
    if not row.is_under(above):
        return False
    one, other = (look_of(Block((r,))) for r in (above, row))
    capitals = one.capitals != other.capitals and not _BRACKET.match(row.text)
    if not row.is_like(above) or one.bold != other.bold or capitals:
        return False
    text = row.text.strip()
    if numbering(text)[0] or _LISTED.match(text) or ends_sentence(above.text):
        return False
    word = row.line.words[0]
    full = above.line.x1 + word.x1 - word.x0 > above.right - _ROOM * row.line.size
    begun = above.line.words[-1].text.lower() in lists()["stop"]
    return full or begun or not row.text.lstrip()[:1].isupper()


def _finishes(rows: Sequence[Row], below: Sequence[Row], profile: Profile) -> bool:
    """Whether a heading over more than a line ends within the rows below, in front of its paragraph."""
    known = list(rows)
    for row in below:
        above = known[-1]
        if (above.page, above.column) != (row.page, row.column) or ends_sentence(above.text):
            return False
        room = above.right - above.line.x1 > _ROOM * row.line.size
        if room or above.line.size != row.line.size:
            return False
        if run_in([*known, row], profile) > sum(len(each.line.words) for each in known):
            return True
        known.append(row)
    return False


def _parts(rows: Sequence[Row], kind: str, profile: Profile) -> list[BodyPart]:
    block = Block(tuple(rows))
    if kind == "heading":
        return [heading_of(block)]
    first, rest = parted(rows, run_in(rows, profile) if kind != _PLAIN else 0)
    if not (first and rest):
        return [block]
    return [heading_of(Block(tuple(first)), run_in=True), Block(tuple(rest))]


def heading_of(block: Block, *, run_in: bool = False) -> FoundHeading:
    """A block as a heading."""
    numbered = split_number(block.text)
    title = numbered.title.rstrip(" .:—–") or block.text
    return FoundHeading(numbered.number, title, numbered.depth, look_of(block, run_in=run_in), block.rows)


def run_in(rows: Sequence[Row], profile: Profile) -> int:
    """How many words the heading takes with which a paragraph begins; 0 if there is none.

    It is set in bold, or in italics and numbered or short, and closed by a stop, a colon or a wide gap.
    """
    words = [w for row in rows[:_ROWS] for w in row.line.words]
    start = next((i for i, w in enumerate(words) if any(c.isalpha() for c in w.text)), len(words))
    count = _styled(words, start, profile)
    if not start < count < len(words):
        return 0
    first = next(c for c in words[start].text if c.isalpha())
    if first.islower() or len(sentences(joined(words[start : count - 1]))) > 1:
        return 0
    return count + (words[count].text in (".", ":", "—", "–"))


def _styled(words: Sequence[Word], start: int, profile: Profile) -> int:
    """The end of the words in bold or italics from `start` on, if they are closed as a heading is."""
    if start >= len(words):
        return 0
    bold, italic = words[start].bold and not profile.bold, words[start].italic and not profile.italic
    if not (bold or italic):
        return 0
    count = start
    while count < len(words) and _continues(words[count], bold):
        count += 1
    while (
        not bold and count < len(words) and count - start < _LONGEST and words[count - 1].text[-1] not in ".:"
    ):
        # names of species stand upright in slanted headings
        count = next((i for i in range(count, len(words)) if words[i].italic), len(words))
        while count < len(words) and _continues(words[count], bold):
            count += 1
    if not start < count < len(words):
        return 0
    closed = words[count - 1].text[-1] in ".:?"
    apart = words[count].x0 - words[count - 1].x1 > _WIDE * words[count].size
    spaced = apart and abs(words[count].baseline - words[count - 1].baseline) < 1
    lead = joined(words[start:count])
    if names_material(lead):  # a caption
        return 0
    closed = closed or (bold and "back" in named(lead))
    numbered = bool(split_number(joined(words[:count])).depth)
    short = count - start <= _SLANTED
    return count if (closed and (bold or numbered or short)) or (bold and spaced) else 0


def _continues(word: Word, bold: bool) -> bool:
    return (word.bold if bold else word.italic) or not any(c.isalnum() for c in word.text)


def _without_contents(parts: Sequence[BodyPart]) -> list[BodyPart]:
    """The parts without lists of contents: blocks of leaders, and what follows the word "Contents"."""
    out: list[BodyPart] = []
    inside = False
    for part in parts:
        rows = [row.text.strip() for row in part.rows]
        entries = sum(bool(_ENTRY.search(row)) for row in rows)
        leaders = sum(row.count(".") > 4 and bool(_LEADERS.search(row)) for row in rows)
        if isinstance(part, FoundHeading) and named(part.title) & CONTENTS:
            inside = True
        elif inside and (_ENTRY.search(rows[-1]) or entries >= 0.4 * len(rows)):
            continue
        elif isinstance(part, FoundHeading) or leaders < 0.5 * len(rows):
            inside = False
            out.append(part)
    return out
