"""How often the offline policy is right, wrong and silent on questions whose answers are known.

    python benchmarks/answering.py --data DIR [--questions FILE] [--library DIR] [--reworded] [--show]

DIR holds `pdfs/pmc` (PDFs beside their publisher's XML) and `../tools/jats_gold.py`, which makes the
questions from the XML; `--questions` takes a file in the AirQA layout instead. A library is built once in
`--library`. `--reworded` asks every question in several other wordings (benchmarks/rewording.py).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from quire.agents.loop import run
from quire.agents.offline import OfflinePolicy
from quire.environment import Environment
from quire.library import Library
from quire.scoring import EVALUATORS
from quire.types import Answer, Question
from rewording import reworded

OUTCOMES = ("right", "wrong", "abstained")


def questions_of(data: Path, file: Path | None) -> list[dict[str, Any]]:
    if file is not None:
        text = file.read_text(encoding="utf-8")
    else:
        maker = data.parent / "tools" / "jats_gold.py"
        command = [sys.executable, str(maker), "quiz", str(data / "pdfs" / "pmc")]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def filled(folder: Path, pdfs: Path) -> Library:
    library = Library.open(folder, create=True)
    library.add([pdfs])
    return library


def outcome(record: dict[str, Any], answer: Answer) -> str:
    if answer.status != "answered":
        return "abstained"
    judge = EVALUATORS.load(record["evaluator"]["eval_func"])
    score = judge(answer.value, **record["evaluator"]["eval_kwargs"])
    return "right" if score.value and score.value >= 0.5 else "wrong"


class Tally:
    """Outcomes by group, and how they read as a table."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, groups: Iterable[str], result: str) -> None:
        """Count one outcome for each group."""
        for group in groups:
            self.counts[group][result] += 1

    def print(self, title: str) -> None:
        """The rates of every group."""
        print(f"\n{title:<60} {'n':>5} {'right':>7} {'wrong':>7} {'abstained':>9}")
        for group, counts in self.counts.items():
            total = sum(counts.values())
            rates = "".join(
                f" {counts[each] / total:>{width}.1%}"
                for each, width in zip(OUTCOMES, (7, 7, 9), strict=False)
            )
            print(f"{group[:60]:<60} {total:>5}{rates}")


def ask(
    library: Library, records: Sequence[tuple[str, dict[str, Any]]], show: bool
) -> tuple[Tally, Tally, list[float], int]:
    environment, policy = Environment(library), OfflinePolicy()
    kinds, wordings, seconds, verified = Tally(), Tally(), [], 0
    ids: dict[str, str] = {}
    for wording, record in records:
        for name in record["anchor_pdf"]:
            ids.setdefault(name, library.paper(f"{name}.pdf").id)
        papers = tuple(ids[name] for name in record["anchor_pdf"])
        question = Question(record["uuid"], record["question"], record["answer_format"], papers)
        begun = time.perf_counter()
        answer = run(policy, environment, question).answer
        seconds.append(time.perf_counter() - begun)
        result = outcome(record, answer)
        verified += bool(answer.status == "answered" and answer.evidence and answer.evidence[0].verified)
        kinds.add(("all", record["tags"][1]), result)
        wordings.add((wording,), result)
        if show and result != "right":
            gold = record["evaluator"]["eval_kwargs"]["gold"]
            where = f"{result} {answer.confidence:.2f} {record['anchor_pdf'][0]}"
            print(f"{where} | {record['question']} | GOLD {gold} | GOT {answer.value}")
    return kinds, wordings, seconds, verified


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--reworded", action="store_true")
    parser.add_argument(
        "--show", action="store_true", help="print every question that was not answered right"
    )
    given = parser.parse_args()
    records = questions_of(given.data, given.questions)
    asked = list(reworded(records)) if given.reworded else [("as published", each) for each in records]
    folder = given.library or Path(tempfile.mkdtemp(prefix="quire-answering-"))
    with filled(folder, given.data / "pdfs" / "pmc") as library:
        kinds, wordings, seconds, verified = ask(library, asked, given.show)
    kinds.print("kind")
    if given.reworded:
        wordings.print(f"{len(wordings.counts)} wordings")
    answered = sum(kinds.counts["all"][each] for each in ("right", "wrong"))
    print(
        f"\nseconds per question: median {sorted(seconds)[len(seconds) // 2]:.3f}, slowest {max(seconds):.3f}"
    )
    print(f"answers whose first quote was found on its page: {verified / max(answered, 1):.1%}")


if __name__ == "__main__":
    main()
