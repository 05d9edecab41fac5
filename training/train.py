r"""Train the line classifier of `quire.pdf` and report its F1 on groups (publishers, classes) left out.

    python -m training.train --jats DIR [DIR ...] [--restyled DIR] [--typeset FACTS.jsonl] [--drawn 3] \
        --cache DIR [--folds 6] [--networks 6] [--out src/quire/pdf/line_classifier/weights.npz]

`--jats` folders hold NAME.pdf beside NAME.xml; `--restyled` is a folder of the same articles set again by
`training.restyled` (left out with their publisher); `--typeset` is a file of facts beside its PDFs; `--drawn`
layouts are made on the spot. With `--folds` the articles' publishers are parted into that many sets, each is
labelled by a model that saw none of it (written to `--cache`, for `benchmarks/publishers.py`), and the F1 of
every label is printed. With `--out` a model of everything is written. Run from the project's root with
`PYTHONPATH=.:benchmarks`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.pdf.layout.rows import LABELS
from quire.pdf.line_classifier.model import LineClassifier, best_path, load
from training.network import ranges, train
from training.papers import Paper, drawn_papers, jats_papers, restyled_papers, typeset_papers

FREQUENT = ("text", "ref2", "abstract")  # labels with rows to spare, which count half
SMOOTH = 0.3  # times that any label may follow any other, unseen
STRENGTH = 0.6  # of the transitions against the scores of rows


def fit(papers: Sequence[Paper], networks: int, again: Sequence[Paper] = ()) -> bytes:
    """A classifier trained on the papers, and on those set `again`: half of the networks sees each part."""
    halves = [[*papers, *part] for part in _halves(again)] if again else [papers]
    low, high, mean, scale = ranges(_rows(halves[0])[0])
    transitions = _transitions([*papers, *again])
    arrays = {"low": low, "high": high, "mean": mean, "scale": scale, "transitions": transitions}
    for number, half in enumerate(halves):
        features, targets, weights = _rows(half)
        values = np.clip((np.clip(features, low, high) - mean) / scale, -5, 5).astype(np.float32)
        for seed in range(number * networks // len(halves), (number + 1) * networks // len(halves)):
            parts = train(values, targets, weights, len(LABELS), seed)
            for name, array in zip(("w0", "b0", "w1", "b1", "w2", "b2"), parts, strict=True):
                arrays[f"{seed}_{name}"] = array.astype(np.float16)
    file = BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _halves(again: Sequence[Paper]) -> list[list[Paper]]:
    """The first and the last styles of every article; the one in the middle is in both."""
    styles = [int(paper.name.partition("~")[0].rpartition("_")[2]) for paper in again]
    count = (max(styles) + 1) // 2 + 1
    first = [paper for paper, style in zip(again, styles, strict=True) if style < count]
    last = [paper for paper, style in zip(again, styles, strict=True) if style > max(styles) - count]
    return [first, last]


def _rows(
    papers: Sequence[Paper],
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]:
    """Features, labels and weights of all rows whose label is known."""
    keep = [paper.labels >= 0 for paper in papers]
    features = np.vstack([p.features[k] for p, k in zip(papers, keep, strict=True)])
    targets = np.concatenate([p.labels[k] for p, k in zip(papers, keep, strict=True)])
    weights = np.concatenate(
        [np.full(k.sum(), p.weight, np.float32) for p, k in zip(papers, keep, strict=True)]
    )
    weights[np.isin(targets, [LABELS.index(label) for label in FREQUENT])] *= 0.5
    return features, targets, weights


def _transitions(papers: Sequence[Paper]) -> np.ndarray:
    counts = np.full((len(LABELS) + 1, len(LABELS)), SMOOTH)
    for paper in papers:
        known = [int(k) for k in paper.labels if k >= 0]
        for first in known[:1]:
            counts[len(LABELS), first] += 1
        for before, after in zip(known, known[1:], strict=False):
            counts[before, after] += 1
    return (STRENGTH * np.log(counts / counts.sum(1, keepdims=True))).astype(np.float32)


def parted(sizes: Counter[str], folds: int) -> dict[str, int]:
    """A fold for every group, the largest first, each to the fold with least so far."""
    load = [0] * folds
    out: dict[str, int] = {}
    for group, size in sizes.most_common():
        out[group] = load.index(min(load))
        load[out[group]] += size
    return out


def report(classifier: LineClassifier, papers: Sequence[Paper], counts: dict[str, Counter[str]]) -> None:
    """Add hits, rows found and rows wanted of every label to `counts`."""
    for paper in papers:
        path = best_path(np.log(classifier.scores(paper.features) + 1e-6), classifier.transitions)
        for wanted, found in zip(paper.labels, path, strict=True):
            if wanted >= 0:
                counts["wanted"][LABELS[wanted]] += 1
                counts["found"][LABELS[found]] += 1
                counts["hit"][LABELS[found]] += wanted == found


def main() -> None:
    """Read, train, report, write."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--jats", type=Path, nargs="+", required=True)
    arguments.add_argument("--restyled", type=Path)
    arguments.add_argument("--typeset", type=Path)
    arguments.add_argument("--drawn", type=int, default=0, help="seeds of every drawn layout")
    arguments.add_argument("--cache", type=Path, required=True)
    arguments.add_argument("--folds", type=int, default=0)
    arguments.add_argument("--networks", type=int, default=6)
    arguments.add_argument("--out", type=Path)
    options = arguments.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    real = [paper for folder in options.jats for paper in jats_papers(folder, options.cache)]
    xmls = [xml for folder in options.jats for xml in folder.glob("*.xml")]
    own = list(restyled_papers(options.restyled, xmls, options.cache)) if options.restyled else []
    made = list(typeset_papers(options.typeset, options.cache)) if options.typeset else []
    with tempfile.TemporaryDirectory() as folder:
        made += drawn_papers(range(options.drawn), Path(folder), options.cache) if options.drawn else []
    print(f"{len(real)} of articles, {len(own)} of these set again, {len(made)} made", flush=True)
    if options.folds:
        fold_of = parted(Counter(paper.group for paper in real), options.folds)
        counts: dict[str, Counter[str]] = {kind: Counter() for kind in ("wanted", "found", "hit")}
        for fold in range(options.folds):
            others = [p for p in real if fold_of[p.group] != fold] + made
            data = fit(others, options.networks, [p for p in own if fold_of[p.group] != fold])
            (options.cache / f"fold{fold}.npz").write_bytes(data)
            left = [p for p in real if fold_of[p.group] == fold and "~" not in p.name]
            report(load(data), left, counts)
            print(f"fold {fold}: {len(left)} articles left out", flush=True)
        (options.cache / "folds.json").write_text(json.dumps(fold_of, indent=1))
        for label in LABELS:
            both = counts["wanted"][label] + counts["found"][label]
            print(
                f"{label:12s} F1 {2 * counts['hit'][label] / max(1, both):.3f} of {counts['wanted'][label]}"
            )
    if options.out:
        options.out.write_bytes(fit(real + made, options.networks, own))


if __name__ == "__main__":
    main()
