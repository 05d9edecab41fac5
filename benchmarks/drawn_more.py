"""A second set of layouts, drawn only after the parser had been tuned on the first."""

from __future__ import annotations

import random
from dataclasses import replace

import drawn_parts as parts
import drawn_references as references
from drawn_fronts import CENTER, LEFT, marked, places
from drawn_papers import Content, prose
from drawn_parts import Captions, note_block
from drawn_press import Press, Type
from drawn_styles import Layout, heads


def acl(press: Press, content: Content, rng: random.Random) -> None:
    """Names in bold over the page, the abstract narrower than its column."""
    press.wide(content.title, replace(CENTER, size=15, face="b", after=12))
    bold = Type(size=11, face="b", align="left", hyphens=False)
    widths = [parts.width_of(name, bold) for name in content.names]
    x = (press.sheet.left + press.sheet.right - sum(widths) - 20 * (len(widths) - 1)) / 2
    for name, width in zip(content.names, widths, strict=True):
        press.at([(name, "")], bold, x, press.y, width + 20)
        x += width + 20
    press.y += 14
    for place in content.places:
        press.wide(place, replace(CENTER, size=12))
    press.wide("{first,second}@example.edu", replace(CENTER, size=10, after=20))
    press.below_front(6)
    press.flow([("Abstract", "")], replace(CENTER, size=12, face="b", after=6))
    press.flow([(content.abstract, "")], Type(size=10, left=17, right=17))


def aps(press: Press, content: Content, rng: random.Random) -> None:
    """Physics: everything centred, dates in brackets, an abstract without a name."""
    press.wide(content.title, replace(CENTER, size=12, face="b", after=8))
    press.wide(marked(content), replace(CENTER, size=10, after=4))
    places(press, content, replace(CENTER, size=9, face="i"))
    press.wide("(Received 4 May 2016; published 2 October 2016)", replace(CENTER, size=9, before=4, after=6))
    press.wide(content.abstract, Type(size=9, left=50, right=50, indent=10))
    press.wide("DOI: 10.1103/RiverD.93.112001", replace(LEFT, size=8.5, left=50, before=8))
    press.below_front(16)


def wiley(press: Press, content: Content, rng: random.Random) -> None:
    """Addresses in a column left of the abstract; numbers of sections with a bar."""
    press.wide("RESEARCH ARTICLE", replace(LEFT, size=9, family="sans", after=8))
    press.wide(content.title, replace(LEFT, size=18, face="b", family="sans", after=8))
    press.wide(marked(content, " | ", " | "), replace(LEFT, size=11, family="sans", after=12))
    top, left = press.y, press.sheet.left
    y = top
    side = replace(LEFT, size=7.5, family="sans")
    for k, place in enumerate(content.places):
        y += press.at([(str(k + 1), "^"), (place, "")], side, left, y, 130) + 3
    for name, text in (
        ("Correspondence", content.names[0]),
        ("Funding information", "River Council, Grant 112"),
    ):
        y += press.at([(name, "")], replace(side, face="b"), left, y + 4, 130) + 4
        y += press.at([(text, "")], side, left, y, 130)
    x, width = left + 150, press.sheet.right - left - 150
    body = (
        top + press.at([("Abstract", "")], replace(LEFT, size=11, face="b", family="sans"), x, top, width) + 4
    )
    body += press.at([(content.abstract, "")], Type(size=9.5), x, body, width) + 8
    body += press.at([("KEYWORDS", "")], replace(side, face="b"), x, body, width)
    body += press.at([(", ".join(content.keywords), "")], replace(LEFT, size=9), x, body, width)
    press.y = max(y, body) + 6
    press.below_front(10)


def plos(press: Press, content: Content, rng: random.Random) -> None:
    """Narrow text beside a wide margin with the citation and the licence."""
    sheet = press.sheet
    press.wide("RESEARCH ARTICLE", replace(LEFT, size=9, face="b", family="sans", after=8))
    side, y = sheet.left, press.y + 40
    sheet.left += 140
    for text in (
        f"Citation: {content.authors[0][1]} A (2015) {content.title}. RiverONE 10(2): e0112.",
        "Editor: Jane Stone, University of Altmark, GERMANY",
        "Received: January 3, 2015",
        "Copyright: © 2015 The authors. This is an open access article.",
        "Funding: The authors received no specific funding for this work.",
        "Competing Interests: The authors have declared that no competing interests exist.",
    ):
        y += press.at([(text, "")], replace(LEFT, size=7.5), side, y, 120) + 8
    press.wide(content.title, replace(LEFT, size=17, face="b", family="sans", after=8))
    press.wide(marked(content), replace(LEFT, size=10, face="b", after=6))
    places(press, content, replace(LEFT, size=9))
    press.wide("* author@example.org", replace(LEFT, size=9, after=10))
    press.wide("Abstract", replace(LEFT, size=15, face="b", family="sans", after=4))
    press.wide(content.abstract, Type(size=10))
    press.below_front(10)


def humanities(press: Press, content: Content, rng: random.Random) -> None:
    """An essay: title in capitals, author below, an abstract in italics, many footnotes."""
    press.wide(content.title.upper(), replace(CENTER, size=14, before=30, after=12))
    press.wide(" and ".join(content.names), replace(CENTER, size=12, after=16))
    press.wide([("ABSTRACT: ", "n"), (content.abstract, "i")], Type(size=10, left=24, right=24))
    note = [[("*", "^"), (f" {content.names[0]} teaches at the {content.places[0]}. {prose(rng, 1)}", "")]]
    press.notes[(1, 0)] = note_block(press, note, Type(size=8.5), rule=rng.random() < 0.5)
    press.below_front(16)


MORE: dict[str, Layout] = {
    "acl": Layout(
        acl,
        2,
        "year",
        references.natbib,
        Type(size=11, indent=11),
        list_type=Type(size=10, hang=11, after=4),
        section=Type(size=12, face="b", align="left", before=12, after=5, keep=3),
        sub=Type(size=11, face="b", align="left", before=9, after=4, keep=3),
        captions=Captions("Table {}:", "Figure {}:", Type(size=10)),
        sheet={"left": 71, "right": 526},
        rules=("book",),
        wide_tables=True,
        appendix=True,
        footnotes=True,
    ),
    "aps": Layout(
        aps,
        2,
        "number",
        references.ieee,
        Type(size=10, indent=10),
        numbering="roman",
        dot=".",
        capitals=True,
        section=Type(size=9, face="b", align="center", before=12, after=8, keep=3),
        sub=Type(size=9, face="b", align="center", before=10, after=8, keep=3),
        captions=Captions("TABLE {}.", "FIG. {}.", Type(size=9), roman=True),
        list_type=Type(size=8.5, hang=16),
        furniture=heads("PHYSICAL REVIEW RIVERS 93, 112001 (2016)", "{t}"),
        rules=("book", "head"),
        wide_tables=True,
    ),
    "wiley": Layout(
        wiley,
        2,
        "year",
        references.apa,
        Type(size=9, indent=10),
        dot=" |",
        capitals=True,
        family="times",
        section=Type(size=11, face="b", family="sans", align="left", before=14, after=6, keep=3),
        sub=Type(size=10, face="b", family="sans", align="left", before=10, after=5, keep=3),
        captions=Captions("TABLE {}", "FIGURE {}", Type(size=8, family="sans", align="left"), "b"),
        list_type=Type(size=8, hang=12, align="left"),
        furniture=heads("{a}", "RIVER JOURNAL | {p}"),
        rules=("head", "book"),
        wide_tables=True,
        footnotes=False,
        thanks="Acknowledgements",
    ),
    "plos": Layout(
        plos,
        1,
        "number",
        references.vancouver,
        Type(size=10, indent=12),
        numbering="none",
        section=Type(size=15, face="b", family="sans", align="left", before=16, after=4, keep=3),
        sub=Type(size=11, face="b", family="sans", align="left", before=10, after=3, keep=3),
        captions=Captions("Table {}.", "Fig {}.", Type(size=9, family="sans", align="left"), "b"),
        list_type=Type(size=8.5, hang=18),
        furniture=heads("{t}", "RiverONE | DOI:10.1371/r.0112 March 3, 2015"),
        rules=("grid", "head"),
    ),
    "essay": Layout(
        humanities,
        1,
        "super",
        references.harvard,
        Type(size=11, indent=18, lead=1.35),
        numbering="none",
        section=Type(size=11, face="n", align="center", before=16, after=8, keep=3),
        capitals=True,
        sub=Type(size=11, face="i", align="left", before=10, after=6, keep=3),
        list_title="Bibliography",
        captions=Captions("Table {}.", "Figure {}.", Type(size=10)),
        list_type=Type(size=10, hang=18),
        furniture=heads("{a}", "{t}"),
        sheet={"left": 100, "right": 495},
        rules=("book", "head"),
        thanks="",
        footnotes=True,
    ),
}
