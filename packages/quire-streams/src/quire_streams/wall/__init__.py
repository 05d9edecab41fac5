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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from quire import syscalls
from quire.errors import RunError
from quire.settings import home
from quire.worker import ROOT
from quire_streams.wall import hook, landlock


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


_SYSTEM = (
    "/usr /lib /lib32 /lib64 /bin /sbin /nix/store /gnu/store /sys/devices/system /sys/fs/cgroup "
    "/System /Library "  # macOS
    "/run/systemd/resolve /run/resolvconf /proc/cpuinfo /proc/meminfo /proc/stat /proc/sys /proc/self "
    "/dev/zero /dev/random /dev/urandom"
).split()
# Of /etc what the loader, the C library, name resolution, TLS and fonts read: no keys, no passwords' hashes.
_ETC = (
    "ld.so.cache ld.so.conf ld.so.conf.d ld.so.preload alternatives nsswitch.conf resolv.conf hosts "
    "host.conf gai.conf services protocols passwd group localtime timezone mime.types os-release magic "
    "debian_version ssl/certs ssl/cert.pem ssl/openssl.cnf pki/tls/certs pki/tls/cert.pem "
    "pki/ca-trust/extracted ca-certificates ca-certificates.conf crypto-policies fonts OpenCL locale.alias"
).split()
_OURS = ("models", "cache", "quire.toml", "trusted.json")
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@dataclass(frozen=True, slots=True)
class Ground:
    """Which files a walled process may open: what Python and the system need, and its own folders.

        ground = Ground.of(hidden=[data, runs], own=[folder], reads=[library])
        ground.allows("/usr/lib/python3.11/json/__init__.py")         # True
        ground.allows(data / "gold.json")                              # False

    Everything is closed except `own` (to read and write) and what stands in `open_places` or `reads`. Where
    one stands in the other, the nearest to a file decides. A folder that is open and holds something of
    `hidden` is opened child by child around it. Paths are real paths. A name that stands for the same file
    elsewhere (a hard link made before) cannot be told from a file of that place: `links` finds those.
    """

    reads: tuple[str, ...]
    own: tuple[str, ...]
    hidden: tuple[str, ...]

    @classmethod
    def of(cls, hidden: Iterable[Path], own: Iterable[Path] = (), reads: Iterable[Path] = ()) -> Ground:
        """The ground around these folders, on this machine, for this interpreter."""
        return cls(
            tuple(dict.fromkeys(os.path.realpath(path) for path in [*open_places(), *reads])),
            tuple(os.path.realpath(path) for path in [*own, Path(os.devnull)]),
            tuple(os.path.realpath(path) for path in hidden),
        )

    def allows(self, path: str | Path, write: bool = False) -> bool:
        """Whether a path, which links may lead elsewhere, may be opened."""
        real = os.path.realpath(path)
        hidden = _nearest(real, self.hidden)
        return _nearest(real, self.own) > hidden or (not write and _nearest(real, self.reads) > hidden)

    def hides(self, real: str) -> bool:
        """Whether a real path stands in something hidden, and not in something open within that."""
        return _nearest(real, self.hidden) > 0 and not self.allows(real)

    def open_paths(self) -> Iterator[Path]:
        """The fewest paths that hold all that may be read and nothing hidden."""
        for place in self.reads:
            yield from self._around(Path(place))

    def _around(self, place: Path) -> Iterator[Path]:
        if str(place) in self.hidden or not place.exists():
            return
        if not any(_nearest(each, (str(place),)) for each in self.hidden):
            yield place
            return
        for child in sorted(place.iterdir()):
            if not child.is_symlink():  # where it leads, a rule of its own decides
                yield from self._around(child)


def open_places() -> list[Path]:
    """What Python, its packages, certificates, name resolution and the weights of encoders are read from."""
    python = [sys.prefix, sys.base_prefix, sys.exec_prefix, *(entry for entry in sys.path if entry)]
    certificates = [os.environ[name] for name in _CERTIFICATES if os.environ.get(name)]
    ours = [Path(ROOT), Path(__file__).parents[2], *(home() / name for name in _OURS)]
    etc = [Path(folder) / name for folder in ("/etc", "/private/etc") for name in _ETC]
    return [Path(text) for text in (*_SYSTEM, *python, *certificates)] + etc + ours


def links(folder: Path) -> list[Path]:
    """Files of a folder that have a further name somewhere: behind it could stand anything."""
    if not folder.is_dir():
        return []
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return [path for path in files if path.stat().st_nlink > 1]


def _nearest(path: str, roots: Iterable[str]) -> int:
    """How long the longest root is that the path stands in; 0: none."""
    return max(
        (len(root) for root in roots if path == root or path.startswith(root.rstrip(os.sep) + os.sep)),
        default=0,
    )
