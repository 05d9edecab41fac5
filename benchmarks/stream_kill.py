"""Show 6: `kill -9` at random steps of a run; the resumed result must be the same, record by record.

`python benchmarks/stream_kill.py --data DIR --out DIR [--kills 20] [--limit 400]` with DDXPlus and offline
solvers (MAM-StreamICL with Thompson sampling, noisy and delayed feedback: everything that has a state).
"""

import argparse
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from quire.eval.run import RunSpec, load_run
from quire_streams.runs.opening import open_setup
from quire_streams.runs.runner import run

MODELS = ("offline:a", "offline:b", "offline:c")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of DDXPlus")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--limit", type=int, default=400)
    parser.add_argument("--child", default="")
    arguments = parser.parse_args()
    spec = RunSpec(
        "ddxplus", "mam_thompson", MODELS, str(arguments.data), seed=7, limit=arguments.limit,
        feedback="noisy:0.1+delayed:5",
    )  # fmt: skip
    if arguments.child:
        finish(spec, Path(arguments.child))
        return
    finish(spec, arguments.out / "whole")
    whole = [record.essence() for record in load_run(arguments.out / "whole").records]
    killed = arguments.out / "killed"
    dice = random.Random(1)
    steps = sorted(dice.sample(range(1, arguments.limit), arguments.kills))
    for step in steps:
        stopped = kill_at(step, killed)
        print(f"killed at or after step {step}: {stopped} records on disk", flush=True)
    finish(spec, killed)
    again = [record.essence() for record in load_run(killed).records]
    same = sum(one == other for one, other in zip(whole, again, strict=True))
    print(f"{arguments.kills} kills; {same} of {len(whole)} records identical")
    if same != len(whole):
        sys.exit(1)


def finish(spec: RunSpec, folder: Path) -> None:
    setup = open_setup(spec)
    try:
        run(spec, setup, folder)
    finally:
        setup.judge.close()


def kill_at(step: int, folder: Path) -> int:
    """Run in a child until that many records are on disk, then kill it without warning."""
    child = subprocess.Popen([sys.executable, __file__, *sys.argv[1:], "--child", str(folder)])
    records = folder / "records.jsonl"
    while child.poll() is None and lines(records) < step:
        time.sleep(0.001)
    child.send_signal(signal.SIGKILL)
    child.wait()
    return lines(records)


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


if __name__ == "__main__":
    main()
