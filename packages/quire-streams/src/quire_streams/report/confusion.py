"""Which diagnosis was taken for which (the paper's Figure 3).

Records hold no gold, so the data folder is read again, at report time, in the process of the reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.eval.report.plots import INK, Plot, Rectangle, Shape, TextMark
from quire_streams.report.groups import Group

# The paper's Figure 3 shows the diseases of the upper airways.
UPPER_AIRWAYS = (
    "Acute laryngitis",
    "Acute rhinosinusitis",
    "Allergic sinusitis",
    "Chronic rhinosinusitis",
    "URTI",
    "Viral pharyngitis",
)
CONFUSED = ("zero_shot", "self_stream_icl", "mam_stream_icl")  # the methods of that figure
_OTHER = "another"


@dataclass(frozen=True, slots=True)
class Confusion:
    """`share[i][j]`: how often (0 to 1) what is `labels[i]` was called `said[j]`; `counts` per row."""

    name: str
    labels: tuple[str, ...]
    said: tuple[str, ...]
    share: tuple[tuple[float, ...], ...]
    counts: tuple[int, ...]


def confusion(one: Group, gold: Mapping[str, str], labels: Sequence[str] = UPPER_AIRWAYS) -> Confusion:
    """The matrix of some labels; answers outside them are one column.

    `gold` maps instance ids to labels as the solver writes them (a leading number is ignored).
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for run in one.runs:
        for record in run.records:
            meant, said = _bare(gold.get(record.instance, "")), _bare(record.attempt.output)
            if meant in labels:
                pairs[meant, said if said in labels else _OTHER] += 1
    shown = (*labels, _OTHER)
    counts = tuple(sum(pairs[label, other] for other in shown) for label in labels)
    share = tuple(
        tuple(pairs[label, other] / total if total else 0.0 for other in shown)
        for label, total in zip(labels, counts, strict=True)
    )
    return Confusion(one.name, tuple(labels), shown, share, counts)


def _bare(label: str) -> str:
    number, dot, name = label.partition(". ")
    return name if dot and number.isdigit() else label


def heat(matrix: Confusion) -> Plot:
    """A matrix of shares: rows are what it was, columns what was said."""
    cell, left, top = 52, 190, 170
    shapes: list[Shape] = [TextMark(12, 18, matrix.name)]
    for row, (label, count) in enumerate(zip(matrix.labels, matrix.counts, strict=True)):
        y = top + row * cell
        shapes.append(TextMark(left - 8, y + cell / 2 + 4, f"{label} ({count})", "end"))
        for column, share in enumerate(matrix.share[row]):
            x = left + column * cell
            shapes.append(Rectangle(x, y, cell - 2, cell - 2, _shade(share)))
            ink = "#ffffff" if share > 0.5 else INK
            shapes.append(TextMark(x + cell / 2 - 1, y + cell / 2 + 4, f"{100 * share:.0f}", "middle", ink))
    for column, label in enumerate(matrix.said):
        shapes.append(TextMark(left + column * cell + cell / 2 + 4, top - 8, label, rotated=True))
    return Plot(
        f"Confusion: {matrix.name}",
        left + len(matrix.said) * cell + 20,
        top + len(matrix.labels) * cell + 20,
        tuple(shapes),
    )


def _shade(share: float) -> str:
    # From near white to the first colour.
    start, end = (240, 244, 248), (0, 114, 178)
    mixed = (round(a + (b - a) * share) for a, b in zip(start, end, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
