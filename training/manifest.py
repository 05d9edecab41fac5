r"""Which weights the package holds: their bytes, their features by name, how they were made, what they reach.

    python -m training.manifest --check        # do files and features fit the manifest?
    python -m training.manifest --jats DIR ... --cache DIR [--restyled DIR] [--typeset FACTS.jsonl] \
        [--facts FACTS.jsonl=DIR ...] [--icdar DIR ...] [--renders DIR ...] [--library DIR] [--only FILE ...]

The second form (`make training`) trains all models of `quire`, or those named by `--only`, and writes their
part of the manifest anew: hashes of the files that they learned from, the commit, and what each trainer said
last. `--library` is one of the papers that the questions beside this file ask about, but for those held out.
A feature of the trees of the parser is named by the expression that computes it, so that one moved or changed
is another.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import inspect
import json
import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from quire.ask.offline.extract.candidates import FEATURES as NUMBERS
from quire.pdf.line_classifier import features
from quire.pdf.tables import columns, finding, joins
from quire.search.features import FEATURES as SEARCH

PACKAGE = Path(__file__).parents[1] / "src/quire"
FILE = Path(__file__).with_name("manifest.json")
QUESTIONS = Path(__file__).with_name("questions.jsonl.gz")
ASKED = [QUESTIONS.with_name(f"{name}.jsonl.gz") for name in ("asked", "asked_later")]
_LAST = 12  # lines of a trainer's report that are kept


def computed(*functions: Callable[..., Any]) -> list[str]:
    """The expressions of the tuples or lists that functions return, in order."""
    found: list[str] = []
    for function in functions:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        ends = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
        found += [
            ast.unparse(part) for end in ends if isinstance(end, ast.Tuple | ast.List) for part in end.elts
        ]
    return found


def assigned(function: Callable[..., Any], name: str) -> list[str]:
    """The expressions of the tuple that a function keeps under a name."""
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            if ast.unparse(node.targets[0]) == name:
                return [ast.unparse(part) for part in node.value.elts]
    raise LookupError(f"{function.__name__} keeps no tuple named {name}.")


def named() -> dict[str, list[str]]:
    """The features of the files of weights, in the order in which the weights know them."""
    places = (joins._places, joins._words, joins._neighbours)
    return {
        "pdf/line_classifier/weights.npz": list(features.names()),
        "pdf/data/table_joins.npz": [*computed(*places), "crossed", *assigned(joins.describe, "whole")],
        "pdf/data/table_columns.npz": computed(columns.features),
        "pdf/data/table_regions.npz": computed(finding._cells, finding._place, finding._drawn),
        "search/ranking_paper.npz": list(SEARCH),
        "search/ranking_library.npz": list(SEARCH),
        "ask/offline/extract/numbers.npz": list(NUMBERS),
    }


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def faults() -> list[str]:
    """What does not fit the manifest."""
    known: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    out = [f"{name}: not in the manifest" for name in _weights() if name not in known]
    for name, own in known.items():
        if digest(PACKAGE / name) != own["sha256"]:
            out.append(f"{name}: other bytes than the manifest's")
        before, now = own["features"], named().get(name, [])
        if before != now:
            at = next((k for k, pair in enumerate(zip(before, now, strict=False)) if len({*pair}) > 1), -1)
            out.append(f"{name}: other features, or in another order (the first: {at}); train it again")
    return out


def _weights() -> list[str]:
    """Every file of the package that only a trainer can have written."""
    kinds = (".npz", ".safetensors", ".onnx")
    return [str(path.relative_to(PACKAGE)) for path in sorted(PACKAGE.rglob("*")) if path.suffix in kinds]


def commands(given: argparse.Namespace) -> dict[str, list[str]]:
    """The trainer of each file and its arguments, in the order in which they need each other."""
    jats = [*_given("--jats", given.jats), "--cache", str(given.cache)]
    tables = [*_given("--facts", given.facts), *_given("--icdar", given.icdar)]
    rendered = [*tables, *_given("--renders", given.renders)]
    made = [f"--{name}" for name in ("restyled", "typeset") if getattr(given, name)]
    lines = [part for name in made for part in (name, str(getattr(given, name.removeprefix("--"))))]
    weights = str(PACKAGE / "pdf/line_classifier/weights.npz")
    asked = [str(QUESTIONS), str(given.library)]
    more = _given("--asked", ASKED)
    unseen = ["--unseen", str(given.cache and given.cache / "unseen")]  # reader and ranking, for the headline
    return {
        "pdf/line_classifier/weights.npz": [
            "train", *jats, "--folds", "6", "--drawn", "3", *lines, "--out", weights],
        "pdf/data/table_joins.npz": ["table_joins", *rendered, "--write"],
        "pdf/data/table_columns.npz": ["table_columns", *rendered, "--write"],
        "pdf/data/table_regions.npz": ["table_regions", *tables, "--write"],
        "pdf/data/citations.npz": ["citations.train", *jats],
        "search/encoders/minilm/model8.safetensors": ["minilm"],
        "search/ranking_paper.npz": ["ranking.train", *asked, *more, "--scope", "paper", "--anew"],
        "search/ranking_library.npz": ["ranking.train", *asked, "--scope", "library", "--anew"],
        "search/encoders/reader/model8.safetensors": ["reader.train", *asked, *more, *unseen],
        "ask/offline/extract/numbers.npz": ["answers.train", *asked],
        "ask/offline/headline.json": ["answers.headline", *asked, *unseen],
    }  # fmt: skip


def train(given: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Run the trainers; what each was given and what it printed last."""
    commit = _said(["git", "rev-parse", "--short", "HEAD"])[-1]
    folders = [*given.jats, *given.icdar, *given.renders, *(f.partition("=")[2] for f in given.facts)]
    read = {
        path.name: digest(path)[:16] for folder in folders for path in sorted(Path(folder).rglob("*.pdf"))
    } | {file.name: digest(file)[:16] for file in (QUESTIONS, *ASKED)}
    out: dict[str, dict[str, Any]] = {}
    for name, command in commands(given).items():
        if command and (not given.only or name in given.only):
            figures = _said([sys.executable, "-m", f"training.{command[0]}", *command[1:]])[-_LAST:]
            out[name] = {"made": f"python -m training.{command[0]}", "commit": commit, "figures": figures,
                         "files": read}  # fmt: skip
    return out


def write(made: dict[str, dict[str, Any]]) -> None:
    """Write the manifest; `made` tells of files trained anew what is not in the file itself."""
    known: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8")) if FILE.is_file() else {}
    for name, told in (known | made).items():
        known[name] = {**told, "sha256": digest(PACKAGE / name), "features": named().get(name, [])}
    FILE.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _given(option: str, values: Sequence[object]) -> list[str]:
    return [option, *map(str, values)] if values else []


def _said(command: Sequence[str]) -> list[str]:
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip().splitlines()


def main() -> int:
    """Check the manifest, or train and write it."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--only", nargs="*", default=[], help="files, as the manifest names them")
    arguments.add_argument("--jats", type=Path, nargs="*", default=[])
    arguments.add_argument("--facts", nargs="*", default=[], help="FACTS.jsonl=FOLDER")
    for option in ("--icdar", "--renders"):
        arguments.add_argument(option, type=Path, nargs="*", default=[])
    for option in ("--restyled", "--typeset", "--cache", "--library"):
        arguments.add_argument(option, type=Path)
    options = arguments.parse_args()
    if not options.check:
        if not options.jats and not options.library and not options.only:
            arguments.error("give --jats and --cache, or --library, to train; or --check")
        write(train(options))
    found = faults()
    print(*found, sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
