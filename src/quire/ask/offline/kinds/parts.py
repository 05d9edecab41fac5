"""Parts of a paper: what one of a number says, the caption or the place of a text, lists, all in short."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

from quire.ask.observations import SeenRow
from quire.ask.offline.kinds.reference import body_of
from quire.ask.offline.kinds.tables import label_of
from quire.ask.offline.lexicon import STOP, plain, squeeze, stem, words_of
from quire.ask.offline.plan import (
    NOTHING,
    Finding,
    Looks,
    Passages,
    QuestionKind,
    Seen,
    Span,
    evidence_of,
    fitting,
    found,
    join,
    said_in,
)
from quire.ask.offline.question import QuestionFeatures
from quire.ask.quote_matching import find_quote, fold
from quire.text import ORDINALS

_NUMBER = re.compile(r"^\s*(?:(?:\d+|[IVX]+|[A-Z])(?:\.\d+)*[.):]?\s+|(?:\d+\.)+\s*)(?=\S)")
_ASKED_NUMBER = re.compile(r"\b(?:number of the section|section number|with (?:its|the) number)\b")
_LIKE = 0.8  # to a quote, where that is printed otherwise
_SHORTEST = 12  # letters of a quote that may be
_LABEL = re.compile(
    r"^\s*\(?(?:table|tab|figure|fig|scheme|algorithm|listing)s?\.?\)?\s*[A-Z]?\.?\d*[a-z]?\s*[.:|\u2013-]*\s*",
    re.I,
)
_WHICH = re.compile(
    r"\b(?:which|what|in which)\b.{0,12}\b(?:table|figure|fig|tab|image|plot|diagram)", re.IGNORECASE
)
# A question of these words alone, ordinals and labels asks what a table or figure is for, and nothing in it.
_ASKING = frozenset(
    "what whats s is are was does do did can be you me tell us explain describe summarise summarize say "
    "give about all so please show shows shown see seen display displays contain contains depict depicts "
    "depicted illustrate illustrates illustrated present presents presented report reports reported list "
    "lists listed cover covers describes summarises summarizes hold holds compare compares in on by of "
    "from the a an this that it there for paper article study document table tab figure fig".split()
)


def asks_what_for(reading: QuestionFeatures) -> bool:
    """Whether the question is what a table or figure that it names is about."""
    label = reading.labels.table or reading.labels.figure
    words = re.findall(r"[^\W_]+", reading.bare.lower())
    others = [word for word in words if word not in _ASKING and word not in ORDINALS and plain(word) != label]
    told = not others and not reading.quotes and len(words) > 2
    return bool(label) and told and reading.form.kind in ("any", "str")


_fits_caption = fitting(
    (0.9, "table|figure quote caption|begin|title|say|name -count|row|column|#table|#figure"),
    (0.7, "table|figure quote -count|row|column|#table|#figure"),
)
_fits_topic = fitting((0.6, "table|figure -quote|count|row|column|#table|#figure"))


def fits_caption(reading: QuestionFeatures) -> float:
    """A table or figure is asked for by its caption or topic."""
    return _fits_caption(reading) or _fits_topic(reading) * bool(_WHICH.search(reading.bare))


def _look_at_captions(reading: QuestionFeatures) -> Looks:
    """Of all that is spoken of, tables first: "figure" also names a number."""
    spoken = [thing for thing in ("table", "figure") if reading.has(thing)]
    return {f"{thing}s": f"Compare the captions of the {thing}s." for thing in spoken}


def _take_caption(reading: QuestionFeatures, seen: Seen) -> Finding:
    rows = [row for each in seen.values() for row in each]
    if not rows or len(seen) < len(_look_at_captions(reading)):
        return NOTHING
    fits = [_fit(reading, row) for row in rows]
    best, *others = sorted(fits, reverse=True)
    row = rows[fits.index(best)]
    alone = not others or best - others[0] >= 0.02
    return found(_full_label(row), best - 0.5 * (not alone), row) if best >= 0.3 else NOTHING


def _fit(reading: QuestionFeatures, row: SeenRow) -> float:
    caption = _without_label(said_in(row))
    if reading.quotes and caption:
        return max(_begins(quote, caption) for quote in reading.quotes)
    return 0.8 * overlap(caption, reading.topic)


def overlap(sentence: str, topic: Sequence[str]) -> float:
    """The share of the topic's words that the sentence says."""
    roots = {stem(word) for word in topic if word not in STOP}
    if not roots:
        return 0.0
    return len(roots & {stem(word) for word in words_of(sentence)}) / len(roots)


def _begins(quote: str, caption: str) -> float:
    wanted, text = squeeze(_without_label(quote)), squeeze(caption)
    if not wanted:
        return 0.0
    if text.startswith(wanted):
        return 1.0
    start = fuzz.ratio(wanted, text[: len(wanted)]) / 100
    inside = fuzz.partial_ratio(wanted, text) / 100 * 0.95 if len(wanted) >= 8 else 0.0
    return min(max(start, inside), 0.98)


def _without_label(caption: str, label: str = "") -> str:
    """The caption without "Table 2:" before it, or the label as it is printed."""
    if label and caption.startswith(label):
        return caption[len(label) :].lstrip(" .:|\u2013-")
    return _LABEL.sub("", caption, count=1).strip()


def _full_label(row: SeenRow) -> str:
    label = str(row.get("table_label") or row.get("image_label") or "")
    match = None if label else _LABEL.match(said_in(row))
    return (match[0] if match else label).strip(" .:|\u2013-")


_THINGS = ("table", "figure", "equation", "section")
_fits_numbered = fitting(
    (0.93, "page #table|#figure|#equation -count|#page"),
    (0.9, "#table|#figure caption|title|text -quotes"),
    (0.9, "#figure show|value|mean -quotes"),
    (0.3, "#figure"),
    (0.9, "equation #equation -count|page|#table"),
    (0.85, "section #section -quote|count|page|#table|#equation"),
)


def fits_numbered(reading: QuestionFeatures) -> float:
    """What a table, figure, equation or section of a number says, or the page where it stands."""
    return 0.95 if asks_what_for(reading) else _fits_numbered(reading)


def _numbered(reading: QuestionFeatures) -> str:
    """The kind of thing that the question names by its number."""
    return next(thing for thing in _THINGS if getattr(reading.labels, thing))


def _look_for_numbered(reading: QuestionFeatures) -> Looks:
    thing = _numbered(reading)
    return {f"{thing}s": f"Find the {thing} of that number."}


def _take_numbered(reading: QuestionFeatures, seen: Seen) -> Finding:
    thing = _numbered(reading)
    row = _labelled(seen[f"{thing}s"], str(getattr(reading.labels, thing)))
    if row is None:
        return NOTHING
    if reading.has("page") and not reading.labels.page:
        return found(row["page_number"], 0.9, row)
    if thing == "section":
        return found(without_number(row), 0.9, row)
    if thing == "equation":
        return found(said_in(row), 0.8, row, said_in(row))
    caption = _without_label(said_in(row), _full_label(row))
    return found(caption, 0.9, row, why=reading.bare if asks_what_for(reading) else "")


def _labelled(rows: Sequence[SeenRow], wanted: str) -> SeenRow | None:
    """The table, figure, equation or section with that number."""
    numbers = (row.get("equation_number") or row.get("section_number") or label_of(row) for row in rows)
    named = (row for row, number in zip(rows, numbers, strict=True) if plain(str(number)) == wanted)
    return next(named, None)


def without_number(row: SeenRow) -> str:
    """A heading without its printed number."""
    title, number = str(row.get("section_title") or ""), str(row.get("section_number") or "")
    if number and title.startswith(number):
        return title[len(number) :].lstrip(" .):\u2014\u2013-") or title
    return _NUMBER.sub("", title, count=1).strip() or title


def locate(quote: str, rows: Sequence[SeenRow]) -> tuple[SeenRow, Span] | None:
    """Where the quote stands in these rows: exactly, else the most similar place if similar enough."""
    passages = join(rows)
    for each in passages:
        if exact := find_quote(quote, each.text):
            return each.row_at(exact[0]), Span(each.text[slice(*exact)], 1.0, *exact)
    best = max(_similar(quote, passages), key=lambda place: place[1].fit, default=None)
    return best if best and best[1].fit >= _LIKE else None


def _similar(quote: str, passages: Sequence[Passages]) -> Iterator[tuple[SeenRow, Span]]:
    wanted = fold(quote).text
    if len(wanted) < _SHORTEST:
        return
    for each in passages:
        page = fold(each.text)
        near = fuzz.partial_ratio_alignment(wanted, page.text) if len(page.text) > len(wanted) else None
        if near and near.dest_end > near.dest_start:
            start, end = page.places[near.dest_start], page.places[near.dest_end - 1] + 1
            yield each.row_at(start), Span(each.text[start:end], near.score / 100, start, end)


def _look_for_place(reading: QuestionFeatures) -> Looks:
    if reading.has("page"):
        return {"pages": "Find the page that says this."}
    return {"passages": "Find the passage that says this; its section is the answer."}


def _take_place(reading: QuestionFeatures, seen: Seen) -> Finding:
    """The page, or the heading over the passage, that says what is quoted."""
    (rows,) = seen.values()
    place = locate(max(reading.quotes, key=len), rows)
    if place is None:
        return NOTHING
    row, said = place
    if reading.has("page"):
        return found(row["page_number"], said.fit * 0.95, row, said.text[:300])
    number = str(row.get("section_number") or "") if _ASKED_NUMBER.search(reading.bare) else ""
    return found(number or without_number(row), min(said.fit, 0.95), row, said.text)


def _listed(reading: QuestionFeatures) -> str:
    return next((thing for thing in ("section", "table", "figure", "reference") if reading.has(thing)), "")


def _look_for_list(reading: QuestionFeatures) -> Looks:
    return {f"{_listed(reading)}s": f"List the {_listed(reading)}s in their order."}


def _take_list(reading: QuestionFeatures, seen: Seen) -> Finding:
    thing = _listed(reading)
    rows = list(seen[f"{thing}s"])
    if thing == "section" and {"main", "top"} & set(reading.words):
        rows = [row for row in rows if int(row.get("section_level") or 1) == 1]
    named = {"section": without_number, "reference": body_of}.get(thing, said_in)
    values = [name for row in rows if (name := row.get("reference_title") or named(row))]
    return found(values, 0.7, rows[0], values[0]) if values else NOTHING


_IN_SHORT = re.compile(
    r"(?i)\bsummar(?:y|i[sz]\w*|ies)\b|\bgist\b|\btl;?dr\b|\bin a nutshell\b|\boverview of (?:it|this|the)\b"
    r"|\bwhat(?:'s| is| are| was) [^?]{0,200}\b(?:all )?about\W*$"
    r"|\b(?:main|key|central) (?:ideas?|points?|findings?|results?|messages?|contributions?)\b"
    r"|\btake-?home (?:message|point)\b"
)
_ABSTRACT = re.compile(r"(?i)abstract|summary")
_FIRST, _LAST = 2, 1  # sentences of the abstract and of the conclusion


def fits_summary(reading: QuestionFeatures) -> float:
    """A paper is to be told in short."""
    match = _IN_SHORT.search(reading.bare)
    pointed = reading.labels.table or reading.labels.figure or reading.has("count")
    if match is None or pointed or reading.form.kind not in ("any", "str"):
        return 0.0
    # "Who wrote the summaries?" asks about some, not for one.
    others = [word for word in reading.topic if word not in words_of(match[0])]
    return 0.9 if len(others) <= 1 else 0.0


def _take_summary(reading: QuestionFeatures, seen: Seen) -> Finding:
    """The sentences of abstract and conclusion that share most words with the rest of them.

    In place of an abstract stands how the paper begins.
    """
    ends = [row for row in seen["ends"] if "conclu" in str(row["section_title"]).lower()]
    abstract = [row for row in seen["ends"] if _ABSTRACT.search(str(row["section_title"]))]
    most = _FIRST if ends else _FIRST + _LAST
    begins = _telling(abstract, most) or [row for row in seen["ends"] if row not in ends][:most]
    chosen = [*begins, *_telling(ends, _LAST)]
    if not chosen:
        return NOTHING
    match = _IN_SHORT.search(reading.bare)
    evidence = tuple(each for row in chosen for each in evidence_of(row, said_in(row)))
    return Finding(" ".join(map(said_in, chosen)), 0.7, evidence, why=match[0] if match else "")


def _telling(rows: Sequence[SeenRow], most: int) -> list[SeenRow]:
    """The sentences whose words the others use most, in their order."""
    said = [[word for word in words_of(said_in(row)) if word not in STOP] for row in rows]
    counts = Counter(word for words in said for word in set(words))
    worth = [sum(counts[word] - 1 for word in set(words)) / (len(words) + 5) ** 0.5 for words in said]
    best = sorted(range(len(rows)), key=lambda n: (-worth[n], n))[:most]
    return [rows[n] for n in sorted(best)]


_fits_place = fitting(
    (0.93, "page quote -count|#page|#table|#figure|#equation"),
    (0.9, "section quote -#section|count|page"),
    (0.7, "where quote -#section|count|page"),
)
_fits_list = fitting(
    (0.8, "section|table|figure|reference =list -#table|#figure|quote"),
    (0.6, "section|table|figure|reference .list|.enumerate|.all -#table|#figure|quote"),
)
NUMBERED = QuestionKind("part of a number", fits_numbered, _look_for_numbered, _take_numbered)
CAPTION = QuestionKind("caption", fits_caption, _look_at_captions, _take_caption)
PLACE = QuestionKind("place of a quote", _fits_place, _look_for_place, _take_place)
LIST = QuestionKind("list", _fits_list, _look_for_list, _take_list)
_TELLS = {"ends": "Abstract and conclusion tell a paper in short: read their sentences."}
SUMMARY = QuestionKind("summary", fits_summary, _TELLS, _take_summary)
