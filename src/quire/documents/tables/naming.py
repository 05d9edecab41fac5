"""Which caption names which table."""

from __future__ import annotations

from collections.abc import Sequence

from quire.documents.captions import Caption
from quire.documents.raw import Edges
from quire.documents.tables.tokens import Token, inside, rows_of

FAR = 90.0  # points between a table and its caption where nothing else stands between them
BESIDE = 40.0  # points between a table and a caption in the margin beside it


def nearest(
    box: Edges, captions: Sequence[Caption], tokens: Sequence[Token], reach: float = 60.0
) -> Caption | None:
    """The caption right above or below a table, with nothing but a line of text in between."""
    best, distance = None, reach
    for caption in captions:
        across = min(box.x1, caption.box.x1) - max(box.x0, caption.box.x0)
        if across < 0.3 * min(box.width, caption.box.width):
            continue
        gap = max(box.y0 - caption.box.y1, caption.box.y0 - box.y1)
        if not -12 <= gap < distance:
            continue
        top, bottom = (
            sorted((box.y1, caption.box.y0)) if caption.box.y0 > box.y0 else (caption.box.y1, box.y0)
        )
        between = Edges(box.x0, top + 2, box.x1, bottom - 2)
        if between.height > 0 and len(rows_of(inside(tokens, between, slack=0))) > 3:
            continue
        best, distance = caption, gap
    return best


def matched(
    boxes: Sequence[Edges], captions: Sequence[Caption], tokens: Sequence[Token]
) -> list[Caption | None]:
    """One caption at most for each table: from above, from below or the nearest, whichever names most."""
    best: tuple[int, float] = (-1, 0.0)
    chosen: list[Caption | None] = [None] * len(boxes)
    for side in ("nearest", "below", "above"):
        pairs: list[Caption | None] = [None] * len(boxes)
        offers = []
        for i, box in enumerate(boxes):
            for caption in captions:
                under = caption.box.y0 > (box.y0 + box.y1) / 2
                if side == "nearest" or (side == "below") == under:
                    if nearest(box, [caption], tokens):
                        offers.append((_gap(box, caption), i, caption.box, caption))
        total = 0.0
        for gap, i, _, caption in sorted(offers, key=lambda o: o[:3]):
            if pairs[i] is None and not any(p is caption for p in pairs):
                pairs[i] = caption
                total += gap
        score = (sum(p is not None for p in pairs), -total)
        if score > best:
            best, chosen = score, pairs
    return chosen


def _gap(box: Edges, caption: Caption) -> float:
    return max(box.y0 - caption.box.y1, caption.box.y0 - box.y1)


def named_late(
    boxes: Sequence[Edges],
    named: Sequence[Caption | None],
    captions: Sequence[Caption],
    tokens: Sequence[Token],
) -> list[Caption | None]:
    """The names of the tables, those without one given the captions that are left: further off, or beside."""
    out = list(named)
    left = [c for c in captions if not any(c is n for n in named)]
    offers = []
    for i, box in enumerate(boxes):
        for k, caption in enumerate(left):
            cost = _side_gap(box, caption.box)
            if cost is None and nearest(box, [caption], tokens, FAR):
                cost = _gap(box, caption)
            if out[i] is None and cost is not None:
                offers.append((cost, i, k))
    for _, i, k in sorted(offers):
        if out[i] is None and not any(left[k] is n for n in out):
            out[i] = left[k]
    return out


def _side_gap(box: Edges, caption: Edges) -> float | None:
    """How far a caption stands to the left or right of a table, if it does."""
    beside = min(box.y1, caption.y1) - max(box.y0, caption.y0) > 0.5 * min(box.height, caption.height)
    gap = max(box.x0 - caption.x1, caption.x0 - box.x1)
    return max(gap, 0.0) if beside and -2 < gap < BESIDE else None
