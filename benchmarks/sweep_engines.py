"""A sweep on threads, on sealed children, and on Ray, whole and killed at random steps: the same records.

    python benchmarks/sweep_engines.py --data DIR --out DIR [--ray ADDRESS] [--limit 300] [--kills 20]

Six runs over DDXPlus (DIR holds its files) with offline solvers on each engine, three of them with everything
that has a state (MAM-StreamICL with Thompson sampling, noisy and delayed feedback): how long they take, and,
with the child of the last killed (`kill -9`) at random steps and resumed each time, whether all records are
those of threads (show 6). `--ray local` starts a cluster here, `--ray auto` uses a running one; without it
Ray is left out. Synthetic patients unless DIR has the official ones.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from quire_streams.runs.opening import open_setup
from quire_streams.runs.runner import run
from quire_streams.runs.sweep import RayCluster, RunOutcome, ThreadEngine, expand, sweep

METHODS = ("self_stream_icl", "mam_thompson")
MODELS = ("offline:a", "offline:b", "offline:c")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--ray", default="")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=1)
    arguments = parser.parse_args()
    shared = {"task": "ddxplus", "data": str(arguments.data.resolve()), "limit": arguments.limit}
    shared |= {"models": MODELS, "feedback": "noisy:0.1+delayed:5"}
    specs = [
        *expand({**shared, "methods": METHODS[:1]}),
        *expand({**shared, "methods": METHODS[1:], "seeds": 3}),
    ]
    steps = sorted(random.Random(1).sample(range(1, arguments.limit), arguments.kills))
    shutil.rmtree(arguments.out, ignore_errors=True)
    threads = ThreadEngine(arguments.workers)
    with ThreadPoolExecutor(arguments.workers) as pool:
        reference = list(pool.map(lambda spec: run_here(spec, arguments.out / "threads"), specs))
    engines = {"children": threads}
    if arguments.ray:
        engines[f"Ray ({arguments.ray})"] = RayCluster(arguments.ray, arguments.workers)
    same = [
        compare(reference, timed(name, specs, arguments.out, engine=engine))
        for name, engine in engines.items()
    ]
    for name, engine in engines.items():
        same.append(compare(reference, killed(name, specs, arguments.out, engine, "child", steps)))
        if isinstance(engine, RayCluster):
            same.append(compare(reference, killed(name, specs, arguments.out, engine, "worker", steps[-1:])))
    sys.exit(not all(same))


def run_here(spec, out):
    """In this process, without a wall."""
    setup = open_setup(spec)
    with closing(setup.judge):
        return RunOutcome(spec, out / spec.name, run(spec, setup, out / spec.name))


def timed(name, specs, out, **how):
    started, ends = time.perf_counter(), []
    outcomes = sweep(specs, out / name, done=lambda _: ends.append(time.perf_counter() - started), **how)
    seconds = time.perf_counter() - started
    walls = {str(one.walls) if one.walls else "no wall" for one in outcomes}
    print(
        f"{name}: {len(outcomes)} runs, {seconds:.1f} s; ended at {', '.join(f'{end:.1f}' for end in ends)} s"
    )
    print(f"  {'; '.join(sorted(walls))}", flush=True)
    return outcomes


def killed(name, specs, out, engine, whom, steps):
    """Kill the process of one run (or its Ray worker) at each step, see that it is told, and sweep again."""
    folder = out / f"{name}, {whom} killed"
    victim = folder / specs[-1].name / "records.jsonl"
    for step in steps:
        killer = threading.Thread(target=kill_at, args=(victim, step, whom), daemon=True)
        killer.start()
        ended = sweep(specs, folder, engine=engine)
        errors = [outcome.error for outcome in ended if outcome.error]
        stopped = victim.read_bytes().count(b"\n")
        print(f"{name}: a {whom} killed after {stopped} of {specs[-1].limit} steps: {'; '.join(errors)}")
        if stopped == specs[-1].limit:  # it was quicker than the killer
            break
        if len(errors) != 1:
            sys.exit(f"{name}: {errors}")
    again = sweep(specs, folder, engine=engine)
    print(
        f"  swept again: {sum(one.before for one in again)} were done before, {stopped} steps kept",
        flush=True,
    )
    if failed := [one.error for one in again if one.error]:
        sys.exit(f"{name}: {failed}")
    return again


def kill_at(records, step, whom):
    while not (records.is_file() and records.read_bytes().count(b"\n") >= step):
        time.sleep(0.001)
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and holds(process, records.parent):
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            os.kill(int(process.name if whom == "child" else parent), signal.SIGKILL)


def holds(process, folder):
    """Whether it is a run's child that has a file of the folder open."""
    try:
        child = b"quire_streams.runs.run_child" in (process / "cmdline").read_bytes()
        return child and any(fd.readlink().parent == folder for fd in (process / "fd").iterdir())
    except OSError:
        return False  # it is another user's, or has ended


def compare(reference, outcomes):
    """Whether all records are the same but for their times."""
    pairs = [
        (one, other)
        for left, right in zip(reference, outcomes, strict=True)
        for one, other in zip(left.run.records, right.run.records, strict=True)
    ]
    same = sum(one.essence() == other.essence() for one, other in pairs)
    print(f"  {same} of {len(pairs)} records identical to those of threads", flush=True)
    return same == len(pairs)


if __name__ == "__main__":
    main()
