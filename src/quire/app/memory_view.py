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
    from quire.memory.searches import Alias, Weight

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
