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
Password = Annotated[str | None, typer.Option(help="Password of encrypted PDFs.", envvar="QUIRE_PASSWORD")]
LAST = "last"  # the id that stands for the newest run in `quire.ask.runs`
RunId = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, or its beginning.")]
Year = Annotated[str, typer.Option("--year", help="Only papers of 2020, 2018-2021, 2018- or -2021.")]
Authors = Annotated[
    list[str] | None, typer.Option("--author", help="Only papers by this author. Repeat for all of several.")
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", help="Only papers with this key word. Repeat for all of several.")
]


def chosen(
    library: Library, named: list[str] | None, year: str, authors: list[str] | None, tags: list[str] | None
) -> tuple[str, ...]:
    """The papers that options name: as they are named, or those of them (of all) that fit the filters."""
    from quire.library.papers import Selection, select

    selection = Selection(year, tuple(authors or ()), tuple(tags or ()))
    return select(library, selection, named or ()) if selection else tuple(named or ())


def open_library(folder: Path | None, *, create: bool = False, **overrides: Any) -> Library:
    """Open the library, or say how to make one. `overrides` are settings, dots as double underscores."""
    from quire.build import Library

    return Library.open(folder, create=create, **overrides)
