"""Progress of long work on standard error: a bar per stage with rate and time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.library.report import Progress

_NAMES = {"read": "reading", "parse": "parsing", "encode": "encoding"}


@contextmanager
def stages(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A listener that draws one bar per stage; None when nothing shall be drawn."""
    from quire.interfaces.cli.output import messages, safe

    screen = messages()
    if quiet or not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:>9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}/s"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[label]}"),
    )
    with Bars(*columns, console=screen, transient=True) as bars:
        known: dict[str, int] = {}

        def listen(now: Progress) -> None:
            if now.stage not in known:
                known[now.stage] = int(bars.add_task(_NAMES.get(now.stage, now.stage), rate="", label=""))
            task = bars.task_ids[known[now.stage]]
            label = safe(now.label)[:40]
            bars.update(task, completed=now.done, total=now.total, rate=f"{now.rate:.1f}", label=label)

        yield listen
