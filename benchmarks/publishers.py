r"""How faithfully papers of publishers that the line classifier has not seen are parsed, figure by figure.

    python -m training.train --jats DIR ... --cache DIR --folds 6      # first: a model without each publisher
    PYTHONPATH=.:benchmarks python benchmarks/publishers.py --jats DIR ... --cache DIR [--json FILE]

Each article is read by the model that saw none of its publisher, and scored against its XML by `articles.py`
(`parse_gate.py` measures the model of the package). Last come the houses of half 1, at which nobody looked.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

from training.papers import half_of, publisher, read_raw

from articles import FIGURES, Figures, facts_of, row, score
from quire.pdf.assemble import assemble
from quire.pdf.line_classifier.model import load


def main() -> None:
    """Parse, score, print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--jats", type=Path, nargs="+", required=True)
    arguments.add_argument("--cache", type=Path, required=True)
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    folds = json.loads((options.cache / "folds.json").read_text())
    models = {k: load((options.cache / f"fold{k}.npz").read_bytes()) for k in set(folds.values())}
    by_publisher: dict[str, list[Figures]] = defaultdict(list)
    by_folder: dict[str, list[Figures]] = defaultdict(list)
    every: dict[str, Figures] = {}
    for folder in options.jats:
        for xml in sorted(folder.glob("*.xml")):
            raw = read_raw(xml.with_suffix(".pdf"), options.cache)
            if raw is None:
                continue
            house = publisher(xml)
            document = assemble(*raw, models[folds[house]])
            own = score(facts_of(xml), document)
            every[xml.stem] = own
            by_publisher[house].append(own)
            by_folder[f"all of {folder.name}"].append(own)
            by_folder["half 1"] += [own] * half_of(house)
    print(" " * 28 + "".join(f"{figure[:8]:>9s}" for figure in FIGURES))
    for name in sorted(by_publisher):
        print(row(name, by_publisher[name]))
    for name, scores in by_folder.items():
        print(row(name, scores))
    if options.json:
        options.json.write_text(json.dumps(every, indent=1))


if __name__ == "__main__":
    main()
