"""First pages: title, authors, abstract and what publishers set around them."""

from __future__ import annotations

import random
from dataclasses import replace

from drawn_papers import Content
from drawn_parts import note_block
from drawn_press import Press, Type

LEFT = Type(align="left", hyphens=False)
CENTER = Type(align="center", hyphens=False)


def marked(content: Content, sep: str = ", ", last: str = " and ") -> list[tuple[str, str]]:
    """Authors in a line with superscripts for their institutions."""
    runs: list[tuple[str, str]] = []
    for k, name in enumerate(content.names):
        if k:
            runs.append((last if k == len(content.names) - 1 else sep, ""))
        runs += [(name, ""), (str(k % 2 + 1) + (",*" if k == 0 else ""), "^")]
    return runs


def places(press: Press, content: Content, kind: Type) -> None:
    """Institutions, each in a line with its superscript."""
    for k, place in enumerate(content.places):
        press.wide([(str(k + 1), "^"), (" " + place, "")], kind)


def grid_of_authors(press: Press, content: Content, columns: int, size: float, *, face: str = "n") -> None:
    """Authors side by side, each above institution and address."""
    sheet = press.sheet
    width = (sheet.right - sheet.left) / columns
    names = content.names
    for start in range(0, len(names), columns):
        row = names[start : start + columns]
        shift = (columns - len(row)) * width / 2
        deepest = 0.0
        for k, name in enumerate(row):
            x, y = sheet.left + shift + k * width, press.y
            center = Type(size=size, align="center", hyphens=False)
            y += press.at([(name, "")], replace(center, face=face), x, y, width)
            department, _, school = content.places[(start + k) % 2].partition(", ")
            y += press.at([(department, "")], replace(center, size=size - 1, face="i"), x, y, width)
            y += press.at([(school, "")], replace(center, size=size - 1), x, y, width)
            last = content.authors[start + k][1].lower().encode("ascii", "ignore").decode()
            y += press.at([(f"{last}@example.edu", "")], replace(center, size=size - 1), x, y, width)
            deepest = max(deepest, y)
        press.y = deepest + 8


def ieee(press: Press, content: Content, rng: random.Random) -> None:
    """Transactions or conference: a grid of authors, or names in a line and a note in the first column."""
    press.wide(content.title, replace(CENTER, size=22, after=10))
    if rng.random() < 0.5:
        grid_of_authors(press, content, 3, 10)
    else:
        press.wide(
            ", ".join(content.names[:-1]) + ", and " + content.names[-1], replace(CENTER, size=11, after=6)
        )
        note = Type(size=8, indent=8)
        first = f"Manuscript received March {rng.randint(1, 28)}, 2018; revised May 4, 2018. {content.thanks}"
        second = f"{content.names[0]} is with the {content.places[0]} (e-mail: author@example.edu)."
        press.notes[(1, 0)] = note_block(
            press, [[(first, "")], [(second, "")]], note, rule=rng.random() < 0.5
        )
    press.below_front(12)
    small = Type(size=9, face="b", indent=10)
    press.flow([("Abstract", "bi"), ("—" + content.abstract, "b")], small)
    press.flow(
        [("Index Terms", "bi"), ("—" + ", ".join(content.keywords) + ".", "b")],
        replace(small, before=6, after=6),
    )


def nature(press: Press, content: Content, rng: random.Random) -> None:
    """Article type, title, authors; a narrow column of dates beside a bold abstract without a name."""
    press.wide("ARTICLE", replace(LEFT, size=9, face="b", family="sans", after=6))
    press.rule(press.sheet.left, press.sheet.right, press.y)
    press.wide(content.title, replace(LEFT, size=22, face="n", family="sans", before=6, after=8))
    press.wide(marked(content, ", ", " & "), replace(LEFT, size=11, after=10))
    top, left = press.y, press.sheet.left
    if rng.random() < 0.6:
        y = top
        for text in ("Received: 12 March 2019", "Accepted: 4 July 2019", "Published online: 9 August 2019"):
            y += press.at([(text, "")], replace(LEFT, size=7, family="sans"), left, y, 110) + 3
        width = press.sheet.right - left - 125
        press.y += press.at(
            [(content.abstract, "")], Type(size=9.5, face="b", align="left"), left + 125, top, width
        )
    else:
        press.wide(content.abstract, Type(size=9.5, face="b"))
    runs = [
        (str(k + 1), "^") if odd == 0 else (f"{place}. ", "")
        for k, place in enumerate(content.places)
        for odd in (0, 1)
    ]
    small = Type(size=7, align="left")
    press.notes[(1, 0)] = note_block(press, [[*runs, ("*e-mail: author@example.org", "")]], small, rule=False)
    press.below_front(18)


def acm(press: Press, content: Content, rng: random.Random) -> None:
    """acmart: a grid of authors, capitals, concepts, reference format, permission block."""
    press.wide(content.title, replace(CENTER, size=17, face="b", family="sans", after=8))
    grid_of_authors(press, content, 3, 11)
    permission = (
        "Permission to make digital or hard copies of all or part of this work for personal or classroom use "
        "is granted without fee provided that copies are not made or distributed for profit."
    )
    small = Type(size=7)
    lines: list[list[tuple[str, str]]] = [
        [(permission, "")],
        [("RIVER ’19, June 3–7, 2019, Altmark, Germany", "i")],
        [("© 2019 Association for Rivers. ACM ISBN 978-1-4503-0000-0/19/06.", "")],
    ]
    press.notes[(1, 0)] = note_block(press, lines, small, rule=True)
    press.below_front(8)
    head = Type(size=11, face="b", family="sans", align="left", before=8, after=2, keep=2)
    press.flow([("ABSTRACT", "")], head)
    press.flow([(content.abstract, "")], Type(size=9))
    press.flow([("CCS CONCEPTS", "")], head)
    press.flow(
        [("• Information systems → Measurement; • Applied computing → Earth sciences.", "")],
        Type(size=9, face="b"),
    )
    press.flow([("KEYWORDS", "")], head)
    press.flow([(", ".join(content.keywords), "")], Type(size=9))
    press.flow([("ACM Reference Format:", "")], Type(size=8, face="b", before=4))
    press.flow(
        [
            (f"{', '.join(content.names)}. 2019. {content.title}. In ", ""),
            ("Proceedings of RIVER ’19", "i"),
            (". ACM, 9 pages.", ""),
        ],
        Type(size=8),
    )


def lncs(press: Press, content: Content, rng: random.Random) -> None:
    """Springer proceedings: centred front, "Abstract." run in."""
    press.wide(content.title, replace(CENTER, size=14, face="b", after=14))
    press.wide(marked(content), replace(CENTER, size=10, after=8))
    places(press, content, replace(CENTER, size=9))
    press.wide("author@example.org", replace(CENTER, size=9, after=16))
    inner = Type(size=9, left=28, right=28)
    press.wide([("Abstract. ", "b"), (content.abstract, "")], inner)
    press.wide(
        [("Keywords: ", "b"), (" · ".join(content.keywords) + ".", "")],
        replace(inner, before=8, align="left"),
    )
    press.below_front(6)


def neurips(press: Press, content: Content, rng: random.Random) -> None:
    """Title between rules, grid of authors in bold, abstract indented under a centred name."""
    press.rule(press.sheet.left, press.sheet.right, press.y, 3)
    press.wide(content.title, replace(CENTER, size=17, face="b", before=8, after=10))
    press.rule(press.sheet.left, press.sheet.right, press.y, 1)
    press.y += 14
    grid_of_authors(press, content, 3, 10, face="b")
    press.wide("Abstract", replace(CENTER, size=12, face="b", before=8, after=6))
    press.wide(content.abstract, Type(left=36, right=36))
    foot = (
        [("Preprint. Under review.", "")]
        if rng.random() < 0.5
        else [("33rd Conference on Rivers (RIVERS 2019), Altmark, Germany.", "")]
    )
    press.notes[(1, 0)] = note_block(press, [foot], Type(size=9), rule=False)
    press.below_front(10)


def icml(press: Press, content: Content, rng: random.Random) -> None:
    """Two columns, running title, names in a line, a note with institutions, abstract in the column."""
    press.rule(press.sheet.left, press.sheet.right, press.y, 1)
    press.wide(content.title, replace(CENTER, size=14, face="b", before=8, after=8))
    press.rule(press.sheet.left, press.sheet.right, press.y, 1)
    runs = [
        (name + " ", "b") if k % 2 == 0 else (mark, "^")
        for n, name in enumerate(content.names)
        for k, (name, mark) in enumerate([(name, ""), ("", str(n % 2 + 1) + " ")])
    ]
    press.wide(runs, replace(CENTER, size=10, before=10))
    addresses = [
        ("1", "^"),
        (content.places[0] + ". ", ""),
        ("2", "^"),
        (content.places[1] + ". Correspondence to: ", ""),
        (f"{content.names[0]} <author@example.edu>.", ""),
    ]
    where = [
        ("Proceedings of the 36th Conference on Rivers", "i"),
        (", Altmark, 2019. © by the author(s).", ""),
    ]
    note = [addresses, where]
    press.notes[(1, 0)] = note_block(press, note, Type(size=8), rule=True)
    press.below_front(16)
    press.flow([("Abstract", "")], replace(CENTER, size=12, face="b", after=4))
    press.flow([(content.abstract, "")], Type(left=12, right=12))


def apa(press: Press, content: Content, rng: random.Random) -> None:
    """A manuscript: title page, abstract on a page of its own, double-spaced, with line numbers."""
    press.y += 120
    press.wide(content.title, replace(CENTER, size=12, face="b", lead=2))
    press.wide(", ".join(content.names[:-1]) + ", and " + content.names[-1], replace(CENTER, size=12, lead=2))
    for place in content.places:
        press.wide(place, replace(CENTER, size=12, lead=2))
    press.wide("Author Note", replace(CENTER, size=12, face="b", lead=2, before=40))
    press.wide(
        "Correspondence concerning this article should be addressed to author@example.edu.",
        Type(size=12, lead=2, align="left"),
    )
    press.new_page()
    press.numbered = 1 if rng.random() < 0.5 else None
    press.flow([("Abstract", "")], replace(CENTER, size=12, face="b", lead=2))
    press.flow([(content.abstract, "")], Type(size=12, lead=2, align="left"))
    press.flow(
        [("Keywords: ", "i"), (", ".join(content.keywords), "")],
        Type(size=12, lead=2, indent=36, align="left"),
    )
    press.new_page()


def thesis(press: Press, content: Content, rng: random.Random) -> None:
    """A preprint of a long report: report number, title, one author a line, abstract."""
    press.wide(f"Technical Report TR-{rng.randint(100, 999)}", replace(LEFT, size=10, after=40))
    press.wide(content.title, replace(CENTER, size=18, face="b", after=20))
    for name in content.names:
        press.wide(name, replace(CENTER, size=12))
    press.wide(content.places[0], replace(CENTER, size=11, face="i", before=6))
    press.wide(
        f"{rng.choice(('January', 'May', 'October'))} 20{rng.randint(10, 21)}",
        replace(CENTER, size=11, before=8, after=20),
    )
    press.wide("Abstract", replace(CENTER, size=11, face="b", after=4))
    press.wide(content.abstract, Type(size=10, left=30, right=30))
    press.below_front(10)


def jama(press: Press, content: Content, rng: random.Random) -> None:
    """Three columns; a structured abstract over the page; kind of article above."""
    press.wide("Original Investigation", replace(LEFT, size=10, family="sans", after=4))
    press.wide(content.title, replace(LEFT, size=19, face="b", family="sans", after=6))
    degrees = ("MD", "PhD", "MD, MPH", "MSc")
    names = "; ".join(f"{n}, {degrees[k % 4]}" for k, n in enumerate(content.names))
    press.wide(names, replace(LEFT, size=9, family="sans", after=10))
    words = content.abstract.split(". ")
    third = max(1, len(words) // 3)
    cut = [
        ". ".join(words[:third]) + ".",
        ". ".join(words[third : 2 * third]) + ".",
        ". ".join(words[2 * third :]),
    ]
    content.abstract = " ".join(
        f"{n} {t}" for n, t in zip(("IMPORTANCE", "METHODS", "CONCLUSIONS"), cut, strict=True)
    )
    for name, text in zip(("IMPORTANCE", "METHODS", "CONCLUSIONS"), cut, strict=True):
        press.wide([(name + " ", "b"), (text, "")], Type(size=9, family="sans", after=5, align="left"))
    note = [
        [("Author Affiliations: ", "b"), ("; ".join(content.places) + ".", "")],
        [("Corresponding Author: ", "b"), (f"{content.names[0]} (author@example.org).", "")],
    ]
    press.notes[(1, 2)] = note_block(press, note, Type(size=7, family="sans", align="left"), rule=True)
    press.below_front(16)


def elsevier(press: Press, content: Content, rng: random.Random) -> None:
    """The "Article info" beside the abstract, between rules; journal box above."""
    press.wide("Contents lists available at RiverDirect", replace(CENTER, size=8, after=4))
    press.wide("Journal of Applied Rivers", replace(CENTER, size=13, after=10))
    press.wide(content.title, replace(LEFT, size=15, after=8))
    press.wide(marked(content, ", ", ", "), replace(LEFT, size=11, after=6))
    places(press, content, replace(LEFT, size=7.5, face="i"))
    press.y += 8
    press.rule(press.sheet.left, press.sheet.right, press.y)
    top, left = press.y + 6, press.sheet.left
    spaced = rng.random() < 0.5
    names = ("A R T I C L E  I N F O", "A B S T R A C T") if spaced else ("ARTICLE INFO", "ABSTRACT")
    y = top + press.at([(names[0], "")], replace(LEFT, size=8), left, top, 130) + 6
    for text, face in [
        ("Article history:", "i"),
        ("Received 12 March 2017", "n"),
        ("Accepted 3 June 2017", "n"),
        ("Keywords:", "i"),
    ] + [(k, "n") for k in content.keywords]:
        y += press.at([(text, face)], replace(LEFT, size=7.5), left, y, 130)
    body_y = top + press.at([(names[1], "")], replace(LEFT, size=8), left + 150, top, 200) + 6
    body_y += press.at(
        [(content.abstract, "")], Type(size=8.5), left + 150, body_y, press.sheet.right - left - 150
    )
    press.y = max(y, body_y) + 8
    press.rule(left, press.sheet.right, press.y)
    press.notes[(1, 0)] = note_block(
        press,
        [[("* Corresponding author. E-mail address: author@example.org.", "")]],
        Type(size=7.5),
        rule=True,
    )
    press.below_front(12)


def mdpi(press: Press, content: Content, rng: random.Random) -> None:
    """A side column of dates, citation and licence runs down the left of the first page."""
    sheet = press.sheet
    press.wide("Article", replace(LEFT, size=10, face="i", after=4))
    press.wide(content.title, replace(LEFT, size=17, face="b", after=8))
    press.wide(marked(content), replace(LEFT, size=10, face="b", after=12))
    side, y = sheet.left, press.y + 60
    citation = f"Citation: {content.authors[0][1]}, A. {content.title}. Rivers 2021, 13, 112. https://doi.org/10.3390/r13010112"
    for text in (
        citation,
        "Received: 3 January 2021",
        "Accepted: 9 March 2021",
        "Publisher’s Note: We stay neutral with regard to claims in maps.",
        "Copyright: © 2021 by the authors. Licensee Rivers Press. This article is distributed under the "
        "terms of the licence.",
    ):
        y += press.at([(text, "")], replace(LEFT, size=7, align="left"), side, y, 112) + 8
    sheet.left += 130
    for k, place in enumerate(content.places):
        press.wide([(str(k + 1), "^"), (" " + place, "")], replace(LEFT, size=8))
    press.wide([("Abstract: ", "b"), (content.abstract, "")], Type(size=9, before=8, after=6))
    press.wide([("Keywords: ", "b"), ("; ".join(content.keywords), "")], Type(size=9, align="left"))
    press.below_front(8)


def springer(press: Press, content: Content, rng: random.Random) -> None:
    """A journal in two columns: dates under the authors, abstract over both, addresses in a note."""
    press.wide("ORIGINAL ARTICLE", replace(LEFT, size=8, family="sans", after=8))
    press.wide(content.title, replace(LEFT, size=16, face="b", family="sans", after=8))
    runs = [
        run
        for k, name in enumerate(content.names)
        for run in ([(" · ", "b")] if k else []) + [(name, "b"), (str(k % 2 + 1), "^")]
    ]
    press.wide(runs, replace(LEFT, size=10, after=10))
    press.wide(
        "Received: 4 May 2016 / Accepted: 9 September 2016 / Published online: 2 October 2016",
        replace(LEFT, size=8),
    )
    press.wide("© The Author(s) 2016", replace(LEFT, size=8, after=12))
    press.wide([("Abstract ", "b"), (content.abstract, "")], Type(size=10))
    press.wide(
        [("Keywords ", "b"), (" · ".join(content.keywords), "")], Type(size=10, align="left", before=8)
    )
    note = [[(content.names[0], "")], [("author@example.org", "")]] + [
        [(str(k + 1), "^"), (" " + p, "")] for k, p in enumerate(content.places)
    ]
    press.notes[(1, 0)] = note_block(press, note, Type(size=8, align="left"), rule=True)
    press.below_front(14)
