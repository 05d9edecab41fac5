"""Show 4: the gold SQL of Spider and CoSQL through the scorer. `python benchmarks/sql_gold.py --data DIR`."""

import argparse
import time
from collections import Counter
from pathlib import Path

from quire.tasks.open import open_task


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with spider/ and cosql/")
    for name in ("spider", "cosql"):
        report(name, parser.parse_args().data / name)


def report(name: str, data: Path) -> None:
    task = open_task(name)
    samples = task.load(data)
    started = time.perf_counter()
    reasons: Counter[str] = Counter()
    loose = strict = judged = 0
    for sample in samples:
        result = task.score(sample, task.parse(task.gold(sample), sample.instance))
        if result.value is None:
            database = sample.instance.fields["db_id"]
            reasons[f"{database}: {result.reason.partition('; gold')[0]}"] += 1
            continue
        judged += 1
        loose += result.value == 1
        strict += result.parts["strict"] == 1
        if result.value != 1:
            print(f"  WRONG {sample.instance.id}: {result.reason}")
    seconds = time.perf_counter() - started
    print(f"{name}: {len(samples)} questions, {judged} can run: {loose} right, {strict} strictly right")
    for reason, count in reasons.most_common():
        print(f"  cannot run {count}: {reason}")
    print(f"  {1000 * seconds / len(samples):.2f} ms per question")


if __name__ == "__main__":
    main()
