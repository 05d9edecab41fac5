"""What a command prints: one JSON document, or text for people. Progress and errors go to standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire import jsontext
from quire.app.plain import plain

if TYPE_CHECKING:
    from rich.console import Console


_UNBOUNDED = 100_000  # columns of what is piped: nothing is cut or wrapped


def console() -> Console:
    """Standard output for people: as wide as the terminal, or unbounded where a program reads it."""
    from rich.console import Console

    out = Console(highlight=False, soft_wrap=False)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        return Console(highlight=False, soft_wrap=False, width=_UNBOUNDED)
    return out


def messages() -> Console:
    """Standard error, for progress and warnings."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def emit(value: Any, as_json: bool, show: Callable[[Console], None]) -> None:
    """Print `value` as the one JSON document, or call `show` for people."""
    if as_json:
        text = jsontext.dumps(plain(value), indent=1)
        if (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
            text = json.dumps(json.loads(text), indent=1)  # escapes whatever is not ASCII
        sys.stdout.write(text + "\n")
    else:
        show(console())


def safe(text: object) -> str:
    """Text from PDFs or models, made safe for a terminal: no control characters, no rich markup."""
    from rich.markup import escape

    return escape("".join(c if c == "\n" or c.isprintable() else " " for c in str(text)))


def write(file: Path, content: bytes) -> None:
    """Write a file that the user named.

    Raises:
        LibraryError: its folder is not there, or it cannot be written.
    """
    from quire.errors import LibraryError

    if not file.parent.is_dir():
        raise LibraryError(f"There is no folder {file.parent}.", hint="Make it, or choose another file.")
    try:
        file.write_bytes(content)
    except OSError as error:
        raise LibraryError(f"{file} cannot be written: {error.strerror or error}.") from error


def count(number: int, thing: str, things: str = "") -> str:
    """So many of a thing: 1 turn, 2 turns."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"


def times(number: int) -> str:
    """How often: never, once, 3 times."""
    return {0: "never", 1: "once"}.get(number, f"{number} times")
