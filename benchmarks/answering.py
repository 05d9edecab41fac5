"""What people see who ask without a model: the sentence that says it, answers right and wrong, silence, time.

    python benchmarks/answering.py --data DIR [--questions FILE] [--library DIR] [--show]

DIR holds `qa/natural/dev.jsonl`, `qa/natural/papers.txt` and the `pdfs/` that it names; FILE has
questions in the same layout (AirQA's fields plus kind, source_pdf, page, quote and perhaps `also`: other
places that say it). A piece of evidence counts by two definitions. NOTED: it holds the quote that the
question's writer noted, or is a part of it, on that page. FAIR: or one of the `also` places, or it stands
on the noted page and holds the answer's value as whole words. `quire eval` tells right and wrong of any set.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from natural import ask, read_lines, right, says, unanswerable
from quire import Library
from quire.ask.conversation import kept_papers, with_topic
from quire.types import Answer, Evidence, Exchange

OFF_TOPIC = Path(__file__).parent.parent / "training" / "answers" / "off_topic.txt"
SHOWN = 3
_PART = 20  # letters of a piece of evidence that may be a part of the quote


def outcome(record: dict[str, Any], answer: Answer) -> str:
    if answer.status != "answered":
        return "abstained"
    return "right" if right(record, answer.value) else "wrong"


def holds(evidence: Evidence, page: int, quote: str) -> bool:
    """Whether a piece of evidence holds a part of the quote, or is one, on its page."""
    return evidence.page == page and says(evidence.quote, quote, _PART)


def gives(record: dict[str, Any], evidence: Evidence) -> bool:
    """Whether it holds the answer's value, as whole words, on the noted page."""
    gold = str(record["evaluator"].get("eval_kwargs", {}).get("gold", "")).strip().lower()
    if evidence.page != record["page"] or len(gold) < 2 or gold in ("true", "false", "yes", "no"):
        return False
    return re.search(rf"(?<![\w.]){re.escape(gold)}(?![\w])", evidence.quote.lower()) is not None


def shares(rows: Sequence[Sequence[bool]]) -> str:
    return " / ".join(f"{sum(column) / max(1, len(rows)):.3f}" for column in zip(*rows, strict=True))


def natural(library: Library, records: Sequence[dict[str, Any]], show: bool) -> None:
    """Print the table of the questions: sentences, pages, answers, calibration, silence, seconds."""
    noted: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    fair: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    pages, likely, seconds = [], [], []
    outcomes: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    for record in records:
        begun = time.perf_counter()
        run = ask(library, record, save=False, memory=False)
        seconds.append(time.perf_counter() - begun)
        answer, kind = run.answer, record["kind"]
        absent = unanswerable(record)
        came = outcome(record, answer) if not absent or answer.status != "answered" else "wrong"
        sort = "" if answer.status != "answered" else " (probable)" if answer.probability else " (sure)"
        outcomes[("unanswerable: " if absent else "") + came + sort] += 1
        silent["unanswerable" if absent else "answerable"] += not answer.spoken
        if answer.status == "answered":
            likely.append((answer.probability or answer.confidence, float(came == "right")))
        if absent:
            continue
        shown = answer.evidence[:SHOWN]
        own = [holds(each, record["page"], record["quote"]) for each in shown]
        also = [
            own[n]
            or gives(record, each)
            or any(holds(each, page, quote) for page, quote in record.get("also", ()))
            for n, each in enumerate(shown)
        ]
        for group in (kind, "all"):
            noted[group].append((own[:1] == [True], any(own)))
            fair[group].append((also[:1] == [True], any(also)))
        on = [each.page == record["page"] for each in shown]
        pages.append((on[:1] == [True], any(on)))
        if show and not any(also):
            print(f"{kind} | {record['question']} | {record['quote'][:90]} | GOT {answer.headline[:90]}")
    for name, found in (("noted", noted), ("fair", fair)):
        for kind, rows in found.items():
            print(f"says it, {name}, {kind:10} first / among {SHOWN}: {shares(rows)} of {len(rows)}")
    print(f"evidence on the right page, first / among {SHOWN}: {shares(pages)} of {len(pages)}")
    print("answers: " + ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items())))
    print(f"expected calibration error of {len(likely)} answers: {calibration_error(likely):.3f}")
    print(f"told that nothing speaks of it: {dict(silent)}")
    print(f"seconds a question: median {np.median(seconds):.3f}, slowest {max(seconds):.3f}")


def off_topic(library: Library, most: int) -> None:
    """How often questions that no paper answers are told so. They were there when that was trained."""
    lines = OFF_TOPIC.read_text(encoding="utf-8").splitlines()[:most]
    told = [not library.ask(line, save=False, memory=False).answer.spoken for line in lines]
    print(f"off topic and told so: {np.mean(told):.2f} of {len(told)}")


def calibration_error(likely: Sequence[tuple[float, float]]) -> float:
    """The mean distance of told and true rates, over tenths of the probability."""
    tenths: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for told, came in likely:
        tenths[min(int(told * 10), 9)].append((told, came))
    means = [(np.mean(np.asarray(each), axis=0), len(each)) for each in tenths.values()]
    return float(sum(abs(told - came) * count for (told, came), count in means) / max(1, len(likely)))


def follow_ups() -> None:
    """How often a follow-up keeps the papers and the topic of the turn before; every second was built on."""
    kept = []
    for row in read_lines(Path(__file__).with_name("follow_ups.jsonl")):
        talk = [Exchange(row["first"], "", ("paper",))]
        text = with_topic(row["follow"], talk).lower()
        papers = bool(kept_papers(row["follow"], talk)) != row.get("elsewhere", False)
        kept.append(
            papers
            and all(word in text for word in row["about"])
            and not any(word in text for word in row.get("not", ()))
        )
    for name, half in (("built on", kept[::2]), ("left out", kept[1::2])):
        print(f"follow-ups kept on topic, {name}: {sum(half)} of {len(half)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--papers", type=Path, help="a file with names of PDFs: only questions to these")
    parser.add_argument("--library", type=Path)
    parser.add_argument("--off-topic", type=int, default=60, help="questions that no paper answers")
    parser.add_argument("--show", action="store_true", help="print every question that went wrong")
    given = parser.parse_args()
    folder = given.library or Path(tempfile.mkdtemp(prefix="quire-answering-"))
    natural_questions = given.data / "qa" / "natural"
    with Library.open(folder, create=True) as library:
        if not library.papers():
            names = (natural_questions / "papers.txt").read_text(encoding="utf-8").split()
            library.add([given.data / "pdfs" / name for name in names])
        records = read_lines(given.questions or natural_questions / "dev.jsonl")
        if given.papers:
            wanted = set(given.papers.read_text(encoding="utf-8").split())
            records = [each for each in records if each["source_pdf"] in wanted]
        follow_ups()
        natural(library, records, given.show)
        off_topic(library, given.off_topic)


if __name__ == "__main__":
    main()
