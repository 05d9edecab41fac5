"""Lines joined to running text: hyphens of line ends resolved, spaces mended.

A hyphen at the end of a line is dropped when the whole word without it is a word of the same document
or looks like one, and kept when the document writes the compound with its hyphen elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from quire.documents.raw import Line

_HYPHENS = "-‐\u00ad"
_SPACES = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_TAIL = re.compile(r"([^\W\d_]+)[-‐]$")
_HEAD = re.compile(r"^([^\W\d_]+)")
_PREFIXES = frozenset(
    "all anti cross ever full half high low multi non one post pre real self semi single state sub three two "
    "well wide zero long short near open end first second third left right large small fine co".split()
)


def tidy(text: str) -> str:
    """NFC, plain spaces, no space before a comma or within brackets."""
    text = unicodedata.normalize("NFC", _SPACES.sub(" ", text)).strip()
    return re.sub(r"(?<=[\w)\]]) ([,.;:)\]])(?=\s|$)", r"\1", text)


def join_rows(lines: Sequence[Line]) -> str:
    """Lines as one paragraph."""
    return tidy(join_texts([line.text for line in lines]))


def join_texts(texts: Sequence[str]) -> str:
    """Texts of lines as one, with the hyphens of line ends resolved."""
    out = ""
    for text in texts:
        text = text.strip()
        if not text:
            continue
        if not out:
            out = text
        elif out[-1] in _HYPHENS and len(out) > 1 and out[-2].isalnum():
            out = _over_hyphen(out, text)
        elif out[-1] in "/–—" and not out[-2:-1].isspace():
            out += text
        else:
            out += " " + text
    return out


def _over_hyphen(before: str, after: str) -> str:
    tail, head = _TAIL.search(before), _HEAD.match(after)
    if tail is None or head is None or not head.group(1)[0].islower():
        return before + after  # "IL-" + "2", "Baird-" + "Pattinson"
    compound = before[:-1].rsplit(" ", 1)[-1]
    if "-" in compound or tail.group(1).lower() in _PREFIXES or tail.group(1).isupper():
        return before + after
    return before[:-1] + after
