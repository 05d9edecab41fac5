"""Tables of the ICDAR-2013 competition (European half): quire beside the libraries that are installed.

    python benchmarks/tables_icdar.py --data DIR [--tools quire pdfplumber ...] [--verbose]

DIR holds NAME.pdf, NAME-reg.xml and NAME-str.xml. Prints, for each tool, precision, recall and F1 of
  regions     characters of the tables that were found in the whole file,
  structure   adjacency relations when the tool is told where each table is (the gold region),
  end to end  adjacency relations when it has to find the table as well,
and the seconds for the whole set without being told. The metric is defined in icdar2013.py.
"""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from icdar2013 import Gold, Rates, Region, load, pair, region_rates, structure_rates, summary
from table_tools import Tool, available


@dataclass(frozen=True, slots=True)
class Result:
    """What one tool reached."""

    regions: list[Rates]
    structure: list[Rates]
    whole: list[Rates]
    complete: int
    pure: int
    seconds: float


def run(tool: Tool, documents: Sequence[Gold]) -> Result:
    """Run one tool over all documents, told and untold."""
    result = Result([], [], [], 0, 0, 0.0)
    complete = pure = 0
    seconds = 0.0
    for gold in documents:
        start = time.perf_counter()
        found = tool(gold.pdf, None)
        seconds += time.perf_counter() - start
        rates, whole, clean = region_rates(gold, found)
        complete, pure = complete + whole, pure + clean
        result.regions.append(rates)
        result.whole.append(structure_rates(gold.regions, found, pair(gold, found)))
        told: list[Region] = tool(gold.pdf, gold.regions)
        result.structure.append(structure_rates(gold.regions, told, {i: i for i in range(len(told))}))
    return Result(result.regions, result.structure, result.whole, complete, pure, seconds)


def report(name: str, result: Result, tables: int) -> str:
    """One line of the printed table."""
    parts = [
        " ".join(f"{value:.3f}" for value in summary(rates))
        for rates in (result.regions, result.structure, result.whole)
    ]
    counts = f"{result.complete:3d} {result.pure:3d} /{tables:3d}"
    return f"{name:28s} {parts[0]}  {counts}  {parts[1]}  {parts[2]}  {result.seconds:7.1f}"


def main() -> None:
    """Print one line per tool."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the competition's files")
    parser.add_argument("--tools", nargs="*", help="names as printed; default: all that can run")
    parser.add_argument("--verbose", action="store_true", help="also print each document")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    documents = load(options.data)
    tools, missing = available()
    tables = sum(len(d.regions) for d in documents)
    print(f"{len(documents)} documents, {tables} tables; precision, recall, F1 as means over documents")
    print(f"{'':28s} {'regions':17s}  complete/pure {'structure':17s}  {'end to end':17s}  seconds")
    for name, tool in tools.items():
        if options.tools and name not in options.tools:
            continue
        result = run(tool, documents)
        print(report(name, result, tables), flush=True)
        if options.verbose:
            for i, gold in enumerate(documents):
                rates = (result.regions[i], result.structure[i], result.whole[i])
                print(f"    {gold.name:10s}", *(f"{r.precision:.2f} {r.recall:.2f}  " for r in rates))
    if missing:
        print(f"not installed, so not compared: {', '.join(missing)}")


if __name__ == "__main__":
    main()
