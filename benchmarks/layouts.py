"""How faithfully drawn imitations of page layouts are parsed: scores per layout and their mean.

    python benchmarks/layouts.py [--seeds 0 1 2 3] [--only ieee acm] [--keep DIR] [--verbose]

Each layout of `drawn_layouts.py` and `drawn_more.py` is drawn once per seed and parsed. The measures are
those of `articles.py`, with the truth known instead of read from a publisher's XML, and two of what should
not be there: `clean` is the share of the text in sections that belongs to the paper's own paragraphs (running
heads, notes and side columns in the text lower it), `no more` the share of authors, tables and figures that
the paper has. Seeds below 8 were looked at while the parser was mended; those from 8 on only measure.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from rapidfuzz import fuzz

import articles
from articles import FIGURES, Figures
from drawn_layouts import LAYOUTS
from drawn_more import MORE
from drawn_papers import Content
from quire.pdf import parse
from quire.text import bare
from quire.types import Document

EVERY = {**LAYOUTS, **MORE}
MEASURES = (*FIGURES, "clean", "no more")


def score(truth: Content, parsed: Document) -> Figures:
    """All measures of one paper, 0 to 1."""
    own = bare(" ".join(text for part in truth.parts for text in part.texts) + truth.thanks)
    texts = [
        bare(paragraph.text)
        for section in parsed.sections
        for paragraph in (section.paragraphs if section.title != "Abstract" else ())
    ]
    foreign = sum(len(text) for text in texts if len(text) > 3 and fuzz.partial_ratio(text, own) < 85)
    told = len(parsed.metadata.authors), len(parsed.tables), len(parsed.images)
    there = len(truth.authors), len(truth.tables), len(truth.figures)
    return articles.score(truth.facts(), parsed) | {
        "clean": 1 - foreign / max(1, sum(map(len, texts))),
        "no more": sum(map(min, told, there)) / max(1, sum(told)),
    }


def main() -> None:
    """Draw, parse, score, print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2, 3])
    arguments.add_argument(
        "--only", nargs="*", default=[*sorted(LAYOUTS), *sorted(MORE)], choices=sorted(EVERY)
    )
    arguments.add_argument("--keep", type=Path, help="write the PDFs here")
    arguments.add_argument("--verbose", action="store_true", help="also print each file")
    options = arguments.parse_args()
    print(" " * 28 + "".join(f"{measure[:8]:>9s}" for measure in MEASURES))
    every: list[Figures] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.only:
            own = []
            for seed in options.seeds:
                path = folder / f"{name}-{seed}.pdf"
                truth = EVERY[name].draw(path, seed)
                own.append(score(truth, parse(path)))
                if options.verbose:
                    print(articles.row(f" {name}-{seed}", own[-1:], MEASURES), flush=True)
            print(articles.row(name, own, MEASURES), flush=True)
            every += own
    print(articles.row("mean", every, MEASURES))


if __name__ == "__main__":
    main()
