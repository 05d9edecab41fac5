"""A wall in this process, for good, between those who solve and those who know the gold.

    judge = JudgeProcess(spec.task, data)        # a process of its own, which alone holds the gold
    setup = open_setup(spec, judge=judge)        # solvers read what is public while they still can
    walls = seal([data, runs], own=[runs / spec.name], network=False)
    print(walls)        # Landlock 7, seccomp, Python's audit hook; no network, no processes
    run(spec, setup, runs / spec.name)

Solvers and memories run as Python in this process, where the gold has never been. What is left are files (the
data, a memory or records of another run, the questions' answers), other processes' memory, and asking
somebody else to look. Up to three walls stand in the way, as many as the system has:

    Landlock     Linux 5.13+: the kernel opens only what `Ground` lists, for native code (DuckDB, SQLite's
                 ATTACH) and children too; no look into other processes; from newer ones also no TCP and
                 no signals to others
    seccomp      Linux on x86-64 and ARM64: a list of the system calls that are left (`quire.syscalls`); no
                 local sockets, without network no sockets, no io_uring, no ptrace, no namespaces
    audit hook   everywhere: the same for Python code, with a message that says what was refused

Neither needs privileges. `Walls` says which stand; runs write it down. Limits, in all honesty:

- Where only the audit hook stands (macOS, Windows, old kernels), native code and code that rewrites the hook
  in memory get by. It holds back the careless, not the hostile.
- A language model is asked through the process outside; what a solver asks it goes to its endpoint. Only a
  library whose vectors are on a server needs the network, which then is open.
- `papers` may start processes (its SQL and its pages need them); they stand behind the kernel's walls too.
- Rules of a kernel before ABI 8 do not reach threads that were there before: `Walls.threads` counts them.
- A solver may ask the judge by itself, once per instance; the run then ends with an error, as the next honest
  question is the second. What it writes into its own folder, its own records included, is its own.
- Hard links to the gold from outside the hidden folders are other names of the same file. A run's own folder
  is searched for them; the rest of the machine is not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from quire import syscalls
from quire.errors import RunError
from quire_streams.wall import hook, landlock
from quire_streams.wall.paths import Ground, links


@dataclass(frozen=True, slots=True)
class Walls:
    """Which walls stand around a process.

    `landlock` is the kernel's ABI version, 0 for none; `threads` older threads that it does not reach.
    `network` and `processes` say what is open.
    """

    landlock: int = 0
    seccomp: bool = False
    threads: int = 0
    network: bool = True
    processes: bool = False

    def __str__(self) -> str:
        kernel = [f"Landlock {self.landlock}"] * bool(self.landlock) + ["seccomp"] * self.seccomp
        told = ", ".join([*kernel, "Python's audit hook"])
        if not self.landlock:
            told += " alone"
        if self.threads:
            told += f" ({self.threads} older {'thread' if self.threads == 1 else 'threads'} outside)"
        opened = [name for name in ("network", "processes") if getattr(self, name)]
        closed = [f"no {name}" for name in ("network", "processes") if not getattr(self, name)]
        return "; ".join([told, ", ".join([*(f"{name} open" for name in opened), *closed])])


def seal(
    hidden: Iterable[Path],
    *,
    own: Iterable[Path] = (),
    reads: Iterable[Path] = (),
    network: bool = True,
    processes: bool = False,
    kernel: bool = True,
) -> Walls:
    """Close everything but the system, `reads`, and `own` (to write); `hidden` stays closed within them.

    It cannot be undone: call it in a process that only runs streams. What is refused raises PermissionError
    in whoever tried it. `kernel=False` leaves the kernel's walls out.

    Raises:
        RunError: `own` holds something of `hidden` or a file with a second name; or a file of `hidden` is
            open in this process.
    """
    own = [folder.resolve() for folder in own]
    ground = Ground.of(hidden, own, reads)
    _check_own(own, ground)
    _no_open_files(ground)
    sys.dont_write_bytecode = True
    version, threads, calls = 0, 0, False
    if kernel and sys.platform == "linux":
        threads = landlock.others()
        version = landlock.limit(_rules(ground, processes), network=network)
        calls = syscalls.close(network=network, processes=processes)
    hook.put_up(ground, network=network, processes=processes, alone=not version)
    return Walls(version, calls, threads if version else 0, network, processes)


def _rules(ground: Ground, processes: bool) -> list[landlock.PathRule]:
    reading = landlock.RUN if processes else landlock.READ
    rules = [landlock.PathRule(path, reading) for path in ground.open_paths()]
    if processes:  # each needs its own entry; into the others the kernel lets nobody look
        rules.append(landlock.PathRule(Path("/proc"), landlock.READ))
    return rules + [landlock.PathRule(Path(path), landlock.WRITE) for path in ground.own]


def _check_own(own: Iterable[Path], ground: Ground) -> None:
    for folder in own:
        wrong = [f"{path} has a second name elsewhere." for path in links(folder)]
        inside = [path for path in ground.hidden if Path(path).is_relative_to(folder)]
        wrong += [f"{path} stands in the run's own folder." for path in inside]
        if wrong:
            raise RunError(wrong[0], hint="Give the run another folder.")


def _no_open_files(ground: Ground) -> None:
    """A file that was opened before would stay open behind the wall."""
    numbers = Path("/proc/self/fd")
    for number in os.listdir(numbers) if numbers.is_dir() else ():  # noqa: PTH208 - names alone
        try:
            target = os.readlink(numbers / number)  # noqa: PTH115 - of a name that may be gone
        except OSError:
            continue
        if ground.hides(target):
            raise RunError(f"{target} is still open and would be behind the wall.")
