"""Lines joined to running text: hyphens of line ends resolved, spaces mended.

A hyphen at the end of a line is dropped, unless it stands behind a part that is usual in compounds. The
vocabulary of the document has a say before that: `layout/blocks.py` marks the hyphens that it decides on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from quire.pdf.raw import Line
from quire.pdf.vocabulary import lists

KEPT, DROPPED = "\u2011", "\u00ad"  # marks of hyphens at line ends that are settled
HYPHENS = f"-‐{KEPT}{DROPPED}"
_SPACE = r"[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]"
_SPACES = re.compile(rf"(?! ){_SPACE}+| {_SPACE}+")  # but single plain ones
_BEFORE_SIGN = re.compile(r" (?<=[\w)\]] )([,.;:)\]])(?=\s|$)")
_UNSPACED = re.compile(r"[\u3001-\u30ff\u3400-\u9fff\uff00-\uff60]{2}")  # not Korean, which has spaces
_TAIL = re.compile(r"(?<![^\W\d_])([^\W\d_]+)[-‐]$")
_HEAD = re.compile(r"^([^\W\d_]+)")


def tidy(text: str) -> str:
    """NFC, plain spaces, no space before a comma or within brackets."""
    if "  " in text or not text.isascii() or "\t" in text:
        text = unicodedata.normalize("NFC", _SPACES.sub(" ", text))
    return _BEFORE_SIGN.sub(r"\1", text.strip())


def join_rows(lines: Sequence[Line]) -> str:
    """Lines as one paragraph."""
    return join_texts([line.text for line in lines])


def join_texts(texts: Sequence[str]) -> str:
    """Texts of lines as one, with the hyphens of line ends resolved."""
    return join_marked(texts)[0]


def word_end(text: str, start: int) -> int:
    """Where the word ends in which a place is; the place itself if it is between words."""
    inside = 0 < start < len(text) and (text[start - 1].isalnum() or text[start - 1] in (KEPT, DROPPED))
    if not inside or not text[start].isalnum() or _UNSPACED.match(text[start - 1 : start + 1]):
        return start
    end = text.find(" ", start)
    return len(text) if end < 0 else end


def join_marked(texts: Sequence[str]) -> tuple[str, list[int]]:
    """Texts of lines as one, and the offset at which each of them begins."""
    out = ""
    starts: list[int] = []
    for text in texts:
        text = tidy(text)
        if not text:
            pass
        elif not out:
            out, text = text, ""
        elif out[-1] in HYPHENS and len(out) > 1 and out[-2].isalnum():
            out = _before_break(out, text)
        elif (out[-1] not in "/–—" or out[-2:-1].isspace()) and not _UNSPACED.match(out[-1] + text[0]):
            out += " "
        starts.append(len(out) if text else 0 if not starts else len(out))
        out += text
    if out[-1:] in (KEPT, DROPPED):
        out = out[:-1] + "-"
    return out, starts


def _before_break(before: str, after: str) -> str:
    """What stands before a line break behind a hyphen: with the hyphen or without it."""
    if before[-1] in (KEPT, DROPPED):
        return before[:-1] + "-" * (before[-1] == KEPT)
    tail, head = _TAIL.search(before), _HEAD.match(after)
    if tail is None or head is None or not head.group(1)[0].islower():
        return before  # "IL-" + "2", "Baird-" + "Pattinson"
    compound = before[:-1].rsplit(" ", 1)[-1]
    if "-" in compound or tail.group(1).lower() in lists()["prefix"] or tail.group(1).isupper():
        return before
    return before[:-1]
