"""Keys of a library's server: who holds one may come in from elsewhere, as far as its scope allows.

    keys = Keys(home(), folder)
    secret = keys.add("ann", "ask")          # told once, kept only as its SHA-256
    keys.holder(secret)                      # Key(name="ann", scope="ask", ...)
    keys.remove("ann")                       # works at once, in running servers too

They are kept in the user's own folder, never in the library: a library that comes from somebody else opens no
door. A key is 256 random bits, so a plain digest of it tells nothing; all digests are compared, each in
constant time.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import os
import secrets
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from quire import atomic, jsontext
from quire.errors import SettingsError

Scope = Literal["read", "ask", "write"]
SCOPES: tuple[Scope, ...] = ("read", "ask", "write")  # each allows what is before it, too
_LONGEST = 200  # characters of a key that is shown to us
_LONGEST_NAME = 60
_FLAGS = os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC  # a link would have its target overwritten


@dataclass(frozen=True, slots=True)
class Key:
    """A key as it is kept. `library` is the folder that it opens."""

    name: str
    scope: Scope
    digest: str
    library: str
    created: str


def allows(held: Scope, wanted: Scope) -> bool:
    """Whether who may do `held` may do `wanted`."""
    return SCOPES.index(held) >= SCOPES.index(wanted)


class Keys:
    """The keys of one library. Thread-safe; sees at once what another process changes.

    Raises SettingsError where the file of keys cannot be read, or written.
    """

    def __init__(self, home: Path, library: Path) -> None:
        self._file = home / "keys.json"
        self._library = str(library.resolve())
        self._guard = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._kept: tuple[Key, ...] = ()

    def listed(self) -> tuple[Key, ...]:
        """The keys of this library."""
        return tuple(key for key in self._all() if key.library == self._library)

    def holder(self, secret: str) -> Key | None:
        """The key that this secret is, or None."""
        digest = _digest(secret[:_LONGEST])
        found = None
        for key in self.listed():
            if hmac.compare_digest(key.digest, digest):
                found = key
        return found

    def add(self, name: str, scope: str) -> str:
        """Make a key; gives its secret, which is told nowhere again.

        Raises:
            SettingsError: the name or scope cannot be used.
        """
        if scope not in SCOPES:
            raise SettingsError(f"There is no scope `{scope}`.", hint=f"Choose from: {', '.join(SCOPES)}.")
        if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
            raise SettingsError("A key needs a name of at most 60 letters.")
        secret = f"quire_{secrets.token_urlsafe(32)}"
        created = datetime.now(UTC).isoformat(timespec="seconds")
        new = Key(name, scope, _digest(secret), self._library, created)
        with self._changing() as keys:
            if any(key.name == name and key.library == self._library for key in keys):
                hint = "Remove it, or take another name."
                raise SettingsError(f"There is a key named `{name}`.", hint=hint)
            keys.append(new)
        return secret

    def remove(self, name: str) -> None:
        """Revoke a key.

        Raises:
            SettingsError: there is none of that name.
        """
        with self._changing() as keys:
            left = [key for key in keys if (key.name, key.library) != (name, self._library)]
            if len(left) == len(keys):
                raise SettingsError(f"There is no key named `{name}`.", hint="See `quire serve key list`.")
            keys[:] = left

    def _all(self) -> tuple[Key, ...]:
        with self._guard:
            try:
                found = self._file.stat()
            except FileNotFoundError:
                self._stamp, self._kept = None, ()
                return ()
            stamp = (found.st_mtime_ns, found.st_ino, found.st_size)
            if stamp != self._stamp:
                self._kept = self._read()
                self._stamp = stamp
            return self._kept

    def _read(self) -> tuple[Key, ...]:
        if not self._file.exists():
            return ()
        try:
            return tuple(Key(**row) for row in jsontext.read(self._file))
        except (OSError, TypeError, ValueError) as error:
            raise SettingsError(f"Cannot read the keys in {self._file}: {error}.") from error

    @contextlib.contextmanager
    def _changing(self) -> Iterator[list[Key]]:
        """All keys, written back whole when the block ends; one process at a time."""
        with contextlib.ExitStack() as ended:
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                lock = os.open(self._file.with_suffix(".lock"), os.O_RDWR | _FLAGS, 0o600)
                ended.callback(os.close, lock)
                fcntl.flock(lock, fcntl.LOCK_EX)
                keys = list(self._read())
                yield keys
                told = jsontext.dumps([asdict(key) for key in keys], indent=1)
                atomic.write(self._file, told, mode=0o600, lasting=True)
            except OSError as error:
                raise SettingsError(f"Cannot write {self._file}: {error.strerror or error}.") from error


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
