"""Which hyphens at line ends belong to their words, by the document's own vocabulary.

"near-" + "est" is "nearest" where the document writes that word elsewhere within a line; "publicly-" +
"available" keeps its hyphen where the compound stands within a line, or where both halves are words of
the document and the whole is not. Where the vocabulary is silent, `joining.py` decides by form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from quire.documents.joining import DROPPED, KEPT
from quire.documents.layout.rows import Row
from quire.documents.raw import RawPage, make_line

_EDGE = re.compile(r"^[^\w]+|[^\w]+$")
_TAIL = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,})[-‐]$")
_HEAD = re.compile(r"^([^\W\d_]{2,})")


def settled(rows: Sequence[Row], known: Counter[str]) -> list[Row]:
    """The rows, with hyphens at their ends marked as kept or dropped where the vocabulary `known` tells."""
    out = list(rows)
    for i in range(len(out) - 1):
        word = out[i].line.words[-1]
        if word.text[-1] not in "-‐" or word.script:
            continue
        tail, head = _TAIL.search(word.text), _HEAD.match(out[i + 1].line.words[0].text)
        if tail and head and head.group(1)[0].islower():
            mark = _mark(tail.group(1).lower(), head.group(1).lower(), known)
            out[i] = _ending(out[i], mark) if mark else out[i]
    return out


def vocabulary(pages: Iterable[RawPage]) -> Counter[str]:
    """Words and compounds that stand within lines."""
    known: Counter[str] = Counter()
    for page in pages:
        for line in page.lines:
            known.update([_EDGE.sub("", w.text) for w in line.words if len(w.text) > 2 and w.text[-1] != "-"])
    lower: Counter[str] = Counter()
    for word, count in known.items():
        lower[word.lower()] += count
    return lower


def _mark(tail: str, head: str, known: Counter[str]) -> str:
    """How to mark the hyphen between two halves; "" where nothing is known."""
    whole, compound = known[tail + head], known[f"{tail}-{head}"]
    if whole or compound:
        return KEPT if compound > whole else DROPPED
    long = len(tail) >= 4 and len(head) >= 4
    return KEPT if long and known[tail] > 1 and known[head] > 1 else ""


def _ending(row: Row, mark: str) -> Row:
    *others, last = row.line.words
    words = [*others, last._replace(text=last.text[:-1] + mark)]
    return replace(row, line=make_line(words, row.line.size, row.line.baseline))
