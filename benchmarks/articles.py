"""What a publisher's JATS XML says of an article, and how much of that a parsed document holds.

    facts = facts_of(Path("paper.xml"))
    score(facts, parse(Path("paper.pdf")))          # {"title": 1.0, "authors": 1.0, "abstract": 0.98, ...}

The facts of papers typeset here (`benchmarks.typeset`) have the same layout. Letters a to z and digits are
compared, so that blanks, hyphens and signs do not count. Every figure is a share, and is left out where the
paper has nothing of the kind:

title        whether it is the XML's, to 90% of its letters
authors      share of the last names that are among the authors
abstract     likeness of both abstracts
headings     F1 of the titles of sections, without numbers
paragraphs   share of the paragraphs of 80 letters and more that stand, to 90%, in one section
placed       share of these that stand in the section with the XML's own heading
references   F1 of entries, by the titles of the articles that they cite
tables       share of the tables of which one has the caption's beginning
cells        F1 of the texts of their cells, 0 for a table that is missing
captions     share of the figures of which one has the caption's beginning
"""

from __future__ import annotations

import re
import statistics
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz
from training.gold import text_of

from quire.types import Document

FIGURES = "title authors abstract headings paragraphs placed references tables cells captions".split()
Facts = dict[str, Any]
Figures = dict[str, float]
_APART = frozenset({"table-wrap", "fig", "disp-formula", "inline-formula"})  # of paragraphs
_LEAST = 80  # letters of a paragraph
_DATES = ("ppub", "collection", "epub")
_NUMBER = re.compile(r"^[\divxab.]+[.)]?\s+", re.IGNORECASE)
_OTHERS = frozenset(  # headings that an XML need not have
    "abstract references acknowledgment acknowledgments acknowledgements competinginterests "
    "conflictofinterest conflictofinterests authorscontribution authorscontributions authorcontributions "
    "supportinginformation".split()
)
_PIECES, _PIECE = 12, 12  # of a long paragraph, of which a text must have one to be compared whole


def facts_of(xml: Path) -> Facts:
    """What the XML of an article says."""
    root = ET.parse(xml).getroot()
    meta, body = root.find("front/article-meta"), root.find("body")
    assert meta is not None, f"{xml.name} has no article-meta"
    people = meta.iterfind("contrib-group/contrib[@contrib-type='author']/name")
    years = (meta.find(f"pub-date[@pub-type='{kind}']/year") for kind in _DATES)
    sections = list(_sections(body) if body is not None else ())
    return {
        "name": xml.stem,
        "title": text_of(meta.find("title-group/article-title"), frozenset({"xref"})),
        "authors": [
            text_of(each.find("given-names")) + " " + text_of(each.find("surname")) for each in people
        ],
        "year": next((text_of(year) for year in years if year is not None), ""),
        "journal": text_of(root.find("front/journal-meta/journal-title-group/journal-title")),
        "doi": text_of(meta.find("article-id[@pub-id-type='doi']")),
        "abstract": text_of(meta.find("abstract")),
        "sections": [{"title": title} for title, _ in sections if title],
        "paragraphs": [
            {"section": title, "text": text}
            for title, texts in sections
            for text in texts
            if len(text) > _LEAST
        ],
        "tables": [_table(each) for each in root.iter("table-wrap") if each.find(".//table") is not None],
        "figures": [_named(each) for each in root.iter("fig") if each.find("label") is not None],
        "references": [{"title": text_of(ref.find("*/article-title"))} for ref in root.iter("ref")],
    }


def _sections(node: ET.Element) -> Iterator[tuple[str, list[str]]]:
    """The sections below a node, each with its title and its own paragraphs."""
    for section in node.findall("sec"):
        yield text_of(section.find("title")), [text_of(each, _APART) for each in section.findall("p")]
        yield from _sections(section)


def _named(node: ET.Element) -> Facts:
    return {"label": text_of(node.find("label")), "caption": text_of(node.find("caption"))}


def _table(node: ET.Element) -> Facts:
    """A table; a cell that covers several places is told in each of them."""
    grid = [
        [text for cell in row for text in [text_of(cell)] * _span(cell, "rowspan") * _span(cell, "colspan")]
        for row in node.iterfind(".//tr")
    ]
    return {**_named(node), "grid": grid}


def _span(cell: ET.Element, name: str) -> int:
    return int(cell.get(name) or 1)


def bare(text: str) -> str:
    """Letters and digits of ASCII in lower case, ligatures resolved."""
    for joined, apart in (("ﬁ", "fi"), ("ﬂ", "fl"), ("ﬀ", "ff")):
        text = text.replace(joined, apart)
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def heading(text: str) -> str:
    """The letters of a heading, without its number."""
    return re.sub(r"[^a-z]+", "", _NUMBER.sub("", " ".join(text.split())).lower())


def f1(hits: int, found: int, wanted: int) -> float:
    """Harmonic mean of precision and recall; 1 where nothing is wanted or found."""
    return 2 * hits / (found + wanted) if found + wanted else 1.0


def score(facts: Facts, document: Document) -> Figures:
    """The figures of one paper."""
    said = document.metadata
    out: Figures = {}
    if facts["title"]:
        out["title"] = float(fuzz.ratio(bare(said.title), bare(facts["title"])) >= 90)
    names = bare(" ".join(said.authors))
    if lasts := [bare(name.split()[-1]) for name in facts["authors"] if name.strip()]:
        out["authors"] = statistics.mean(last in names for last in lasts)
    if facts["abstract"]:
        out["abstract"] = (
            fuzz.ratio(bare(said.abstract), bare(facts["abstract"])) / 100 if said.abstract else 0.0
        )
    out["headings"] = _headings(facts, document)
    return out | _paragraphs(facts, document) | _references(facts, document) | _floats(facts, document)


def _headings(facts: Facts, document: Document) -> float:
    gold = Counter(heading(section["title"]) for section in facts["sections"])
    spare = {*_OTHERS, heading(facts["title"]), ""} - set(gold)
    found = Counter(name for section in document.sections if (name := heading(section.title)) not in spare)
    return f1((gold & found).total(), found.total(), gold.total())


def _paragraphs(facts: Facts, document: Document) -> Figures:
    texts = [(heading(section.title), bare(section.text)) for section in document.sections]
    found = placed = 0
    for paragraph in facts["paragraphs"]:
        gold, own = bare(paragraph["text"]), heading(paragraph["section"])
        right = any(_holds(text, gold) for name, text in texts if name == own)
        found += right or any(_holds(text, gold) for name, text in texts if name != own)
        placed += right
    if not facts["paragraphs"]:
        return {}
    return {"paragraphs": found / len(facts["paragraphs"]), "placed": placed / found if found else 0.0}


def _holds(text: str, paragraph: str) -> bool:
    """Whether a text has a paragraph but for a tenth of its letters."""
    if paragraph in text:
        return True
    if len(text) < 0.8 * len(paragraph):
        return False
    if len(paragraph) > 20 * _PIECE:  # saves most comparisons
        step = (len(paragraph) - _PIECE) // _PIECES
        starts = range(0, _PIECES * step, step)
        if not any(paragraph[start : start + _PIECE] in text for start in starts):
            return False
    return fuzz.partial_ratio(paragraph, text, score_cutoff=90) >= 90


def _references(facts: Facts, document: Document) -> Figures:
    """By those entries whose article the XML names in 13 letters or more; others cannot be wrong."""
    gold = [title for entry in facts["references"] if len(title := bare(entry["title"])) > 12]
    left = [bare(entry.text) for entry in document.references]
    found, hits = len(left), 0
    for title in gold:
        near = [text for text in left if len(title) <= len(text) < len(title) + 600]
        best = max(reversed(near), key=lambda text: _says(text, title), default="")
        if best and _says(best, title) >= 85:
            left.remove(best)
            hits += 1
    return (
        {"references": f1(hits, max(found - len(facts["references"]) + len(gold), hits), len(gold))}
        if gold
        else {}
    )


def _says(text: str, title: str) -> float:
    return 100.0 if title in text else fuzz.partial_ratio(title, text, score_cutoff=85)


def _floats(facts: Facts, document: Document) -> Figures:
    out: Figures = {}
    if facts["tables"]:
        cells = [_cells(table, document) for table in facts["tables"]]
        out["tables"] = statistics.mean(each is not None for each in cells)
        out["cells"] = statistics.mean(each or 0.0 for each in cells)
    if captions := [figure["caption"] for figure in facts["figures"] if len(figure["caption"]) > 25]:
        own = [image.caption for image in document.images]
        out["captions"] = statistics.mean(any(starts_like(each, gold) for each in own) for gold in captions)
    return out


def _cells(table: Facts, document: Document) -> float | None:
    """F1 of the cells of the table with that caption; None if there is none."""
    named = table["caption"] or table["label"]
    own = [
        _texts(cell.text for cell in each.cells)
        for each in document.tables
        if starts_like(each.caption, named)
    ]
    gold = _texts(text for row in table["grid"] for text in row)
    return max((alike(gold, texts) for texts in own), default=None)


def alike(gold: Counter[str], own: Counter[str]) -> float:
    """F1 of texts; one told in more places than it is printed counts no more often than it was read."""
    wanted = sum(min(count, max(own[text], 1)) for text, count in gold.items())
    return f1((gold & own).total(), own.total(), wanted)


def _texts(cells: Iterable[str]) -> Counter[str]:
    return Counter(text for cell in cells if (text := bare(cell)))


def starts_like(caption: str, gold: str) -> bool:
    """Whether a caption begins as the other does."""
    start = bare(gold)[:40]
    return bool(start) and fuzz.partial_ratio(start, bare(caption)[:120]) >= 90


def row(name: str, scores: Sequence[Figures], figures: Sequence[str] = FIGURES) -> str:
    """A line of a table: means over the papers that have a figure."""
    means = ([each[figure] for each in scores if figure in each] for figure in figures)
    cells = (f"{statistics.mean(own):9.3f}" if own else " " * 8 + "-" for own in means)
    return f"{name[:24]:24s} {len(scores):3d}" + "".join(cells)
