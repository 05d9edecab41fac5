r"""Fields of references and of front matter against the publishers' XML, field by field.

    PYTHONPATH=.:benchmarks python benchmarks/fields.py --data DIR ... --cache DIR [--left-out] [--half 0|1]

`--data` holds NAME.pdf beside NAME.xml. With `--left-out` each paper's references are read by weights that
have seen none of its publisher (`training.citations.train --folds K` made them, and the folds, in CACHE).
`--half` takes the publishers of one half, told by the hash of their names: rules are written looking at
half 0, figures are half 1's.

References: of each citation of the XML (matched to the printed entry that holds most of it) and each
printed entry, a field is right if it has the same letters and digits; authors are their surnames in order,
those behind "et al." not counted. What the XML has and the page does not print is not wanted. Precision,
recall and F1 are over all fields of all entries; `whole` is the share of citations that have all seven
right. Front matter: what the XML has and the file prints.
"""

from __future__ import annotations

import argparse
import json
import pickle
import re
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz
from training.citations.gold import Cited, bare, read_citations
from training.citations.train import matched
from training.gold import text_of
from training.papers import half_of, publisher, read_raw

from quire.pdf.assemble import assemble
from quire.pdf.citations import Chain, Fields, fields_of, load
from quire.pdf.version import VERSION
from quire.types import Document, Metadata

REFERENCE = ("authors", "title", "year", "venue", "volume", "first", "last", "doi")
WANTED = REFERENCE[:-1]
FRONT = (
    "received", "accepted", "published", "journal", "volume", "issue", "first_page", "last_page", "publisher",
    "keywords", "affiliations", "corresponding_email", "licence", "funding",
)  # fmt: skip
MONTHS = "january february march april may june july august september october november december".split()
ALIKE = 85  # of 100, two texts of one address
Marks = dict[str, Counter[str]]  # by field: right, found, wanted


def document_of(xml: Path, cache: Path) -> Document | None:
    """The parsed PDF, kept for the next run of the same parser."""
    kept = cache / f"{xml.stem}.doc-{VERSION}.pickle"
    if kept.exists():
        with kept.open("rb") as file:
            return pickle.load(file)  # type: ignore[no-any-return]
    raw = read_raw(xml.with_suffix(".pdf"), cache)
    if raw is None:
        return None
    document = assemble(*raw)
    with kept.open("wb") as file:
        pickle.dump(document, file, 5)
    return document


def said(fields: Fields) -> dict[str, str]:
    """The fields of a printed entry, to compare."""
    return {
        "authors": "|".join(map(bare, fields.authors)), "title": bare(fields.title),
        "year": str(fields.year or ""),
        "venue": bare(fields.venue), "volume": bare(fields.volume), "first": bare(fields.first_page),
        "last": bare(fields.last_page), "doi": bare(fields.doi),
    }  # fmt: skip


def wanted(cited: Cited) -> dict[str, str]:
    """The fields of the XML, to compare; a last page in full."""
    from quire.pdf.citations import in_full

    last = in_full(cited.first, cited.last)
    return {
        "authors": "|".join(bare(surname) for _, surname in cited.authors), "title": bare(cited.title),
        "year": cited.year[:4], "venue": bare(cited.venue), "volume": bare(cited.volume),
        "first": bare(cited.first),
        "last": bare(last) if last != cited.first else "", "doi": bare(cited.doi),
    }  # fmt: skip


def same(field: str, own: str, gold: str, text: str) -> bool:
    """Whether a field says the same as the XML."""
    if own == gold:
        return True
    if field == "authors":
        have, want = own.split("|"), gold.split("|")
        cut = len(have) < len(want) and ("etal" in bare(text) or "andothers" in bare(text))
        return (len(have) == len(want) or cut) and all(w in h for h, w in zip(have, want, strict=False))
    return field == "title" and len(gold) > 15 and fuzz.ratio(own, gold) > 95


def is_printed(field: str, gold: dict[str, str], printed: str) -> bool:
    """Whether the page prints a field; a last page perhaps in short."""
    shorts = [gold["first"] + gold["last"][at:] for at in range(len(gold["last"]))]
    return gold[field] in printed or (field == "last" and any(short in printed for short in shorts))


def references(
    read: Sequence[Fields], texts: Sequence[str], cited: Sequence[Cited], marks: Marks
) -> Iterator[str]:
    """Compare the entries of one paper; gives what is wrong, in words."""
    at = matched(texts, cited)
    for each, number in zip(cited, at, strict=True):
        gold = wanted(each)
        text = texts[number] if number is not None else ""
        own = said(read[number]) if number is not None else dict.fromkeys(REFERENCE, "")
        printed = bare(text)
        right = True
        for field in REFERENCE:
            # What the XML has but the page does not print (a DOI, a last page) is wanted of nobody.
            there = bool(gold[field]) and (
                number is None or field in ("authors", "title") or is_printed(field, gold, printed)
            )
            good = there and same(field, own[field], gold[field], text)
            marks[field].update(
                wanted=there, found=bool(own[field] and (there or field in WANTED)), right=good
            )
            if field in WANTED and (own[field] or there) and not good:
                right = False
                yield f"{field}: {own[field][:60]!r} not {gold[field][:60]!r} :: {text[:230]}"
        marks["whole"].update(wanted=1, found=1, right=right)
    for number in set(range(len(texts))) - set(at):
        for field, value in said(read[number]).items():
            marks[field].update(found=bool(value))
        yield f"no citation of the XML: {texts[number][:150]}"


def date_forms(node: ET.Element) -> tuple[str, list[str]]:
    """A date of the XML as ISO 8601, and how files print it, letters and digits only."""
    year, month, day = (text_of(node.find(tag)) for tag in ("year", "month", "day"))
    if not (year and month and day):
        return "", []
    if not month.isdigit():
        month = str(next(i for i, name in enumerate(MONTHS, 1) if name.startswith(month.lower()[:3])))
    y, m, d = int(year), int(month), int(day)
    names = {MONTHS[m - 1], MONTHS[m - 1][:3], MONTHS[m - 1][:4]}
    days = {f"{d}", f"{d:02}", *(f"{d}{end}" for end in ("st", "nd", "rd", "th"))}
    forms = [f"{a}{n}{y}" for a in days for n in names] + [f"{n}{a}{y}" for a in days for n in names]
    forms += [f"{y}{m:02}{d:02}", f"{d:02}{m:02}{y}", f"{m:02}{d:02}{y}", f"{d}{m}{y}"]
    forms += [f"{y}{n}{a}" for a in days for n in names] + [f"{m}{d}{y}"]
    return f"{y:04}-{m:02}-{d:02}", forms


def front_gold(xml: Path, text: str, pages: str) -> dict[str, Any]:
    """What the XML says of a paper and its file prints."""
    root = ET.parse(xml).getroot()
    meta = root.find("./front/article-meta")
    assert meta is not None
    gold: dict[str, Any] = {}
    nodes = {each.get("date-type", ""): each for each in meta.iterfind("./history/date")}
    nodes["published"] = next(
        (d for d in meta.iterfind("pub-date") if "epub" in (d.get("pub-type"), d.get("date-type"))), None
    )  # type: ignore[assignment]
    for field in ("received", "accepted", "published"):
        node = nodes.get(field)
        iso, forms = date_forms(node) if node is not None else ("", [])
        if iso and any(form in text for form in forms):
            gold[field] = iso
    single = {
        "journal": text_of(root.find("./front/journal-meta//journal-title")),
        "volume": text_of(meta.find("volume")),
        "issue": text_of(meta.find("issue")), "last_page": text_of(meta.find("lpage")),
        "first_page": text_of(meta.find("fpage")) or text_of(meta.find("elocation-id")),
        "publisher": text_of(root.find("./front/journal-meta//publisher-name")),
    }  # fmt: skip
    gold |= {field: value for field, value in single.items() if value and bare(value) in text}
    issue = gold.get("issue", "")
    if issue and not re.search(
        rf"\d\s?\(\s?{re.escape(issue)}\s?\)|(?:issue|no|number)\W{{0,3}}{re.escape(issue)}\b", pages, re.I
    ):
        del gold["issue"]
    kwds = [
        text_of(k)
        for g in meta.iterfind("./kwd-group")
        if g.get("kwd-group-type") != "abbreviations"
        for k in g.iter("kwd")
    ]
    if kwds and sum(bare(k) in text for k in kwds) > 0.7 * len(kwds):
        gold["keywords"] = [k for k in kwds if bare(k) in text]
    affs = []
    for aff in meta.iter("aff"):
        for mark in [n for n in aff.iter() if n.tag in ("label", "sup")]:
            mark.text = ""
        affs.append(re.sub(r"\S+@\S+", "", text_of(aff)).strip(" .,;"))
    if affs := [a for a in affs if len(bare(a)) > 8]:
        gold["affiliations"] = affs
    mails = {text_of(e).lower() for e in meta.iter("email")}
    if mails := {mail for mail in mails if bare(mail) in text}:
        gold["corresponding_email"] = mails
    return gold


def alike(one: str, other: str) -> bool:
    """Whether two texts are of one address."""
    a, b = bare(one), bare(other)
    return min(len(a), len(b)) > 0.6 * max(len(a), len(b)) and fuzz.partial_ratio(a, b) >= ALIKE


def front(metadata: Metadata, gold: dict[str, Any], marks: Marks) -> Iterator[str]:
    """Compare the front matter of one paper; gives what is wrong, in words."""
    own = asdict(metadata)
    for field, value in gold.items():
        have = own[field]
        if field in ("keywords", "affiliations"):
            used: set[int] = set()
            test = alike if field == "affiliations" else lambda a, b: bare(a) == bare(b)
            for each in value:
                hit = next((i for i, h in enumerate(have) if i not in used and test(h, each)), None)
                used |= set() if hit is None else {hit}
            marks[field].update(wanted=len(value), found=len(have), right=len(used))
            if len(used) < max(len(value), len(have)):
                yield f"{field}: {list(have)} not {value}"
            continue
        have = have.isoformat() if isinstance(have, date) else str(have or "")
        right = have.lower() in value if isinstance(value, set) else bare(have) == bare(value)
        if field == "journal" and not right:
            right = bool(have) and bare(have).removeprefix("the") == bare(value).removeprefix("the")
        if field == "publisher" and not right and have:
            right = bare(have) in bare(value) or bare(value) in bare(have)
        marks[field].update(wanted=1, found=bool(have), right=right)
        if not right:
            yield f"{field}: {have!r} not {value!r}"


def row(name: str, counts: Counter[str]) -> str:
    """A field's line."""
    precision = counts["right"] / counts["found"] if counts["found"] else 0.0
    recall = counts["right"] / counts["wanted"] if counts["wanted"] else 0.0
    both = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f"{name:20s} {precision:6.3f} {recall:6.3f} {both:6.3f}  of {counts['wanted']}"


def summed(marks: Marks, names: Sequence[str]) -> Counter[str]:
    """The counts of several fields."""
    total: Counter[str] = Counter()
    for name in names:
        total.update(marks[name])
    return total


def show(marks: Marks) -> None:
    """Print the table."""
    print(f"{'':20s} {'prec':>6s} {'recall':>6s} {'F1':>6s}")
    for name in (*REFERENCE, "whole"):
        print(row(name, marks[name]))
    print(row("seven fields", summed(marks, WANTED)))
    for name in FRONT:
        if marks[name]:
            print(row(name, marks[name]))
    print(row("dates", summed(marks, FRONT[:3])))


def main() -> None:
    """Parse, compare, print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, nargs="+", required=True)
    arguments.add_argument("--cache", type=Path, required=True)
    arguments.add_argument("--left-out", action="store_true")
    arguments.add_argument("--half", type=int, choices=(0, 1))
    arguments.add_argument("--wrong", default="", help="say what is wrong of this field (or `all`)")
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    folds: dict[str, int] = json.loads((options.cache / "folds.json").read_text()) if options.left_out else {}
    chains: dict[int, Chain] = {
        k: load((options.cache / f"citations{k}.npz").read_bytes()) for k in set(folds.values())
    }
    marks: Marks = defaultdict(Counter)
    each_paper: dict[str, Marks] = {}
    for xml in (xml for folder in options.data for xml in sorted(folder.glob("*.xml"))):
        if options.half is not None and half_of(publisher(xml)) != options.half:
            continue
        document = document_of(xml, options.cache)
        if document is None:
            continue
        texts = [each.text for each in document.references]
        read = fields_of(texts, chains[folds[xml.stem]] if folds else None)
        own: Marks = defaultdict(Counter)
        told = list(references(read, texts, read_citations(xml), own))
        pages = " ".join(page.text for page in document.pages)
        told += front(document.metadata, front_gold(xml, bare(pages), pages), own)
        for line in told:
            if options.wrong and (options.wrong == "all" or line.startswith(options.wrong)):
                print(xml.stem, line)
        each_paper[xml.stem] = own
        for field, counts in own.items():
            marks[field].update(counts)
    show(marks)
    if options.json:
        options.json.write_text(json.dumps(each_paper, indent=1))


if __name__ == "__main__":
    main()
