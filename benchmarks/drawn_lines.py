"""Text in one manner of setting, cut into tokens and broken into lines; long words get a hyphen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reportlab.pdfbase.pdfmetrics import stringWidth

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
