"""What the memory holds, as it is shown: made here, and only printed by each interface.

view = item_of(library.memory, item)
view.state, view.helped                         # "right", 2
view.document()                                 # as JSON
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quire.memory.items import JudgedAnswer

if TYPE_CHECKING:
    from quire.ask.personal.memory import PersonalMemory
    from quire.eval.report.plots import Plot
    from quire.memory.searches import Alias, Weight
    from quire.memory.verdicts import Point

_TAUGHT = 12  # of each kind that are shown
_FELT = 0.02  # a smaller weight moves nothing that one would see
_SAID = ("id", "question", "answer", "kind", "author", "created")


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item, how often it was judged right and wrong, and how often it took part in later answers."""

    item: JudgedAnswer
    right: int
    wrong: int
    helped: int
    hurt: int

    @property
    def state(self) -> str:
        """What came of it: retired, contradicted, right, wrong."""
        if self.item.retired:
            return "retired"
        return "contradicted" if self.right == self.wrong else self.item.label

    def document(self, **more: Any) -> dict[str, Any]:
        """It as JSON, with what an interface says besides."""
        said = {name: getattr(self.item, name) for name in _SAID}
        counts = {"right": self.right, "wrong": self.wrong, "helped": self.helped, "hurt": self.hurt}
        return {**said, "state": self.state, **counts, **more}


def item_of(memory: PersonalMemory, item: JudgedAnswer) -> ItemView:
    """An item as it is shown."""
    tally = memory.verdicts.tally(item.id)
    return ItemView(item, *memory.verdicts.opinions(item.id), tally.helped, tally.hurt)


def counts_of(memory: PersonalMemory) -> dict[str, Any]:
    """How many items, verdicts and later answers there are, and what tells that questions are alike."""
    tallies = [memory.verdicts.tally(item.id) for item in memory.verdicts.listed()]
    helped, hurt = sum(each.helped for each in tallies), sum(each.hurt for each in tallies)
    return {**memory.verdicts.counts(), "helped": helped, "hurt": hurt, "encoder": memory.encoder.name}


_KINDS = {
    "cells.row_content": "Rows of tables",
    "sentences.sentence_content": "Sentences",
    "metadata.title": "Titles",
    "metadata.abstract": "Abstracts",
    "sections.section_title": "Headings",
    "tables.table_caption": "Captions of tables",
    "images.image_caption": "Captions of figures",
}


def taught(weights: Sequence[Weight], aliases: Sequence[Alias]) -> list[str]:
    """What right answers taught the search, in sentences, as far as one would see it."""
    told = []
    for one in [one for one in weights if abs(one.weight) >= _FELT][:_TAUGHT]:
        kind, way = _KINDS.get(one.kind, one.kind), "up" if one.weight > 0 else "down"
        asked = "" if one.asked == "any" else f" where a {one.asked} is asked for"
        stood = f", as {_answers(one.seen)} stood there" if one.seen else ""
        told.append(f"{kind} move {way} by {abs(one.weight):.2f}{asked}{stood}.")
    return told + [
        f"“{one.word}” stands for “{one.means}”, by {_answers(one.seen)}." for one in aliases[:_TAUGHT]
    ]


def _answers(number: int) -> str:
    return f"{number} right answer{'' if number == 1 else 's'}"


_MOST_DOTS = 150


def curve(points: Sequence[Point]) -> Plot:
    """The share right so far, and of the last answers: each of these a ring that tells what it was.

    What was wrong is filled, and large where the memory took part; of many answers only the lines are drawn.
    """
    from quire.eval.report.plots import Circle, Curve, lines
    from quire.memory.verdicts import RECENT

    def dot(one: Point) -> Circle:
        return Circle(one.number, one.recent, 5 if one.used else 3, "", _judged(one), ring=one.right)

    x = tuple(one.number for one in points)
    dots = tuple(map(dot, points)) if len(points) <= _MOST_DOTS else ()
    curves = (
        Curve("right of all so far", x, tuple(one.so_far for one in points)),
        Curve(f"right of the last {RECENT}", x, tuple(one.recent for one in points), dots),
    )
    return lines("Answers judged right", curves if points else (), "answers")


def _judged(one: Point) -> str:
    remembered = ", with the memory" if one.used else ""
    return f"Answer {one.number}: {'right' if one.right else 'wrong'}{remembered}; {one.recent:.0%} lately"
