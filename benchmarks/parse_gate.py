r"""Every parsing benchmark paired per document: what a change of the parser moves, before and after.

    PYTHONPATH=.:benchmarks python benchmarks/parse_gate.py --json before.json [--papers DIR ...] \
        [--facts FACTS.jsonl ...] [--layouts SEED ...] [--covers N] [--icdar DIR ...] [--typeset DIR] \
        [--vignettes DIR]
    ... the same after the change, with --baseline before.json

`--papers` holds PDFs beside the publishers' XML, or with what is true of them in `--facts` (one JSON object a
line, as `benchmarks.typeset` writes them); `articles.py` says what is measured. The other sets are those of
`layouts.py`, `covers.py` (in front of the first N papers), `icdar2013.py`, `equations_latex.py` and
`vignettes.py`. Printed: the means, and against a baseline how many documents are better and worse.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from articles import Facts, Figures, facts_of, score
from quire.errors import QuireError
from quire.pdf import parse

MOVED = 0.0005  # a smaller difference of a figure is none
FRONT = ("title", "authors", "abstract")  # what a cover sheet may spoil
NAMED = 4  # documents that are named for each figure
Measured = Iterator[tuple[str, str, Figures]]  # set, document, figures


def known(options: argparse.Namespace) -> dict[str, Facts]:
    """What is true of each paper, by its name."""
    lines = [line for path in options.facts for line in path.read_text(encoding="utf-8").splitlines()]
    xmls = [xml for folder in options.papers for xml in sorted(folder.glob("*.xml"))]
    return {own["name"]: own for own in (*map(facts_of, xmls), *map(json.loads, lines))}


def papers(options: argparse.Namespace) -> Measured:
    """Papers beside their facts, and the first of them behind cover sheets."""
    from covers import COVERS, covered

    facts = known(options)
    own = [path for folder in options.papers for path in sorted(folder.glob("*.pdf")) if path.stem in facts]
    for path in own:
        yield path.parent.name, path.stem, score(facts[path.stem], parse(path))
    with tempfile.TemporaryDirectory() as scratch:
        for path in own[: options.covers]:
            for name, draw in COVERS.items():
                file = Path(scratch) / f"{path.stem}.pdf"
                covered(path, facts[path.stem], draw, file)
                found = score(facts[path.stem], parse(file))
                front = {figure: found[figure] for figure in FRONT if figure in found}
                yield "covers", f"{path.stem}-{name}", front


def layouts(options: argparse.Namespace) -> Measured:
    """Drawn imitations of page layouts."""
    from layouts import EVERY, score

    with tempfile.TemporaryDirectory() as scratch:
        for seed in options.layouts:
            for name in sorted(EVERY):
                path = Path(scratch) / f"{name}-{seed}.pdf"
                truth = EVERY[name].draw(path, seed)
                yield "layouts", path.stem, score(truth, parse(path))


def competition(options: argparse.Namespace) -> Measured:
    """Tables of the ICDAR competition: regions, structure when told where they are, and end to end."""
    from icdar2013 import Rates, load, pair, region_rates, structure_rates
    from table_tools import grids

    def f1(rates: Rates) -> float:
        return 2 * rates.right / (rates.found + rates.gold) if rates.found + rates.gold else 1.0

    for folder in options.icdar:
        for gold in load(folder):
            found, told = grids(gold.pdf, None), grids(gold.pdf, gold.regions)
            whole = structure_rates(gold.regions, found, pair(gold, found))
            structure = structure_rates(gold.regions, told, {i: i for i in range(len(told))})
            regions = region_rates(gold, found)[0]
            figures = {"regions": f1(regions), "structure": f1(structure), "end to end": f1(whole)}
            yield folder.name, gold.name, figures


def equations(options: argparse.Namespace) -> Measured:
    """Equations of typeset papers against their source."""
    from equations_latex import score

    lines = (options.typeset / "facts.jsonl").read_text("utf-8").splitlines() if options.typeset else []
    for facts in map(json.loads, lines):
        path = options.typeset / f"{facts['name']}.pdf"
        if facts["equations"] and (rows := score(facts, list(parse(path).equations), [])):
            means = (statistics.mean(float(row[k]) for row in rows) for k in range(4))
            yield (
                "equations",
                path.stem,
                dict(zip(("found", "read", "similar", "number"), means, strict=True)),
            )


def software(options: argparse.Namespace) -> Measured:
    """Papers about software beside their TeX source."""
    from vignettes import score

    for path in sorted(options.vignettes.rglob("*.pdf")) if options.vignettes else ():
        if (source := path.with_suffix(".Rnw")).exists():
            try:
                yield "vignettes", path.stem, score(path, source)
            except QuireError as error:
                print(f"{path.name}: {error}", file=sys.stderr)


def measured(options: argparse.Namespace) -> dict[str, dict[str, Figures]]:
    """The figures of every document of every set."""
    out: dict[str, dict[str, Figures]] = defaultdict(dict)
    for part in (papers, layouts, competition, equations, software):
        for group, name, figures in part(options):
            out[group][name] = {figure: round(float(value), 4) for figure, value in figures.items()}
    return dict(out)


def compared(
    now: dict[str, dict[str, Figures]], before: dict[str, dict[str, Figures]]
) -> Iterator[tuple[str, bool]]:
    """A line for each figure (its mean before and after, the documents in which it moved); is it lower?"""
    for group, documents in now.items():
        old = before.get(group, {})
        for figure in dict.fromkeys(figure for figures in documents.values() for figure in figures):
            pairs = {
                name: (figures[figure], old.get(name, figures).get(figure, figures[figure]))
                for name, figures in documents.items()
                if figure in figures
            }
            steps = {name: a - b for name, (a, b) in pairs.items() if abs(a - b) > MOVED}
            means = [statistics.mean(pair[k] for pair in pairs.values()) for k in (1, 0)]
            moved = sorted(steps, key=lambda name: steps[name])
            better = sum(step > 0 for step in steps.values())
            told = ", ".join(f"{name} {steps[name]:+.3f}" for name in moved[:NAMED])
            line = f"{group:12s} {figure:11s} {len(pairs):4d}   {means[0]:.4f}  {means[1]:.4f}"
            line += f"   +{better} -{len(steps) - better}  {told}" * bool(before)
            yield line, means[1] < means[0] - MOVED


def main() -> int:
    """Measure, compare, print; 1 if a mean is lower than before."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--papers", type=Path, nargs="*", default=[])
    arguments.add_argument("--facts", type=Path, nargs="*", default=[])
    arguments.add_argument("--covers", type=int, default=0, help="papers to draw covers for")
    arguments.add_argument("--layouts", type=int, nargs="*", default=[], help="seeds")
    arguments.add_argument("--icdar", type=Path, nargs="*", default=[])
    arguments.add_argument("--typeset", type=Path)
    arguments.add_argument("--vignettes", type=Path)
    arguments.add_argument("--baseline", type=Path, help="what `--json` kept before")
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    started = time.process_time()
    now = measured(options)
    before = json.loads(options.baseline.read_text()) if options.baseline else {}
    lines = list(compared(now, before))
    print(
        f"{'set':12s} {'figure':11s} {'of':>4s}   {'before':6s}  {'after':6s}",
        *(line for line, _ in lines),
        sep="\n",
    )
    print(f"# {time.process_time() - started:.0f} s of processor time")
    if options.json:
        options.json.write_text(json.dumps(now, indent=1))
    return int(any(lower for _, lower in lines))


if __name__ == "__main__":
    sys.exit(main())
