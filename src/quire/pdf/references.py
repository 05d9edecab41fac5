"""The list of references: one entry each, from labelled rows; what each says is told by `citations`.

A list in which most entries are numbered has no others: a line of a licence, of funding or of a citation of
the paper itself between them is none of it. A number that is missing is looked for where it must stand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from quire.pdf.citations import fields_of, label_of
from quire.pdf.geometry import runs
from quire.pdf.joining import join_rows
from quire.pdf.layout.blocks import box_of
from quire.pdf.layout.rows import Row
from quire.pdf.line_classifier.model import Labelled
from quire.pdf.vocabulary import begins_apart, numbering
from quire.types import Reference

_MOSTLY = 0.8  # of the entries that are numbered in a numbered list
_FEWEST = 4  # entries that show how a list is numbered
_MOST = 500  # entries that may stand behind the last one that was found
_LONGEST = 12  # rows of an entry that was missed
_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)")


def read_references(labelled: Sequence[Labelled]) -> list[Reference]:
    """The references in printed order."""
    entries = _entries(labelled)
    texts = [join_rows([row.line for row in rows]) for rows in entries]
    kept = [(rows, text) for rows, text in zip(entries, texts, strict=True) if not begins_apart(text)]
    numbers = [numbering(text) for _, text in kept]
    kept = [own for own, inside in zip(kept, _in_list(numbers), strict=True) if inside]
    said = fields_of([text for _, text in kept])
    return [
        Reference(
            rows[0].page, box_of(rows), text, label_of(text), own.title, own.year, own.authors,
            own.venue, own.volume, own.first_page, own.last_page, own.doi,
        )
        for (rows, text), own in zip(kept, said, strict=True)
    ]  # fmt: skip


def _entries(labelled: Sequence[Labelled]) -> list[list[Row]]:
    """The rows of each entry, those that were missed between two numbers among them."""
    own = [at for at, item in enumerate(labelled) if item.label in ("ref", "ref2")]
    parts = runs(own, lambda part, at: labelled[at].label == "ref2")
    starts = [part[0] for part in parts]
    entries = [[labelled[at].row for at in part] for part in parts]
    forms = [numbering(rows[0].text) for rows in entries]
    usual, count = Counter(form for form, _ in forms).most_common(1)[0] if forms else (0, 0)
    if not usual or count < max(_FEWEST, _MOSTLY * len(entries)):
        return entries
    for number in range(len(entries), 0, -1):
        form, before = forms[number - 1]
        ends = number == len(entries)
        other, after = (usual, before + _MOST) if ends else forms[number]
        if form == other == usual and before + 1 < after:
            between = labelled[starts[number - 1] + 1 : len(labelled) if ends else starts[number]]
            missed = _missed(between, usual, before + 1, after)
            gone = {id(row) for rows in missed for row in rows}
            entries[number - 1] = [row for row in entries[number - 1] if id(row) not in gone]
            entries[number:number] = missed
    return entries


def _missed(own: Sequence[Labelled], usual: int, first: int, end: int) -> list[list[Row]]:
    """Entries from one number to another among rows that were taken for something else."""
    found: list[list[Row]] = []
    for item in own:
        if item.label == "ref":
            continue
        if numbering(item.row.text) == (usual, first + len(found)) and first + len(found) < end:
            found.append([item.row])
        elif found and len(found[-1]) < _LONGEST and item.row.is_under(found[-1][-1]):
            found[-1].append(item.row)
    cited = [bool(_YEAR.search(join_rows([row.line for row in rows]))) for rows in found]
    return found[: cited.index(False)] if False in cited else found


def _in_list(numbers: Sequence[tuple[int, int]]) -> list[bool]:
    """Which entries are of the list: all, unless most are numbered alike; then those so numbered, or next."""
    counts = Counter(form for form, number in numbers if number)
    usual, most = counts.most_common(1)[0] if counts else (0, 0)
    if len(numbers) < _FEWEST or sum(counts.values()) < _MOSTLY * len(numbers):
        return [True] * len(numbers)
    before = [0, *(number for _, number in numbers)]
    alike = most >= _MOSTLY * len(numbers)
    return [
        bool(number) and (form == usual or not alike or number == last + 1)
        for (form, number), last in zip(numbers, before, strict=False)
    ]
