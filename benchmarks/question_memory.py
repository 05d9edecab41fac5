"""What one process grows by while it answers questions, one after another, none of them twice.

    python benchmarks/question_memory.py [--questions 2000] [--warm 200] [--data DIR_OF_PDFS]

Prints the resident memory after the warm-up and at the end; more than 10 MB of growth is exit code 1.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import resource
import tempfile
import time
from pathlib import Path

from quire import Library

_MOST = 10  # MB
_SHAPES = (
    "How many pages does {paper} have, asked for the {number}th time?",
    "What is reported in Table {number} of {paper}?",
    "Which passage of {paper} speaks of {word} number {number}?",
    "Who wrote {paper} in the year {number}?",
    "What does the abbreviation W{number} stand for?",
    "Why is {word} better than {number} of them?",
)
_WORDS = "boats paper rain soil water starter seedlings window household bread".split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--warm", type=int, default=200)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[1] / "examples" / "papers")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Library.open(folder) as library:
        library.add(options.data)
        names = [paper.file_name for paper in library.papers()]
        shapes, papers, words = (itertools.cycle(each) for each in (_SHAPES, names, _WORDS))
        start, warm = time.process_time(), 0.0
        for number in range(options.warm + options.questions):
            question = next(shapes).format(paper=next(papers), word=next(words), number=number)
            library.ask(question, save=False)
            if number + 1 == options.warm:
                warm = resident()
            if (number + 1) % 200 == 0:
                print(f"{number + 1}: {resident():.1f} MB, {time.process_time() - start:.0f} s", flush=True)
        grown = resident() - warm
        each = 1024 * grown / options.questions
        print(f"{options.questions} questions after {options.warm}: {grown:+.1f} MB, {each:.1f} kB each")
        raise SystemExit(grown > _MOST)


def resident() -> float:
    """Megabytes in use."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / (1 << 20)


if __name__ == "__main__":
    main()
