"""Show 4: every task's own gold answers through its parser and scorer; each that can be judged must be right.

    python benchmarks/tasks_gold.py --data DIR [--tasks spider,cosql,...] [--every 4] [--cache FILE]
    python benchmarks/tasks_gold.py --data DIR --tasks ds1000 [--python PYTHON] [--workers 2]

DIR has a folder per task. Free text of ToolBench is judged by words. DS-1000's reference programs are run by
PYTHON and told by library, with the seconds that each takes. With a cache an interrupted run goes on where it
was. Questions over papers have `scorers_gold.py`.
"""

import argparse
import json
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from quire_streams.tasks.ds1000 import Ds1000
from quire_streams.tasks.protocol import open_task

TASKS = "spider,cosql,bird,toolbench,ddxplus,hotpotqa"
FOLDERS = {"toolbench": "toolbench_ste"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tasks", default=TASKS)
    parser.add_argument("--every", type=int, default=1, help="take each n-th question")
    parser.add_argument("--python", default="", help="interpreter of the environment of DS-1000")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--cache", type=Path, help="file of the outcomes so far")
    arguments = parser.parse_args()
    for name in arguments.tasks.split(","):
        folder = arguments.data / FOLDERS.get(name, name)
        data = folder if folder.is_dir() else arguments.data / name
        rows = scored(name, data, arguments)
        report(name, rows)


def scored(name: str, data: Path, arguments: argparse.Namespace) -> list[dict]:
    """The outcome of each question, from the cache where it is there."""
    task = open_task(name)
    if name == "ds1000":
        task = Ds1000(arguments.python)
        print(", ".join(f"{package} {version}" for package, version in task.versions().items()))
    cache: Path | None = arguments.cache
    lines = cache.read_text(encoding="utf-8").splitlines() if cache and cache.exists() else []
    known = {row["id"]: row for row in map(json.loads, lines)}

    def judged(sample) -> dict:
        key = f"{name} {sample.instance.id}"
        if key not in known:
            begun = time.perf_counter()
            result = task.score(sample, task.parse(sample.reply, sample.instance))
            known[key] = {
                "id": key, "library": getattr(sample.gold, "library", ""), "value": result.value,
                "database": sample.instance.fields.get("db_id", ""), "reason": result.reason,
                "parts": dict(result.parts), "seconds": time.perf_counter() - begun,
            }  # fmt: skip
            if cache:
                with cache.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(known[key]) + "\n")
        return known[key]

    with ThreadPoolExecutor(arguments.workers) as pool:
        return list(pool.map(judged, task.load(data)[:: arguments.every]))


def report(name: str, rows: list[dict]) -> None:
    libraries, reasons, parts = defaultdict(list), Counter(), Counter()
    for row in rows:
        libraries[row["library"]].append(row)
        if row["value"] is None:
            reasons[f"{row['database']}: {row['reason'].partition('; gold')[0]}"] += 1
            continue
        parts.update(part for part, value in row["parts"].items() if value == 1)
        if row["value"] != 1:
            print(f"  WRONG {row['id']}: {row['reason']}")
    further = "".join(f", {part} {count}" for part, count in sorted(parts.items()))
    print(f"{name}: {len(rows)} questions, {counted(rows)} right{further}")
    for library, own in libraries.items() if len(libraries) > 1 else ():
        times = [row["seconds"] for row in own]
        told = f"{sum(times) / len(times):.2f} s per problem, longest {max(times):.1f} s"
        print(f"  {library}: {counted(own)} right; {told}")
    for reason, count in reasons.most_common():
        print(f"  cannot judge {count}: {reason}")
    print(f"  {1000 * sum(row['seconds'] for row in rows) / len(rows):.2f} ms per question")


def counted(rows: list[dict]) -> str:
    """How many can be judged, and how many of them are right."""
    values = [row["value"] for row in rows if row["value"] is not None]
    return f"{len(values)} can be judged: {sum(value == 1 for value in values)}"


if __name__ == "__main__":
    main()
