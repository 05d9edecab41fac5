"""Parts of a paper as parts: captions both ways, pages, lists, equations, whether there is any."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from quire.ask.observations import SeenRow
from quire.ask.offline.kinds.reference import title_of
from quire.ask.offline.kinds.section import without_number
from quire.ask.offline.kinds.tables import label_of
from quire.ask.offline.lexicon import plain, squeeze
from quire.ask.offline.passages import locate, overlap
from quire.ask.offline.plan import NOTHING, Finding, Looks, QuestionKind, Seen, fitting, found, said_in
from quire.ask.offline.question import QuestionFeatures
from quire.text import ORDINALS

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
    (0.9, "#table|#figure caption|title|text -quotes"),
    (0.9, "#figure show|value|mean -quotes"),
    (0.3, "#figure"),
    (0.9, "table|figure quote caption|begin|title|say|name -count|row|column|#table"),
    (0.7, "table|figure quote -count|row|column|#table"),
)
_fits_label = fitting((0.6, "table|figure -quote|count|row|column|#table|#figure"))


def fits_caption(reading: QuestionFeatures) -> float:
    """A caption is asked for by its label, or a label by its caption or topic."""
    if asks_what_for(reading):
        return 0.95
    return _fits_caption(reading) or _fits_label(reading) * bool(_WHICH.search(reading.bare))


def _look_at_captions(reading: QuestionFeatures) -> Looks:
    """Of what is pointed at; else of all that is spoken of, tables first: "figure" also names a number."""
    pointed = [thing for thing in ("table", "figure") if getattr(reading.labels, thing)]
    spoken = pointed or [thing for thing in ("table", "figure") if reading.has(thing)]
    return {f"{thing}s": f"Compare the captions of the {thing}s." for thing in spoken}


def _take_caption(reading: QuestionFeatures, seen: Seen) -> Finding:
    rows = [row for each in seen.values() for row in each]
    if wanted := reading.labels.table or reading.labels.figure:
        row = _labelled(rows, wanted)
        caption = _without_label(said_in(row), _full_label(row)) if row else ""
        return found(caption, 0.9, row, why=reading.bare if asks_what_for(reading) else "")
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


def _labelled(rows: Sequence[SeenRow], wanted: str) -> SeenRow | None:
    """The table, figure or equation with that number."""
    numbers = (str(row.get("equation_number") or "") or label_of(row) for row in rows)
    return next((row for row, number in zip(rows, numbers, strict=True) if plain(number) == wanted), None)


def _numbered(reading: QuestionFeatures) -> str:
    """The kind of thing that the question names by its number."""
    things = ("table", "figure", "equation")
    return next((thing for thing in things if getattr(reading.labels, thing)), "")


def _look_for_page(reading: QuestionFeatures) -> Looks:
    thing = _numbered(reading)
    return {f"{thing}s": "Find the page on which it stands."} if thing else _PAGES


def _take_page(reading: QuestionFeatures, seen: Seen) -> Finding:
    if thing := _numbered(reading):
        row = _labelled(seen[f"{thing}s"], str(getattr(reading.labels, thing)))
        return found(row["page_number"], 0.9, row) if row else NOTHING
    quote = max(reading.quotes, key=len, default=" ".join(reading.topic))
    place = locate(quote, seen["pages"])
    if place is None:
        return NOTHING
    return found(place.row["page_number"], place.fit * 0.95, place.row, place.quote[:300])


def _listed(reading: QuestionFeatures) -> str:
    return next((thing for thing in ("section", "table", "figure", "reference") if reading.has(thing)), "")


def _look_for_list(reading: QuestionFeatures) -> Looks:
    return {f"{_listed(reading)}s": f"List the {_listed(reading)}s in their order."}


def _take_list(reading: QuestionFeatures, seen: Seen) -> Finding:
    thing = _listed(reading)
    rows = list(seen[f"{thing}s"])
    if thing == "section" and {"main", "top"} & set(reading.words):
        rows = [row for row in rows if int(row.get("section_level") or 1) == 1]
    named = {"section": without_number, "reference": title_of}.get(thing, said_in)
    values = [name for row in rows if (name := named(row))]
    return found(values, 0.7, rows[0], values[0]) if values else NOTHING


def _take_equation(reading: QuestionFeatures, seen: Seen) -> Finding:
    """The one of that printed number."""
    row = _labelled(seen["equations"], reading.labels.equation)
    return found(said_in(row), 0.8, row, said_in(row)) if row else NOTHING


def _take_truth(reading: QuestionFeatures, seen: Seen) -> Finding:
    """Whether a quote is on a page."""
    place = locate(max(reading.quotes, key=len), seen["pages"], least=0.95)
    yes: bool | str = place is not None
    if reading.form.kind not in ("bool", "any"):
        yes = "Yes" if yes else "No"
    return found(yes, 0.85, place.row, place.quote) if place else Finding(yes, 0.6)


_PAGES = {"pages": "Find the page that says this."}
_EQUATIONS = {"equations": "Read the displayed equations."}
_ANY_PAGE = {"pages": "See whether any page says this."}
_PAGE_ASKED = fitting(
    (0.93, "page #table|#figure|#equation|quote -count|#page"),
    (0.3, "page -count|#page"),
)
_LIST_ASKED = fitting(
    (0.8, "section|table|figure|reference =list -#table|#figure|quote"),
    (0.6, "section|table|figure|reference .list|.enumerate|.all -#table|#figure|quote"),
)
_EQUATION_ASKED = fitting((0.9, "equation #equation -count|page"))
_TRUTH_ASKED = fitting((0.9, "quote =bool"), (0.5, "quote yesno"))

CAPTION = QuestionKind("caption", fits_caption, _look_at_captions, _take_caption)
PAGE = QuestionKind("page", _PAGE_ASKED, _look_for_page, _take_page)
LIST = QuestionKind("list", _LIST_ASKED, _look_for_list, _take_list)
EQUATION = QuestionKind("equation", _EQUATION_ASKED, _EQUATIONS, _take_equation)
TRUTH = QuestionKind("yes or no", _TRUTH_ASKED, _ANY_PAGE, _take_truth)
