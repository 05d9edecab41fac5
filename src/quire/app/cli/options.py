"""The options that commands share, and how a command opens its library and prints what it found.

    @app.command()
    def check(here: Here) -> None:
        here.emit(here.open().check(), show)

A command that takes `here: Here` has `--library` and `--json`; with `Online` it has `--offline`, too, and
with `Screen` only `--json`; with `among: Among` it has `--paper`, `--year`, `--author` and `--tag`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from quire.app.cli.output import emit, stages

if TYPE_CHECKING:
    from rich.console import Console

    from quire.build import Library
    from quire.library.report import Progress


def _named(context: typer.Context, param: typer.CallbackParam, value: Path | None) -> Path | None:
    """The library that the command names, else that of `quire --library DIR COMMAND`."""
    source = context.get_parameter_source(str(param.name))
    before: Path | None = context.find_root().params.get("library")
    return value if before is None or (source and source.name == "COMMANDLINE") else before


LibraryDir = Annotated[
    Path | None,
    typer.Option(
        "--library",
        help="Folder of the library.",
        envvar="QUIRE_LIBRARY",
        show_default="your data folder",
        callback=_named,
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
PaperName = Annotated[str, typer.Argument(metavar="PAPER", help="Id, file name, title or DOI.")]
PapersOrAll = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PAPER]...", help="Papers: id, file name, title or DOI. Default: all."),
]
Parser = Annotated[str, typer.Option(help="pdfium, or ocr for scans (extra `quire[ocr]`).")]
Password = Annotated[str | None, typer.Option(help="Password of encrypted PDFs.", envvar="QUIRE_PASSWORD")]
LAST = "last"  # the id that stands for the newest run in `quire.ask.runs`
RunId = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, or its beginning.")]
Model = Annotated[str | None, typer.Option(help="Language model; without one, rules answer offline.")]
Method = Annotated[str | None, typer.Option(help="Method of the agent; see `quire methods`.")]
MaxCost = Annotated[float | None, typer.Option(min=0, help="US dollars at most; 0: no limit.")]
Judge = Annotated[str | None, typer.Option(help="Model that judges free answers.")]
FirstOnly = Annotated[int, typer.Option(min=0, help="Only the first N questions; 0: all.")]
AskedAtOnce = Annotated[int, typer.Option(min=1, help="Questions asked at the same time.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show every thought and action.")]


@contextmanager
def _whole() -> Iterator[None]:
    """A Ctrl-C that comes in the block counts behind it: DuckDB aborts if its import is broken off."""
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


def open_library(folder: Path | None, *, create: bool = False, **overrides: Any) -> Library:
    """Open the library, or say how to make one. `overrides` are settings, dots as double underscores."""
    with _whole():
        from quire.build import Library

    return Library.open(folder, create=create, **overrides)


@dataclass(frozen=True, slots=True)
class Screen:
    """How a command prints that needs no library."""

    as_json: AsJson = False

    def emit(self, value: Any, show: Callable[[Console], None] | str, *, failed: bool = False) -> None:
        """Print `value` as the one JSON document, or for people what `show` prints, or is.

        Raises:
            typer.Exit: with 1, where the command `failed`.
        """
        emit(value, self.as_json, show)
        if failed:
            raise typer.Exit(1)

    def stages(self) -> AbstractContextManager[Callable[[Progress], None] | None]:
        """A listener that draws the stages of long work, where somebody sees them."""
        return stages(quiet=self.as_json)


@dataclass(frozen=True, slots=True)
class Here(Screen):
    """Where a command works, and how it prints."""

    library: LibraryDir = None

    def open(self, *, create: bool = False, **overrides: Any) -> Library:
        """Open the library, or say how to make one. `overrides` are settings, dots as double underscores."""
        return open_library(self.library, create=create, **overrides)


@dataclass(frozen=True, slots=True)
class Online(Here):
    """The same of a command that may reach the network."""

    offline: Offline = False

    def open(self, *, create: bool = False, **overrides: Any) -> Library:
        """Open the library, which may be told to stay offline."""
        return open_library(self.library, create=create, offline=self.offline or None, **overrides)


@dataclass(frozen=True, slots=True)
class Among:
    """Which papers a command looks into."""

    papers: Papers = None
    year: Annotated[str, typer.Option("--year", help="Only papers of 2020, 2018-2021, 2018- or -2021.")] = ""
    authors: Annotated[
        list[str] | None,
        typer.Option("--author", help="Only papers by this author. Repeat for all of several."),
    ] = None
    tags: Annotated[
        list[str] | None,
        typer.Option("--tag", help="Only papers with this key word. Repeat for all of several."),
    ] = None

    def chosen(self, library: Library) -> tuple[str, ...]:
        """The papers as they are named, or those of them (of all) that fit the filters."""
        from quire.library.papers import Selection, select

        selection = Selection(self.year, tuple(self.authors or ()), tuple(self.tags or ()))
        return select(library, selection, self.papers or ()) if selection else tuple(self.papers or ())


class Group(typer.Typer):
    """Commands of one kind, which may take `here` and the like."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"rich_markup_mode": None, **options})

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """Add a command."""
        add = super().command(name, **options)
        return lambda command: add(_with_options(command))

    def callback(self, **options: Any) -> Callable[[Any], Any]:
        """What the group does without a command of its own."""
        add = super().callback(**options)
        return lambda command: add(_with_options(command))


_ORDER = ("library", "as_json", "offline")  # of `here`, which stands last in the help


def _with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for every field of the dataclasses that it takes."""
    hints = get_type_hints(command, include_extras=True)
    kinds: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    options: list[Parameter] = []
    for one in sorted(signature(command).parameters.values(), key=lambda one: one.name == "here"):
        if one.name not in kinds:
            options.append(one.replace(annotation=hints[one.name], kind=Parameter.KEYWORD_ONLY))
            continue
        asked, shared = fields(kinds[one.name]), get_type_hints(kinds[one.name], include_extras=True)
        if one.name == "here":
            asked = tuple(sorted(asked, key=lambda each: _ORDER.index(each.name)))
        options += [
            Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=shared[each.name])
            for each in asked
        ]

    @wraps(command)
    def filled(**given: Any) -> None:
        made = {
            name: kind(**{each.name: given.pop(each.name) for each in fields(kind)})
            for name, kind in kinds.items()
        }
        command(**made, **given)

    filled.__signature__ = Signature(options)  # type: ignore[attr-defined]
    filled.__annotations__ = {one.name: one.annotation for one in options}
    return filled
