"""Files of settings: read, changed, and which settings a library's own may make.

A library may come from somebody else. What its `quire.toml` says of reading, searching and showing holds, as
long as it raises no limit. What takes more or sends anything away (a higher limit, a model, an endpoint, a
price, a remote vector server or a folder of model files) counts only after `quire config trust DIR`. That is
remembered with the user, for this folder and this very content of the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from quire import atomic
from quire.errors import SettingsError

_FILE = "trusted.json"
_LARGEST = 1 << 20  # bytes of a settings file
_HARMLESS_SECTIONS = frozenset({"parsing", "sql", "observations", "agent", "memory"})
_HARMLESS = frozenset({"index.encoders", "index.batch_tokens", "index.precision", "index.pooling"})
_FLOORS = frozenset({"parsing.niceness"})  # the more, the less is taken
_NONE_AT_ZERO = frozenset({"memory.budget"})  # 0 means no limit


def read(file: Path) -> tuple[bytes, dict[str, Any]]:
    """The bytes of a settings file, and what they say; none if there is no file."""
    content = b""
    try:
        if file.exists():
            if not file.is_file() or file.stat().st_size > _LARGEST:
                raise SettingsError(f"{file} is no file of settings.", hint="Remove it.")
            content = file.read_bytes()
    except OSError as error:
        raise _unreadable(file, error.strerror) from error
    return content, parse(file, content)


def parse(file: Path, content: bytes) -> dict[str, Any]:
    """What the content of a settings file says."""
    try:
        return tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or nested without end
        raise _unreadable(file, error) from error


def _unreadable(file: Path, why: object) -> SettingsError:
    return SettingsError(f"Cannot read the settings file {file}: {why}.", hint="Mend or remove it.")


def with_values(text: str, section: str, **values: str | float) -> str:
    """A settings file with some values of a section changed, all else left as it stands.

    Raises:
        ValueError: the file is laid out in a way that cannot be changed safely.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        document.setdefault(section, tomlkit.table()).update(values)
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from error


def needing(tree: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a library's file that need trust: dotted name to value."""
    return {name: value for name, value in leaves(tree) if not _harmless(name, value)}


def raises(name: str, before: float | str, after: float) -> bool:
    """Whether a limit takes more of the user's machine or money than the one before."""
    if isinstance(before, str):  # a cluster's work, done on this machine
        return True
    if name in _FLOORS:
        return after < before
    if name in _NONE_AT_ZERO:
        return before > 0 and not 0 < after <= before
    return after > before and not isinstance(after, bool)


def trusted(home: Path, file: Path, content: bytes) -> bool:
    """Whether the user of `home` trusts this settings file with this content."""
    return _known(home).get(_place(file)) == _digest(content)


def trust(home: Path, file: Path, content: bytes) -> None:
    """Remember that the user trusts this settings file as it is now.

    Raises:
        SettingsError: it cannot be written down.
    """
    known = _known(home) | {_place(file): _digest(content)}
    place = home / _FILE
    try:
        home.mkdir(parents=True, exist_ok=True)
        atomic.write(place, json.dumps(known, indent=1, ensure_ascii=False))
    except OSError as error:
        raise SettingsError(f"Cannot write {place}: {error.strerror}.", hint="Set QUIRE_HOME.") from error


def _harmless(name: str, value: Any) -> bool:
    if name == "offline":
        return value is True
    if name == "index.vectors":
        return bool(value == "duckdb")
    if name == "parsing.workers":
        return isinstance(value, int)  # a cluster would get the papers
    return name.partition(".")[0] in _HARMLESS_SECTIONS or name in _HARMLESS


def leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The settings of a tree: dotted name and value."""
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _known(home: Path) -> dict[str, str]:
    try:
        known = json.loads((home / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _place(file: Path) -> str:
    return os.path.realpath(file.parent)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
