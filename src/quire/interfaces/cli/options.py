"""The options that every command shares, and how a command opens its library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from quire.build import Library

LibraryDir = Annotated[
    Path | None,
    typer.Option(
        "--library", help="Folder of the library.", envvar="QUIRE_LIBRARY", show_default="your data folder"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Offline = Annotated[bool, typer.Option("--offline", help="Refuse every network request, and name it.")]
Papers = Annotated[
    list[str] | None,
    typer.Option(
        "--paper", "-p", "--only", help="Only this paper: id, file name, title or DOI. Repeat for more."
    ),
]


def open_library(folder: Path | None, *, create: bool = False, **overrides: Any) -> Library:
    """Open the library, or say how to make one. `overrides` are settings, dots as double underscores."""
    from quire.build import Library

    return Library.open(folder, create=create, **overrides)
