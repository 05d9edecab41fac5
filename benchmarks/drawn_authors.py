"""Authors and their institutions, as several first pages set them."""

from __future__ import annotations

from dataclasses import replace

from drawn_lines import Type
from drawn_papers import Content
from drawn_press import Press

LEFT = Type(align="left", hyphens=False)
CENTER = Type(align="center", hyphens=False)


def marked(content: Content, sep: str = ", ", last: str = " and ") -> list[tuple[str, str]]:
    """Authors in a line with superscripts for their institutions."""
    runs: list[tuple[str, str]] = []
    for k, name in enumerate(content.names):
        if k:
            runs.append((last if k == len(content.names) - 1 else sep, ""))
        runs += [(name, ""), (str(k % 2 + 1) + (",*" if k == 0 else ""), "^")]
    return runs


def places(press: Press, content: Content, kind: Type) -> None:
    """Institutions, each in a line with its superscript."""
    for k, place in enumerate(content.places):
        press.wide([(str(k + 1), "^"), (" " + place, "")], kind)


def grid_of_authors(
    press: Press, content: Content, columns: int, size: float, *, mono: bool = False, face: str = "n"
) -> None:
    """Authors side by side, each above institution and address."""
    sheet = press.sheet
    width = (sheet.right - sheet.left) / columns
    names = content.names
    for start in range(0, len(names), columns):
        row = names[start : start + columns]
        shift = (columns - len(row)) * width / 2
        deepest = 0.0
        for k, name in enumerate(row):
            x, y = sheet.left + shift + k * width, press.y
            center = Type(size=size, align="center", hyphens=False)
            y += press.at([(name, "")], replace(center, face=face), x, y, width)
            department, _, school = content.places[(start + k) % 2].partition(", ")
            y += press.at([(department, "")], replace(center, size=size - 1, face="i"), x, y, width)
            y += press.at([(school, "")], replace(center, size=size - 1), x, y, width)
            last = content.authors[start + k][1].lower().encode("ascii", "ignore").decode()
            y += press.at([(f"{last}@example.edu", "")], replace(center, size=size - 1), x, y, width)
            deepest = max(deepest, y)
        press.y = deepest + 8
