"""The figures and tables of a paper: what is told of them, and which of them a question is about.

floats(library, paper, "image", question)     "Figure 1 (page 4, box [56, 546, 483, 175]): Survival of ..."
meant(figures, question, passages)            the one whose caption says most of the question, or two
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from quire.ask.actions.database import read_view
from quire.library import Library
from quire.search.analyzer import STOP_WORDS, words

LINES = 60  # of one part of an outline
_CAPTION = 140  # characters of a caption that nobody named, and of each other part that the question asks for
_MORE = 2  # such parts
_PANEL = r"\(?[A-Ha-h][).:]\s|[b-h]\s"
_PARTS = re.compile(r"(?<=[.;])\s|\s(?=\(?[A-Ha-h][).:]\s)")  # sentences and panels of a caption
_PANELS, _PANEL_SHOWN = 8, 50  # that are told by their beginnings, where no part has a word of the question
_NAMED_IN = 2  # figures and tables that come along because passages name them
EMPTY = STOP_WORDS | frozenset(
    "many least fewest less alone one two three four five paper papers article articles study studies "
    "work works publication publications library mention mentions mentioned text name names named occur "
    "occurs occurring show shows shown figure figures table tables caption captions section sections "
    "subsection subsections heading headings title titles called word words going list lists listed cite "
    "cites cited reference references author authors write written publish published appear appeared "
    "longest shortest largest smallest highest lowest longer shorter larger smaller "
    "higher lower better worse faster slower greater total number count together exactly use used uses "
    "report reports reported contain contains year page pages entries intro stats".split()
)
_FIGURES = re.compile(
    r"(?i)\b(fig(ure)?s?\.?|plots?|diagrams?|curves?|graphs?|charts?|pictures?|photo(graph)?s?|images?"
    r"|drawings?|schemes?|chromatograms?|spectr(?:um|a)|(?:photo)?micrographs?|dendrograms?|alignments?|blots?"
    r"|(?:cluster|phylogenetic) trees?|histograms?|flow ?charts?|grids?(?= of)|panels?|ax[ei]s)\b"
)
_DRAWN = re.compile(
    r"(?i)\b(bars?|boxes|arrow(?:head)?s?|lanes?|dots?|discs?|legends?|colou?r(?:s|ed)?|drawn|marked|printed"
    r"|green|red|blue|yellow|grids?)\b"
)
# Words for one kind of picture: a caption may have another of them than the question.
_KINDS = tuple(
    frozenset(word.stem for word in words(kind))
    for kind in (
        "flow chart flowchart diagram profile schema scheme consort workflow",
        "chromatogram chromatography spectrum spectra GC HPLC TIC",
        "tree dendrogram cladogram cluster phylogeny phylogenetic UPGMA",
        "micrograph photomicrograph microphotograph microscopy microscope",
        "photo photograph picture image gel",
        "drawing scheme schematic diagram illustration setup",
    )
)
_AHEAD = 1.25  # times the score of the next, to be the one that is meant
_BEGINNING = 5  # letters of a word with which another begins
_NAMED_THERE = 0.5  # for a figure that the passages name, of the score of a word that no other caption has
_NUMBERED = re.compile(r"(?i)\b(fig(?:ure)?|table)s?\.?\s*(S?\d{1,3})[a-h]?\b")


def asks_figure(question: str) -> bool:
    """Whether it speaks of a figure, or of two things that only a picture shows."""
    return bool(_FIGURES.search(question)) or len({*map(str.lower, _DRAWN.findall(question))}) > 1


def meant(
    figures: Sequence[Mapping[str, Any]], question: str, passages: Sequence[str]
) -> list[Mapping[str, Any]]:
    """The figure that a question describes, by the words of the captions; two if they are alike; or none.

    A word counts less, the more captions have it.
    """
    if len(figures) == 1:
        return list(figures)
    captions = [{word.stem for word in words(each["image_caption"])} for each in figures]
    asked = _asked(question)
    wanted = [frozenset({stem}) for stem in asked]
    wanted += [kind for kind in _KINDS if kind & asked and not any(kind & asked & each for each in captions)]
    named = {number for text in passages for kind, number in named_floats(text) if kind == "image"}
    scores = [_NAMED_THERE * (each["image_label"].split()[-1] in named) for each in figures]
    for alike in wanted:
        having = [_has(alike, caption) for caption in captions]
        for number, has in enumerate(having):
            scores[number] += has / max(sum(having), 1)
    ranked = sorted(range(len(figures)), key=lambda number: -scores[number])
    for most in (1, 2):
        best, rest = ranked[:most], [scores[number] for number in ranked[most:]]
        if scores[best[-1]] > _AHEAD * max(rest, default=0.0):
            return [figures[number] for number in best]
    return []


def _asked(question: str) -> set[str]:
    """The stems of its words that say something."""
    return {word.stem for word in words(question) if question[word.start : word.end].lower() not in EMPTY}


def _has(stems: Set[str], caption: Set[str]) -> bool:
    """Whether a caption has one of the words, or one that begins with it: spermatozoa are sperm."""
    begun = tuple(stem for stem in stems if len(stem) >= _BEGINNING)
    return bool(stems & caption) or any(word.startswith(begun) for word in caption)


def named_floats(text: str) -> list[tuple[str, str]]:
    """The figures ("image") and tables ("table") that a text names by number, in its order."""
    return [
        ("table" if kind.lower() == "table" else "image", number) for kind, number in _NUMBERED.findall(text)
    ]


def named_in(library: Library, paper: str, texts: Sequence[str], shown: str) -> str:
    """Caption, page and box of the figures and tables that passages name, the first of them; none twice."""
    wanted = list(dict.fromkeys(each for text in texts for each in named_floats(text)))
    lines: list[str] = []
    for kind, number in wanted:
        view = "figures" if kind == "image" else "tables"
        if len(lines) == _NAMED_IN:
            break
        for row in read_view(library, view, [paper]):
            label, caption = str(row[f"{kind}_label"] or ""), str(row[f"{kind}_caption"] or "")
            if not label or label.split()[-1] != number:
                continue
            if f"{label} (page" not in shown and not any(caption in text for text in texts):
                lines.append(_float_line(row, kind))
            break
    return "\n".join(lines)


def floats(library: Library, paper: str, kind: str, question: str) -> Iterator[str]:
    """The labelled ones of a kind ("image", "table"), a line each, with page, box and caption."""
    rows = read_view(library, "figures" if kind == "image" else "tables", [paper])
    named = {number for of, number in named_floats(question) if of == kind}
    for row in [row for row in rows if row[f"{kind}_label"]][:LINES]:
        whole = row[f"{kind}_label"].split()[-1] in named
        yield _float_line(row, kind, "" if whole else question, whole=whole)


def _float_line(row: Mapping[str, Any], kind: str, question: str = "", *, whole: bool = False) -> str:
    label, caption, page, box = (
        row[each] for each in (f"{kind}_label", f"{kind}_caption", "page_number", "bounding_box")
    )
    text = caption if whole or len(caption) <= _CAPTION else shortened(caption, question)
    where = f", box {list(box)}" if kind == "image" and box else ""
    return f"{label} (page {page}{where}): {_bare(text, label)}"


def shortened(caption: str, question: str) -> str:
    """How a caption begins, and which of its later parts have a word of the question that this has not.

    If none has, how each panel begins.
    """
    start = caption[:_CAPTION]
    asked = _asked(question) - {word.stem for word in words(start)}
    told = [start]
    parts = _PARTS.split(caption[_CAPTION:])
    for part in parts:
        own = {word.stem for word in words(part)} & asked
        if own and len(told) <= _MORE:
            told.append(part.strip()[:_CAPTION])
            asked -= own
    if len(told) == 1:
        panels = [part[:_PANEL_SHOWN] for part in map(str.strip, parts) if re.match(_PANEL, part)]
        told += panels[:_PANELS]
    return " ... ".join(told) + " ..."


def _bare(caption: str, label: str) -> str:
    bare = caption[len(label) :] if caption.lower().startswith(label.lower()) else caption
    return " ".join(bare.lstrip(" .:|").split())
