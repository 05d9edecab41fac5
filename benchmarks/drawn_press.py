"""A small typesetter over reportlab: justified and hyphenated lines that flow through columns and pages.

    press = Press(path, Sheet(columns=2))
    press.flow(runs, Type(size=10))            # a paragraph, over as many columns as it takes
    press.save()

A paragraph of one `Type` is cut into tokens and broken into lines; long words get a hyphen. A `Sheet` says
where the columns are. Floats wait until the next column (or page, if they span all columns)
and stand at its head; footnotes are promised to a column before it is filled. y grows downwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

FAMILIES = {
    "times": {"n": "Times-Roman", "b": "Times-Bold", "i": "Times-Italic", "bi": "Times-BoldItalic"},
    "sans": {
        "n": "Helvetica",
        "b": "Helvetica-Bold",
        "i": "Helvetica-Oblique",
        "bi": "Helvetica-BoldOblique",
    },
}
_VOWELS = "aeiouy"


@dataclass(frozen=True, slots=True)
class Type:
    """How a paragraph is set. `lead` is the distance of baselines in ems."""

    size: float = 10
    face: str = "n"
    family: str = "times"
    lead: float = 1.2
    indent: float = 0
    hang: float = 0
    left: float = 0
    right: float = 0
    align: str = "justify"  # "left", "center", "right"
    before: float = 0
    after: float = 0
    keep: int = 1  # lines that must follow in the same column
    hyphens: bool = True


@dataclass(frozen=True, slots=True)
class Piece:
    """Letters without a space in them, in one face."""

    text: str
    font: str
    size: float
    rise: float = 0

    @property
    def width(self) -> float:
        """In points."""
        return float(stringWidth(self.text, self.font, self.size))


Token = list[Piece]  # pieces with no space between them


def tokens(runs: Sequence[tuple[str, str]], kind: Type) -> list[Token]:
    """Runs cut at spaces; what touches stays together."""
    out: list[Token] = []
    open_end = False
    for text, face in runs:
        own = face if face not in ("", "n", "^") else kind.face
        font = FAMILIES[kind.family][own]
        size, rise = (0.7 * kind.size, 0.35 * kind.size) if face == "^" else (kind.size, 0.0)
        for k, word in enumerate(text.split(" ")):
            if k:
                open_end = False
            if not word:
                continue
            piece = Piece(word, font, size, rise)
            if open_end and out:
                out[-1].append(piece)
            else:
                out.append([piece])
            open_end = True
    return out


def broken(words: Sequence[Token], kind: Type, width: float) -> list[list[Token]]:
    """Tokens put into lines, long words broken with a hyphen where that helps."""
    lines: list[list[Token]] = [[]]
    space = 0.25 * kind.size
    rest = list(words)
    used = 0.0
    while rest:
        token = rest.pop(0)
        room = width - kind.left - kind.right - (kind.indent if len(lines) == 1 else kind.hang)
        own = sum(p.width for p in token)
        if not lines[-1] or used + space + own <= room:
            used += own + (space if lines[-1] else 0)
            lines[-1].append(token)
            continue
        halves = _halves(token, room - used - space) if kind.hyphens and kind.align == "justify" else None
        if halves:
            lines[-1].append(halves[0])
            rest.insert(0, halves[1])
        else:
            rest.insert(0, token)
        lines.append([])
        used = 0.0
    return [line for line in lines if line]


def _halves(token: Token, room: float) -> tuple[Token, Token] | None:
    if len(token) > 1 and not all(p.font == token[0].font for p in token):
        return None
    first = token[0]
    if not first.text.rstrip(".,;)").isalpha() or len(first.text) < 8:
        return None
    for k in range(len(first.text) - 4, 2, -1):
        if first.text[k - 1] in _VOWELS and first.text[k] not in _VOWELS and first.text[k + 1] in _VOWELS:
            half = Piece(first.text[:k] + "-", first.font, first.size, first.rise)
            if half.width <= room:
                return [half], [Piece(first.text[k:], first.font, first.size, first.rise), *token[1:]]
    return None


@dataclass(slots=True)
class Sheet:
    """The page: its size, margins and columns."""

    width: float = 595
    height: float = 842
    top: float = 72
    bottom: float = 770
    left: float = 54
    right: float = 541
    columns: int = 1
    gutter: float = 18
    furniture: Callable[[Press, int], None] | None = None

    def column(self, k: int) -> tuple[float, float]:
        """Left edge and width of a column."""
        width = (self.right - self.left - self.gutter * (self.columns - 1)) / self.columns
        return self.left + k * (width + self.gutter), width


@dataclass(slots=True)
class Block:
    """A float: its height at a width, and how to draw it."""

    measure: Callable[[float], float]
    draw: Callable[[float, float, float], None]
    spans: bool = False


@dataclass(slots=True)
class Press:
    """Pages being filled."""

    path: Path
    sheet: Sheet
    waiting: list[Block] = field(default_factory=list)
    notes: dict[tuple[int, int], Block] = field(default_factory=dict)
    turned: list[Block] = field(default_factory=list)  # set sideways on pages of their own

    canvas: Canvas = field(init=False)
    page: int = 1
    column: int = 0
    y: float = 0
    head: float = 0  # below floats that span the page
    floor: float = 0
    numbered: int | None = None  # the next number of a numbered line, for manuscripts

    def __post_init__(self) -> None:
        self.canvas = Canvas(str(self.path), pagesize=(self.sheet.width, self.sheet.height), invariant=1)
        self._open_page()

    def _open_page(self) -> None:
        self.head, self.column = self.sheet.top, 0
        if self.sheet.furniture:
            self.sheet.furniture(self, self.page)
        if self.page > 1:
            wide = next((b for b in self.waiting if b.spans), None)
            if wide:
                self.waiting.remove(wide)
                wide.draw(self.sheet.left, self.head, self.sheet.right - self.sheet.left)
                self.head += wide.measure(self.sheet.right - self.sheet.left) + 14
        self.open_column()

    def open_column(self) -> None:
        """Begin a column: its footnote at the foot, a waiting float at the head."""
        x, width = self.sheet.column(self.column)
        self.y, self.floor = self.head, self.sheet.bottom
        note = self.notes.pop((self.page, self.column), None)
        if note:
            self.floor -= note.measure(width) + 6
            note.draw(x, self.floor + 6, width)
        narrow = next((b for b in self.waiting if not b.spans), None)
        if narrow and (self.page, self.column) != (1, 0):
            height = narrow.measure(width)
            if self.y + height + 60 < self.floor:
                self.waiting.remove(narrow)
                narrow.draw(x, self.y, width)
                self.y += height + 14

    def next_column(self) -> None:
        """Go on in the next column or page."""
        if self.column + 1 < self.sheet.columns:
            self.column += 1
            self.open_column()
        else:
            self.new_page()

    def new_page(self) -> None:
        """A new page."""
        self.canvas.showPage()
        self.page += 1
        if self.turned:
            self._turned_page(self.turned.pop())
        self._open_page()

    def _turned_page(self, block: Block) -> None:
        sheet = self.sheet
        if sheet.furniture:
            sheet.furniture(self, self.page)
        self.canvas.translate(sheet.width, 0)
        self.canvas.rotate(90)
        sheet.width, sheet.height = sheet.height, sheet.width
        block.draw(90, 100, sheet.width - 180)
        sheet.width, sheet.height = sheet.height, sheet.width
        self.canvas.showPage()
        self.page += 1

    def below_front(self, gap: float = 16) -> None:
        """The front matter, set over the whole width, ends here; the columns begin."""
        self.head = self.y + gap
        self.open_column()

    def flow(self, runs: Sequence[tuple[str, str]], kind: Type) -> None:
        """Set a paragraph in the columns."""
        _, width = self.sheet.column(self.column)
        lines = broken(tokens(runs, kind), kind, width)
        self.y += kind.before if self.y > self.head else 0
        step = kind.lead * kind.size
        for k, line in enumerate(lines):
            if self.y + step * (1 + (kind.keep - 1 if k == 0 else 0)) > self.floor:
                self.next_column()
            x, width = self.sheet.column(self.column)
            if self.numbered is not None:
                self._draw(Piece(str(self.numbered), "Times-Roman", 8), x - 30, self.y + kind.size)
                self.numbered += 1
            self.set_line(line, kind, x, width, self.y + kind.size, first=k == 0, last=k == len(lines) - 1)
            self.y += step
        self.y += kind.after

    def wide(self, text: str | Sequence[tuple[str, str]], kind: Type) -> None:
        """Set a paragraph over the whole width at the current height."""
        runs = [(text, "")] if isinstance(text, str) else text
        self.y += kind.before
        self.y += (
            self.at(runs, kind, self.sheet.left, self.y, self.sheet.right - self.sheet.left) + kind.after
        )

    def at(self, runs: Sequence[tuple[str, str]], kind: Type, x: float, y: float, width: float) -> float:
        """Set a paragraph at a place; gives its height."""
        lines = broken(tokens(runs, kind), kind, width)
        for k, line in enumerate(lines):
            base = y + kind.size + k * kind.lead * kind.size
            self.set_line(line, kind, x, width, base, first=k == 0, last=k == len(lines) - 1)
        return len(lines) * kind.lead * kind.size

    def set_line(
        self,
        line: Sequence[Token],
        kind: Type,
        x: float,
        width: float,
        base: float,
        *,
        first: bool,
        last: bool,
    ) -> None:
        """Draw one line of tokens on a baseline."""
        x += kind.left + (kind.indent if first else kind.hang)
        room = width - kind.left - kind.right - (kind.indent if first else kind.hang)
        natural = sum(p.width for t in line for p in t)
        space = 0.25 * kind.size
        if kind.align == "justify" and not last and len(line) > 1:
            space = (room - natural) / (len(line) - 1)
        total = natural + space * (len(line) - 1)
        x += (room - total) * {"center": 0.5, "right": 1.0}.get(kind.align, 0.0)
        for token in line:
            for piece in token:
                self._draw(piece, x, base)
                x += piece.width
            x += space

    def _draw(self, piece: Piece, x: float, base: float) -> None:
        self.canvas.setFont(piece.font, piece.size)
        self.canvas.drawString(x, self.sheet.height - base + piece.rise, piece.text)

    def rule(self, x0: float, x1: float, y: float, thick: float = 0.5) -> None:
        """A horizontal line."""
        self.canvas.setLineWidth(thick)
        self.canvas.line(x0, self.sheet.height - y, x1, self.sheet.height - y)

    def bar(self, x: float, y0: float, y1: float) -> None:
        """A vertical line."""
        self.canvas.setLineWidth(0.5)
        self.canvas.line(x, self.sheet.height - y0, x, self.sheet.height - y1)

    def save(self) -> None:
        """Set what still waits, and write the file."""
        while self.waiting:
            self.next_column()
        self.canvas.save()
