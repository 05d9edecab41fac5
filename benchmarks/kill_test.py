"""kill -9 at random moments of `add`: the library must open, hold whole papers only, and finish next time.

    python benchmarks/kill_test.py --kills 30 [--data DIR_OF_PDFS] [--seed 1]

After each kill: every paper that is in has exactly the rows that it has in a library that was never killed,
`check` finds no damage but perhaps copies that have no rows yet, and no child process is left. At the end one
undisturbed `add` must make the library equal to the other one, row by row and vector by vector.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from quire.library import Library
from quire.store import schema

ADD = """
import sys
from quire.library import Library
print("begun", flush=True)
Library.open(sys.argv[1]).add(sys.argv[2], progress=lambda step: print(step, flush=True))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[1] / "examples" / "papers")
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        events = run(whole, options.data)
        wanted = fingerprint(whole)
        print(f"{len(wanted)} papers, {events} signs of progress when undisturbed")
        other = Path(folder) / "killed"
        moments = [killed(other, options.data, wanted, events) for _ in range(options.kills)]
        run(other, options.data)
        assert fingerprint(other) == wanted, "the finished library differs"
        health = Library.open(other).check()
        assert not health.problems, health.problems
        assert health.counts == Library.open(whole).check().counts
    landed = sum(moment is not None for moment in moments)
    print(f"{landed} of {options.kills} kills landed inside `add`; damage after them: 0; then finished: yes")
    print("papers whole after each kill:", " ".join("-" if m is None else str(m) for m in moments))


def run(library: Path, data: Path) -> int:
    """An undisturbed `add`; gives the number of lines that it printed."""
    command = [sys.executable, "-c", ADD, str(library), str(data)]
    return len(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines())


def killed(library: Path, data: Path, wanted: dict[str, str], events: int) -> int | None:
    """Kill one `add`; gives the number of whole papers, or None if it was over before.

    When the library is complete, it is emptied again, so that each kill meets some work.
    """
    if library.exists() and set(fingerprint(library)) == set(wanted):
        with Library.open(library) as full:
            full.remove(random.sample(sorted(wanted), k=random.randint(1, len(wanted))))
    process = subprocess.Popen([sys.executable, "-c", ADD, library, data], stdout=subprocess.PIPE)
    assert process.stdout is not None
    # All moments between two signs of progress are as likely, however slow the machine is.
    for _ in range(random.randint(1, events)):
        process.stdout.readline()
    time.sleep(random.choice([0, 0.01, 0.1, 1]) * random.random())
    over = process.poll() is not None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_for_orphans()
    if not (library / "library.duckdb").exists():
        return 0
    here = fingerprint(library)
    torn = {paper: (rows, wanted[paper]) for paper, rows in here.items() if wanted[paper] != rows}
    assert not torn, f"papers that are not whole: {torn}"
    damage = Library.open(library).check().problems
    # A copy takes its name just before its rows are committed: only that may be half done.
    half = [problem for problem in damage if problem.kind == "copy" and problem.paper_id not in here]
    assert all(problem in half or problem.waiting for problem in damage), damage
    if half and random.random() < 0.5:
        assert Library.open(library).repair().ok
    return None if over else len(here)


def fingerprint(library: Path) -> dict[str, str]:
    """Every paper's rows, as counts and a hash per table."""
    found: dict[str, dict[str, object]] = {}
    with Library.open(library)._resources.database.reading() as connection:
        for (paper,) in connection.execute("SELECT paper_id::VARCHAR FROM papers").fetchall():
            found[paper] = {}
        for table in schema.TABLES:
            owner = "paper_id" if table.name == "metadata" else "ref_paper_id"
            links = " EXCLUDE (cited_paper_id)" if table.name == "reference" else ""
            for paper, count, digest in connection.execute(
                f"SELECT {owner}::VARCHAR, count(*), bit_xor(hash(t))"
                f" FROM (SELECT *{links} FROM {table.name}) t GROUP BY 1"
            ).fetchall():
                found.setdefault(paper, {})[table.name] = [count, str(digest)]
    return {paper: json.dumps(rows, sort_keys=True) for paper, rows in found.items()}


def wait_for_orphans() -> None:
    """Children of a killed process must end by themselves."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if not any(_is_reader(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
            return
        time.sleep(0.05)
    raise AssertionError("a child outlived its parent by 30 seconds")


def _is_reader(process: Path) -> bool:
    """Whether it is a child of `add` whose parent is gone."""
    try:
        parent = process.joinpath("stat").read_text().rpartition(")")[2].split()[1]
        return parent == "1" and b"quire.library.parse_child" in process.joinpath("cmdline").read_bytes()
    except OSError:
        return False


if __name__ == "__main__":
    main()
