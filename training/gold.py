"""What every line of a paper is, by the publisher's JATS XML: rows aligned with the XML's texts.

    spans = read_spans(Path("paper.xml"))
    labels = align(rows, spans)     # one of quire.pdf.layout.rows.LABELS for each row

A row belongs to the text with which it shares most of its runs of ten letters. Short rows (headings) must
stand where the XML has them: right before the text that follows there.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from quire.pdf.layout.rows import Row
from quire.pdf.vocabulary import lists, named

UNKNOWN = "?"
RUN = 10  # letters that a row and a text share by more than chance
MANY = 8  # texts that hold a run before it tells nothing
_FRONT = 80  # rows that an abstract may spread over, half of them
COVERED = 0.5  # share of a row's runs that its text must hold
_FLOATS = {"fig", "table-wrap", "disp-formula"}


@dataclass(frozen=True)
class Span:
    """A text of the XML and its label."""

    label: str
    text: str
    bare: str
    lead: str = ""  # of a reference: how it begins, the first author's name


def bare(text: str) -> str:
    """Letters and digits in lower case."""
    text = text.replace("ﬁ", "fi").replace("ﬂ", "fl").replace("ﬀ", "ff")
    return re.sub(r"[\W_]+", "", text.lower())


def text_of(node: ET.Element | None, skip: frozenset[str] = frozenset()) -> str:
    """All text of a node."""
    if node is None:
        return ""
    parts: list[str] = []

    def walk(n: ET.Element) -> None:
        if n.tag in skip:
            return
        parts.append(n.text or "")
        for child in n:
            walk(child)
            parts.append(child.tail or "")

    walk(node)
    return re.sub(r"\s+", " ", "".join(parts)).strip()


def read_spans(path: Path) -> list[Span]:
    """The texts of an article in the order of its XML."""
    root = ET.parse(path).getroot()
    leads = iter([_lead(ref) for ref in root.iter("ref")])
    return [
        Span(label, text, b, next(leads, "") if label == "ref" else "")
        for label, text in _walk(root)
        if (b := bare(text))
    ]


def _lead(ref: ET.Element) -> str:
    """The first author's name, or the first words of an entry without one."""
    for tag in ("surname", "string-name", "collab", "article-title", "source"):
        found = next(ref.iter(tag), None)
        if found is not None and bare(text_of(found)):
            return bare(text_of(found))[:20]
    return bare(text_of(ref))[:20]


def facts_spans(facts: dict[str, Any]) -> list[Span]:
    """The texts of a typeset paper from its facts, in printed order."""
    found: list[tuple[str, str]] = [("title", facts["title"]), ("abstract", facts["abstract"])]
    found += [("author", name) for name in facts["authors"]]
    by_section: dict[str, list[str]] = defaultdict(list)
    for paragraph in facts["paragraphs"]:
        by_section[paragraph["section"]].append(paragraph["text"])
    for section in facts["sections"]:
        found.append(("heading", section["title"]))
        found += [("para", text) for text in by_section.pop(section["title"], [])]
    found += [("para", text) for texts in by_section.values() for text in texts]
    found += [("para", item) for items in facts["lists"] for item in items]
    found += [("note", text) for text in facts["footnotes"]]
    for item in [*facts["tables"], *facts["figures"]]:
        found.append(("float", f"{item['label']} {item['caption']}"))
        found += [("float", " ".join(row)) for row in item.get("grid", [])]
    spans = [Span(label, text, b) for label, text in found if (b := bare(text))]
    for ref in facts["references"]:
        words = re.findall(r"[^\W\d_]{3,}", ref["text"])
        spans.append(Span("ref", ref["text"], bare(ref["text"]), bare(words[0]) if words else ""))
    return spans


def publisher(path: Path) -> str:
    """The publisher's name in the XML."""
    return text_of(ET.parse(path).getroot().find("./front/journal-meta/publisher/publisher-name"))


def _walk(root: ET.Element) -> Iterator[tuple[str, str]]:
    meta = root.find("./front/article-meta")
    assert meta is not None
    title = text_of(meta.find("./title-group/article-title"), frozenset({"xref", "fn"}))
    subtitle = text_of(meta.find("./title-group/subtitle"))
    yield "title", f"{title} {subtitle}".strip()
    for group in meta.iterfind("./contrib-group"):
        for name in [*group.iter("name"), *group.iter("collab")]:
            yield "author", " ".join(text_of(part) for part in name) or text_of(name)
    for node in [
        *meta.iter("aff"),
        *meta.findall("author-notes"),
        *meta.iter("corresp"),
        *meta.iter("email"),
    ]:
        yield "affiliation", text_of(node)
    abstracts = sorted(meta.findall("abstract"), key=lambda a: bool(a.get("abstract-type")))
    for n, abstract in enumerate(abstracts):
        yield from _abstract(abstract) if n == 0 else _section(abstract)
    for node in [*meta.iter("kwd-group"), *meta.iter("license"), *meta.iter("copyright-statement")]:
        yield "other", text_of(node)
    body = root.find("./body")
    if body is not None:
        yield from _section(body)
    back = root.find("./back")
    if back is not None:
        yield from _section(back)
    yield from _floats(root.find("./floats-group"))


def _abstract(node: ET.Element) -> Iterator[tuple[str, str]]:
    for part in node.iter():
        if part.tag in ("p", "title"):
            yield "abstract", text_of(part)


def _section(node: ET.Element) -> Iterator[tuple[str, str]]:
    for part in node:
        if part.tag == "title":
            yield "heading", text_of(part)
        elif part.tag in ("p", "disp-quote"):
            yield "para", text_of(part, frozenset(_FLOATS))
            yield from _inner(part)
        elif part.tag in ("list", "def-list"):
            yield from _list(part)
        elif part.tag == "ref-list":
            yield from _references(part)
        elif part.tag in ("fig", "table-wrap", "fig-group", "table-wrap-group"):
            yield from _float(part)
        elif part.tag == "fn":
            yield ("para" if node.tag == "fn-group" else "note"), text_of(part)
        elif part.tag not in ("label", "sec-meta"):
            yield from _section(part)


def _inner(node: ET.Element) -> Iterator[tuple[str, str]]:
    for part in node.iter():
        if part.tag in ("fig", "table-wrap"):
            yield from _float(part)


def _list(node: ET.Element) -> Iterator[tuple[str, str]]:
    title = text_of(node.find("title"))
    if title:
        yield "heading", title
    for item in node.findall("list-item"):
        yield "para", text_of(item)
    for item in node.findall("def-item"):
        yield "para", text_of(item)


def _references(node: ET.Element) -> Iterator[tuple[str, str]]:
    title = text_of(node.find("title"))
    if title:
        yield "heading", title
    for ref in node.iter("ref"):
        cited = [text_of(c) for c in ref if c.tag != "label"]
        yield "ref", " ".join(cited)


def _float(node: ET.Element) -> Iterator[tuple[str, str]]:
    label = text_of(node.find("label"))
    yield "float", f"{label} {text_of(node.find('caption'))}"
    for row in node.iter("tr"):
        yield "float", text_of(row)
    for foot in node.iter("table-wrap-foot"):
        yield "float", text_of(foot)


def _floats(node: ET.Element | None) -> Iterator[tuple[str, str]]:
    for part in node if node is not None else ():
        yield from _float(part)


_NUMBER = re.compile(r"^(?:[\dIVX]{1,4}(?:\.\d{1,2})*[.):]?|[A-Z][.)])?\s*[|∣]?\s*")


class _Index:
    """Where runs of letters stand in the spans."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.runs: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for k, span in enumerate(spans):
            if span.label == "author":
                continue
            for at in range(len(span.bare) - RUN + 1):
                self.runs[span.bare[at : at + RUN]].append((k, at))

    def votes(self, text: str, many: int) -> list[tuple[int, int]]:
        """Spans by how many of the text's runs they hold, the most first, at most six."""
        votes: Counter[int] = Counter()
        for at in range(len(text) - RUN + 1):
            found = self.runs.get(text[at : at + RUN], ())
            if len(found) <= many:
                votes.update({k for k, _ in found})
        return votes.most_common(6)


def align(rows: Sequence[Row], spans: Sequence[Span], many: int = MANY) -> tuple[list[str], list[int]]:
    """The label of each row and the index of its span (-1 for none).

    A run of letters that more than `many` spans hold tells nothing.
    """
    texts = [bare(row.text) for row in rows]
    owner = _owners(texts, spans, many)
    _title(rows, texts, spans, owner)
    _fill(rows, texts, spans, owner)
    labels = [spans[k].label if k >= 0 else "other" for k in owner]
    _entries(texts, spans, owner, labels)
    _starts(rows, spans, owner, labels)
    _headings(rows, texts, spans, owner, labels)
    _authors(rows, spans, labels)
    _front(labels)
    for i, row in enumerate(rows):
        if labels[i] == "other" and owner[i] < 0 and named(row.text) & {"references", "back"}:
            labels[i] = "heading" if i + 1 < len(rows) and labels[i + 1] in ("ref", "para") else UNKNOWN
    for i in range(len(rows) - 1):
        if labels[i] == "other" and "abstract" in named(rows[i].text) and "abstract" in labels[i + 1 : i + 3]:
            labels[i] = "abstract"
    _doubt(labels, owner)
    return labels, owner


def _doubt(labels: list[str], owner: Sequence[int]) -> None:
    """Rows that the XML lacks amid rows that it has may be anything: they teach nothing."""
    inner = ("text", "ref2", "abstract", "para", "ref")
    for i in range(1, len(labels) - 1):
        if labels[i] == "other" and owner[i] < 0 and labels[i - 1] in inner and labels[i + 1] in inner:
            labels[i] = UNKNOWN


def printed_headings(
    facts: dict[str, Any], rows: Sequence[Row], labels: list[str], owner: Sequence[int]
) -> None:
    """For a typeset paper: headings found by their page, and lines of addresses under the authors."""
    wanted = {(s.get("page"), bare(s["title"])) for s in facts["sections"] if "page" in s}
    abstract = labels.index("abstract") if "abstract" in labels else 20
    for i, row in enumerate(rows):
        if labels[i] not in ("other", UNKNOWN):
            continue
        if (row.page, bare(_NUMBER.sub("", row.text.strip(), count=1))) in wanted:
            labels[i] = "heading"
        elif i < abstract and owner[i] < 0 and row.page <= 2:
            words = [w.lower() for w in re.findall(r"[^\W\d_]+", row.text)]
            if "@" in row.text or any(w in lists()["affiliation"] for w in words):
                labels[i] = "affiliation"


def _front(labels: list[str]) -> None:
    """What the XML has in its back but the page shows before its abstract is a box of the journal."""
    abstract = [i for i, label in enumerate(labels) if label == "abstract"]
    middle = abstract[len(abstract) // 2] if abstract else 0
    for i in abstract:
        if abs(i - middle) > _FRONT:
            labels[i] = "other"
    titled = [i for i, label in enumerate(labels) if label == "title"]
    end = labels.index("abstract") if "abstract" in labels else titled[-1] if titled else 0
    for i in range(end):
        if labels[i] in ("para", "text", "runin", "heading", "note"):
            labels[i] = "other"


def _owners(texts: Sequence[str], spans: Sequence[Span], many: int) -> list[int]:
    """The span of each row; what several spans may own goes where its neighbours belong."""
    index = _Index(spans)
    votes = [index.votes(text, many) if len(text) >= RUN else [] for text in texts]
    owner = [-1] * len(texts)
    for i, found in enumerate(votes):
        enough = COVERED * (len(texts[i]) - RUN + 1)
        if found and found[0][1] >= enough and (len(found) == 1 or found[0][1] > 1.5 * found[1][1]):
            owner[i] = found[0][0]
    for i, found in enumerate(votes):
        if owner[i] >= 0 or not found:
            continue
        near = [o for o in (*owner[max(0, i - 3) : i], *owner[i + 1 : i + 4]) if o >= 0]
        enough = COVERED * (len(texts[i]) - RUN + 1)
        fit = [k for k, n in found if n >= 0.8 * enough and (k in near or k - 1 in near)]
        best = fit[0] if fit else found[0][0] if found[0][1] >= enough else -1
        owner[i] = best
    for i in range(1, len(texts) - 1):  # a row unlike both its neighbours, which agree, and hold it
        if owner[i - 1] == owner[i + 1] >= 0 and owner[i] != owner[i - 1]:
            if texts[i] in spans[owner[i - 1]].bare or len(texts[i]) < RUN:
                owner[i] = owner[i - 1]
    return owner


def _title(rows: Sequence[Row], texts: Sequence[str], spans: Sequence[Span], owner: list[int]) -> None:
    """The title is where it is set largest on the first pages; elsewhere it is a head or a citation."""
    k = next((k for k, span in enumerate(spans) if span.label == "title"), None)
    if k is None:
        return
    for i, own in enumerate(owner):
        if own == k:
            owner[i] = -1
    wanted = spans[k].bare
    found: list[tuple[int, int, list[int]]] = []
    for i, row in enumerate(rows):
        if row.page > 3 or not texts[i] or texts[i][:6] not in wanted:
            continue
        joined, chosen = "", []
        for j in range(i, min(len(rows), i + 14)):
            if (
                texts[j]
                and rows[j].page == row.page
                and texts[j] in wanted[len(joined) - 3 if chosen else 0 :]
            ):
                joined += texts[j]
                chosen.append(j)
        if fuzz.ratio(joined, wanted) >= 88:
            found.append((round(row.line.size), -i, chosen))
    if found:
        for i in max(found)[2]:
            owner[i] = k


def _fill(rows: Sequence[Row], texts: Sequence[str], spans: Sequence[Span], owner: list[int]) -> None:
    """Short rows and formulas between two rows of one text belong to it, and its short last row."""
    last = -1
    for i, k in enumerate(owner):
        if k < 0:
            continue
        if last >= 0 and owner[last] == k and 1 < i - last <= 5:
            for j in range(last + 1, i):
                ends = {(rows[e].page, rows[e].column) for e in (last, i)}
                if owner[j] < 0 and (rows[j].page, rows[j].column) in ends and len(texts[j]) < 25:
                    owner[j] = k
        last = i
    for i in range(1, len(owner)):
        k = owner[i - 1]
        if owner[i] < 0 and k >= 0 and 0 < len(texts[i]) < RUN + 6:
            same = (rows[i].page, rows[i].column) == (rows[i - 1].page, rows[i - 1].column)
            if same and spans[k].bare.endswith(texts[i][-12:]):
                owner[i] = k


def _entries(texts: Sequence[str], spans: Sequence[Span], owner: list[int], labels: list[str]) -> None:
    """Rows of references whose names or sources the XML spells otherwise, between rows that it has."""
    at = [i for i, label in enumerate(labels) if label == "ref"]
    if not at:
        return
    first = next(
        (i for i in range(at[0], max(-1, at[0] - 4), -1) if _leads(texts[i], spans[owner[at[0]]])), at[0]
    )
    for i in range(first, at[0]):
        owner[i], labels[i] = owner[at[0]], "ref"
    for before, after in zip(at, [*at[1:], min(len(labels), at[-1] + 2)], strict=True):
        gap = range(before + 1, after)
        if len(gap) > 12 or any(labels[i] not in ("other", "para", "text") for i in gap):
            continue
        new = owner[after] if after in at else -1
        cut = next(
            (i for i in gap if new >= 0 and new != owner[before] and _leads(texts[i], spans[new])), after
        )
        for i in gap:
            if len(texts[i]) < 4 and texts[i].isdigit():
                continue
            owner[i], labels[i] = (new, "ref") if i >= cut else (owner[before], "ref")


def _leads(text: str, span: Span) -> bool:
    """Whether a row begins as the entry does, numbers and initials aside."""
    at = text.find(span.lead) if span.lead else -1
    return 0 <= at <= 8


def _starts(rows: Sequence[Row], spans: Sequence[Span], owner: list[int], labels: list[str]) -> None:
    """Paragraphs and references parted into their first and further rows."""
    seen: set[int] = set()
    for i, k in enumerate(owner):
        if k < 0 or spans[k].label not in ("para", "ref"):
            continue
        first = k not in seen
        seen.add(k)
        if not first:
            labels[i] = {"para": "text", "ref": "ref2"}[spans[k].label]


def _headings(
    rows: Sequence[Row], texts: Sequence[str], spans: Sequence[Span], owner: list[int], labels: list[str]
) -> None:
    """Headings, where the text that follows them in the XML follows on the page."""
    for i, label in enumerate(labels):
        if label == "heading":
            labels[i] = "other"
    by_text: dict[str, list[int]] = defaultdict(list)
    for k, span in enumerate(spans):
        if span.label == "heading":
            by_text[bare(_NUMBER.sub("", span.text, count=1)) or span.bare].append(k)
    used: set[int] = set()
    for i in range(len(rows)):
        if labels[i] in ("title", "author", "abstract", "affiliation", "ref", "ref2"):
            continue
        raw = rows[i].text.strip()
        for count in (4, 3, 2, 1):
            if i + count > len(rows):
                continue
            group = " ".join(row.text.strip() for row in rows[i : i + count])
            forms = {bare(group), bare(_NUMBER.sub("", group, count=1))}
            k = next(
                (k for form in forms if form for k in _candidates(form, by_text)
                 if k not in used and _follows(i + count, k, spans, owner)),
                None,
            )  # fmt: skip
            if k is not None:
                used.add(k)
                owner[i] = k
                labels[i] = "heading"
                for j in range(i + 1, i + count):
                    labels[j], owner[j] = "heading", k
                break
        else:
            k = _run_in(raw, i, rows, spans, by_text, owner, used)
            if k is not None:
                used.add(k)
                labels[i] = "runin"


def _candidates(form: str, by_text: dict[str, list[int]]) -> list[int]:
    if form in by_text:
        return by_text[form]
    if len(form) < 12:
        return []
    return [k for text, ks in by_text.items() if abs(len(text) - len(form)) < 5
            and fuzz.ratio(text, form) >= 93 for k in ks]  # fmt: skip


def _follows(after: int, k: int, spans: Sequence[Span], owner: Sequence[int]) -> bool:
    """One of the next rows belongs to one of the texts behind the heading."""
    near = {o for o in owner[after : after + 12] if o >= 0}
    behind = set()
    at = k + 1
    while at < len(spans) and len(behind) < 4:
        behind.add(at)
        at += 1
    return bool(near & behind) or (k + 1 == len(spans))


def _run_in(
    raw: str, i: int, rows: Sequence[Row], spans: Sequence[Span], by_text: dict[str, list[int]],
    owner: Sequence[int], used: set[int],
) -> int | None:  # fmt: skip
    """The heading with which a paragraph's first row begins."""
    forms = (bare(raw), bare(_NUMBER.sub("", raw, count=1)))
    tail = "".join(bare(row.text) for row in rows[i + 1 : i + 3])
    for text, ks in by_text.items():
        for form in forms:
            more = form + tail
            if not more.startswith(text) or form == text or (len(form) < len(text) and len(form) < 20):
                continue
            for k in ks:
                if k in used or k + 1 >= len(spans):
                    continue
                rest = spans[k + 1].bare[:15]
                if rest and more[len(text) : len(text) + len(rest)] == rest:
                    return k
    return None


def _authors(rows: Sequence[Row], spans: Sequence[Span], labels: list[str]) -> None:
    """Rows of names between the title and what follows it."""
    tokens = {bare(t) for s in spans if s.label == "author" for t in re.findall(r"[^\W\d_]+", s.text)}
    title = [i for i, label in enumerate(labels) if label == "title"]
    start = title[-1] + 1 if title else 0
    last: int | None = None
    for i in range(start, min(len(rows), start + 60)):
        if all(x in ("heading", "para", "runin", "abstract", "text") for x in labels[i : i + 2]):
            break
        words = [bare(w) for w in re.findall(r"[^\W\d_]+", rows[i].text)]
        total = sum(map(len, words))
        hit = sum(len(w) for w in words if w in tokens)
        full = any(w in tokens and len(w) > 2 for w in words)
        cited = re.search(r"\b(?:citation|cite|correspond|edited|academic editor)", rows[i].text, re.I)
        if total and hit >= 0.6 * total and full and not cited and (last is None or i - last < 14):
            if labels[i] in ("other", "author", "affiliation"):
                labels[i] = "author"
                last = i
