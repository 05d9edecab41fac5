"""Mutation testing: how many small mistakes, put into a room at random, do the room's own tests notice?

    python benchmarks/mutants.py --rooms eval/scorers search/filters --sample 60 --seed 1

The mistakes are made by cosmic-ray's operators (`pip install cosmic-ray`): comparisons, arithmetic, booleans,
numbers, `not`, `break`, loops that do not run, exceptions; and by one of our own, a statement that is left
out. Not mutated: texts, annotations, what only a type checker reads. For each room a random sample of places
is taken, and at each place one of the mistakes that can be made there.

Each mutant is written into a copy of the package, so that child processes meet it too, and tested in a forked
child: the tests of the room that call the mutated function (known from one run with a tracer), then the
others, quickest first, up to `--seconds` of them, until one fails. Ten times as much processor time counts
as noticed.
Figures are of a sample: with 60 mutants and 85% killed, 95% confidence reaches from 74% to 92%.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
# Tests that take many seconds (killed processes, servers) say little about one line, and cost the most.
TESTS = {
    "eval/scorers": ["tests/eval/scorers"],
    "search/filters": ["tests/search/test_filters.py", "tests/search/test_filter_limits.py"],
    "library": ["tests/library"],
    "memory": ["tests/memory"],
}
SKIPPED = "not kill and not disk and not remote"
# These make sense only to a type checker, or replace what is equal here (`==` by `is` of small numbers).
_UNUSED = re.compile(
    r"_(Is|IsNot)$|Bit|Shift|RemoveDecorator|Variable|ReplaceUnaryOperator_(UAdd|Invert)|_Invert$|_UAdd$"
)


@dataclass(frozen=True)
class Mutant:
    """One mistake: where, what it does, and the whole file with it."""

    file: str
    line: int
    kind: str
    code: str

    def told(self) -> str:
        """The line before and after."""
        before = (ROOT / self.file).read_text(encoding="utf-8").splitlines()
        after = self.code.splitlines()
        line = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), self.line - 1)
        changed = after[line].strip() if line < len(after) else ""
        return f"{self.file}:{line + 1} {self.kind}\n      - {before[line].strip()}\n      + {changed}"


@dataclass(frozen=True)
class Place:
    """Where a mistake of a family can be made: the ways to make it, of which one is tried."""

    file: Path
    line: int
    ways: tuple[tuple[str, int], ...]  # operator, and its occurrence in the file

    def mutant(self, dice: random.Random) -> Mutant | None:
        """One that compiles and does not say the same."""
        source = self.file.read_text(encoding="utf-8")
        for kind, number in dice.sample(self.ways, len(self.ways)):
            code = _left_out(source, number) if kind == "LeftOut" else _operated(source, kind, number)
            with contextlib.suppress(SyntaxError):
                if ast.dump(ast.parse(code)) != ast.dump(ast.parse(source)):
                    return Mutant(self.file.relative_to(ROOT).as_posix(), self.line, kind, code)
        return None


def places(file: Path) -> list[Place]:
    """All places of a file."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    source = file.read_text(encoding="utf-8")
    tree, ignored = get_ast(source), _ignored(ast.parse(source))
    ways: dict[tuple[Any, str], list[tuple[str, int]]] = defaultdict(list)
    for number, node in enumerate(_removable(source)):
        ways[(node.lineno, node.col_offset), "LeftOut"].append(("LeftOut", number))
    for name in operator_names():
        if _UNUSED.search(name):
            continue
        found = (place for node in ast_nodes(tree) for place in get_operator(name)().mutation_positions(node))
        for number, (start, _) in enumerate(found):
            ways[start, name.rsplit("_", 1)[0]].append((name, number))
    return [Place(file, at[0], tuple(them)) for (at, _), them in sorted(ways.items()) if at[0] not in ignored]


def _operated(source: str, kind: str, number: int) -> str:
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    try:
        return mutate_code(source, get_operator(kind)(), number) or source
    except AttributeError:  # cosmic-ray's own, at `except package.Error`
        return source


def _removable(source: str) -> list[ast.stmt]:
    """Calls, assignments into something, and raised errors: statements that may be forgotten."""
    return [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.AugAssign | ast.Delete | ast.Raise)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
        or (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript))
    ]


def _left_out(source: str, number: int) -> str:
    lines, node = source.splitlines(keepends=True), _removable(source)[number]
    end = node.end_lineno or node.lineno
    return "".join((*lines[: node.lineno - 1], f"{' ' * node.col_offset}pass\n", *lines[end:]))


def _ignored(tree: ast.Module) -> set[int]:
    """Lines of what only a type checker or a reader sees: imports, annotations' blocks, docstrings."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):  # `frozen` and `slots`
            lines.update(one.lineno for one in node.decorator_list)
        checked = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        exported = isinstance(node, ast.Assign) and "__all__" in ast.dump(node.targets[0])
        if checked or exported or isinstance(node, ast.Import | ast.ImportFrom | ast.AnnAssign):
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                continue
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


# ---- running tests


class _Tracer:
    """Notes for every test how long it takes and which functions of the package it enters."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.tests: dict[str, tuple[float, list[tuple[str, int]]]] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        entered: set[Any] = set()
        start = time.process_time() + _children()
        sys.setprofile(lambda frame, event, _: entered.add(frame.f_code) if event == "call" else None)
        yield
        sys.setprofile(None)
        took = time.process_time() + _children() - start
        ours = {(code.co_filename, code.co_firstlineno) for code in entered}
        self.tests[item.nodeid] = took, sorted(one for one in ours if one[0].startswith(self.package))


def _children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _forked(work: Callable[[], int], seconds: float) -> int:
    """The exit code of this work in a forked child of a process group of its own; negative: too slow.

    `seconds` are of the processor; on the clock it may be ten times as many, for busy machines.
    """
    child = os.fork()
    if not child:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        code = 70
        try:
            code = work()
        finally:
            os._exit(code)
    end = time.monotonic() + 10 * seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1


class Bench:
    """A copy of the package and its tests in which mutants are tried."""

    def __init__(self, folder: Path, seconds: float, chosen: str = SKIPPED) -> None:
        self.folder, self.seconds, self.chosen = folder, seconds, chosen
        for name in ("src", "tests", "examples", "pyproject.toml"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, folder / name)
        self._stamp = int(time.time()) + 10

    def run(self, arguments: Sequence[str], plugins: Sequence[object] = ()) -> int:
        """Pytest in this process, over the copy."""
        os.chdir(self.folder)
        sys.path[:0] = [str(self.folder / "src"), str(self.folder)]
        # Children look first where the package is installed: an editable one would hide the mutant from them.
        module: Any = importlib.import_module("quire.worker")
        module._START = module._START.replace("sys.path.extend(", "sys.path[:0] = (")
        fixed = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:schemathesis"]
        return int(pytest.main([*fixed, *arguments], plugins=list(plugins)))

    def trace(self, tests: Sequence[str]) -> dict[str, Any]:
        """For every test: its seconds, and the functions (file, line) that it enters."""
        out = self.folder / "traced.json"

        def work() -> int:
            tracer = _Tracer(str(self.folder / "src"))
            code = self.run([*tests, "-k", self.chosen], [tracer])
            out.write_text(json.dumps(tracer.tests))
            return code

        if _forked(work, 3600):
            sys.exit("The tests fail without any mutant.")
        return dict(json.loads(out.read_text()))

    def survives(self, mutant: Mutant, tests: Sequence[str], expected: float) -> bool:
        """Whether these tests pass with the mutant."""
        file = self.folder / mutant.file
        original = file.read_text(encoding="utf-8")
        self._write(file, mutant.code)
        try:
            return _forked(lambda: self.run(tests), 20 + 10 * expected) == 0
        finally:
            self._write(file, original)

    def _write(self, file: Path, code: str) -> None:
        file.write_text(code, encoding="utf-8")
        self._stamp += 2  # or compiled code of the same second would be taken
        os.utime(file, (self._stamp, self._stamp))

    def tests_of(self, mutant: Mutant, traced: dict[str, Any]) -> tuple[list[str], float]:
        """The tests that enter the mutant's function, then the others, the quickest of each first."""
        place = str(self.folder / mutant.file)
        starts = _functions(ROOT / mutant.file, mutant.line)

        def far(test: str) -> tuple[int, float]:
            seconds, entered = traced[test]
            if any(file == place and line in starts for file, line in entered):
                return 0, seconds
            # Code that runs in children is entered by no test: those that are named for it come first.
            return 1 if f"/test_{Path(mutant.file).stem}" in test else 2, seconds

        taken: list[str] = []
        total = 0.0
        for test in sorted(traced, key=far):
            seconds = traced[test][0]
            if not taken or total + seconds <= self.seconds:
                taken.append(test)
                total += seconds
        return taken, total


def _functions(file: Path, line: int) -> set[int]:
    """First lines (of decorators too) of the functions around a line; of the module, if none."""
    found = {
        first
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or line)
        for first in (node.lineno, *(one.lineno for one in node.decorator_list))
    }
    return found or {1}


def main() -> None:
    """Sample, try, tell."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--rooms", nargs="+", choices=TESTS, default=list(TESTS))
    asked.add_argument("--sample", type=int, default=60)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--seconds", type=float, default=15, help="of tests for one mutant")
    asked.add_argument("--slow", action="store_true", help="with the tests of killed processes and servers")
    options = asked.parse_args()
    import numpy  # noqa: F401  (loaded once, before the forks)

    os.nice(10)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options.seconds, "" if options.slow else SKIPPED)
        for room in options.rooms:
            _try(bench, room, options.sample, options.seed)


def _try(bench: Bench, room: str, sample: int, seed: int) -> None:
    files = sorted((ROOT / "src" / "quire" / room).rglob("*.py"))
    everywhere = [place for file in files for place in places(file)]
    dice = random.Random(seed)
    drawn = (place.mutant(dice) for place in dice.sample(everywhere, len(everywhere)))
    chosen = list(itertools.islice((mutant for mutant in drawn if mutant), sample))
    print(
        f"{room}: {len(everywhere)} places in {len(files)} files, {len(chosen)} tried, seed {seed}",
        flush=True,
    )
    traced = bench.trace(TESTS[room])
    survived = 0
    for mutant in chosen:
        tests, expected = bench.tests_of(mutant, traced)
        if bench.survives(mutant, tests, expected):
            survived += 1
            print(f"   survived {len(tests)} tests: {mutant.told()}", flush=True)
    killed = len(chosen) - survived
    print(f"{room}: {killed} of {len(chosen)} killed ({100 * killed / len(chosen):.0f}%)", flush=True)


if __name__ == "__main__":
    main()
