"""A file of questions, answered by the offline policy over a folder of PDFs: accuracy, abstention, seconds.

    python benchmarks/offline_quiz.py --data DIR --questions FILE [--workers 2] [--html REPORT.html]

DIR is a folder with the PDFs, FILE any layout of questions (`quire eval` reads the same). The library is made
in a temporary folder. Prints the table per kind with intervals, and every question that is not right.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

from quire.build import Library
from quire.eval.questions import load
from quire.eval.report import pictures_of, print_report, report_page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--html", type=Path)
    arguments = parser.parse_args()
    console = Console(width=150)
    with tempfile.TemporaryDirectory() as folder:
        library = Library.open(Path(folder) / "library", create=True)
        started = time.perf_counter()
        added = library.add(arguments.data)
        console.print(f"{len(added.files)} PDFs added in {time.perf_counter() - started:.1f} s")
        for note in load(arguments.questions).notes:
            console.print(Text(f"note: {note}"))
        run, _ = library.evaluate(arguments.questions, workers=arguments.workers)
        print_report([run], console)
        for record in run.records:
            if record.status != "right" and record.case:
                case = record.case
                told = f"{record.status} {record.instance}: {case.question} | {case.gold} | {case.answer!r}"
                console.print(Text(told))
        if arguments.html:
            arguments.html.write_text(report_page([run], pictures_of(library)), encoding="utf-8")
        library.close()


if __name__ == "__main__":
    main()
