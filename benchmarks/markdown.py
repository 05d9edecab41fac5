"""Papers as Markdown by quire and by other tools, against the publisher's JATS XML.

    python -m benchmarks markdown --data DIR --half 1 --others ENV/bin/python

DIR holds NAME.pdf beside NAME.xml (open-access articles, below any folder). ENV is an environment of its own
with `pymupdf` (2 and later bring `pymupdf4llm`), `markitdown[pdf]`, `pdf_oxide`, `pypdf`, `pdfminer.six`,
`docling`, `marker-pdf`: each is run where it can be imported and ends within its time; the rest are named
with the reason. `pdftotext` is poppler's.

order       similarity by edit distance of letters and digits: title, abstract, headings, paragraphs, floats
            and references in the XML's order against all that the tool wrote
paragraphs  share of the XML's paragraphs of 80 characters or more that stand whole (ratio 90) in one block
headings    F1 of headings (lines with #) against the XML's
tables      TEDS of the XML's tables, each against the most similar one written (pipes or HTML), 0 where there
            is none. Rows are aligned with rows and cells with cells, so it is a lower bound of the published
            TEDS (Zhong et al. 2020, https://arxiv.org/abs/1911.10683), whose edits may cross levels
seconds     for a paper, imports left out

With `--cache`, `left out` is quire with line classifiers that have seen no paper of the publisher.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein
from training.gold import bare, read_spans, text_of
from training.papers import half_of, publisher

TOOLS = {
    "pymupdf4llm": "import pymupdf4llm\nread = lambda p: pymupdf4llm.to_markdown(p)",
    "markitdown": "from markitdown import MarkItDown\nm = MarkItDown()\n"
    "read = lambda p: m.convert(p).text_content",
    "docling": "from docling.document_converter import DocumentConverter as D\nc = D()\n"
    "read = lambda p: c.convert(p).document.export_to_markdown()",
    "marker": "from marker.converters.pdf import PdfConverter\nfrom marker.models import create_model_dict\n"
    "c = PdfConverter(artifact_dict=create_model_dict())\nread = lambda p: c(p).markdown",
    "pdf_oxide": "from pdf_oxide import PdfDocument\nread = lambda p: PdfDocument(p).to_markdown_all()",
    "pypdf": "from pypdf import PdfReader\n"
    "read = lambda p: '\\n\\n'.join(x.extract_text() for x in PdfReader(p).pages)",
    "pdfminer": "from pdfminer.high_level import extract_text\nread = lambda p: extract_text(p)",
    "pdftotext": "from subprocess import check_output\n"
    "read = lambda p: check_output(['pdftotext', p, '-'], text=True, errors='replace')",
}
"""What each tool does to a PDF, run by the Python of its own environment."""

QUIRE = "from quire.library.converting import parse\nread = lambda p: parse(p).to_markdown()"
LEFT_OUT = """
import json, sys
from pathlib import Path
sys.path[:0] = [{root!r}, {root!r} + "/benchmarks"]
from training.papers import publisher, read_raw
from quire.pdf.assemble import assemble
from quire.pdf.line_classifier.model import load
cache = Path({cache!r})
folds = json.loads((cache / "folds.json").read_text())
models = {{fold: load((cache / f"fold{{fold}}.npz").read_bytes()) for fold in set(folds.values())}}
def read(p):
    model = models[folds[publisher(Path(p).with_suffix(".xml"))]]
    return assemble(*read_raw(Path(p), cache), model).to_markdown()
"""
RUNNER = """
import json, sys, time
{setup}
for line in sys.stdin:
    started = time.monotonic()
    try:
        text = read(line.strip())
    except Exception as error:
        text = ""
        print(type(error).__name__, error, file=sys.stderr)
    print(json.dumps([text, time.monotonic() - started]), flush=True)
"""
COLUMNS = ("order", "paragraphs", "headings", "tables", "seconds")
Grid = list[list[str]]


class _Tables(HTMLParser):
    """Rows of cells of every table in HTML; spans are not repeated."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Grid] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables and self.tables[-1]:
            self.tables[-1][-1].append("")

    def handle_data(self, data: str) -> None:
        if self.tables and self.tables[-1] and self.tables[-1][-1]:
            self.tables[-1][-1][-1] += data


def tables_of(markdown: str) -> list[Grid]:
    """The tables of a Markdown text: HTML, and lines between pipes."""
    reader = _Tables()
    reader.feed("\n".join(re.findall(r"<table.*?</table>", markdown, re.DOTALL)))
    found = reader.tables
    rows: Grid = []
    for line in [*markdown.splitlines(), ""]:
        if line.lstrip().startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            if not all(re.fullmatch(r":?-*:?", cell) for cell in cells) or not any(cells):
                rows.append(cells)
        elif rows:
            found.append([row for row in rows if any(row)])
            rows = []
    return found


def gold_tables(file: Path) -> list[Grid]:
    """The tables of a JATS file."""
    tables = ET.parse(file).getroot().iterfind(".//table-wrap//table")
    return [[[text_of(cell) for cell in row] for row in table.iter("tr")] for table in tables]


def teds(one: Grid, other: Grid) -> float:
    """Similarity of two tables by the edits that make one of the other: rows, cells and letters of cells."""
    size = max(1 + sum(1 + len(row) for row in grid) for grid in (one, other))
    cost = _aligned(
        one,
        other,
        lambda row: 1.0 + len(row),
        lambda a, b: _aligned(a, b, lambda cell: 1.0, lambda x, y: Levenshtein.normalized_distance(x, y)),
    )
    return 1 - cost / size


def _aligned(one: Sequence, other: Sequence, alone, together) -> float:  # type: ignore[no-untyped-def, type-arg]
    """The least cost of aligning two sequences."""
    before = [0.0]
    for item in other:
        before.append(before[-1] + alone(item))
    for item in one:
        now = [before[0] + alone(item)]
        for k, against in enumerate(other):
            changed = before[k] + together(item, against)
            now.append(min(before[k + 1] + alone(item), now[k] + alone(against), changed))
        before = now
    return before[-1]


def plain(markdown: str) -> str:
    """What a reader of the Markdown sees."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|<[^<>]{1,200}>", " ", markdown)
    return text.replace("&lt;", "<").replace("&amp;", "&")


def scored(markdown: str, xml: Path) -> dict[str, float]:
    """How a text compares to the XML."""
    spans = read_spans(xml)
    blocks = [bare(block) for block in re.split(r"\n\s*\n", plain(markdown))]
    whole = "\n".join(blocks)
    paragraphs = [text for span in spans if span.label == "para" and len(text := bare(span.text)) >= 80]
    heads = re.findall(r"^#{1,6} .*", markdown, re.M)
    named = Counter(bare(re.sub(r"^[#*_\s\d.]+", "", line)) for line in heads)
    wanted = Counter(bare(re.sub(r"^[\d.\s]+", "", span.text)) for span in spans if span.label == "heading")
    both = sum((named & wanted).values())
    gold, read = gold_tables(xml), tables_of(markdown)
    known = "".join(bare(span.text) for span in spans)
    return {
        "order": Levenshtein.normalized_similarity(known, "".join(blocks)),
        "paragraphs": _share([_stands(text, blocks, whole) for text in paragraphs]),
        "headings": 2 * both / max(1, named.total() + wanted.total()),
        "tables": _share([max((teds(table, each) for each in read), default=0.0) for table in gold]),
    }


def _stands(text: str, blocks: Sequence[str], whole: str) -> float:
    if text in whole:
        return 1.0
    long = (block for block in blocks if len(block) >= 0.9 * len(text))
    return float(any(fuzz.partial_ratio(text, block) >= 90 for block in long))


def _share(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else float("nan")


def texts(python: str, setup: str, files: Sequence[Path], limit: float) -> list[tuple[str, float]] | str:
    """What a tool writes of each file and how long it takes; or why it cannot."""
    code = RUNNER.format(setup=setup)
    try:
        done = subprocess.run(
            [python, "-c", code], input="\n".join(map(str, files)) + "\n", capture_output=True, text=True,
            check=False, timeout=limit * len(files),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"took more than {limit:g} s a paper"
    found = []
    for line in done.stdout.splitlines():
        try:  # tools may print what they like besides
            text, seconds = json.loads(line)
            found.append((str(text), float(seconds)))
        except (ValueError, TypeError):
            continue
    if len(found) != len(files) or not any(text for text, _ in found):
        return (done.stderr.strip().splitlines() or ["wrote nothing"])[-1][:160]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--half", type=int, choices=(0, 1), help="of the publishers: 1 was not looked at")
    parser.add_argument("--others", default=sys.executable, help="Python of the other tools")
    parser.add_argument("--tools", nargs="*", default=list(TOOLS))
    parser.add_argument("--cache", type=Path, help="models without each publisher (training.train --folds)")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a paper")
    parser.add_argument("--json", type=Path, help="write the figures here")
    given = parser.parse_args()
    pairs = sorted(pdf for pdf in given.data.rglob("*.pdf") if pdf.with_suffix(".xml").is_file())
    if given.half is not None:
        pairs = [pdf for pdf in pairs if half_of(publisher(pdf.with_suffix(".xml"))) == given.half]
    files = random.Random(7).sample(pairs, min(given.sample, len(pairs)))
    print(f"{len(files)} of {len(pairs)} papers, {time.strftime('%Y-%m-%d')}")
    print(f"{'':12}" + "".join(f"{name:>11}" for name in COLUMNS))
    report: dict[str, dict[str, float] | dict[str, str]] = {}
    ours = {"quire": QUIRE}
    if given.cache:
        root = str(Path(__file__).parents[1])
        ours["left out"] = LEFT_OUT.format(root=root, cache=str(given.cache.resolve()))
    for name, setup in {**ours, **{tool: TOOLS[tool] for tool in given.tools}}.items():
        written = texts(sys.executable if name in ours else given.others, setup, files, given.limit)
        if isinstance(written, str):
            print(f"{name:12}  not run: {written}", flush=True)
            report[name] = {"not run": written}
            continue
        scores = [
            scored(text, file.with_suffix(".xml")) for (text, _), file in zip(written, files, strict=True)
        ]
        row = {key: _share([s[key] for s in scores if s[key] == s[key]]) for key in COLUMNS[:-1]}
        row["seconds"] = statistics.fmean(seconds for _, seconds in written)
        report[name] = row
        print(f"{name:12}" + "".join(f"{row[key]:11.3f}" for key in COLUMNS), flush=True)
    if given.json:
        given.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
