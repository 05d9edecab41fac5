"""Questions that single passages do not answer: quire's default method beside five passages in one call.

    python benchmarks/structural_questions.py --data DIR --model NAME [--base-url URL] [--library DIR]
        [--way default] [--way passages] [--kind KIND] [--out FILE] [--questions FILE]

DIR holds `pdfs/pmc` and `pdfs/multi` with the 27 papers that `structural_questions.json` names by their
SHA-256. Its 60 questions count and compare over the library, along a column, over figures, sections and
reference lists; their answers are from the publishers' XML, none from what quire parsed. Each is asked both
ways through any endpoint that speaks the OpenAI protocol. `passages` puts the five best passages of
`Library.search`, about 1024 tokens each, into one request. Printed per kind: right, turns, prompt tokens;
with `--out` every answer as a JSON line. Without a model (`--model offline`) the default way is the offline
policy.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from natural import ask, papers_of, right
from quire import Library
from quire.ask.answer_format import read_format
from quire.errors import AnswerFormatError, QuireError
from quire.llm import system, user
from quire.llm.gateway import Gateway

QUESTIONS = Path(__file__).with_suffix(".json")
FIVE, WORDS = 5, 770  # 1024 tokens are about 770 words
INSTRUCTIONS = (
    "Answer the question from the passages alone. Reply with the answer and nothing else, in the form that "
    "is asked for; reply None if the passages do not say."
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question; `value` is None where no answer was given."""

    value: Any
    turns: int
    tokens: int


Way = Callable[[dict[str, Any]], Outcome]


def default(library: Library) -> Way:
    """The method of the settings."""

    def way(question: dict[str, Any]) -> Outcome:
        run = ask(library, question, save=False, memory=False)
        value = run.answer.value if run.answer.status == "answered" else None
        return Outcome(value, run.turns, run.usage.prompt_tokens)

    return way


def passages(library: Library) -> Way:
    """Five passages in one request."""
    model = Gateway(library.settings).model()

    def way(question: dict[str, Any]) -> Outcome:
        asked_of = papers_of(question)
        hits = library.search(question["question"], papers=asked_of, limit=FIVE, words=WORDS)
        shown = [f"[{hit.paper_title}, page {hit.page}]\n{hit.text}" for hit in hits]
        asked = f"Question: {question['question']}\n{question['answer_format']}"
        reply = model.complete([system(INSTRUCTIONS), user("\n\n".join([*shown, asked]))])
        return Outcome(value_of(reply.text, question["answer_format"]), 1, reply.usage.prompt_tokens)

    return way


def value_of(text: str, answer_format: str) -> Any:
    """What a reply says in the form that was asked for, else its text; None for no answer."""
    bare = text.strip().strip("`").strip()
    try:
        return None if bare in ("None", "") else read_format(answer_format).coerce(bare)
    except AnswerFormatError:
        return bare


WAYS: dict[str, Callable[[Library], Way]] = {"default": default, "passages": passages}


def measure(name: str, way: Way, questions: Sequence[dict[str, Any]], out: Path | None) -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for question in questions:
        try:
            outcome = way(question)
        except QuireError as error:
            print(f"{question['uuid']}: {error}")
            outcome = Outcome(None, 1, 0)
        verdict = outcome.value is not None and right(question, outcome.value)
        for kind in (question["kind"], "all"):
            told = Counter(asked=1, right=verdict, none=outcome.value is None)
            counts[kind] += told + Counter(turns=outcome.turns, tokens=outcome.tokens)
        if out:
            row = {"way": name, "uuid": question["uuid"], "value": outcome.value, "right": verdict}
            row |= {"turns": outcome.turns, "prompt_tokens": outcome.tokens}
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
    for kind, seen in counts.items():
        asked = seen["asked"]
        print(
            f"{name:9} {kind:9} right {seen['right']:3} of {asked:3}, no answer {seen['none']:3}, "
            f"turns {seen['turns'] / asked:.2f}, prompt tokens {seen['tokens'] / asked:.0f}",
            flush=True,
        )


def check(library: Library, data: Path, papers: dict[str, str]) -> None:
    """Add the papers to an empty library; every one must be the paper that the gold is from."""
    for name, digest in papers.items():
        if hashlib.sha256((data / "pdfs" / name).read_bytes()).hexdigest() != digest:
            raise SystemExit(f"{name} is another file than the questions were written on.")
    if not library.papers():
        library.add([data / "pdfs" / name for name in papers])
    missing = {Path(name).name for name in papers} ^ {paper.file_name for paper in library.papers()}
    if missing:
        raise SystemExit(f"The library does not hold just these papers: {', '.join(sorted(missing))}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url", default="")
    parser.add_argument("--library", type=Path)
    parser.add_argument("--way", action="append", choices=WAYS)
    parser.add_argument("--kind", default="")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    args = parser.parse_args()
    given = json.loads(args.questions.read_text(encoding="utf-8"))
    questions = [each for each in given["questions"] if args.kind in ("", each["kind"])]
    offline = args.model == "offline"
    model = {} if offline else {"model__name": args.model, "model__base_url": args.base_url}
    with (
        tempfile.TemporaryDirectory() as folder,
        Library.open(args.library or folder, create=True, **model) as library,
    ):
        check(library, args.data, given["papers"])
        for name in args.way or (["default"] if offline else WAYS):
            measure(name, WAYS[name](library), questions, args.out)


if __name__ == "__main__":
    main()
