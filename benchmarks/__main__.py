"""One command a figure: run a benchmark, and keep what it said with the commit and the machine.

    python -m benchmarks                            # what there is, and the data that each needs
    python -m benchmarks markdown --data DIR        # the same as python benchmarks/markdown.py --data DIR
    python -m benchmarks here                       # those that need no foreign data
    python -m benchmarks training.ranking.train ... # a trainer, whose report is kept in the same way

The last result of each is `benchmarks/results/NAME.json`.
"""

from __future__ import annotations

import io
import json
import os
import platform
import runpy
import subprocess
import sys
import time
from pathlib import Path
from typing import TextIO, cast

HERE = Path(__file__).parent
RESULTS = HERE / "results"
DATA = {
    "articles": "PDFs beside the publisher's JATS XML (open access, e.g. from PubMed Central)",
    "questions": "natural questions over such PDFs with page and quote",
    "sets": "AirQA, SciDQA, M3SciQA in their published layouts",
    "streams": "Spider, CoSQL, DS-1000, ToolBench, DDXPlus, HotpotQA in StreamBench's layout",
    "judged": "CACM and NFCorpus with topics and judgements",
    "icdar": "the ICDAR-2013 table competition, both halves",
    "pdfs": "any folder of PDFs",
    "tex": "papers typeset by `python -m benchmarks.typeset` (needs TeX)",
    "conversations": "recorded conversations of an agent as JSON Lines of chat messages",
    "": "none",
}
"""Kinds of data, and where they come from."""
NEEDS = {
    "add_ray": "pdfs", "add_speed": "pdfs", "answering": "articles", "answers_gold": "sets", "attack": "",
    "equations_latex": "tex", "evidence_curve": "questions",
    "fields": "articles", "fuzz": "", "growth": "", "harness_cost": "streams", "inline_latex": "articles",
    "label_pictures": "pdfs", "layouts": "",
    "markdown": "articles", "memory_speed": "", "mutants": "",
    "natural_questions": "questions", "page_pictures": "pdfs",
    "parse_digest": "pdfs", "parse_gate": "articles", "poppler_sentences": "articles",
    "precision": "questions", "prompt_tokens": "conversations", "publishers": "articles",
    "recorded_runs": "conversations",
    "retrieval_beir": "judged", "rewording": "questions", "same_question": "questions",
    "scorers_gold": "sets", "serve_load": "pdfs", 
    "streambench_protocol": "streams", "streams_offline": "streams",
    "structural_questions": "questions", "sweep_engines": "streams", "tables_icdar": "icdar",
    "tables_left_out": "articles", "tasks_gold": "streams", "two_passes": "questions", "vignettes": "pdfs",
}  # fmt: skip
"""What each benchmark needs."""
TRAINERS = {
    "training.train": "articles", "training.ranking.train": "questions", "training.reader.train": "questions",
    "training.reader.measure": "articles",
    "training.answers.headline": "questions", "training.citations.train": "articles",
}  # fmt: skip
"""Modules whose last words are figures, too: trainers (the group `training` wanted), what measures one."""
ALONE: dict[str, list[str]] = {
    "growth": ["--entries", "1000", "--queries", "10"],
    "layouts": ["--seeds", "8"],
    "memory_speed": [],
}
"""Those that `make figures` runs, with the arguments that it gives them; `attack` and `fuzz` take hours."""


class _Copy(io.TextIOBase):
    """Standard output that remembers."""

    def __init__(self, screen: io.TextIOBase) -> None:
        self.screen, self.kept = screen, io.StringIO()

    def write(self, text: str) -> int:
        """Write to both."""
        self.kept.write(text)
        return self.screen.write(text)

    def flush(self) -> None:
        """Flush the screen."""
        self.screen.flush()


def run(name: str, arguments: list[str]) -> None:
    """Run one, and write its result down."""
    sys.path[:0] = [str(HERE.parent), str(HERE)]
    sys.argv = [f"{name}.py", *arguments]
    started, before = time.time(), sys.stdout
    copy = _Copy(cast(io.TextIOBase, before))
    sys.stdout = cast(TextIO, copy)
    try:
        if name in TRAINERS:
            runpy.run_module(name, run_name="__main__")
        else:
            runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.stdout = before
    if {"-h", "--help"} & set(arguments):
        return
    RESULTS.mkdir(exist_ok=True)
    told = {
        "name": name,
        "arguments": [_told(argument) for argument in arguments],
        "commit": _commit(),
        "date": time.strftime("%Y-%m-%d", time.gmtime(started)),
        "machine": f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "seconds": round(time.time() - started, 1),
        "printed": copy.kept.getvalue().splitlines(),
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def _told(argument: str) -> str:
    """An argument without the places of this machine."""
    return "PATH" if "/" in argument or Path(argument).exists() else argument


def _commit() -> str:
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "?")


def main() -> None:
    try:
        _main()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        for name, needed in (*sorted(NEEDS.items()), *TRAINERS.items()):
            print(f"{name:25} {DATA[needed]}")
    elif sys.argv[1] == "here":
        for name, arguments in ALONE.items():
            print(f"== {name}", flush=True)
            subprocess.run(
                [sys.executable, "-m", "benchmarks", name, *arguments], cwd=HERE.parent, check=True
            )
    elif sys.argv[1] in {**NEEDS, **TRAINERS}:
        run(sys.argv[1], sys.argv[2:])
    else:
        sys.exit(f"There is no benchmark `{sys.argv[1]}`: {', '.join([*sorted(NEEDS), *TRAINERS])}.")


if __name__ == "__main__":
    main()
