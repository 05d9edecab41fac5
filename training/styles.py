"""Styles of articles drawn at random: what publishers differ in, each chosen apart from the others.

    style = draw(random.Random(3))      # what training/restyled.typ reads

Sizes are points, distances multiples of the type size. A style follows no journal; what is likely to go
together (a heading is never set less strikingly than the one below it) does.
"""

from __future__ import annotations

import random
from typing import Any

Values = dict[str, Any]

_SERIF = (
    "TeX Gyre Termes", "TeX Gyre Pagella", "TeX Gyre Schola", "TeX Gyre Bonum", "Libertinus Serif",
    "Nimbus Roman",
    "New Computer Modern", "P052", "C059", "DejaVu Serif",
)  # fmt: skip
_SANS = ("TeX Gyre Heros", "Nimbus Sans", "Lato", "DejaVu Sans", "TeX Gyre Adventor")
_ABSTRACTS = ("Abstract", "ABSTRACT", "Summary", "A B S T R A C T", "SUMMARY", "Abstract:", "ABSTRACT:")
_KEYWORDS = (
    "Keywords:",
    "Key words:",
    "KEYWORDS",
    "Keywords",
    "Index Terms—",
    "KEY WORDS:",
    "K E Y W O R D S",
)
_REFERENCES = ("References", "REFERENCES", "Literature Cited", "Bibliography", "References and Notes")
_MARKS = ("1.", "[1]", "1", "(1)", "[1]", "1.", "")


def draw(rng: random.Random) -> Values:
    """One style."""
    serif, sans = rng.choice(_SERIF), rng.choice(_SANS)
    size = rng.choice((8.5, 9, 9, 9.5, 9.5, 10, 10, 10, 10.5, 11, 12))
    columns = 1 if size >= 11 else rng.choice((1, 1, 2, 2, 2))
    font = serif if rng.random() < 0.82 else sans
    leading = rng.choice((0.5, 0.55, 0.6, 0.65, 0.8)) if rng.random() < 0.92 else 1.3
    indent = rng.choice((0, 0, 1, 1.2, 1.5, 2))
    spacing = leading if indent and rng.random() < 0.85 else leading + rng.choice((0.4, 0.6, 0.9))
    body = {
        "font": font, "sans": rng.choice((font, sans)), "size": size, "columns": columns, "leading": leading,
        "indent": indent,
        "spacing": spacing, "indent_all": rng.random() < 0.3, "flush_first": rng.random() < 0.6,
        "justify": rng.random() < 0.85, "hyphenate": rng.random() < 0.85,
        "line_numbers": leading > 1 and rng.random() < 0.6,
        "gutter": rng.choice((12, 16, 20, 24)), "small": max(6.5, size * rng.choice((0.7, 0.8))),
    }  # fmt: skip
    display = rng.choice((font, font, sans))
    return {
        **body, **_page(rng), **_front(rng, size, display, columns), **_abstract(rng, size, display, columns),
        **_back(rng, size, display), "heads": _heads(rng, size, display),
    }  # fmt: skip


def _look(rng: random.Random, size: float, font: str, **fixed: Any) -> Values:
    """How one line is set; what is not fixed is plain."""
    plain = {
        "size": round(size, 1), "font": font, "weight": "regular", "slant": "normal", "case": "",
        "tracking": 0,
        "grey": rng.choice((0, 0, 0, 60)), "align": "left", "above": 0.8, "below": 0.6, "stop": "",
        "inset": 0,
        "ruled": False, "runin": False, "gap": 0.5,
    }  # fmt: skip
    return {**plain, **fixed}


def _page(rng: random.Random) -> Values:
    width, height = rng.choice(((595, 842), (612, 792), (595, 794), (540, 720), (516, 728)))
    side = rng.choice((40, 50, 60, 72))
    left = side + (90 if rng.random() < 0.1 else 0)
    return {
        "page": [width, height], "margin": [left, side, rng.choice((60, 70, 80)), rng.choice((50, 60, 75))],
        "first_head": rng.random() < 0.5, "head_rule": rng.random() < 0.4,
        "head_slant": rng.choice(("normal", "italic")),
        "number_at": rng.choice(("head", "foot", "foot")),
        "foot_align": rng.choice(("center", "left", "right")),
        "foot_line": rng.choice(("", "", "", "This article is licensed under a Creative Commons licence.")),
        "first_page": rng.choice((0, 0, rng.randint(1, 900))),
    }  # fmt: skip


def _front(rng: random.Random, size: float, display: str, columns: int) -> Values:
    align = rng.choice(("left", "left", "center"))
    title = _look(
        rng, size * rng.choice((1.25, 1.4, 1.6, 1.8, 2.0, 2.4)), display, align=align,
        above=rng.choice((0.6, 1.2, 2)),
        weight=rng.choice(("bold", "bold", "regular")), case=rng.choice(("", "", "", "", "upper")),
        slant="italic" if rng.random() < 0.05 else "normal", below=rng.choice((0.6, 1)),
    )  # fmt: skip
    author = _look(
        rng, size * rng.choice((1, 1, 1.1, 1.2, 1.35)), rng.choice((display, display)), align=align,
        below=rng.choice((0.5, 0.9)),
        weight=rng.choice(("regular", "regular", "bold")), slant=rng.choice(("normal", "normal", "italic")),
        case=rng.choice(("", "", "", "small", "upper")),
    )  # fmt: skip
    kind = _look(
        rng, size * rng.choice((0.9, 1, 1.2, 1.5)), display, align=rng.choice(("left", align, "right")),
        above=0.4,
        weight=rng.choice(("regular", "bold")), case=rng.choice(("", "upper")),
        slant=rng.choice(("normal", "italic")),
        tracking=rng.choice((0, 0, 0.2)),
    )  # fmt: skip
    journal = _look(
        rng, size * rng.choice((1, 1.6, 2.2)), display, weight=rng.choice(("regular", "bold")), align=align
    )
    front = [*rng.choice((["journal", "kind"], ["kind"], ["kind", "journal"], [])), "title", "authors"]
    foot: list[str] = []
    end: list[str] = []
    where = rng.random()
    if where < 0.55:
        front.append("affs")
    elif where < 0.8:
        foot.append("affs")
    else:
        end.append("affs")
    side: list[str] = []
    main: list[str] = []
    inside: list[str] = []
    place = rng.random()
    imprint = rng.random()
    core = rng.choice((["abstract", "keywords"], ["abstract", "keywords"], ["keywords", "abstract"]))
    if place < 0.22:
        side, main = ["imprint"] if rng.random() < 0.7 else ["imprint", "keywords"], core
        main = [piece for piece in main if piece not in side]
        side += ["affs"] if where < 0.55 and rng.random() < 0.2 else []
        front = [piece for piece in front if piece not in side]
    else:
        if place < 0.45 and columns > 1:
            inside = core
        else:
            front += [
                *(["rule"] if rng.random() < 0.25 else []),
                *core,
                *(["rule"] if rng.random() < 0.25 else []),
            ]
        if imprint < 0.35:
            foot.append("imprint")
        elif imprint < 0.6:
            front.insert(rng.choice((0, len(front), front.index("authors") + 1)), "imprint")
    return {
        "title": title, "author": author, "kind": kind, "journal": journal,
        "journal_block": rng.random() < 0.4,
        "kind_rule": rng.random() < 0.2, "front": front, "side": side, "main": main, "inside": inside,
        "foot": foot, "end": end,
        "side_left": rng.random() < 0.7, "foot_wide": columns == 1 or rng.random() < 0.3,
        "author_sep": rng.choice((", ", ", ", ", ", "; ", " · ", " • ", "  ")),
        "author_last": rng.choice((", ", " and ", " & ", ", and ")), "author_rows": rng.random() < 0.08,
        "marks": rng.random() < 0.85, "mark_form": rng.choice(("1", "1", "a", "*")),
        "names": rng.choice(("full", "full", "full", "initials", "inverted")),
        "degrees": rng.random() < 0.1, "aff_size": round(size * rng.choice((0.75, 0.8, 0.9, 1)), 1),
        "aff_slant": rng.choice(("normal", "normal", "italic")), "aff_joined": rng.random() < 0.25,
        "imprint_weight": rng.choice(("bold", "regular")), "imprint_rows": rng.random() < 0.5,
        "show_kind": rng.random() < 0.7,
    }  # fmt: skip


def _abstract(rng: random.Random, size: float, display: str, columns: int) -> Values:
    own = round(size * rng.choice((0.85, 0.9, 0.95, 1, 1)), 1)
    runin = rng.random() < 0.4
    strong = rng.choice(("bold", "bold", "regular"))
    head = _look(
        rng, own if runin else size * rng.choice((1, 1, 1.2, 1.3)), display, weight=strong,
        align=rng.choice(("left", "left", "center")),
        slant="italic" if strong == "regular" or rng.random() < 0.1 else "normal", above=0.6, below=0.6,
    )  # fmt: skip
    style = rng.random()
    part = _look(
        rng, own, display, weight=rng.choice(("bold", "bold", "regular")),
        slant=rng.choice(("normal", "italic")),
        case=rng.choice(("", "", "upper")), above=0.5, below=0.4,
    )  # fmt: skip
    return {
        "abstract_name": "" if rng.random() < 0.2 else rng.choice(_ABSTRACTS), "abstract_runin": runin,
        "abstract_head": head,
        "abstract_gap": rng.choice((" ", ". ", "—", ": ", "  ")), "abstract_size": own,
        "abstract_weight": "bold" if style < 0.12 else "regular",
        "abstract_slant": "italic" if 0.12 < style < 0.2 else "normal",
        "abstract_leading": rng.choice((0.5, 0.6, 0.7)), "abstract_inset": rng.choice((0, 0, 0, 1, 2, 3)),
        "abstract_pad": rng.choice((0, 0, 0.6)), "abstract_fill": rng.random() < 0.12,
        "abstract_stroke": rng.random() < 0.08,
        "abstract_inside": columns > 1, "part": part, "part_runin": rng.random() < 0.75,
        "part_stop": rng.choice((":", ".", ":")),
        "parts_joined": rng.random() < 0.4,
        "keyword": _look(rng, own, display, weight=rng.choice(("bold", "bold", "regular")),
                         slant=rng.choice(("normal", "italic"))),
        "keyword_name": rng.choice(_KEYWORDS), "keyword_sep": rng.choice(("; ", ", ", " · ", " | ")),
        "parts": rng.random() < 0.7,
    }  # fmt: skip


_FORMS = (  # (weight, slant, case, size) from the most to the least striking
    ("bold", "normal", "upper", 1.2), ("bold", "normal", "", 1.4), ("bold", "normal", "", 1.25),
    ("regular", "normal", "", 1.4),
    ("bold", "normal", "upper", 1.0), ("regular", "normal", "upper", 1.15), ("bold", "normal", "", 1.1),
    ("regular", "normal", "", 1.2),
    ("bold", "normal", "", 1.0), ("regular", "normal", "upper", 1.0), ("regular", "normal", "small", 1.05),
    ("bold", "italic", "", 1.0),
    ("regular", "normal", "", 1.1), ("regular", "italic", "", 1.05), ("regular", "italic", "", 1.0),
    ("regular", "normal", "", 1.0),
    ("bold", "normal", "", 0.9), ("regular", "italic", "", 0.9),
)  # fmt: skip


def _heads(rng: random.Random, size: float, display: str) -> list[Values]:
    """The looks of three levels, each less striking than the one before."""
    chosen = sorted((rng.randrange(0, 13), rng.randrange(5, len(_FORMS)), rng.randrange(8, len(_FORMS))))
    align = rng.choice(("left", "left", "left", "center"))
    above = rng.choice((0.9, 1.2, 1.6, 2))
    out = []
    stops = rng.choice(("", "", "", "."))
    for level, k in enumerate(chosen):
        weight, slant, case, factor = _FORMS[k]
        plain = (weight, slant, case, factor) == ("regular", "normal", "", 1.0)
        runin = level > 0 and not plain and rng.random() < (0.15, 0.15, 0.4)[level]
        out.append(
            _look(
                rng, size * factor, display, weight=weight, slant=slant, case=case,
                align=align if level == 0 or rng.random() < 0.3 else "left",
                above=max(above * (1, 0.85, 0.7)[level], 1.0 if plain else 0),
                below=rng.choice((0.3, 0.5, 0.7, 1)),
                stop=(rng.choice((".", ":", ".")) if runin else stops), inset=rng.choice((0, 0, 0, 0, 1)),
                ruled=level == 0 and rng.random() < 0.08,
                runin=runin, gap=rng.choice((0.3, 0.5, 1)),
            )
        )  # fmt: skip
    return out


def _back(rng: random.Random, size: float, display: str) -> Values:
    weight, slant, case, factor = _FORMS[rng.randrange(0, 12)]
    own = round(size * rng.choice((0.75, 0.8, 0.85, 0.9, 1, 1)), 1)
    return {
        "numbers": rng.choice(("", "", "", "1", "1.", "I.", "1 |")),
        "refs_head": _look(rng, size * factor, display, weight=weight, slant=slant, case=case, above=1.4,
                           below=0.8,
                           align=rng.choice(("left", "left", "center"))),
        "refs_name": rng.choice(_REFERENCES), "refs_size": own, "refs_leading": rng.choice((0.4, 0.5, 0.6)),
        "refs_mark": rng.choice(_MARKS), "refs_grid": rng.random() < 0.6,
        "refs_hang": rng.choice((0, 1, 1.5, 2)),
        "refs_spacing": rng.choice((0.4, 0.5, 0.6, 0.9)),
        "cited": rng.choice(("vancouver", "apa", "title", "short")),
        "caption_size": round(size * rng.choice((0.8, 0.85, 0.9)), 1),
        "caption_weight": rng.choice(("bold", "regular")),
        "caption_stop": rng.choice((".", ":", "", " |")),
        "table_size": round(size * rng.choice((0.7, 0.8, 0.9)), 1),
        "table_grid": rng.random() < 0.2, "back_level": rng.choice((1, 1, 2)),
    }  # fmt: skip
