"""The entries of the bibliography, and the fields of each.

    read_references(labelled)[0].text, .bbox, .year      # from labelled rows, in printed order
    fields_of(["Quill A, Reed B. On boats. J Sail. 2001;12(3):145-61."])[0]
    # Fields(title="On boats", year=2001, authors=("Quill A", "Reed B"), venue="J Sail", volume="12", ...)

A list in which most entries are numbered has no others: a line of a licence, of funding or of a citation of
the paper itself between them is none of it. A number that is missing is looked for where it must stand.

Fields are told by a linear chain over the tokens of an entry, with weights learned from many styles. The
entries of a list are read together: they are of one style, which their features tell. DOI and web
addresses are found by their form; which number is a year, a volume or a page, the chain tells.
`training.citations` makes the weights.
"""

from __future__ import annotations

import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import groupby, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.pdf.geometry import runs
from quire.pdf.joining import join_rows
from quire.pdf.layout.blocks import box_of, sure_of_own
from quire.pdf.layout.rows import Row
from quire.pdf.vocabulary import begins_apart, numbering
from quire.types import Reference

LABELS = ("O", "A1", "A", "T", "V", "Y", "N", "I", "P", "L")
"""Nothing; first and later tokens of an author; title, venue, year, volume, issue, first page, last page."""
_LONGEST = 400  # tokens of an entry that are read
_AT_ONCE = 64  # entries
_TOKEN = re.compile(r"https?://\S+|(?:doi:\s?)?10\.\d{4,9}/\S+|[^\W\d_]+|\d+|[^\w\s]|_", re.IGNORECASE)
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}|\\^`]+", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")
_LABEL = re.compile(r"^(?:\[[^\]]{1,40}\]|\(\d{1,4}\)|\d{1,4}\s?[.)](?!\d)|\d{1,4}(?=\s+[^\W\d_]))\s*")
_QUOTES = {"“": 1, "”": -1, "«": 1, "»": -1}
_EDGES = " .,;:–—-“”\"'‘’„«»"
_INITIAL_LAST = re.compile(r"(?:^|[\s.,-])[^\W\d_]{1,2}$")
_SIGNS = 3  # of the first tokens of a list's entries that tell its style


class CitationToken(NamedTuple):
    """A word, number, sign, address or DOI, and where it begins and ends in the entry."""

    text: str
    start: int
    end: int


class Fields(NamedTuple):
    """What an entry says, as printed, in the order of `Reference`; empty where it does not."""

    title: str = ""
    year: int | None = None
    authors: tuple[str, ...] = ()
    venue: str = ""
    volume: str = ""
    first_page: str = ""
    last_page: str = ""  # in full
    doi: str = ""


def label_of(text: str) -> str:
    """The label with which a printed entry begins: "[12]", "12."; "" if it has none."""
    match = _LABEL.match(text)
    return match.group(0).strip() if match else ""


def tokens_of(text: str) -> list[CitationToken]:
    """The tokens of an entry; numbers and letters are parted, addresses and DOIs whole."""
    return [CitationToken(m.group(0), m.start(), m.end()) for m in _TOKEN.finditer(text)][:_LONGEST]


def _kind(text: str) -> str:
    """What a token looks like: a sign itself, a year Y, other numbers by length, words by their capitals."""
    if not text[0].isalnum():
        return text[0]
    if text[0].isdigit() and "/" not in text:
        return "Y" if _YEAR.fullmatch(text) else f"d{min(len(text), 6)}"
    if "/" in text:
        return "@"
    if len(text) == 1:
        return "I" if text.isupper() else "i"
    if text.isupper():
        return "U" if len(text) > 3 else "UU"
    return ("C" if text[0].isupper() else "l") + ("s" if len(text) < 5 else "")


def style_of(entries: Sequence[Sequence[CitationToken]]) -> str:
    """How most of a list is printed: where the year stands, how names begin, whether titles are quoted."""
    seen: list[Counter[str]] = [Counter(), Counter(), Counter()]
    for tokens in entries:
        kinds = [_kind(token.text) for token in tokens]
        at = next((i for i, kind in enumerate(kinds) if kind == "Y"), -1)
        around = "" if at < 0 else kinds[at - 1] if at and kinds[at - 1] in "(;,." else "w"
        third = "" if at < 0 else str(3 * at // len(kinds))
        seen[0][around + third] += 1
        seen[1]["".join(kind[0] for kind in kinds[:_SIGNS])] += 1
        seen[2]["q" if {"“", '"', "‘"} & set(kinds) else ""] += 1
    usual = (min(one.items(), key=lambda told: (-told[1], told[0]), default=("", 0)) for one in seen)
    return "|".join(kind for kind, _ in usual)


def features(tokens: Sequence[CitationToken], style: str) -> Iterator[list[str]]:
    """What each token of an entry looks like, where it stands, and what stands around it."""
    count = len(tokens)
    kinds = ["^", "^", "^", *(_kind(token.text) for token in tokens), "$", "$", "$"]
    words = ["^", *(_word(token.text) for token in tokens), "$"]
    numbers = [kind[0] in "dY" for kind in kinds[3:-3]]
    left = sum(numbers)
    stops = years = commas = quoted = inside = 0
    for i, token in enumerate(tokens):
        k = i + 3
        here = kinds[k]
        left -= numbers[i]
        glued = "g" if i and tokens[i - 1].end == token.start else ""
        place = str(8 * i // count)
        state = f"{min(years, 1)}{min(stops, 4)}{'q' if quoted > 0 else ''}{'p' if inside else ''}"
        found = [
            "w" + words[i + 1], "w-" + words[i], "w+" + words[i + 2],
            "e" + words[i + 1][-3:], "k" + here + glued,
            "k-" + kinds[k - 1], "k+" + kinds[k + 1],
            "a" + kinds[k - 1] + here, "b" + here + kinds[k + 1],
            "c" + kinds[k - 1] + here + kinds[k + 1], "d" + here + kinds[k + 1] + kinds[k + 2],
            "f" + "".join(kinds[k - 2 : k + 1]), "h" + "".join(kinds[k - 2 : k + 3]),
            "m" + "".join(kinds[k - 3 : k + 1]), "n" + "".join(kinds[k : k + 4]),
            "p" + place + here[0], "s" + state + here[0], "t" + state + kinds[k - 1][0],
            "l" + str(min(left, 6)) + here[0], "x" + str(min(commas, 5)) + str(min(stops, 4)) + here[0],
            "S" + style + state, "R" + style + kinds[k - 1][0] + here[0],
            "W" + words[i] + here, "V" + here + words[i + 2],
        ]  # fmt: skip
        yield found
        stops += here in (".", "?", "!") and not (kinds[k - 1][0] == "I" or len(words[i]) < 3)
        commas += here == ","
        years += here == "Y"
        inside = inside + (here in "([") - (here in ")]") if here else inside
        quoted += _QUOTES.get(here, 0) if here != '"' else (1 if quoted == 0 else -1)


def _word(text: str) -> str:
    """A word in lower case; numbers by their length."""
    return f"#{min(len(text), 6)}" if text[0].isdigit() else text.lower()[:12]


class Chain:
    """A linear chain: weights of features for each label, and of each label behind another."""

    def __init__(
        self, names: Sequence[str], weights: NDArray[np.float32], steps: NDArray[np.float32]
    ) -> None:
        self._at = {name: number for number, name in enumerate(names)}
        self._weights = np.vstack([weights, np.zeros((1, len(LABELS)), dtype=np.float32)])
        self._steps = steps

    def label(self, entries: Sequence[Sequence[Sequence[str]]]) -> list[list[str]]:
        """The likeliest labels of the tokens of each entry, from their features: as many for every token."""
        lengths = [len(entry) for entry in entries]
        names = [name for entry in entries for token in entry for name in token]
        found = map(self._at.get, names, repeat(len(self._at)))
        at = np.fromiter(found, np.intp, len(names)).reshape(sum(lengths), -1 if names else 1)
        scores = np.split(self._weights[at].sum(axis=1), np.cumsum(lengths))
        padded = np.zeros((max([1, *lengths]), len(entries), len(LABELS)), np.float32)
        for number, length in enumerate(lengths):
            padded[:length, number] = scores[number]
        paths = self._paths(padded, np.array(lengths, np.intp)).tolist()
        return [[LABELS[k] for k in path[:length]] for path, length in zip(paths, lengths, strict=True)]

    def _paths(self, scores: NDArray[np.float32], lengths: NDArray[np.intp]) -> NDArray[np.intp]:
        """The best paths through all entries, a step at a time; one that has ended stays where it is."""
        best = scores[0]
        back = []
        for at, score in enumerate(scores[1:], 1):
            through = best[:, :, None] + self._steps
            going = (at < lengths)[:, None]
            back.append(np.where(going, through.argmax(axis=1), np.arange(len(LABELS))))
            best = np.where(going, through.max(axis=1) + score, best)
        paths = [best.argmax(axis=1)]
        for step in reversed(back):
            paths.append(np.take_along_axis(step, paths[-1][:, None], axis=1)[:, 0])
        return np.array(paths[::-1]).T


def load(content: bytes) -> Chain:
    """The chain of an `.npz` made by training."""
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        names = bytes(found["names"]).decode("utf-8").split("\n")
        weights = found["weights"].astype(np.float32) * found["scale"]
        return Chain(names, weights, found["steps"].astype(np.float32))


@cache
def _shipped() -> Chain:
    return load(resources.files("quire.pdf").joinpath("data/citations.npz").read_bytes())


def fields_of(entries: Sequence[str], chain: Chain | None = None) -> list[Fields]:
    """The fields of the entries of one list, labels ("[12]") left out."""
    chain = chain or _shipped()
    bodies = [_LABEL.sub("", entry.strip()) for entry in entries]
    read = [tokens_of(body) for body in bodies]
    style = style_of(read)
    labels = [
        label
        for first in range(0, len(read), _AT_ONCE)
        for label in chain.label([list(features(t, style)) for t in read[first : first + _AT_ONCE]])
    ]
    return [_fields(*entry) for entry in zip(bodies, read, labels, strict=True)]


def _fields(body: str, tokens: Sequence[CitationToken], labels: Sequence[str]) -> Fields:
    spans = defaultdict[str, list[tuple[int, int]]](list)  # from the first letter of each stretch to its end
    for label, run in groupby(zip(labels, tokens, strict=True), key=lambda pair: pair[0]):
        own = [token for _, token in run]
        spans[label].append((own[0].start, own[-1].end))
    title, venue = (_longest(body, spans[label]) for label in "TV")
    year, volume, first, last = (
        body[slice(*spans[label][0])].strip(_EDGES) if spans[label] else "" for label in "YNPL"
    )
    match = _DOI.search(re.sub(r"(10\.\d{4,9}/)\s", r"\1", body))
    return Fields(
        title,
        int(year) if _YEAR.fullmatch(year) else None,
        tuple(_authors(body, tokens, labels)),
        venue,
        volume,
        first,
        in_full(first, last),
        match.group(0).rstrip(".,;)]}").lower() if match else "",
    )


def in_full(first: str, last: str) -> str:
    """The last page of a range with what a short form leaves out: 161 of 145-61."""
    if first.isdigit() and last.isdigit() and len(last) < len(first):
        return first[: len(first) - len(last)] + last
    return last


def _longest(body: str, spans: Sequence[tuple[int, int]]) -> str:
    start, end = max(spans, key=lambda span: span[1] - span[0], default=(0, 0))
    text = body[start:end].strip(_EDGES)
    if body[end : end + 1] in "?!" and text:
        text += body[end : end + 1]
    return text + ")" if text.count("(") == text.count(")") + 1 and body[end : end + 1] == ")" else text


def _authors(body: str, tokens: Sequence[CitationToken], labels: Sequence[str]) -> Iterator[str]:
    spans: list[tuple[int, int]] = []
    for token, label in zip(tokens, labels, strict=True):
        if label == "A1" or (label == "A" and not spans):
            spans.append((token.start, token.end))
        elif label == "A":
            spans[-1] = (spans[-1][0], token.end)
    names = [" ".join(body[start:end].split()).strip(" ,;:") for start, end in spans]
    stopped = any("." in name for name in names)  # else the stop behind the last one ends the list of them
    for (_, end), name in zip(spans, names, strict=True):
        if any(map(str.isalpha, name)):
            yield name + "." * (stopped and body[end : end + 1] == "." and bool(_INITIAL_LAST.search(name)))


_ENTRY = ("ref", "ref2")
_MOSTLY = 0.8  # of the entries that are numbered in a numbered list
_FEWEST = 4  # entries that show how a list is numbered
_MOST = 500  # entries that may stand behind the last one that was found
_MOST_ROWS = 12  # of an entry that was missed
_SAID_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)")


def read_references(labelled: Sequence[Row]) -> list[Reference]:
    """The references in printed order."""
    entries = _entries(labelled)
    texts = [join_rows([row.line for row in rows]) for rows in entries]
    kept = [(rows, text) for rows, text in zip(entries, texts, strict=True) if not begins_apart(text)]
    numbers = [numbering(text) for _, text in kept]
    kept = [own for own, inside in zip(kept, _in_list(numbers), strict=True) if inside]
    said = fields_of([text for _, text in kept])
    return [
        Reference(
            rows[0].page, box_of(rows), text, label_of(text), *own, confidence=sure_of_own(rows, _ENTRY)
        )
        for (rows, text), own in zip(kept, said, strict=True)
    ]


def _entries(labelled: Sequence[Row]) -> list[list[Row]]:
    """The rows of each entry, those that were missed between two numbers among them."""
    own = [at for at, item in enumerate(labelled) if item.label in _ENTRY]
    parts = runs(own, lambda part, at: labelled[at].label == "ref2")
    starts = [part[0] for part in parts]
    entries = [[labelled[at] for at in part] for part in parts]
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


def _missed(own: Sequence[Row], usual: int, first: int, end: int) -> list[list[Row]]:
    """Entries from one number to another among rows that were taken for something else."""
    found: list[list[Row]] = []
    for item in own:
        if item.label == "ref":
            continue
        if numbering(item.text) == (usual, first + len(found)) and first + len(found) < end:
            found.append([item])
        elif found and len(found[-1]) < _MOST_ROWS and item.is_under(found[-1][-1]):
            found[-1].append(item)
    cited = [bool(_SAID_YEAR.search(join_rows([row.line for row in rows]))) for rows in found]
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
