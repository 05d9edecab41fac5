"""What the library learned from verdicts: each item, what it helped, and the learning curve as a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import HTMLResponse

from quire.app.server.context import ToRead
from quire.app.server.pages.rendering import html, views
from quire.memory import searches
from quire.memory.items import Item
from quire.memory.verdicts import Point, Verdicts
from quire.types import LONGEST_QUESTION

WIDTH, HEIGHT, LEFT, TOP, FLOOR = 720, 240, 40, 16, 208
_MOST_DOTS = 150


@dataclass(frozen=True, slots=True)
class Dot:
    """A judged answer in the drawing; `told` is what a pointer is told of it."""

    x: float
    y: float
    right: bool
    used: bool
    told: str


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """A line ("x,y x,y ...") with dots, ticks of both axes as (place, text)."""

    line: str
    dots: tuple[Dot, ...]
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    count: int
    last: float


def plot(points: Sequence[Point]) -> CurvePlot | None:
    """The drawing, None before there is anything to draw."""
    if not points:
        return None
    step = (WIDTH - LEFT - 12) / max(1, len(points) - 1)
    places = [(LEFT + i * step, _up(point.recent)) for i, point in enumerate(points)]
    dots = tuple(
        Dot(x, y, point.right, point.used, _told(i, point))
        for i, ((x, y), point) in enumerate(zip(places, points, strict=True), 1)
    )
    return CurvePlot(
        line=" ".join(f"{x:.1f},{y:.1f}" for x, y in places),
        dots=dots if len(dots) <= _MOST_DOTS else (),
        across=tuple((places[i][0], str(i + 1)) for i in _ticks(len(points))),
        up=tuple((_up(share), f"{share:.0%}") for share in (0.0, 0.5, 1.0)),
        count=len(points),
        last=points[-1].recent,
    )


def _told(number: int, point: Point) -> str:
    remembered = ", with the memory" if point.used else ""
    return f"Answer {number}: {'right' if point.right else 'wrong'}{remembered}; {point.recent:.0%} lately"


def _up(share: float) -> float:
    return FLOOR - share * (FLOOR - TOP)


def _ticks(count: int) -> list[int]:
    """A few places out of so many, first and last among them."""
    return sorted({round(i * (count - 1) / 4) for i in range(5)})


router = views()

_TAUGHT = 12  # of each kind that are shown
_FELT = 0.02  # a smaller weight moves nothing that one would see


@router.get("/memory")
def memory(here: ToRead, q: Annotated[str, Query(max_length=LONGEST_QUESTION)] = "") -> HTMLResponse:
    """All items, the newest first; with `q` those most similar to a question."""
    remembered = here.library.memory
    verdicts = remembered.verdicts
    listed = remembered.similar(q, 50) if q else verdicts.listed()
    return html(
        "Memory",
        "memory.html",
        q=q,
        items=[_row(verdicts, item) for item in listed],
        counts=verdicts.counts(),
        weights=[one for one in searches.weights(verdicts.store) if abs(one.weight) >= _FELT][:_TAUGHT],
        aliases=searches.aliases(verdicts.store)[:_TAUGHT],
        plot=plot(remembered.curve()),
    )


def _row(verdicts: Verdicts, item: Item) -> dict[str, Any]:
    right, wrong = verdicts.opinions(item.id)
    return {"item": item, "right": right, "wrong": wrong, "tally": verdicts.tally(item.id)}
