"""Which files a walled process may open: what Python and the system need, and its own folders.

    ground = Ground.of(hidden=[data, runs], own=[folder], reads=[library])
    ground.allows("/usr/lib/python3.11/json/__init__.py")         # True
    ground.allows(data / "gold.json")                              # False

Contract: everything is closed except `own` (to read and write) and what stands in `open_places` or `reads`.
Where one stands in the other, the nearest to a file decides. A folder that is open and holds something hidden
is opened child by child around it. Paths are real paths. A name that stands for the same file elsewhere (a
hard link made before) cannot be told from a file of that place: `links` finds those in a folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from quire.settings import home
from quire.worker import ROOT

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
    """What is open behind a wall. `reads` and `own` are real paths; `hidden` is closed wherever it stands."""

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
