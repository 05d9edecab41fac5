"""Where words stand on the pages of a paper: what a reader looks for, and the lines of a quote.

    found = find([Word("soak-", box, line=3), Word("ing", box, line=4)], "Soaking")
    found[0]        # the boxes of one place, line by line
    place_of(library, "paper-boats.pdf", 0, "water creeps along their folds")    # as evidence of an answer

Letters and digits count: neither case nor blanks, hyphens or signs. Time is linear in the words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate, groupby

from quire.build import Library
from quire.errors import QueryError
from quire.library import Paper
from quire.library.contents import ReferenceEntry
from quire.library.parsing import PageWord
from quire.pdf.links import PageLink
from quire.types import Box, Evidence

MOST = 500  # places of one page


def letters(text: str) -> str:
    """What of a text is looked for."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).casefold() if sign.isalnum())


def says(text: str, words: str) -> bool:
    """Whether all the words, which may be parts of longer ones, are in the text."""
    said = text.casefold()
    return all(word in said for word in words.casefold().split())


def find(words: Sequence[PageWord], sought: str, within: Box | None = None) -> list[list[Box]]:
    """The places where the words (those in the box `within`) say it, each as the boxes of its lines."""
    wanted = letters(sought)
    if within is not None:
        words = [word for word in words if _inside(word, within)]
    said = [letters(word.text) for word in words]
    starts = [0, *accumulate(map(len, said))]
    text, places, at = "".join(said), list[list[Box]](), 0
    word = 0
    while wanted and len(places) < MOST and (at := text.find(wanted, at)) >= 0:
        while starts[word + 1] <= at:
            word += 1
        places.append(_boxes(words, starts, word, at, at + len(wanted)))
        at += len(wanted)
    return places


def places(
    library: Library, paper: Paper, sought: str, page: int = 0, within: Box | None = None
) -> Iterator[tuple[int, list[Box]]]:
    """Where a paper says it: pages with the boxes of the lines; on one `page` alone, unless that is 0."""
    for number in [page] if page else range(1, paper.pages + 1):
        if page or _may_say(library.page_text(paper.id, number), sought):
            for boxes in find(library.page_words(paper.id, number), sought, within):
                yield number, boxes


def place_of(library: Library, paper: str, page: int, quote: str) -> Evidence | None:
    """The place of a quote that its user names, as evidence; whether it stands there is for others to check.

    None where none is named. `page` is 0 for the first that says it.

    Raises:
        PaperNotFound: there is no such paper.
        QueryError: half a place is named, or no page, and none says it.
    """
    if not (paper or page or quote):
        return None
    if not (paper and quote):
        raise QueryError("A place is a paper with the words that stand there, and maybe a page.")
    known = library.paper(paper)
    number, boxes = next(places(library, known, quote, page), (page, []))
    if not number:
        hint = "Name whole words of one page, as they are printed."
        raise QueryError(f"`{quote[:80]}` stands on no page of {known.name}.", hint=hint)
    return Evidence(known.id, number, reduce(Box.union, boxes) if boxes else None, quote, verified=False)


def _may_say(text: str, sought: str) -> bool:
    """Whether a page with this text can say it; it may have another order than the file's words."""
    said = letters(text)
    return all(letters(part) in said for part in sought.split())


_CITED = re.compile(r"\d{1,3}")


def cited(words: Sequence[PageWord], references: Sequence[ReferenceEntry]) -> list[PageLink]:
    """Marks such as [12] or [3, 7] as links to the entries that are so numbered."""
    entries = {each.label.strip(" []().:"): each for each in references if each.label}
    found, held = list[PageLink](), False
    for word in words:
        held = held or word.text.startswith(("[", "(["))
        for number in _CITED.findall(word.text) if held else ():
            if entry := entries.get(number):
                top = entry.bbox.y0 if entry.bbox else 0.0
                found.append(PageLink(word.box, entry.page, top, ""))
                break
        held = held and "]" not in word.text and len(word.text) < 12
    return found


def _boxes(words: Sequence[PageWord], starts: Sequence[int], first: int, begin: int, end: int) -> list[Box]:
    """The boxes of the letters from `begin` to `end`, the first of them in word `first`; a box a line."""
    parts: list[tuple[int, Box]] = []
    for number in range(first, len(words)):
        if starts[number] >= end:
            break
        word, size = words[number], starts[number + 1] - starts[number]
        if not size:
            continue
        left = max(begin - starts[number], 0) / size
        right = min(end - starts[number], size) / size
        box = Box(word.x0 + left * word.width, word.y0, (right - left) * word.width, word.height)
        parts.append((word.line, box))
    lines = groupby(parts, key=lambda part: part[0])
    return [reduce(Box.union, (box for _, box in line)) for _, line in lines]


_SLACK = 4.0  # points that a word may stick out of its box


def _inside(word: PageWord, box: Box) -> bool:
    across, down = word.x0 + word.width / 2, word.y0 + word.height / 2
    return box.x0 - _SLACK < across < box.x1 + _SLACK and box.y0 - _SLACK < down < box.y1 + _SLACK
