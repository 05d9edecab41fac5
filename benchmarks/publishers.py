r"""How faithfully papers of publishers that the line classifier has not seen are parsed, figure by figure.

    python -m training.train --jats DIR ... --cache DIR --folds 6      # first: a model without each publisher
    PYTHONPATH=.:benchmarks python benchmarks/publishers.py --jats DIR ... --cache DIR \
        --scorer score_parse.py --facts facts.jsonl [facts.jsonl ...] [--json FILE]

Each article is read by the model that saw none of its publisher, and scored against its XML by `--scorer`
(`parse_gate.py` measures the model of the package).
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from pathlib import Path

from training.papers import publisher, read_raw

from parse_gate import scored, scorer
from quire.pdf.assemble import assemble
from quire.pdf.line_classifier.model import load

FIGURES = "title authors abstract headings paragraphs placed references tables cells captions".split()


def row(name: str, scores: list[dict[str, float]]) -> str:
    """One line of the table: means over the papers that have a figure."""
    cells = []
    for figure in FIGURES:
        own = [score[figure] for score in scores if figure in score]
        cells.append(f"{statistics.mean(own):9.3f}" if own else " " * 8 + "-")
    return f"{name[:24]:24s} {len(scores):3d}" + "".join(cells)


def main() -> None:
    """Parse, score, print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--jats", type=Path, nargs="+", required=True)
    arguments.add_argument("--cache", type=Path, required=True)
    arguments.add_argument("--scorer", type=Path, required=True)
    arguments.add_argument("--facts", type=Path, nargs="+", required=True)
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    score = scorer(options.scorer).score
    lines = [line for path in options.facts for line in path.read_text(encoding="utf-8").splitlines()]
    facts = {own["name"]: own for own in map(json.loads, lines)}
    folds = json.loads((options.cache / "folds.json").read_text())
    models = {k: load((options.cache / f"fold{k}.npz").read_bytes()) for k in set(folds.values())}
    by_publisher: dict[str, list[dict[str, float]]] = defaultdict(list)
    by_folder: dict[str, list[dict[str, float]]] = defaultdict(list)
    every: dict[str, dict[str, float]] = {}
    for folder in options.jats:
        for xml in sorted(folder.glob("*.xml")):
            raw = read_raw(xml.with_suffix(".pdf"), options.cache)
            if raw is None or xml.stem not in facts:
                continue
            house = publisher(xml)
            document = assemble(*raw, models[folds[house]])
            own = scored(score, facts[xml.stem], xml.with_suffix(".pdf"), document)
            every[xml.stem] = own
            by_publisher[house].append(own)
            by_folder[folder.name].append(own)
    print(" " * 28 + "".join(f"{figure[:8]:>9s}" for figure in FIGURES))
    for name in sorted(by_publisher):
        print(row(name, by_publisher[name]))
    for name, scores in by_folder.items():
        print(row(f"all of {name}", scores))
    if options.json:
        options.json.write_text(json.dumps(every, indent=1))


if __name__ == "__main__":
    main()
