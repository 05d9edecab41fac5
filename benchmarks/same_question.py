"""How well quire tells the same question in other words from another one that sounds alike.

    python benchmarks/same_question.py --data FOLDER
    python benchmarks/same_question.py --questions FILE --wordings FILE

FOLDER holds `pairs.jsonl`: {"question", "other", "same": true or false, "paper"} a line. For each encoder the
floor of likeness is chosen on all papers but one fold (the lowest without a false match, plus a margin) and
counted on that fold; then the shipped floors are counted on everything. A false match is worse than a miss.
FILEs are as for `two_passes.py`: each question is asked in its other wording over a memory of all of them
as they stand, and counted as told to be the same, and as suggested: the nearest of the same papers and form.
"""

from __future__ import annotations

import argparse
import zlib
from pathlib import Path

import numpy as np

from natural import read_lines, read_wordings
from quire.memory import HashEncoder
from quire.memory.same_question import FLOORS, maybe_same, same_question, told_apart
from quire.search.encoders import MINILM, load

FOLDS = 5
MARGIN = 0.02


def reworded(questions: Path, wordings: Path) -> None:
    """Print what becomes of the other wordings, with the question itself in the memory and without."""
    rows, other = read_lines(questions), read_wordings(wordings)
    encoder = load(MINILM)
    asked = encoder.encode([other[row["uuid"]] for row in rows])
    likeness = asked @ encoder.encode([row["question"] for row in rows]).T
    places = [(row["anchor_pdf"], row["answer_format"]) for row in rows]
    same, suggested = np.zeros((2, 2), dtype=int), np.zeros((2, 2), dtype=int)
    for at, row in enumerate(rows):
        fit = [n for n in np.argsort(-likeness[at]) if places[n] == places[at]]
        for without in (0, 1):
            text, kept = other[row["uuid"]], [n for n in fit if n != at or not without]
            sure = [n for n in kept if same_question(text, rows[n]["question"], likeness[at, n], MINILM)]
            maybe = [n for n in kept if maybe_same(text, rows[n]["question"], likeness[at, n], MINILM)][:1]
            for table, found in ((same, sure), (suggested, maybe)):
                table[without] += [at in found, any(n != at for n in found)]
    for name, table in (("told to be the same", same), ("suggested", suggested)):
        print(f"{name}: itself {table[0, 0]}, another {table[0, 1]} of {len(rows)}; ", end="")
        print(f"where itself was never asked, another {table[1, 1]}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--wordings", type=Path)
    parser.add_argument("--wrong", action="store_true", help="list false matches at the shipped floors")
    args = parser.parse_args()
    if args.questions:
        reworded(args.questions, args.wordings)
        return
    pairs = read_lines(args.data / "pairs.jsonl")
    same = np.array([pair["same"] for pair in pairs])
    apart = np.array([told_apart(pair["question"], pair["other"]) for pair in pairs])
    fold = np.array([zlib.crc32(pair["paper"].encode()) % FOLDS for pair in pairs])
    print(f"{same.sum()} pairs that ask the same, {(~same).sum()} that do not")
    print(f"told apart by a word: {apart[same].sum()} of the same, {apart[~same].sum()} of the others")
    for encoder in (load(MINILM), HashEncoder()):
        one = encoder.encode([pair["question"] for pair in pairs])
        two = encoder.encode([pair["other"] for pair in pairs])
        likeness = np.einsum("ij,ij->i", one, two)
        print(f"\n{encoder.name}: held out by paper, with words that tell apart and without")
        for name, usable in (("words", ~apart), ("likeness alone", np.ones_like(apart))):
            found = wrong = 0
            for number in range(FOLDS):
                others = likeness[(fold != number) & usable & ~same]
                floor = float(others.max(initial=0.0)) + MARGIN
                match = (fold == number) & usable & (likeness >= floor)
                found, wrong = found + int((match & same).sum()), wrong + int((match & ~same).sum())
            print(f"  {name}: {found}/{same.sum()} found, {wrong}/{(~same).sum()} false")
        for floor in sorted({*np.arange(0.3, 0.96, 0.05).round(2).tolist(), FLOORS[encoder.name]}):
            match = ~apart & (likeness >= floor)
            shipped = "  <- shipped" if floor == FLOORS[encoder.name] else ""
            print(
                f"  floor {floor:.2f}: {(match & same).sum()} found, {(match & ~same).sum()} false{shipped}"
            )
        matched = ~apart & (likeness >= FLOORS[encoder.name])
        for pair, is_match, value in zip(pairs, matched, likeness, strict=True):
            if args.wrong and is_match and not pair["same"]:
                print(f"    {value:.3f} {pair['question']} | {pair['other']}")


if __name__ == "__main__":
    main()
