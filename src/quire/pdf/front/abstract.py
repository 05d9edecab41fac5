"""The abstract: the rows so labelled, without the word itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from quire.pdf.geometry import LOOSE, runs, same_size
from quire.pdf.layout.blocks import Block
from quire.pdf.layout.rows import Row
from quire.pdf.sections.tree import BodyPart, FoundHeading, Look, parted
from quire.pdf.vocabulary import named, opening

_NEAR = 12  # rows of other kinds between parts of one abstract
_BESIDE = ("other", "affiliation", "author", "note")  # kinds of rows that stand there, in any number
_HEAD = 4  # words of a heading within an abstract
_ENOUGH = 400  # characters of an abstract that may end there
_AFTER = ("keywords", "back")  # kinds of what may stand behind an abstract


def find_abstract(labelled: Sequence[Row]) -> list[Row]:
    """The rows of the abstract in printed order: the longest run and what goes on from it."""
    own = [at for at, item in enumerate(labelled) if item.label == "abstract" and not _ends(item)]
    whole = runs(own, lambda run, at: run[-1] == at - 1)
    parts = [part for run in whole for part in _parted(labelled, run)]
    if not parts:
        return []

    def worth(part: Sequence[int]) -> tuple[bool, int]:
        """Whether it is long and the printed word begins it or stands before it; its length."""
        length = sum(len(labelled[i].text) for i in part)
        first = (labelled[i].text for i in (part[0], max(0, part[0] - 1)))
        return length >= _ENOUGH and any("abstract" in opening(text) for text in first), length

    best = max(range(len(parts)), key=lambda k: worth(parts[k]))
    size = labelled[parts[best][-1]].line.size
    chosen = list(parts[best])
    for step in (-1, 1):
        k = best + step
        while 0 <= k < len(parts):
            between = labelled[min(parts[k][-1], chosen[-1]) + 1 : max(parts[k][0], chosen[0])]
            gap = sum(item.label not in _BESIDE for item in between)
            same = same_size(size, labelled[parts[k][0]].line.size)
            if gap >= _NEAR or not same or any(_ends(i) for i in between):
                break
            chosen = sorted([*chosen, *parts[k]])
            k += step
    rows = [labelled[i] for i in chosen]
    if not any("abstract" in opening(row.text) for row in rows):
        kept = _first_block(rows)
        if len(kept) < len(rows):
            return kept
    return [*rows, *(labelled[i] for i in _rest(labelled, chosen[-1]))]


def _parted(labelled: Sequence[Row], run: list[int]) -> list[list[int]]:
    """A run from the printed word "Abstract" on, parted where rows of another size begin.

    What stands above the word ("How to cite") is no part of it; a word or two in another size are a heading.
    """
    starts = [k for k, i in enumerate(run) if "abstract" in named(labelled[i].text)]
    run = run[starts[0] :] if starts else run
    letters: Counter[float] = Counter()
    for i in run:
        letters[labelled[i].line.size] += len(labelled[i].text)
    size = max(letters, key=lambda s: letters[s])
    lines = {i: labelled[i].line for i in run}
    odd = {i: not same_size(size, line.size) and len(line.words) > _HEAD for i, line in lines.items()}
    return runs(run, lambda part, i: odd[i] == odd[part[-1]])


def _first_block(rows: Sequence[Row]) -> list[Row]:
    """The rows up to a wide gap: an abstract without a name is one block, unless its parts have names."""
    for at in range(1, len(rows)):
        above, row = rows[at - 1], rows[at]
        apart = row.in_column_of(above) and row.line.baseline - above.line.baseline > LOOSE * row.line.size
        named_part = row.line.words[0].bold or opening(row.text) & {"section", "introduction"}
        if apart and not named_part and sum(len(r.text) for r in rows[:at]) > _ENOUGH:
            return list(rows[:at])
    return list(rows)


def _ends(row: Row) -> bool:
    """A row that begins what stands behind an abstract: "Keywords:", "Abbreviations:" in bold."""
    apart = row.line.words[0].bold or ":" in row.text[:40]
    return apart and not opening(row.text).isdisjoint(_AFTER)


def _rest(labelled: Sequence[Row], last: int) -> list[int]:
    """Rows that finish the last sentence of an abstract in the next column."""
    row = labelled[last]
    if row.text.rstrip()[-1:] in ".!?。":
        return []
    out: list[int] = []
    for at in range(last + 1, min(len(labelled), last + 3 * _NEAR)):
        item = labelled[at]
        if item.label == "heading":
            break
        other = item.label not in ("text", "para") or item.in_column_of(row) or not item.is_like(row)
        if out and (other or item.label == "para"):
            break
        if not other:
            out.append(at)
    return out


def given_back(labelled: Sequence[Row], abstract: Sequence[BodyPart], size: float) -> list[Row]:
    """With the rows behind the abstract in type of `size` as running text; they are nobody's otherwise."""
    rows = {id(row) for part in abstract if isinstance(part, Block) for row in part.rows}
    last = max((i for i, item in enumerate(labelled) if id(item) in rows), default=len(labelled))
    out = list(labelled)
    ended = False  # within "Keywords: ..."
    for i in range(last + 1, len(out)):
        item = out[i]
        ended = item.label == "abstract" and (ended or _ends(item))
        if item.label == "abstract" and not ended and same_size(size, item.line.size):
            first = out[i - 1].label not in ("para", "text")
            label = "para" if first or item.score("para") > item.score("text") else "text"
            out[i] = replace(item, label=label)
    return out


def abstract_part(rows: Sequence[Row]) -> tuple[str, list[BodyPart]]:
    """The text of an abstract, and the abstract as a section."""
    if not rows:
        return "", []
    look = Look(rows[0].line.size, True, False, False, False)
    heading = FoundHeading("", "Abstract", 0, look, tuple(rows[:1]))
    words = rows[0].line.words
    whole = "abstract" in named(rows[0].text)
    count = len(words) if whole else int("abstract" in named(words[0].text))
    block = Block(tuple(parted(rows, count)[1]))
    return (block.text, [heading, block]) if block.rows else ("", [])
