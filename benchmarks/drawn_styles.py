"""Page layouts of publishers and preprint servers, imitated with random content.

    LAYOUTS["ieee"].draw(Path("x.pdf"), seed=3)     # -> Content, the truth about the file just drawn

Each layout sets the same kinds of parts in its own manner; the seed changes the content and what differs
from paper to paper within a layout (rules of tables, number of authors, notes, lengths).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import drawn_parts as parts
import drawn_references as references
from drawn_papers import Content, Part, draw_content, prose
from drawn_parts import Captions
from drawn_press import Block, Press, Sheet, Type

Front = Callable[[Press, Content, random.Random], None]
ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII")


@dataclass(frozen=True)
class Layout:
    """What tells one layout from another, front matter apart (that is a function)."""

    front: Front
    columns: int = 1
    cite: str = "number"
    reference: references.Style = references.ieee
    body: Type = Type(indent=12)
    first_flush: bool = True  # no indent after a heading
    section: Type = Type(size=12, face="b", align="left", before=12, after=4, keep=3)
    sub: Type = Type(size=10, face="b", align="left", before=8, after=3, keep=3)
    numbering: str = "arabic"  # "roman", "none"
    dot: str = ""
    capitals: bool = False
    run_in: bool = False  # subheadings run into their paragraph
    captions: Captions = Captions()
    rules: tuple[str, ...] = ("book", "grid", "head")
    list_type: Type = Type(size=8.5, hang=14)
    list_title: str = "References"
    family: str = "times"
    sheet: dict[str, float] = field(default_factory=dict)
    furniture: Callable[[Content], Callable[[Press, int], None]] | None = None
    wide_tables: bool = False
    thanks: str = "Acknowledgements"
    appendix: bool = False
    methods_last: bool = False
    footnotes: bool = False  # at the foot of some columns after the first page
    extras: tuple[str, ...] = ()  # what tables may do: "turned", "continued", "beside"

    def draw(self, path: Path, seed: int) -> Content:
        """Draw a paper; gives what is on it."""
        rng = random.Random(seed)
        content = draw_content(rng, self.cite)
        if self.methods_last:
            moved = [
                p
                for p in content.parts
                if p.title
                in ("Materials and Methods", "Study area", "Data collection", "Statistical analysis")
            ]
            content.parts = [p for p in content.parts if p not in moved] + moved
        if self.appendix and rng.random() < 0.6:
            content.parts.append(Part("Details of the experiments", 0, [[(prose(rng, 4), "n")]]))
        sheet = Sheet(columns=self.columns, **self.sheet)  # type: ignore[arg-type]
        sheet.furniture = self.furniture(content) if self.furniture else None
        press = Press(path, sheet)
        self.front(press, content, rng)
        if self.footnotes:
            self._promise_notes(press, rng)
        self._body(press, content, rng)
        press.save()
        return content

    def _promise_notes(self, press: Press, rng: random.Random) -> None:
        places = [(page, column) for page in (2, 3, 4) for column in range(self.columns)]
        for number, place in enumerate(rng.sample(places, len(places) // 2)):
            runs = [[(str(number + 2), "^"), (prose(rng, 1), "n")]]
            press.notes[place] = parts.note_block(press, runs, Type(size=0.8 * self.body.size), rule=True)

    def _floats(self, press: Press, content: Content, rng: random.Random) -> list[Block]:
        rules = rng.choice(self.rules)
        wide = self.wide_tables and rng.random() < 0.5
        out: list[Block] = []
        pending = None
        for grid in content.tables:
            block = parts.table_block(press, grid, self.captions, rules, spans=wide and self.columns > 1)
            kind = rng.choice(self.extras) if self.extras else ""
            if kind == "turned":
                press.turned.append(block)
            elif kind == "continued" and len(grid.rows) > 5:
                out += [parts.table_block(press, g, self.captions, rules) for g in parts.halves(grid)]
            elif kind == "beside" and pending is not None:
                out[out.index(pending)] = parts.side_by_side(press, pending, block)
                pending = None
            else:
                out.append(block)
                pending = block if kind == "beside" else pending
        out += [
            parts.figure_block(press, k + 1, text, self.captions, rng, spans=False)
            for k, text in enumerate(content.figures)
        ]
        return out

    def _body(self, press: Press, content: Content, rng: random.Random) -> None:
        floats = self._floats(press, content, rng)
        main = [p for p in content.parts if p.level]
        numbers = [0, 0]
        for index, part in enumerate(main):
            self._heading(press, part, numbers)
            self._paragraphs(press, part)
            if floats and index % 2 == 0:
                press.waiting.append(floats.pop(0))
        press.waiting += floats
        if self.thanks:
            press.flow([(self._cased(self.thanks), "")], self._typed(self.section))
            press.flow([(content.thanks, "")], self._typed(self.body))
        press.flow([(self._cased(self.list_title), "")], self._typed(self.section))
        for k, cited in enumerate(content.cited):
            press.flow(self.reference(cited, k + 1), self._typed(self.list_type))
        for part in content.parts:
            if not part.level:
                press.flow([("A" + self.dot + "  " + self._cased(part.title), "")], self._typed(self.section))
                self._paragraphs(press, part)

    def _typed(self, kind: Type) -> Type:
        return replace(kind, family=self.family) if kind.family == "times" else kind

    def _cased(self, text: str) -> str:
        return text.upper() if self.capitals else text

    def _heading(self, press: Press, part: Part, numbers: list[int]) -> None:
        if part.level == 1:
            numbers[:] = [numbers[0] + 1, 0]
            own = {"arabic": str(numbers[0]), "roman": ROMAN[numbers[0]], "none": ""}[self.numbering]
            shown = self._cased(part.title)
        else:
            numbers[1] += 1
            own = {"arabic": f"{numbers[0]}.{numbers[1]}", "roman": "ABC"[numbers[1] - 1], "none": ""}[
                self.numbering
            ]
            shown = part.title
        text = f"{own}{self.dot if own else ''} {shown}".strip()
        if part.level == 1 or not self.run_in:
            press.flow([(text, "")], self._typed(self.section if part.level == 1 else self.sub))

    def _paragraphs(self, press: Press, part: Part) -> None:
        for k, runs in enumerate(part.paragraphs):
            kind = self._typed(self.body)
            if k == 0 and self.first_flush and kind.indent:
                kind = replace(kind, indent=0)
            if k == 0 and part.level == 2 and self.run_in:
                runs = [(part.title + ". ", self.sub.face), *runs]
            press.flow(runs, kind)


def heads(
    left: str, right: str = "", *, foot: bool = True, first: bool = False, size: float = 8
) -> Callable[[Content], Callable[[Press, int], None]]:
    """Running heads and page numbers; `{t}` and `{a}` stand for title and first author."""

    def make(content: Content) -> Callable[[Press, int], None]:
        def draw(press: Press, page: int) -> None:
            sheet = press.sheet
            width = sheet.right - sheet.left
            if page > 1 or first:
                text = (left if page % 2 == 0 or not right else right).format(
                    t=content.title[:60], a=content.authors[0][1] + " et al.", p=page
                )
                press.at(
                    [(text, "")],
                    Type(size=size, align="left" if page % 2 == 0 else "right"),
                    sheet.left,
                    sheet.top - 30,
                    width,
                )
            if foot:
                press.at(
                    [(str(page), "")], Type(size=9, align="center"), sheet.left, sheet.bottom + 18, width
                )

        return draw

    return make
