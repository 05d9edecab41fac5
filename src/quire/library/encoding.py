"""The later stage of adding: dense vectors for whatever still lacks them, resumable at any moment."""

from __future__ import annotations

from pathlib import Path

from quire.index import BM25
from quire.index.dense import encode_pending, send_pending
from quire.index.pending import Pending, count_waiting
from quire.library import intake, parsing
from quire.library.report import Meter, OnProgress
from quire.library.resources import Resources
from quire.store.child import Child


def encode(resources: Resources, progress: OnProgress | None = None) -> tuple[int, list[str]]:
    """Encode all that waits; gives the number of vectors made and what a user should know.

    A collection without weights is told once and waits; BM25 and SQL work without it.
    """
    if resources.remote:
        resources.tell()
        send_pending(resources.database.reading, resources.database.writing, resources.backend)
    there, missing = resources.available()
    notes = [f"{error} Until then search goes by keywords ({BM25})." for error in missing]
    made = 0
    with _Pictures(resources) as pictures:
        for name, encoder in there.items():
            with resources.database.reading() as connection:
                waiting = count_waiting(connection, name, remote=resources.remote)
            if not waiting:
                continue
            meter = Meter("encode", waiting, progress)
            meter.reached(0, name)  # told before it begins: the first vectors take a while
            made += encode_pending(
                resources.database.reading,
                resources.database.writing,
                resources.backend,
                encoder,
                render=pictures.render,
                progress=lambda done, total, meter=meter, name=name: meter.reached(done, name, total),  # type: ignore[misc]
            )
    if not missing:
        mark_encoded(resources)
    return made, notes


def mark_encoded(resources: Resources) -> None:
    """Set the state of papers all of whose entries have been encoded."""
    names = list(resources.dense)
    with resources.database.reading() as connection:
        waiting = connection.execute("SELECT count(*) FROM papers WHERE state = 'parsed'").fetchall()[0][0]
        if not waiting or any(count_waiting(connection, name, remote=resources.remote) for name in names):
            return
    with resources.database.writing() as connection:
        connection.execute(
            "UPDATE papers SET state = 'encoded', encoders = ?::VARCHAR[] WHERE state = 'parsed'",
            [[BM25, *names]],
        )


class _Pictures:
    """Pictures of figures and tables for image encoders, rendered in a child."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._child: Child | None = None

    def __enter__(self) -> _Pictures:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child:
            self._child.close()

    def render(self, entry: Pending) -> bytes:
        """A PNG of the entry's box."""
        if self._child is None:
            self._child = parsing.start(self._resources.settings.parsing)
        task = render_task(intake.copy_of(self._resources.papers, entry.paper_id), entry.page, entry.bbox)
        return parsing.ask(self._child, task, self._resources.settings.parsing.time_limit)


def render_task(
    path: Path,
    page: int,
    box: tuple[float, ...] | None,
    marks: list[tuple[float, ...]] | None = None,
    dpi: float = 150,
) -> dict[str, object]:
    """The task of rendering a page, as the child reads it."""
    return {
        "do": "render",
        "path": str(path),
        "page": page,
        "box": box,
        "marks": marks or [],
        "dpi": dpi,
        "password": None,
    }
