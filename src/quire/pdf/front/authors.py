"""Names of authors from the rows so labelled, in any script: marks, degrees and numbers off.

A name is what stands between separators, wide gaps or marks of affiliations. Nothing is looked up: what is
no name (an address, a word of three letters alone) is left out, and never empties the list.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from statistics import median_low

from quire.pdf.joining import tidy
from quire.pdf.layout.rows import Row
from quire.pdf.raw import Word
from quire.pdf.vocabulary import any_of, lists

_DEGREE = re.compile(
    r"(?:,?(?:(?<!\s)\s++)?\b(?:M\.?\s?D|Ph\.?\s?D|Pharm\.?\s?D|M\.?\s?Sc|B\.?\s?Sc|M\.?\s?S|B\.?\s?S|M\.?P\.?H|D\.?Sc|"
    r"M\.?B\.?A|M\.?A|B\.?A|B\.?M|D\.?D\.?S|M\.?D\.?S|MBBS|FRCP|Dr\.? ?rer\.? ?nat|DVM|RN|DO)\b\.?){1,9}"
    r"(?=\s*(?:,|;|$|\band\b|&))"
)
_MEMBER = re.compile(
    r",?(?:(?<!\s)\s++)?(?:(?:Senior|Student|Graduate|Life|Associate)\s){0,3}(?:Member|Fellow),?\s*"
    rf"(?:{any_of('society').upper()})\b"
)
_TITLE = re.compile(r"^(?:Prof(?:essor)?|Dr|Mr|Mrs|Ms)\.?\s+", re.IGNORECASE)
_ROLE = r"authors?|by|von|par|por|[^\W\d_]{3,20}(?:\s[^\W\d_]{3,20})?(?=\s?:)"  # "by", "Maintainer:"
_BY = re.compile(rf"^(?i:{_ROLE})\s?:?\s++(?=[^\W\d_a-z]\S*\s\S)")
_MARKS = "*†‡§¶#∗⋆⁎,;:·•|^✉~◦♠♣♥♦⇤☆★∥‖¹²³⁴⁵⁶⁷⁸⁹⁰"
_SEPARATOR = re.compile(
    r"(?:(?<!\s)\s++)?(?:[,;，、；،·•|]|\band\b|\bAND\b|\bund\b|\bet\b|\by\b(?=\s[^\W\d_a-z])|&|\bи\b|και)\s*+"
)
_MARK_BEHIND = re.compile(r"(?<=[^\W\d_])\s?[\d*†‡§¶#∗⋆]+(?:\s?,\s?[\d*†‡§¶#∗⋆]+)*")
_LAST = re.compile(r"\band\b|\bAND\b|\bund\b|\bet\b|&|\bи\b|και")
_ROOM = 0.3  # of a row's width that may be free at its end where a name is broken
_LETTERS = re.compile(r"^[A-Z][A-Za-z]{0,2}[A-Z]{1,3}$")  # "MB", "MRCP", "MBBS": a degree
_GAP = 1.2  # em between two names of a grid
_GAP_LEAST, _GAP_SHARE = 0.7, 2.0  # the same where other gaps of the row are smaller, and how many times
_MOST_WORDS = 7
_LIKELY = 0.5  # times as probable as an address that a row of names must be
_FRONT = 40  # rows under the title in which authors stand
_BODY = ("abstract", "heading", "runin", "para", "text", "ref", "ref2")
_NO_NAME = re.compile(r"[\d@:]")
_HAN = re.compile(r"[\u4e00-\u9fff々\s]+")
_LONGEST_HAN = 6  # signs of a name: two each for a double surname and a given name, and two to spare
_CASELESS = re.compile(r"[\u0590-\u08ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


def find_authors(labelled: Sequence[Row], title: Sequence[Row]) -> list[Row]:
    """The rows of authors: those so labelled under the title, and names there that are set alike.

    Where none is labelled, the first rows under the title that are nothing but names.
    """
    order = {id(item): i for i, item in enumerate(labelled)}
    end = start = order.get(id(title[-1]), -1) + 1 if title else 0
    while end < min(len(labelled), start + _FRONT) and (
        labelled[end].label not in _BODY or _signed(labelled[end])
    ):
        end += 1
    own = {id(row) for row in title}
    front = [i for i in labelled[start:end] if not title or i.page == title[0].page]
    chosen = _set_alike([item for item in front if item.label == "author"])
    if not chosen:
        chosen = [item for item in labelled if item.label == "author" and id(item) not in own]
    if not names_of(chosen):
        chosen = [item for item in front if _reads(item)][:1]
    if not chosen:
        return []
    kinds = {_kind(row) for row in chosen}
    likely = [i for i in front if i.score("author") >= _LIKELY * i.score("affiliation")]
    also = [item for item in likely if _kind(item) in kinds and _reads(item)]
    rows = {id(row): row for row in [*chosen, *also]}.values()
    return _by_height(sorted(rows, key=lambda row: order[id(row)]))


def _set_alike(named: Sequence[Row]) -> list[Row]:
    """Without rows in lighter or smaller type than the first name has: where its bearer works."""
    size, bold = _kind(named[0]) if named else (0.0, False)
    out: list[Row] = []
    for item in named:
        own_size, own_bold = _kind(item)
        lesser = own_size <= size and own_bold <= bold and (own_size, own_bold) != (size, bold)
        if not (lesser and out):
            out.append(item)
    return out


def _signed(row: Row) -> bool:
    """Names behind the word "by", whatever the row was taken for."""
    return bool(_BY.match(row.text.strip())) and _reads(row)


def _reads(row: Row) -> bool:
    """Whether a row consists of names alone, without a word of an address or of prose."""
    pieces = [piece for part in _parts(row.line.words) for piece in _split(part)]
    pieces = [piece for piece in pieces if not _LETTERS.match(piece)]
    known = lists()
    told = {t.lower().strip(".,") for p in pieces for t in p.split()}
    foreign = told & (known["affiliation"] | known["imprint"] | (known["stop"] - known["particle"]))
    return bool(pieces) and not foreign and all(is_name(piece) for piece in pieces)


def _kind(row: Row) -> tuple[float, bool]:
    words = [w for w in row.line.words if w.script == 0 and any(c.isalpha() for c in w.text)]
    words = words or list(row.line.words)
    return round(max(w.size for w in words)), sum(w.bold for w in words) > 0.5 * len(words)


def _by_height(rows: Sequence[Row]) -> list[Row]:
    """Grids of authors are read row by row, though they may look like columns of text."""
    levels: list[list[Row]] = []
    for row in rows:
        near = 0.4 * row.line.size
        same = (
            o for o in levels if o[0].page == row.page and abs(o[0].line.baseline - row.line.baseline) < near
        )
        if (level := next(same, None)) is None:
            levels.append(level := [])
        level.append(row)
    return [row for level in levels for row in sorted(level, key=lambda r: r.line.x0)]


def names_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """The names in rows of authors, in printed order."""
    pieces: list[str] = []
    broken = False  # a name may go on in the next row
    listed = False  # ... and does, for its row is a list that ends within a name
    for row in rows:
        before = len(pieces)
        for number, part in enumerate(_parts(row.line.words)):
            split = _split(part)
            if split and broken and number == 0 and _goes_on(pieces[-1], split[0], listed):
                pieces[-1] += " " + split.pop(0)
            pieces += split
            broken = bool(split) and not re.search(r"[,;]\s*$", part)
        listed = broken and len(pieces) - before > 1 and _open(row)
    return tuple(dict.fromkeys(piece for piece in pieces if is_name(piece)))


def _goes_on(before: str, after: str, listed: bool) -> bool:
    """A name at a row's end that has its surname on the next: of one word, or in a list parted by commas."""
    known = lists()
    place = before.lower().strip(".") in (known["affiliation"] | known["month"]) - known["surname"]
    whole = (listed or " " not in before) and not _CASELESS.search(before) and not place
    return whole and is_name(f"{before} {after}")


def _open(row: Row) -> bool:
    """Whether a row of names parted by commas is full and ends without a comma, a mark or an "and"."""
    words = row.line.words
    tail = row.text.rstrip().rpartition(",")[2]
    full = row.right - row.line.x1 < _ROOM * max(1.0, row.right - row.left)
    return full and words[-1].script != 1 and tail != row.text.rstrip() and not _LAST.search(tail)


def _parts(words: Sequence[Word]) -> list[str]:
    """Texts of a row without superscripts, parted at wide gaps and where a mark stood."""
    out: list[list[str]] = [[]]
    last: Word | None = None
    marked = False
    gaps = [b.x0 - a.x1 for a, b in itertools.pairwise(words) if not b.glued and 0 < b.x0 - a.x1]
    usual = median_low(gaps) if gaps else 0.0
    for word in words:
        if word.script == 1:
            marked, last = True, word
            continue
        least = min(_GAP * word.size, max(_GAP_LEAST * word.size, _GAP_SHARE * usual))
        wide = last is not None and max(word.x0 - last.x1, last.x0 - word.x1) > least
        if wide or (marked and word.text[:1].isupper()):
            out.append([])
        if out[-1] and word.glued and not marked:
            out[-1][-1] += word.text
        else:
            out[-1].append(word.text)
        marked, last = False, word
    return [" ".join(part) for part in out if part]


def _split(text: str) -> list[str]:
    text = _BY.sub("", _MEMBER.sub(" ", _DEGREE.sub(" ", tidy(text))))
    text = re.sub(r"\([^)]{0,300}\)|\S{1,100}@\S+", " ", text)
    pieces = _SEPARATOR.split(_MARK_BEHIND.sub(",", text))
    return [p for p in (_TITLE.sub("", p.strip(" " + _MARKS + "0123456789")) for p in pieces) if len(p) > 1]


def is_name(text: str) -> bool:
    """Whether a text may be a person's name: some words, no digits, no sentence, no address."""
    tokens = text.split()
    if not text[:1].isalpha() or _NO_NAME.search(text) or len(tokens) > _MOST_WORDS:
        return False
    known = lists()
    if _CASELESS.search(text):
        letters = sum(c.isalpha() for c in text)
        longest = _LONGEST_HAN if _HAN.fullmatch(text) else 40
        return 2 <= letters <= longest and not text.endswith(tuple(known["place"]))
    lower = [t for t in tokens if t[0].islower() and t.lower() not in known["particle"]]
    foreign = known["affiliation"] - known["surname"]
    addresses = sum(t.lower().strip(".") in foreign for t in tokens)
    seated = any(part in known["seat"] for t in tokens for part in t.lower().split("-"))
    full = any(len(t.strip(".")) > 1 and t[0].isupper() for t in tokens)
    return len(tokens) > 1 and full and not (lower or seated) and addresses * 2 < len(tokens)
