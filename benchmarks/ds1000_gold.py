"""Show 4: DS-1000's own reference code through the scorer.

`python benchmarks/ds1000_gold.py --data DIR [--every 4] [--python PYTHON]` prints the pass rate per library.
"""

import argparse
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from quire.tasks.ds1000 import Ds1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with ds1000.jsonl")
    parser.add_argument("--every", type=int, default=1, help="take each n-th problem")
    parser.add_argument("--python", default="", help="interpreter of the environment")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    task = Ds1000(arguments.python)
    print(", ".join(f"{name} {version}" for name, version in task.versions().items()))
    samples = task.load(arguments.data)[:: arguments.every]

    def judged(sample):
        return sample, task.score(sample, task.parse(task.gold(sample), sample.instance))

    passed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    with ThreadPoolExecutor(arguments.workers) as pool:
        for sample, result in pool.map(judged, samples):
            library = sample.gold.library
            if result.value is None:
                skipped[f"{library}: {result.reason}"] += 1
                continue
            total[library] += 1
            passed[library] += result.value == 1
            if result.value != 1:
                print(f"  failed {sample.instance.id} {library}: {result.reason}", flush=True)
    for library in total:
        print(f"{library}: {passed[library]} of {total[library]}")
    print(f"all: {passed.total()} of {total.total()} = {100 * passed.total() / max(1, total.total()):.1f}%")
    for reason, count in skipped.most_common():
        print(f"skipped {count}: {reason}")


if __name__ == "__main__":
    main()
