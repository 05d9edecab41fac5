"""Which blocks are headings, by their type, numbering and place; headings that run into their paragraph.

Nothing is a heading for its words alone unless they are a usual name. A kind of type (size, weight,
slant, capitals) counts as heading type in a document when it stands out from the body.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from quire.documents.layout.blocks import Block
from quire.documents.layout.profile import Profile
from quire.documents.layout.rows import Row
from quire.documents.raw import Word, joined, make_line
from quire.documents.sections.names import BACK_RUN_IN, NOT_HEADING, is_known, split_number
from quire.documents.tables.tokens import TYPEWRITER
from quire.documents.words import DROPPED, KEPT, join_texts

_MAX_WORDS = 22
_SENTENCE_END = re.compile(r"[.!;,]$")
_STOP_INSIDE = re.compile(r"(?<!\b[A-Z])(?<!\bvs)(?<!\bcf)(?<!\bal)(?<!\be\.g)(?<!\bi\.e)[.!?] \w")


class Look(NamedTuple):
    """The type of a heading, by which headings of one level are known."""

    size: float
    bold: bool
    italic: bool
    capitals: bool
    run_in: bool


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading found: its printed text, number, and look. `depth` is 0 where the number does not tell."""

    text: str
    number: str
    title: str
    depth: int
    look: Look
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A block of the body, as a heading or as a paragraph."""

    heading: Heading | None
    block: Block | None


def find_headings(blocks: Sequence[Block], profile: Profile) -> list[Part]:
    """The blocks in order, headings marked; blocks with a heading run in become two parts."""
    parts: list[Part] = []
    for i, block in enumerate(blocks):
        after = blocks[i + 1] if i + 1 < len(blocks) else None
        heading = _standing(block, after, profile)
        if heading is None and parts and after is not None and _spaced(parts[-1], block, after, profile):
            heading = Heading(block.text, "", block.text, 0, look_of(block), block.rows)
        if heading is not None:
            parts.append(Part(heading, None))
            continue
        found = _run_in(block, profile)
        if found is None:
            parts.append(Part(None, block))
        else:
            parts.append(Part(found[0], None))
            parts.append(Part(None, found[1]))
    return _consistent(parts, profile)


def look_of(block: Block, *, run_in: bool = False) -> Look:
    """The type of a block."""
    letters = [c for c in block.text if c.isalpha()]
    capitals = len(letters) >= 4 and sum(c.isupper() for c in letters) > 0.9 * len(letters)
    return Look(round(block.size * 2) / 2, block.bold > 0.6, block.italic > 0.6, capitals, run_in)


def _standing(block: Block, after: Block | None, profile: Profile) -> Heading | None:
    text = despaced(block.text)
    words = text.split()
    if not words or len(words) > _MAX_WORDS or len(block.rows) > 4 or len(text) > 180:
        return None
    numbered = split_number(text)
    if not _like_title(numbered.title, text) or (not numbered.number and _is_code(block)):
        return None
    look = look_of(block)
    bigger = block.size > 1.07 * profile.size
    capitals_apart = bool(numbered.depth) and block.bold >= 0.4  # small capitals may have no bold face
    bold = (look.bold or capitals_apart) and not profile.bold
    italic = look.italic and not profile.italic
    known = is_known(numbered.title)
    largest = max(w.size for w in block.rows[0].line.words)  # small capitals are small but for the first
    if max(block.size, largest if look.capitals else 0) < 0.86 * profile.size and not known:
        return None
    ends = bool(_SENTENCE_END.search(text)) and not (numbered.number and text.endswith("."))
    if ends and not known and not (bold and _closed_alone(block, after)):
        return None
    if not (bigger or bold or (look.capitals and len(words) <= 12)):
        plain = known or (numbered.depth and _numbered_alone(block, numbered.depth))
        slanted = italic and (_alone(block, after) or (numbered.depth >= 2 and _before_upright(after)))
        if not plain and not slanted:
            return None
    title = numbered.title.rstrip(" .:") if not known else re.sub(r"[.:\s]+$", "", numbered.title)
    return Heading(text, numbered.number, title or text, numbered.depth, look, block.rows)


def _is_code(block: Block) -> bool:
    """Most words are in typewriter type, and signs of programs are among them."""
    words = [w for row in block.rows for w in row.line.words]
    return bool(re.search(r"[_(){};=<>*\\]", block.text)) and sum(
        bool(TYPEWRITER.search(w.font)) for w in words
    ) > 0.5 * len(words)


def _closed_alone(block: Block, after: Block | None) -> bool:
    """A few words in bold with a full stop, on a line of their own above plain text."""
    words = block.text.split()
    return len(block.rows) == 1 and block.text.endswith(".") and len(words) <= 9 and _before_plain(after)


def _before_plain(after: Block | None) -> bool:
    return after is not None and after.bold < 0.3 and len(after.text) > 60


def _before_upright(after: Block | None) -> bool:
    return after is not None and after.italic < 0.5


def _like_title(title: str, text: str) -> bool:
    letters = sum(c.isalpha() for c in title)
    if not re.search(r"[^\W\d_]{3}", title) and not (split_number(text).depth and letters >= 2):
        return False
    if letters < 2 or letters < 0.5 * len(title.replace(" ", "")) or NOT_HEADING.match(text):
        return False
    first = next((c for c in title if c.isalnum()), "a")
    if first.islower() and not title.split()[0][1:2].isupper():
        return False
    return not re.search(r"@|https?:|www\.|[=∑∫≤≥∼]|\s[+|]\s|\.{4,}|(?:\. ){4,}", title)


def _alone(block: Block, after: Block | None) -> bool:
    row = block.rows[0]
    if len(block.rows) > 2 or row.line.x1 > row.right - 0.1 * (row.right - row.left):
        return False
    return after is not None and after.italic < 0.5 and len(after.text) > 60 and block.text[-1] not in ".,;:"


def _spaced(before: Part, block: Block, after: Block, profile: Profile) -> bool:
    """A short line in body type with room above and below it, before a paragraph: a heading in plain type."""
    row, text = block.rows[0], block.text
    if len(block.rows) > 1 or abs(row.line.size - profile.size) > 0.03 * profile.size or len(after.text) < 80:
        return False
    above = (before.heading.rows if before.heading else before.block.rows if before.block else ())[-1]
    below = after.rows[0]
    if any((r.page, r.column) != (row.page, row.column) for r in (above, below)):
        return False
    ended = before.heading is not None or above.text.rstrip()[-1:] in ".!?"
    room = 1.35 * profile.pitch
    return (
        ended
        and room < row.line.baseline - above.line.baseline < 3 * profile.pitch
        and room < below.line.baseline - row.line.baseline < 3 * profile.pitch
        and row.line.x1 < row.left + 0.7 * (row.right - row.left)
        and max(abs(r.line.x0 - row.left) for r in (row, below)) < 0.3 * profile.size
        and bool(re.fullmatch(r"[A-ZÀ-Þ][^\d.;:,!?=]{3,70}[^\W\d_)]", text))
        and _like_title(text, text)
    )


def _numbered_alone(block: Block, depth: int) -> bool:
    row = block.rows[0]
    short = len(block.rows) == 1 and row.line.x1 < row.left + 0.75 * (row.right - row.left)
    return short and depth >= 2 and block.text[-1] not in ".,;:"


def despaced(text: str) -> str:
    """Letter-spaced capitals closed up: "A B S T R A C T" is "ABSTRACT"."""
    if re.fullmatch(r"(?:\w ){4,}\w", text.strip()):
        return text.replace(" ", "")
    return text


def _run_in(block: Block, profile: Profile) -> tuple[Heading, Block] | None:
    """A heading in bold, or numbered in italics, at the start of a paragraph."""
    words = [w for row in block.rows[:3] for w in row.line.words]
    if len(words) < 4 or (block.size < 0.86 * profile.size and not BACK_RUN_IN.match(block.rows[0].text)):
        return None
    first = words[0]
    if not (first.bold or first.italic or first.text[0].isdigit()):
        return None
    start = 1 if re.fullmatch(r"\d+(?:\.\d+)*\.?", first.text) and not (first.bold or first.italic) else 0
    bold = words[start].bold and not profile.bold
    italic = words[start].italic and not profile.italic
    if not (bold or italic):
        return None
    count = _styled_run(words, start, bold)
    if count == start or count >= len(words) or count > 18 or sum(len(w.text) for w in words) == 0:
        return None
    text = join_texts(re.split(rf"(?<=[-{KEPT}{DROPPED}]) (?=[a-zà-ÿ])", joined(words[:count])))
    numbered = split_number(text)
    closed = text[-1] in ".:?" or (words[count].text[:1] in ".:—–" and len(words[count].text) == 1)
    spaced = _gap(words, count) and (numbered.depth or (count <= 10 and words[count].text[:1].isupper()))
    if bold and not closed and not spaced:
        return None
    if italic and not bold and not (closed and (numbered.depth or count <= 8)):
        return None
    if not _like_title(numbered.title, text) or _STOP_INSIDE.search(numbered.title):
        return None
    title = numbered.title.rstrip(" .:—–")
    rest = without_words(block, count + (words[count].text in (".", ":", "—", "–")))
    if rest is None or len(title) > 120:
        return None
    look = Look(round(block.size * 2) / 2, bold, italic, False, True)
    return Heading(text, numbered.number, title, numbered.depth, look, _first_words(block, count)), rest


def _styled_run(words: Sequence[Word], start: int, bold: bool) -> int:
    """How many words the heading at the start of a paragraph takes."""
    count = start
    while count < len(words):
        word = words[count]
        if not (word.bold if bold else word.italic) and any(c.isalnum() for c in word.text):
            return count if bold else max(count, _mixed_run(words, start))
        if not (word.bold or word.italic or word.glued):
            break
        count += 1
        if word.text.endswith((".", ":")) and count < len(words) and not words[count].glued:
            nxt = words[count]
            if not (nxt.bold if bold else nxt.italic):
                break
    return count


def _mixed_run(words: Sequence[Word], start: int) -> int:
    """The end of a slanted heading with upright words in it, as names of species stand in one; or 0."""
    slanted = 0
    for count in range(start, min(len(words), start + 18)):
        word = words[count]
        slanted += word.italic
        if word.text.endswith((".", ":")) and len(word.text.strip("().")) > 1 and count + 1 < len(words):
            done = count + 1 - start
            return count + 1 if slanted >= 0.5 * done and not words[count + 1].italic else 0
    return 0


def _gap(words: Sequence[Word], count: int) -> bool:
    one, other = words[count - 1], words[count]
    return abs(one.baseline - other.baseline) < 1 and other.x0 - one.x1 > 0.8 * one.size


def _first_words(block: Block, count: int) -> tuple[Row, ...]:
    """The rows that the first `count` words of a block make."""
    rows: list[Row] = []
    for row in block.rows:
        words = row.line.words[:count]
        if not words:
            break
        rows.append(replace(row, line=make_line(words, row.line.size, row.line.baseline)))
        count -= len(words)
    return tuple(rows)


def without_words(block: Block, count: int) -> Block | None:
    """The block without its first `count` words."""
    rows: list[Row] = []
    for row in block.rows:
        words = row.line.words
        if count >= len(words):
            count -= len(words)
            continue
        if count:
            line = make_line(words[count:], row.line.size, row.line.baseline)
            row, count = replace(row, line=line), 0
        rows.append(row)
    return Block(tuple(rows)) if rows else None


def _consistent(parts: list[Part], profile: Profile) -> list[Part]:
    """Italic kinds of heading need company: one slanted line alone is emphasis, not a heading."""
    looks = Counter(p.heading.look for p in parts if p.heading)
    standing = any(p.heading.depth == 1 and not p.heading.look.run_in for p in parts if p.heading)
    kept: list[Part] = []
    for part in parts:
        heading = part.heading
        if heading is not None and standing and heading.depth == 1 and heading.look.run_in:
            # "1. No row ids." in a list, where sections stand alone
            heading = replace(heading, number="", depth=0, title=heading.title)
            part = Part(heading, None)
        if heading is None or heading.number or is_known(heading.title):
            kept.append(part)
            continue
        look = heading.look
        weak = not look.bold and look.size <= 1.07 * profile.size and not look.capitals
        if weak and looks[look] < 2 and not look.run_in:
            kept.append(Part(None, Block(heading.rows)))
        else:
            kept.append(part)
    return kept
