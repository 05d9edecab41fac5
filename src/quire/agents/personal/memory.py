"""The personal memory of one library, as `ask` uses it.

    memory = PersonalMemory(store, context, encoder, k=4, budget=2000)
    memory.remembered(question)            # the answer to the same question, re-verified, or None
    memory.recall(question)                # worked examples for a model, the most similar last

Contract: nothing is recalled that rests on a paper which changed or went; such items are retired on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from quire.agents.evidence import describe, verify
from quire.agents.personal.learning import form_of
from quire.agents.personal.recalled import Recalled
from quire.agents.personal.shots import worked_example
from quire.environment import Readable
from quire.errors import MemoryStoreError
from quire.memory import ADMISSIONS, READERS, RENDERERS, Encoder, MemoryStore, Parts, approximate_tokens
from quire.memory.curve import Point, curve
from quire.memory.items import Item, folded
from quire.memory.packing import pack
from quire.memory.retrieved import RetrievedMemory
from quire.memory.sameness import same_question
from quire.memory.verdicts import SPACE, Verdicts
from quire.types import Answer, Evidence, Instance, Question, Shot

_LOOKED_AT = 32  # nearest items that may turn out to be the same question


@dataclass(frozen=True, slots=True)
class Context:
    """What the memory asks of its library: pages to verify on, and its papers' hashes by id."""

    library: Readable
    present: Callable[[], Mapping[str, str]]


class PersonalMemory:
    """Items of a store that fit a question."""

    def __init__(
        self, store: MemoryStore, context: Context, encoder: Encoder, k: int = 4, budget: int = 2000
    ) -> None:
        self.verdicts, self._context, self.encoder = Verdicts(store), context, encoder
        self._k, self._budget = k, budget
        self._looked: tuple[str, list[tuple[Shot, Item]]] = "", []  # what `remembered` saw, for `recall`
        self._nearest = RetrievedMemory(
            Parts(
                store,
                SPACE,
                encoder,
                admit=ADMISSIONS["right"],
                may_read=READERS["everyone"],
                render=RENDERERS["plain"],
                count=approximate_tokens,
                k=max(_LOOKED_AT, k),
            )
        )

    def recall(self, question: Question) -> Recalled:
        """The most similar right items as worked examples, the most similar last, within the budget."""
        asked, near = self._looked
        self._looked = "", []
        if asked != question.whole or not near:
            near = self._near(question)
        best = [replace(shot, text=worked_example(item)) for shot, item in near[: self._k]]
        kept = pack(best, self._budget, approximate_tokens)
        of = {item.id: item for _, item in near}
        return Recalled(tuple(of[shot.experience.id] for shot in kept), tuple(shot.text for shot in kept))

    def remembered(self, question: Question) -> Recalled | None:
        """The answer that this library's users judged right for the same question, verified on its pages now.

        None where there is none, where several disagree, or where its evidence is no longer found.
        """
        same = self._same(question)
        if not same or any(item.answer != same[0].answer for item in same):
            return None
        if self._denied(question, same[0]):
            return None
        item = same[0]
        evidence = self._verified(item.evidence)
        if not evidence:
            return None
        note = (
            f"Remembered: {item.author} judged this right on {item.created[:10]} (run {item.run}, "
            f"memory {item.id[:8]}). --no-memory asks anew."
        )
        return Recalled((item,), answer=Answer("answered", item.answer, evidence, note=note))

    def similar(self, question: str, limit: int) -> list[Item]:
        """Items in use that are most similar to a text, the most similar first."""
        return [item for _, item in self._near(Question("", question))][:limit]

    def curve(self) -> list[Point]:
        """The learning curve: a point for every judged run, the first judged first."""
        return curve(self.verdicts.store)

    def named(self, id: str) -> Item:
        """The item of that id, or of the only id that begins so.

        Raises:
            MemoryStoreError: there is none, or there are several.
        """
        found = self.verdicts.begins(id)
        if len(found) != 1 or not id:
            which = "no item" if not found else f"{len(found)} items"
            raise MemoryStoreError(f"There is {which} named `{id[:80]}`.", hint="See `quire memory list`.")
        return found[0]

    def encode(self) -> None:
        """Give every item that lacks one a vector; called after items came in, so that asking need not."""
        while missing := self.verdicts.unencoded(self.encoder.name):
            vectors = self.encoder.encode([question for _, question in missing])
            self.verdicts.encoded([id for id, _ in missing], vectors, self.encoder.name)

    def _verified(self, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
        """All of it with its places, or nothing if any is no longer found."""
        checked = [verify(each, self._context.library) for each in evidence]
        if not all(each.verified for each in checked):
            return ()
        return describe(checked, self._context.library)

    def _same(self, question: Question) -> list[Item]:
        """Items of this library's own users that answer the same question, the most similar first."""
        exact = [item for item in self.verdicts.asked(question.whole, question.only) if item.label == "right"]
        near = self._near(question)
        self._looked = question.whole, near
        nearest = [
            item
            for shot, item in near
            if same_question(question.whole, item.question, shot.similarity, self.encoder.name)
        ]
        words = folded(question.whole)
        found = {item.id: item for item in (*self._current(exact), *nearest)}
        fit = [item for item in found.values() if self._fits(item, question)]
        said = [item for item in fit if folded(item.question) == words]
        return said or fit

    def _denied(self, question: Question, item: Item) -> bool:
        """Whether this very question, so answered, was judged otherwise than right."""
        asked = self.verdicts.asked(question.whole, question.only)
        return any(
            one.label != "right" and one.answer == item.answer and one.form == item.form and not one.origin
            for one in asked
        )

    def _fits(self, item: Item, question: Question) -> bool:
        return (
            not item.origin
            and bool(item.evidence)
            and item.form == form_of(question)
            and set(item.scope) == set(question.only)
        )

    def _near(self, question: Question) -> list[tuple[Shot, Item]]:
        """The nearest right items that rest on papers as they are, the most similar first."""
        while True:
            shots = self._nearest.recall(_instance(question), "")[::-1]
            items = self.verdicts.found(shot.experience.id for shot in shots)
            if len(self._current(list(items.values()))) == len(items):
                return [(shot, items[shot.experience.id]) for shot in shots if shot.experience.id in items]

    def _current(self, items: Sequence[Item]) -> list[Item]:
        """Those that rest on papers as they are; others are retired, with all that rest on such papers."""
        if not any(item.papers for item in items):
            return list(items)
        present = self._context.present()
        stale = {item.id for item in items if _moved(item, present)}
        if stale:
            self.verdicts.retire(
                self.verdicts.resters(present), "a paper that it rests on changed or was removed"
            )
        return [item for item in items if item.id not in stale]


def _moved(item: Item, present: Mapping[str, str]) -> bool:
    return any(present.get(paper) != sha for paper, sha in item.papers.items())


def _instance(question: Question) -> Instance:
    return Instance("papers", question.id, question.whole, "", question.whole, question.whole, "")


__all__ = ["Context", "PersonalMemory"]
