r"""Which weights the package holds: their bytes, their features by name, how they were made, what they reach.

    python -m training.manifest --check        # do files and features fit the manifest?
    python -m training.manifest --jats DIR ... --cache DIR [--restyled DIR] [--typeset FACTS.jsonl] \
        [--facts FACTS.jsonl=DIR ...] [--icdar DIR ...] [--renders DIR ...]

The second form (`make training`) trains all models of `quire.pdf` and writes the manifest anew: hashes of the
files that they learned from, the commit, and what each trainer printed last. A feature of the trees is named
by the expression that computes it, so that one moved or changed is another.
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

from quire.pdf.line_classifier import features
from quire.pdf.tables import columns, joins, plausible

ROOM = Path(__file__).parents[1] / "src/quire/pdf"
FILE = ROOM / "data/manifest.json"
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
    """The features of each file of weights, in the order in which the weights know them."""
    places = (joins._places, joins._words, joins._neighbours)
    return {
        "line_classifier/weights.npz": list(features.names()),
        "data/table_joins.npz": [*computed(*places), "crossed", *assigned(joins.describe, "whole")],
        "data/table_columns.npz": computed(columns.features),
        "data/table_regions.npz": computed(plausible._cells, plausible._place, plausible._drawn),
    }


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def faults() -> list[str]:
    """What does not fit the manifest."""
    known: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    out = [f"{name}: not in the manifest" for name in named() if name not in known]
    for name, own in known.items():
        if digest(ROOM / name) != own["sha256"]:
            out.append(f"{name}: other bytes than the manifest's")
        before, now = own["features"], named().get(name, [])
        if before != now:
            at = next((k for k, pair in enumerate(zip(before, now, strict=False)) if len({*pair}) > 1), -1)
            out.append(f"{name}: other features, or in another order (the first: {at}); train it again")
    return out


def written(made: dict[str, dict[str, Any]]) -> None:
    """Write the manifest; `made` tells of each file of weights what is not in the file itself."""
    entries = {
        name: {"sha256": digest(ROOM / name), **made[name], "features": own} for name, own in named().items()
    }
    FILE.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", "utf-8")


def sources(folders: Sequence[Path]) -> dict[str, str]:
    """The hashes of the PDFs below folders."""
    return {path.name: digest(path)[:16] for folder in folders for path in sorted(folder.rglob("*.pdf"))}


def train(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Run every trainer; what it was given and what it printed last."""
    tables = [*_given("--facts", options.facts), *_given("--icdar", options.icdar)]
    lines = [*_given("--jats", options.jats), "--cache", str(options.cache), "--folds", "6", "--drawn", "3"]
    lines += _given("--restyled", [options.restyled] if options.restyled else [])
    lines += _given("--typeset", [options.typeset] if options.typeset else [])
    commands = {
        "line_classifier/weights.npz": ["train", *lines, "--out", str(ROOM / "line_classifier/weights.npz")],
        "data/table_joins.npz": ["table_joins", *tables, *_given("--renders", options.renders), "--write"],
        "data/table_columns.npz": [
            "table_columns",
            *tables,
            *_given("--renders", options.renders),
            "--write",
        ],
        "data/table_regions.npz": ["table_regions", *tables, "--write"],
    }
    commit = _said(["git", "rev-parse", "--short", "HEAD"])[-1]
    folders = [
        *options.jats,
        *options.icdar,
        *options.renders,
        *(Path(f.partition("=")[2]) for f in options.facts),
    ]
    read = sources([Path(folder) for folder in folders])
    out: dict[str, dict[str, Any]] = {}
    for name, command in commands.items():
        figures = _said([sys.executable, "-m", f"training.{command[0]}", *command[1:]])[-_LAST:]
        out[name] = {
            "made": f"python -m training.{command[0]}",
            "commit": commit,
            "figures": figures,
            "files": read,
        }
    return out


def _given(option: str, values: Sequence[object]) -> list[str]:
    return [option, *map(str, values)] if values else []


def _said(command: Sequence[str]) -> list[str]:
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip().splitlines()


def main() -> int:
    """Check the manifest, or train everything and write it."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--jats", type=Path, nargs="*", default=[])
    arguments.add_argument("--restyled", type=Path)
    arguments.add_argument("--typeset", type=Path)
    arguments.add_argument("--cache", type=Path)
    arguments.add_argument("--facts", nargs="*", default=[], help="FACTS.jsonl=FOLDER")
    arguments.add_argument("--icdar", type=Path, nargs="*", default=[])
    arguments.add_argument("--renders", type=Path, nargs="*", default=[])
    options = arguments.parse_args()
    if not options.check:
        if not options.jats or not options.cache:
            arguments.error("give --jats and --cache to train, or --check")
        written(train(options))
    found = faults()
    print(*found, sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
