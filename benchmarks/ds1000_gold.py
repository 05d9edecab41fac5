"""Show 4: DS-1000's own reference code through the scorer.

`python benchmarks/ds1000_gold.py --data DIR [--every 4] [--python PYTHON] [--cache FILE]` prints the pass
rate and the seconds per problem of each library, every failure by number, and what cannot run here. With a
cache an interrupted run goes on where it was.
"""

import argparse
import json
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from quire_streams.tasks.ds1000 import Ds1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with ds1000.jsonl")
    parser.add_argument("--every", type=int, default=1, help="take each n-th problem")
    parser.add_argument("--python", default="", help="interpreter of the environment")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--cache", type=Path, help="file of the outcomes so far")
    arguments = parser.parse_args()
    task = Ds1000(arguments.python)
    print(", ".join(f"{name} {version}" for name, version in task.versions().items()))
    samples = task.load(arguments.data)[:: arguments.every]
    known = _known(arguments.cache)

    def judged(sample):
        if sample.instance.id not in known:
            begun = time.perf_counter()
            result = task.score(sample, task.parse(sample.reply, sample.instance))
            row = {"id": sample.instance.id, "library": sample.gold.library, "value": result.value}
            _keep(
                arguments.cache,
                row | {"reason": result.reason, "seconds": time.perf_counter() - begun},
                known,
            )
        return known[sample.instance.id]

    with ThreadPoolExecutor(arguments.workers) as pool:
        _report(list(pool.map(judged, samples)))


def _known(cache: Path | None) -> dict[str, dict]:
    lines = cache.read_text(encoding="utf-8").splitlines() if cache and cache.exists() else []
    return {row["id"]: row for row in map(json.loads, lines)}


def _keep(cache: Path | None, row: dict, known: dict[str, dict]) -> None:
    known[row["id"]] = row
    if cache:
        with cache.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def _report(rows: list[dict]) -> None:
    seconds = defaultdict(list)
    total, passed, skipped = Counter(), Counter(), defaultdict(list)
    for row in rows:
        seconds[row["library"]].append(row["seconds"])
        if row["value"] is None:
            skipped[row["reason"]].append(row["id"])
            continue
        total[row["library"]] += 1
        passed[row["library"]] += row["value"] == 1
        if row["value"] != 1:
            print(f"  failed {row['id']} {row['library']}: {row['reason']}")
    for library, each in seconds.items():
        times = f"{sum(each) / len(each):.2f} s per problem, longest {max(each):.1f} s"
        print(f"{library}: {passed[library]} of {total[library]}; {times}")
    print(f"all: {passed.total()} of {total.total()} = {100 * passed.total() / max(1, total.total()):.1f}%")
    for reason, ids in skipped.items():
        print(f"cannot run ({len(ids)}): {reason}: {', '.join(ids)}")


if __name__ == "__main__":
    main()
