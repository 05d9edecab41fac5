"""A tiny typesetter for tests: papers whose every line is known."""

from __future__ import annotations

from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

FACES = {
    "n": "Times-Roman",
    "b": "Times-Bold",
    "i": "Times-Italic",
    "c": "Courier",
    "zh": "STSong-Light",
}  # the last to be registered
WIDTH, HEIGHT = A4


class Paper:
    """Lines set one by one at known places (y from the top), pages ended by hand."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.canvas = Canvas(str(path), pagesize=A4, invariant=1)
        self.y = 72.0

    def line(
        self, text: str, *, x: float = 72, y: float | None = None, size: float = 10, face: str = "n"
    ) -> None:
        """One line in one face."""
        if y is not None:
            self.y = y
        self.canvas.setFont(FACES[face], size)
        self.canvas.drawString(x, HEIGHT - self.y, text)
        self.y += 1.2 * size

    def runs(self, *runs: tuple[str, str], x: float = 72, size: float = 10) -> None:
        """One line in several faces: (face, text), ..."""
        for face, text in runs:
            self.canvas.setFont(FACES[face], size)
            self.canvas.drawString(x, HEIGHT - self.y, text)
            x += self.canvas.stringWidth(text, FACES[face], size)
        self.y += 1.2 * size

    def text(
        self,
        text: str,
        *,
        x: float = 72,
        width: float = 450,
        size: float = 10,
        face: str = "n",
        indent: float = 0,
    ) -> None:
        """A paragraph, broken at words."""
        row, first = "", True
        for word in text.split():
            room = width - (indent if first else 0)
            if row and self.canvas.stringWidth(f"{row} {word}", FACES[face], size) > room:
                self.line(row, x=x + (indent if first else 0), size=size, face=face)
                row, first = word, False
            else:
                row = f"{row} {word}".strip()
        self.line(row, x=x + (indent if first else 0), size=size, face=face)

    def gap(self, points: float = 10) -> None:
        """Space."""
        self.y += points

    def page(self) -> None:
        """A new page."""
        self.canvas.showPage()
        self.y = 72.0

    def save(self) -> Path:
        """Write the file."""
        self.canvas.save()
        return self.path


def words(count: int, seed: int = 0) -> str:
    """Sentences of known length that repeat no line."""
    names = "the river of stone and cloud in garden with copper is marble".split()
    out = []
    for i in range(count):
        word = names[(i * 7 + seed * 5 + i // 12) % len(names)]
        out.append(word.capitalize() if i % 12 == 0 else word + ("." if i % 12 == 11 else ""))
    return " ".join(out).rstrip(".") + "."
