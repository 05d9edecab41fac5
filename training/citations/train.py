r"""The weights of `quire.pdf.citations`: a linear chain learned from printed entries and from styles drawn at
random.

    pip install --group training
    python -m training.citations.train --jats DIR ... --cache DIR --folds 5   # figures, publishers left out
    python -m training.citations.train --jats DIR ... --cache DIR                 # the shipped weights

`--jats` holds NAME.pdf beside NAME.xml. The printed entries are those that quire finds in the PDFs; their
fields are the XML's. With `--folds K` the weights of fold k, learned without its publishers, are written to
CACHE/citations{k}.npz beside `folds.json` ({paper: fold}), for `benchmarks/fields.py`.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from rapidfuzz import fuzz

from quire.pdf.assemble import assemble
from quire.pdf.citations import LABELS, features, label_of, style_of
from quire.pdf.version import VERSION
from training import wanted
from training.citations.gold import Cited, bare, labelled, read_citations
from training.citations.styles import Style
from training.papers import publisher, read_raw

PACKAGE = Path(__file__).parents[2] / "src/quire/pdf/data/citations.npz"
_LIST = 24  # entries of a drawn list
_NEAR = 4  # places in the list that entries of the same citation may be apart
_FITS = 0.5  # share of a citation's fields that its printed entry must hold
Entry = tuple[list[list[str]], list[str]]  # features and labels of its tokens


def matched(entries: Sequence[str], cited: Sequence[Cited]) -> list[int | None]:
    """For each citation of the XML the printed entry that holds most of its fields."""
    printed = [bare(entry) for entry in entries]
    scored = []
    for number, each in enumerate(cited):
        people = [surname for _, surname in each.authors[:2]]
        wanted = [bare(v) for v in (each.title, each.venue, each.year, each.volume, each.first, *people)]
        wanted = [value for value in wanted if value]
        for at, text in enumerate(printed):
            held = sum(len(value) ** 0.5 for value in wanted if value in text)
            total = sum(len(value) ** 0.5 for value in wanted)
            fits = held / total if total else 0.0
            if (
                fits <= _FITS and abs(at - number) < _NEAR
            ):  # what the XML has in parts may be printed otherwise
                fits = fuzz.ratio(bare(each.text), text) / 100 - 0.1
            if fits > _FITS:
                scored.append((fits - 0.001 * abs(at - number), number, at))
    found: list[int | None] = [None] * len(cited)
    taken: set[int] = set()
    for _, number, at in sorted(scored, reverse=True):
        if found[number] is None and at not in taken:
            found[number] = at
            taken.add(at)
    return found


def printed_entries(xml: Path, cache: Path) -> list[str]:
    """The entries that quire finds in a PDF, without their labels."""
    kept = cache / f"{xml.stem}.entries-{VERSION}.json"
    if not kept.exists():
        raw = read_raw(xml.with_suffix(".pdf"), cache)
        found = [each.text for each in assemble(*raw).references] if raw else []
        kept.write_text(json.dumps(found))
    return [text[len(label_of(text)) :].strip() for text in json.loads(kept.read_text())]


def of_list(pairs: Iterable[tuple[str, Cited]]) -> Iterator[Entry]:
    """A list of one style as features and labels; entries whose fields are not all found are left out."""
    found = [pair for text, cited in pairs if (pair := labelled(text, cited)) is not None]
    style = style_of([tokens for tokens, _ in found])
    for tokens, labels in found:
        yield list(features(tokens, style)), labels


def of_paper(xml: Path, cache: Path) -> list[Entry]:
    """The entries of a paper, as it prints them."""
    entries, cited = printed_entries(xml, cache), read_citations(xml)
    at = matched(entries, cited)
    return list(of_list((entries[i], each) for each, i in zip(cited, at, strict=True) if i is not None))


def drawn(cited: Sequence[Cited], lists: int, seed: int) -> list[Entry]:
    """Lists in styles drawn at random."""
    rng = random.Random(seed)
    found: list[Entry] = []
    whole = [
        each for each in cited if each.title and each.venue and each.authors and each.year and each.first
    ]
    for _ in range(lists):
        style = Style.drawn(rng)
        found += of_list(style.printed(each) for each in rng.sample(whole, min(_LIST, len(whole))))
    return found


def learned(entries: Iterable[Entry], rounds: int) -> bytes:
    """The weights as the file that the package reads."""
    pycrfsuite = wanted("pycrfsuite")
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    for tokens, labels in entries:
        trainer.append(tokens, labels)
    trainer.set_params({"max_iterations": rounds, "feature.minfreq": 3, "feature.possible_transitions": True})
    with tempfile.TemporaryDirectory() as scratch:
        model = str(Path(scratch) / "model")
        trainer.train(model)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        told = tagger.info()
    steps = np.full((len(LABELS), len(LABELS)), -20.0, dtype=np.float32)  # never seen
    for (before, after), weight in told.transitions.items():
        steps[LABELS.index(before), LABELS.index(after)] = weight
    names = sorted({name for name, _ in told.state_features})
    at = {name: number for number, name in enumerate(names)}
    weights = np.zeros((len(names), len(LABELS)), dtype=np.float32)
    for (name, label), weight in told.state_features.items():
        weights[at[name], LABELS.index(label)] = weight
    strong = np.abs(weights).max(axis=1) > 0.02
    names, weights = [name for name, keep in zip(names, strong, strict=True) if keep], weights[strong]
    scale = np.float32(np.abs(weights).max() / 127)
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer, names=np.frombuffer("\n".join(names).encode(), dtype=np.uint8),
        weights=np.round(weights / scale).astype(np.int8), scale=scale, steps=steps,
    )  # fmt: skip
    return buffer.getvalue()


def folds_of(xmls: Sequence[Path], count: int) -> dict[str, int]:
    """The fold of each paper: publishers whole, the largest first into the smallest fold."""
    houses: dict[str, list[str]] = {}
    for xml in xmls:
        houses.setdefault(publisher(xml), []).append(xml.stem)
    sizes, found = [0] * count, {}
    for house in sorted(houses, key=lambda house: (-len(houses[house]), house)):
        fold = sizes.index(min(sizes))
        sizes[fold] += len(houses[house])
        found |= dict.fromkeys(houses[house], fold)
    return found


def main() -> None:
    """Read, draw, learn, write."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--jats", type=Path, nargs="+", required=True)
    arguments.add_argument("--cache", type=Path, required=True)
    arguments.add_argument("--folds", type=int, default=0)
    arguments.add_argument("--lists", type=int, default=400, help="lists in drawn styles")
    arguments.add_argument("--rounds", type=int, default=20)
    options = arguments.parse_args()
    xmls = [xml for folder in options.jats for xml in sorted(folder.glob("*.xml"))]
    folds = folds_of(xmls, options.folds) if options.folds else {}
    if folds:
        (options.cache / "folds.json").write_text(json.dumps(folds))
    real = {xml.stem: of_paper(xml, options.cache) for xml in xmls}
    cited = {xml.stem: read_citations(xml) for xml in xmls}
    whole, every = (sum(map(len, each.values())) for each in (real, cited))
    print(f"{whole} of {every} printed entries have all their fields")
    for fold in range(options.folds) if folds else (None,):
        began = time.monotonic()
        own = [xml.stem for xml in xmls if fold is None or folds[xml.stem] != fold]
        entries = [entry for name in own for entry in real[name]]
        entries += drawn([each for name in own for each in cited[name]], options.lists, seed=7)
        content = learned(entries, options.rounds)
        place = PACKAGE if fold is None else options.cache / f"citations{fold}.npz"
        place.write_bytes(content)
        print(f"{place}: {len(entries)} entries, {len(content) // 1024} KB, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
