"""Two passes of natural questions, with a model or offline: what verdicts on the first are worth later.

    python benchmarks/two_passes.py --questions FILE --wordings FILE --library DIR --work DIR
        [--base-url http://127.0.0.1:PORT/v1] [--model NAME] [--sample 40] [--corrections]
        [--no-memory] [--twin TWINS_WORK]

Questions have the fields of AirQA, and `page`, `quote`, `source_pdf`; wordings give other words for each
(`uuid`, `question`). DIR holds their papers and is copied, never written to. The first pass asks every
question as it stands. Then each answer gets its verdict: by its evaluator where the gold is a value, else by
the evaluator or by evidence that says the gold quote on its page; with `--corrections` a wrong value is
corrected. The second pass asks again, in the other words and another order, with what was learned: `offered`
is right, or abstained beside the right answer as a suggestion, `misled` beside a wrong one. With
`--no-memory` only the second pass is asked, by the twin that learned nothing: in a work folder of its own
and, where a model plays, by one that has not seen the first pass. `--twin` holds the second pass against the
twin's, question by question, with 95% intervals (bootstrap over questions). Rows are kept in `--work` as they
come, and the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from natural import Question, ask, read_lines, read_wordings, right, says, unanswerable
from quire import Library
from quire.ask.personal.judging import taken
from quire.eval.statistics import mean_interval, paired
from quire.types import Trajectory

Row = dict[str, Any]


def by_evidence(question: Question, run: Trajectory, stems: dict[str, str]) -> bool:
    """Whether a piece of verified evidence says a part of the gold quote on its page."""
    place = (question["source_pdf"], question["page"])
    there = (each for each in run.answer.evidence if (stems.get(each.paper_id), each.page) == place)
    return any(each.verified and says(each.quote, question["quote"]) for each in there)


def judged(question: Question, run: Trajectory, stems: dict[str, str]) -> str:
    """right, wrong, failed, or abstained (which is right where the paper does not say)."""
    if unanswerable(question):
        answered = run.answer.status == "answered" and run.answer.value is not None
        return "wrong" if answered else "failed" if run.answer.status == "failed" else "right"
    if run.answer.status != "answered":
        return run.answer.status
    if right(question, run.answer.value):
        return "right"
    told = question["kind"] == "why" and by_evidence(question, run, stems)
    return "right" if told else "wrong"


def suggested(library: Library, question: Question, run: Trajectory) -> bool | None:
    """Whether the past answer that is shown beside an abstention is right; None where none is shown."""
    if not (id := str(run.settings.get("suggested", ""))):
        return None
    item = library.memory.verdicts.found([id])[id]
    if item.absent:
        return None
    return not unanswerable(question) and right(question, item.answer)


def asked(library: Library, question: Question, words: str, memory: bool, stems: dict[str, str]) -> Row:
    """One question asked, as a row."""
    run = ask(library, question, words, memory=memory)
    outcome, hint = judged(question, run, stems), suggested(library, question, run)
    return {
        "uuid": question["uuid"],
        "kind": question["kind"],
        "run": run.run_id,
        "outcome": outcome,
        "offered": hint is True or outcome == "right",
        "misled": hint is False,
        "value": run.answer.value,
        "status": run.answer.status,
        "remembered": run.method == "remembered",
        "examples": len(taken(run)),
        "turns": run.turns,
        "calls": run.usage.calls,
        "prompt": run.usage.prompt_tokens,
        "completion": run.usage.completion_tokens,
        "verified": sum(each.verified for each in run.answer.evidence),
        "evidence": len(run.answer.evidence),
        "seconds": run.seconds,
    }


def teach(library: Library, question: Question, row: Row, corrections: bool) -> None:
    """The verdict on one answer; that the papers do not say it is right where they do not."""
    gold = question["evaluator"]["eval_kwargs"].get("gold")
    if row["outcome"] == "right":
        library.verdict("right", row["run"], author="judge", unanswerable=row["status"] == "abstained")
    elif corrections and gold is not None and row["outcome"] != "right":
        library.verdict("wrong", row["run"], answer=gold, author="judge")
    elif row["status"] == "answered":
        library.verdict("wrong", row["run"], author="judge")


class Rows:
    """The rows of a run, kept in its work folder as they come."""

    def __init__(self, work: Path) -> None:
        self._file = file = work / "rows.jsonl"
        self.known: list[Row] = read_lines(file) if file.exists() else []

    def of(self, name: str) -> dict[str, Row]:
        """The rows of one pass, by question."""
        return {row["uuid"]: row for row in self.known if row["pass"] == name}

    def keep(self, name: str, row: Row) -> None:
        """Add a row to a pass."""
        self.known.append({"pass": name, **row})
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(self.known[-1], ensure_ascii=False, default=str) + "\n")


def told(name: str, rows: Sequence[Row]) -> Iterator[str]:
    """The figures of a pass."""
    count = len(rows) or 1
    outcomes = {one: sum(row["outcome"] == one for row in rows) for one in ("right", "wrong", "abstained")}
    failed = len(rows) - sum(outcomes.values())
    yield f"{name}: {len(rows)} questions, {outcomes}, {failed} failed"
    for field in ("turns", "calls", "prompt", "completion"):
        yield f"  {field:12} {sum(row[field] for row in rows) / count:8.2f} per question"
    share = mean_interval([float(row["outcome"] == "right") for row in rows])
    yield f"  right        {share.mean:8.3f} ({share.low:.3f} to {share.high:.3f})"
    yield "".join(f"  {name} {sum(row[name] for row in rows) / count:.3f}" for name in ("offered", "misled"))
    remembered = sum(row["remembered"] for row in rows)
    shown = sum(row["examples"] for row in rows if not row["remembered"])
    quotes, verified = (sum(row[field] for row in rows) for field in ("evidence", "verified"))
    yield f"  remembered   {remembered}; {shown / count:.1f} past answers shown per question"
    yield f"  verified     {verified} of {quotes} quotes"


def against(name: str, first: dict[str, Row], second: dict[str, Row]) -> Iterator[str]:
    """What one pass has more than another on the questions of both."""
    both = [uuid for uuid in first if uuid in second]
    yield f"second pass - {name}, {len(both)} questions:"
    for field in ("right", "offered", "misled", "turns", "calls", "prompt", "completion"):
        values = [[_figure(rows[uuid], field) for uuid in both] for rows in (first, second)]
        told = paired(*values)
        yield f"  {field:12} {told.difference:+9.3f} ({told.low:+.3f} to {told.high:+.3f})"


def _figure(row: Row, field: str) -> float:
    return float(row["outcome"] == "right" if field == "right" else row[field])


def main() -> None:
    """Ask, judge, ask again, and print both passes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--wordings", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--base-url", default=None)
    parser.add_argument("--model", default="offline")
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--memory", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--corrections", action="store_true")
    parser.add_argument("--twin", type=Path, default=None)
    args = parser.parse_args()
    questions, other = read_lines(args.questions), read_wordings(args.wordings)
    draw = random.Random(args.seed)
    questions = draw.sample(questions, min(args.sample, len(questions)))
    again = draw.sample(questions, len(questions))
    folder = args.work / "library"
    if not folder.exists():
        skip = shutil.ignore_patterns("runs", "memory.sqlite*", "cache")
        shutil.copytree(args.library, folder, ignore=skip)
    rows = Rows(args.work)
    endpoint = {"model__name": args.model, "model__base_url": args.base_url, "model__time_limit": 1500.0}
    with Library.open(folder, model__cache=False, model__retries=0, **endpoint) as library:
        stems = {paper.id: Path(paper.file_name).stem for paper in library.papers()}
        for question in questions if args.memory else ():
            if question["uuid"] not in rows.of("first"):
                rows.keep("first", asked(library, question, question["question"], False, stems))
        for question in questions if args.memory else ():
            if question["uuid"] not in rows.of("taught"):
                teach(library, question, rows.of("first")[question["uuid"]], args.corrections)
                rows.keep("taught", {"uuid": question["uuid"]})
        for question in again:
            if question["uuid"] not in rows.of("second"):
                words = other[question["uuid"]]
                rows.keep("second", asked(library, question, words, args.memory, stems))
    for name in ("first", "second"):
        if found := rows.of(name):
            print("\n".join(told(name, list(found.values()))))
    others = {"first pass": rows.of("first"), "twin": Rows(args.twin).of("second") if args.twin else {}}
    for name, found in others.items():
        if found:
            print("\n".join(against(name, rows.of("second"), found)))


if __name__ == "__main__":
    main()
