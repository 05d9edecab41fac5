"""Everything of a document in one sequence, as a reader meets it: what every form writes down.

    [(item.kind, item.page) for item in ordered(document)]    # [("heading", 1), ("text", 1), ("figure", 1)]

A table or figure stands behind the paragraph beside or above it in its column; a displayed equation where it
is printed, so that a paragraph that goes on behind one is parted.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Literal

from quire.pdf.geometry import centre_in, shared_width
from quire.types import Box, Document, Element, Equation, Image, InlineSpan, Paragraph, Section, Table

ItemKind = Literal[
    "title", "affiliation", "heading", "text", "item", "code", "table", "figure", "equation", "reference",
    "footnote", "rest",
]  # fmt: skip
_REFERENCES = re.compile(r"\b(?:references|bibliography|literature|works cited|literatur)\b", re.IGNORECASE)
_BULLETS = tuple("•◦▪‣●○■□")
_MARK = "\ufdd0"  # a code that no text has
_SHARED = 0.3  # of the narrower width, that makes two things of one column


@dataclass(frozen=True, slots=True)
class OrderedItem:
    """One thing of the sequence. `level` is that of a heading; `section` the index of the one it belongs to.

    `source` is the element whose words it has: the paragraph of a part, the section of a heading.
    """

    kind: ItemKind
    text: str
    page: int
    bbox: Box | None
    confidence: float | None = None
    level: int = 0
    section: int | None = None
    source: Element | Section | None = None

    def rendered(self, written: Callable[[str], str], shown: Callable[[InlineSpan], str]) -> str:
        """Its text as `written` writes text, with what `shown` makes of its formulas and scripts."""
        if not isinstance(self.source, Paragraph) or not self.source.spans:
            return written(self.text)
        whole = self.source.text
        first = at = whole.find(self.text)
        spans = [s for s in self.source.spans if first <= s.start and s.end <= first + len(self.text)]
        if first < 0 or not spans:
            return written(self.text)
        marked = ""
        for span in spans:
            marked += whole[at : span.start].replace(_MARK, " ") + _MARK
            at = span.end
        parts = written(marked + whole[at : first + len(self.text)].replace(_MARK, " ")).split(_MARK)
        return parts[0] + "".join(shown(s) + part for s, part in zip(spans, parts[1:], strict=True))


@dataclass(frozen=True, slots=True)
class _PrintedLine:
    """A printed line of an item, by which floats find their place."""

    item: int
    start: int
    box: Box


def ordered(document: Document) -> list[OrderedItem]:
    """The items of a document in reading order."""
    flow = list(_flow(document))
    behind, inside = _places(document, flow)
    out: list[OrderedItem] = []
    if title := document.metadata.title:
        place = next((place for place in document.metadata.places if place.field == "title"), None)
        page, bbox, sure = (place.page, place.bbox, place.confidence) if place else (1, None, None)
        out.append(OrderedItem("title", title, page, bbox, sure))
    out += (_float(each, None) for each in behind[-1])
    for at, item in enumerate(flow):
        out += _parted(item, sorted(inside[at], key=lambda cut: cut[0]))
        out += (_float(each, item.section) for each in behind[at])
    out += _back(document)
    if all(item.kind == "title" for item in out):  # what is printed is better than nothing
        out += [
            OrderedItem("rest", page.text, page.number, None) for page in document.pages if page.text.strip()
        ]
    return out


def _flow(document: Document) -> Iterator[OrderedItem]:
    """Headings and paragraphs of all sections; the list of references stands below its own heading."""
    for index, section in enumerate(document.sections):
        if section.title:
            yield _item("heading", heading(section), section, index, section.level)
        for paragraph in section.paragraphs:
            for part in _listed(paragraph):
                yield _item(part.kind, part.text, part, index)


def _listed(paragraph: Paragraph) -> list[Paragraph]:
    """The paragraph, parted where a printed line begins with a bullet."""
    text, lines = paragraph.text, paragraph.lines
    bullets = [at for at, line in enumerate(lines) if line.start and text.startswith(_BULLETS, line.start)]
    if not bullets or paragraph.kind == "code":
        return [paragraph]
    parts = []
    for first, last in pairwise([0, *bullets, len(lines)]):
        own = lines[first:last]
        start, end = own[0].start, lines[last].start if last < len(lines) else len(text)
        parts.append(
            replace(
                paragraph,
                page=own[0].page,
                bbox=reduce(Box.union, (line.bbox for line in own if line.page == own[0].page)),
                text=text[start:end].rstrip(),
                lines=tuple(replace(line, start=line.start - start) for line in own),
                spans=tuple(
                    span._replace(start=span.start - start, end=span.end - start)
                    for span in paragraph.spans
                    if start <= span.start and span.end <= end
                ),
                kind="item" if text.startswith(_BULLETS, start) else paragraph.kind,
            )
        )
    return parts


def _item(
    kind: ItemKind, text: str, source: Element | Section, section: int | None = None, level: int = 0
) -> OrderedItem:
    return OrderedItem(kind, text, source.page, source.bbox, source.confidence, level, section, source)


def heading_of_references(items: Sequence[OrderedItem]) -> OrderedItem | None:
    """The heading of the list of references: the last that says so."""
    named = (item for item in reversed(items) if item.kind == "heading" and _REFERENCES.search(item.text))
    return next(named, None)


def heading(section: Section) -> str:
    """A section's title with its printed number."""
    number = section.number.strip()
    return section.title if not number or section.title.startswith(number) else f"{number} {section.title}"


def _back(document: Document) -> Iterator[OrderedItem]:
    """What follows the body: references, footnotes, and what no element holds but the words of figures."""
    for entry in document.references:
        yield _item("reference", entry.text, entry)
    for note in document.footnotes:
        yield _item("footnote", note.text, note)
    told = {note.text for note in document.footnotes}
    for paragraph in document.rest:
        images = (image for image in document.images if image.page == paragraph.page)
        drawn = any(centre_in(paragraph.bbox, image.bbox) for image in images)
        if paragraph.text not in told and not drawn:
            yield _item("rest", paragraph.text, paragraph)


def _float(element: _Float, section: int | None) -> OrderedItem:
    if isinstance(element, Equation):
        return _item("equation", element.latex or element.text, element, section)
    return _item("table" if isinstance(element, Table) else "figure", element.caption, element, section)


_Float = Table | Image | Equation
_Cut = tuple[int, _Float]  # behind so many characters


def _places(
    document: Document, flow: Sequence[OrderedItem]
) -> tuple[defaultdict[int, list[_Float]], defaultdict[int, list[_Cut]]]:
    """Floats by the item behind which they stand (-1: before all), and equations within paragraphs."""
    lines = _lines(flow)
    pages = sorted(lines)
    behind = defaultdict[int, list[_Float]](list)
    inside = defaultdict[int, list[_Cut]](list)
    floats: tuple[_Float, ...] = (*document.tables, *document.images, *document.equations)
    for element in sorted(floats, key=lambda each: (each.page, each.bbox.y0, each.bbox.x0)):
        own = lines.get(element.page, ())
        if not own:
            earlier = bisect.bisect_left(pages, element.page)
            behind[lines[pages[earlier - 1]][-1].item if earlier else -1].append(element)
            continue
        item, start = _spot(element.bbox, own)
        if start and isinstance(element, Equation):
            inside[item].append((start, element))
        else:
            behind[item].append(element)
    return behind, inside


def _lines(flow: Sequence[OrderedItem]) -> dict[int, list[_PrintedLine]]:
    """The printed lines of each page, in reading order."""
    lines: dict[int, list[_PrintedLine]] = {}
    for at, item in enumerate(flow):
        source = item.source
        if isinstance(source, Paragraph) and source.lines:
            for line in source.lines:
                lines.setdefault(line.page, []).append(_PrintedLine(at, line.start, line.bbox))
        elif item.bbox is not None:
            lines.setdefault(item.page, []).append(_PrintedLine(at, 0, item.bbox))
    return lines


def _spot(box: Box, lines: Sequence[_PrintedLine]) -> tuple[int, int]:
    """The item behind which a box stands, and where it parts that item (0: it does not)."""
    widths = [_SHARED * min(box.width, line.box.width) for line in lines]
    beside = [at for at, line in enumerate(lines) if shared_width(box, line.box) > widths[at]]
    above = [at for at in beside if lines[at].box.y1 <= box.y0 + box.height / 2]
    if above:
        last = max(above, key=lambda at: lines[at].box.y1)
        while goes_on := last + 1 < len(lines) and lines[last + 1].item == lines[last].item:
            short = lines[last + 1].box  # the last before an equation may end left of it
            if not lines[last].box.y0 < short.y0 or short.y1 > box.y0 + box.height / 2:
                break
            last += 1
        return lines[last].item, lines[last + 1].start if goes_on else 0
    if not beside:
        return lines[-1].item, 0
    first = lines[beside[0]]
    return (first.item, 0) if first.start else (first.item - 1, 0)


def _parted(item: OrderedItem, cuts: Sequence[_Cut]) -> Iterator[OrderedItem]:
    """An item, with the equations that stand within it between its parts."""
    before = 0
    for start, element in cuts:
        if text := item.text[before:start].strip():
            yield replace(item, text=text)
        yield _float(element, item.section)
        before = max(before, start)
    if text := item.text[before:].strip():
        yield replace(item, text=text)
