"""Show 4: every task's own gold answers through its parser and scorer; each that can be judged must be right.

`python benchmarks/tasks_gold.py --data DIR [--tasks spider,cosql,...]`, DIR with a folder per task. Free text
of ToolBench is judged by words. DS-1000 has `ds1000_gold.py`, questions over papers `scorers_gold.py`.
"""

import argparse
import time
from collections import Counter
from pathlib import Path

from quire_streams.tasks.protocol import open_task

TASKS = "spider,cosql,bird,toolbench,ddxplus,hotpotqa"
FOLDERS = {"toolbench": "toolbench_ste"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tasks", default=TASKS)
    arguments = parser.parse_args()
    for name in arguments.tasks.split(","):
        folder = arguments.data / FOLDERS.get(name, name)
        report(name, folder if folder.is_dir() else arguments.data / name)


def report(name: str, data: Path) -> None:
    task = open_task(name)
    samples = task.load(data)
    started = time.perf_counter()
    reasons: Counter[str] = Counter()
    parts: Counter[str] = Counter()
    right = judged = 0
    for sample in samples:
        result = task.score(sample, task.parse(sample.reply, sample.instance))
        if result.value is None:
            database = sample.instance.fields.get("db_id", "")
            reasons[f"{database}: {result.reason.partition('; gold')[0]}"] += 1
            continue
        judged += 1
        right += result.value == 1
        parts.update(part for part, value in result.parts.items() if value == 1)
        if result.value != 1:
            print(f"  WRONG {sample.instance.id}: {result.reason}")
    seconds = time.perf_counter() - started
    further = "".join(f", {part} {count}" for part, count in sorted(parts.items()))
    print(f"{name}: {len(samples)} questions, {judged} can be judged: {right} right{further}")
    for reason, count in reasons.most_common():
        print(f"  cannot judge {count}: {reason}")
    print(f"  {1000 * seconds / len(samples):.2f} ms per question")


if __name__ == "__main__":
    main()
