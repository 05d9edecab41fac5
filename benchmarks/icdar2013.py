"""The ICDAR-2013 table competition: gold standard and metric.

Definitions follow Goebel, Hassan, Oro, Orsi: "A Methodology for Evaluating Algorithms for Table
Understanding in PDF Documents" (DocEng 2012) and "ICDAR 2013 Table Competition" (ICDAR 2013), section IV.

Regions (`-reg.xml`). A found region is compared with the gold region of the same page with which it
shares most characters (one to one, greedily by the number of shared characters). Precision and recall
count characters per document. A gold region is *complete* when all its characters were found, *pure* when
the found region holds no others. Here: the file's own instruction numbers are not used; a character (not
white space) belongs to a region when its centre lies in the box.

Structure (`-str.xml`). Each cell with text is related to its nearest neighbour with text in each row to
its right, and in each column below. A relation is (text, text, direction); it is right when the gold
table has it. Blank cells take part in no relation. Repeated pairs of the same two cells count once. Here:
text is compared by its letters and digits only, in lower case after NFKC, because tools differ in
hyphens, ligatures and dashes (the competition's own tool maps special signs to one sign); a cell without
any keeps one `_` per sign. A region of a table over several pages counts as a table of its own.

Averages: precision and recall are means over documents, F1 is their harmonic mean.
"""

from __future__ import annotations

import unicodedata
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium

Edges = tuple[float, float, float, float]  # x0, top, x1, bottom; points from the top left


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and the rows and columns (first, last; from 0) that it covers."""

    text: str
    row: int
    col: int
    row_end: int
    col_end: int


@dataclass(frozen=True, slots=True)
class Region:
    """A table, or the part of it that stands on one page."""

    page: int
    box: Edges
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Gold:
    """One document of the competition."""

    name: str
    pdf: Path
    regions: tuple[Region, ...]
    characters: dict[int, tuple[tuple[float, float], ...]]  # page -> centres of its characters


@dataclass(frozen=True, slots=True)
class Rates:
    """Precision and recall of one document, from counts."""

    right: int
    found: int
    gold: int

    @property
    def precision(self) -> float:
        """Share of what was found that is right; 0 when nothing was found."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold that was found."""
        return self.right / self.gold if self.gold else 1.0


# --------------------------------------------------------------------------- reading


def load(folder: Path) -> list[Gold]:
    """All documents in `folder` that have NAME.pdf, NAME-reg.xml and NAME-str.xml."""
    documents = []
    for pdf in sorted(folder.glob("*.pdf")):
        regions, structure = (pdf.with_name(f"{pdf.stem}-{kind}.xml") for kind in ("reg", "str"))
        if regions.exists() and structure.exists():
            documents.append(_read(pdf, regions, structure))
    return documents


def _read(pdf: Path, regions: Path, structure: Path) -> Gold:
    characters, heights = _characters(pdf)
    cells = {key: _cells(node) for key, node in _regions(structure)}
    found = []
    for key, node in _regions(regions):
        page = int(node.attrib["page"])
        box = node.find("bounding-box")
        if box is None:
            continue
        x1, y1, x2, y2 = (float(box.attrib[k]) for k in ("x1", "y1", "x2", "y2"))
        found.append(Region(page, (x1, heights[page] - y2, x2, heights[page] - y1), cells.get(key, ())))
    return Gold(pdf.stem, pdf, tuple(found), characters)


def _regions(file: Path) -> Iterable[tuple[tuple[str, str], ET.Element]]:
    for table in ET.parse(file).getroot().iter("table"):
        for region in table.iter("region"):
            yield (table.attrib["id"], region.attrib["id"]), region


def _cells(region: ET.Element) -> tuple[Cell, ...]:
    cells = []
    for node in region.iter("cell"):
        row, col = int(node.attrib["start-row"]), int(node.attrib["start-col"])
        row_end, col_end = int(node.get("end-row", row)), int(node.get("end-col", col))
        cells.append(Cell(node.findtext("content") or "", row, col, row_end, col_end))
    return tuple(cells)


def _characters(pdf: Path) -> tuple[dict[int, tuple[tuple[float, float], ...]], dict[int, float]]:
    centres: dict[int, tuple[tuple[float, float], ...]] = {}
    heights: dict[int, float] = {}
    document = pdfium.PdfDocument(pdf)
    for number, page in enumerate(document, 1):
        heights[number] = height = page.get_height()
        text = page.get_textpage()
        boxes = (
            text.get_charbox(i)
            for i in range(text.count_chars())
            if not chr(pdfium.raw.FPDFText_GetUnicode(text, i)).isspace()
        )
        centres[number] = tuple(
            ((left + right) / 2, height - (low + high) / 2) for left, low, right, high in boxes
        )
    document.close()
    return centres, heights


# --------------------------------------------------------------------------- regions


def pair(gold: Gold, found: Sequence[Region]) -> dict[int, int]:
    """Index of a gold region -> index of the found region that shares most characters with it."""
    mine = [_inside(gold, region) for region in found]
    theirs = [_inside(gold, region) for region in gold.regions]
    shared = sorted(
        ((len(g & f), -i, -j) for i, g in enumerate(theirs) for j, f in enumerate(mine) if g & f),
        reverse=True,
    )
    pairs: dict[int, int] = {}
    for _, i, j in shared:
        if -i not in pairs and -j not in pairs.values():
            pairs[-i] = -j
    return pairs


def region_rates(gold: Gold, found: Sequence[Region]) -> tuple[Rates, int, int]:
    """Characters of all regions of a document: rates, number of complete, number of pure gold regions."""
    pairs = pair(gold, found)
    sizes = [len(_inside(gold, region)) for region in found]
    right = total = complete = pure = 0
    for i, region in enumerate(gold.regions):
        want = _inside(gold, region)
        total += len(want)
        if i in pairs:
            have = _inside(gold, found[pairs[i]])
            right += len(want & have)
            complete += want <= have
            pure += have <= want
    return Rates(right, sum(sizes), total), complete, pure


def _inside(gold: Gold, region: Region) -> set[tuple[int, int]]:
    x0, top, x1, bottom = region.box
    return {
        (region.page, i)
        for i, (x, y) in enumerate(gold.characters.get(region.page, ()))
        if x0 <= x <= x1 and top <= y <= bottom
    }


# --------------------------------------------------------------------------- structure


def normal(text: str) -> str:
    """Letters and digits in lower case; `_` per sign when there are none."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    bare = "".join(c for c in folded if c.isalnum())
    return bare or "_" * sum(not c.isspace() for c in folded)


def relations(cells: Iterable[Cell]) -> Counter[tuple[str, str, str]]:
    """Adjacency relations of a table: (text, text, "right" or "below") with their number."""
    full = [cell for cell in cells if normal(cell.text)]
    slots = {
        (r, c): i
        for i, cell in enumerate(full)
        for r in range(cell.row, cell.row_end + 1)
        for c in range(cell.col, cell.col_end + 1)
    }
    pairs: set[tuple[int, int, str]] = set()
    by_row, by_column = sorted(slots), sorted(slots, key=lambda rc: (rc[1], rc[0]))
    for order, axis, name in ((by_row, 0, "right"), (by_column, 1, "below")):
        for one, other in zip(order, order[1:], strict=False):
            if one[axis] == other[axis] and slots[one] != slots[other]:
                pairs.add((slots[one], slots[other], name))
    return Counter((normal(full[i].text), normal(full[j].text), name) for i, j, name in pairs)


def structure_rates(gold: Sequence[Region], found: Sequence[Region], pairs: dict[int, int]) -> Rates:
    """Relations of all tables of a document; a found table without a partner counts as wrong."""
    right = 0
    theirs = [relations(region.cells) for region in gold]
    mine = [relations(region.cells) for region in found]
    for i, j in pairs.items():
        right += (theirs[i] & mine[j]).total()
    return Rates(right, sum(m.total() for m in mine), sum(t.total() for t in theirs))


def summary(rates: Sequence[Rates]) -> tuple[float, float, float]:
    """Mean precision, mean recall, and the harmonic mean of the two."""
    precision = sum(r.precision for r in rates) / len(rates)
    recall = sum(r.recall for r in rates) / len(rates)
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0
