"""Papers that were never written: random but well-formed content with every part known.

    paper = draw_content(random.Random(3), cite="number")
    paper.title, paper.sections[0].paragraphs[0], paper.tables[0].rows[0]

Sentences come from a small grammar over common words of science, so that hyphenation, citations, numbers,
abbreviations and italics occur about as often as in print. Nothing is copied from any paper.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

_ADJECTIVES = (
    "adaptive robust sparse regional longitudinal stochastic hierarchical empirical seasonal comparative "
    "nonlinear dynamic structural inflammatory metabolic cognitive spatial temporal experimental clinical "
    "coastal urban synthetic multilingual probabilistic magnetic thermal acoustic social genetic"
).split()
_NOUNS = (
    "estimation regulation representation sediment population transformer mortality temperature "
    "measurement classification distribution exposure translation inference vegetation circulation "
    "receptor mechanism simulation uncertainty gradient infection reconstruction intervention retrieval "
    "behaviour transport concentration sampling identification optimization correlation membrane"
).split()
_PLURALS = (
    "patients networks rivers observations participants models sensors cells samples variables "
    "algorithms households experiments communities estimates proteins signals documents particles"
).split()
_VERBS = "increased showed reduced followed explained supported exceeded changed preceded revealed".split()
_ADVERBS = "significantly slowly consistently partly rarely usually independently rapidly".split()
_LINKS = ("However, ", "In addition, ", "By contrast, ", "For example, ", "Moreover, ", "", "", "", "", "")
_FIRST = (
    "Maria Peter Ingrid Wei Aisha John Lucía Jürgen Noor Thomas Elena Kenji Fatima Pierre Anna David Olga "
    "Rajesh Sofia Marco"
).split()
_LAST = (
    "Keller Okafor Lindqvist Zhang Rahman Whitfield Fernández Müller Haddad Bergström Petrova Tanaka Costa "
    "Dubois Novak Andersen Ivanova Sharma Rossi Moreau Castellanos Hughes Yamamoto Eriksen Blackwood"
).split()
_JOURNALS = (
    "Journal of Applied Rivers", "Annals of Measurement", "Letters in Ecology", "Computational Methods",
    "Reviews of Inference", "Archives of Clinical Data", "Earth Signals",
)  # fmt: skip
_HEADS = "Mean SD Count Share Rate Age Error Cost Score Loss Depth Total".split()
SECTIONS = (
    ("Introduction", ()),
    ("Related Work", ()),
    ("Materials and Methods", ("Study area", "Data collection", "Statistical analysis")),
    ("Results", ("Main effects", "Sensitivity of the estimates")),
    ("Discussion", ()),
    ("Conclusions", ()),
)

Span = tuple[str, str]  # text and its face: "n", "i", "b" or "^" for a superscript


@dataclass(frozen=True, slots=True)
class Cited:
    """An entry of the bibliography, by its fields."""

    people: tuple[tuple[str, str], ...]  # first name, last name
    title: str
    journal: str
    volume: int
    first: int
    last: int
    year: int

    @property
    def label(self) -> str:
        """As in alphabetic styles: "[KOL14]"."""
        letters = "".join(last[0] for _, last in self.people[:3])
        letters = letters if len(letters) > 1 else self.people[0][1][:3]
        return f"[{letters}{self.year % 100:02d}]"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: head rows (cells with their spans), then body rows."""

    number: int
    caption: str
    head: tuple[tuple[tuple[str, int], ...], ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    @property
    def cells(self) -> list[str]:
        """All texts."""
        return [text for row in self.head for text, _ in row if text] + [c for row in self.rows for c in row]


@dataclass(slots=True)
class Part:
    """A section: paragraphs as runs of text, each with a face."""

    title: str
    level: int
    paragraphs: list[list[Span]] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """The paragraphs as they will be printed."""
        return ["".join(text for text, _ in runs) for runs in self.paragraphs]


@dataclass(slots=True)
class Content:
    """A whole paper."""

    title: str
    authors: list[tuple[str, str]]
    places: list[str]
    abstract: str
    keywords: list[str]
    parts: list[Part]
    tables: list[Grid]
    figures: list[str]
    cited: list[Cited]
    thanks: str

    @property
    def names(self) -> list[str]:
        """Authors as printed."""
        return [f"{first} {last}" for first, last in self.authors]

    def facts(self) -> dict[str, Any]:
        """What is true of it, as `articles.py` and the trainers of the parser take it."""
        return {
            "title": self.title, "abstract": self.abstract, "authors": self.names,
            "sections": [{"title": part.title} for part in self.parts],
            "paragraphs": [{"section": p.title, "text": text} for p in self.parts for text in p.texts],
            "references": [{"title": c.title, "text": f"{c.people[0][1]} {c.title}"} for c in self.cited],
            "tables": [{"label": "", "caption": g.caption, "grid": [g.cells]} for g in self.tables],
            "figures": [{"label": "", "caption": caption} for caption in self.figures],
            "lists": [], "footnotes": [],
        }  # fmt: skip


def clause(rng: random.Random) -> str:
    """A short noun phrase."""
    kind = rng.random()
    if kind < 0.4:
        return f"the {rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}"
    if kind < 0.7:
        return f"{rng.choice(_ADJECTIVES)} {rng.choice(_PLURALS)}"
    return f"the {rng.choice(_NOUNS)} of {rng.choice(_ADJECTIVES)} {rng.choice(_PLURALS)}"


def sentence(rng: random.Random) -> str:
    """One sentence of 8 to 30 words."""
    text = f"{rng.choice(_LINKS)}{clause(rng)} {rng.choice(_ADVERBS)} {rng.choice(_VERBS)} {clause(rng)}"
    if rng.random() < 0.6:
        text += f", whereas {clause(rng)} {rng.choice(_VERBS)} {clause(rng)}"
    if rng.random() < 0.3:
        text += f" ({rng.randint(2, 98)}.{rng.randint(0, 9)}%, n = {rng.randint(12, 900)})"
    if rng.random() < 0.3:
        text += f" in {rng.randint(1980, 2020)}"
    return text[0].upper() + text[1:] + "."


def prose(rng: random.Random, count: int) -> str:
    """Several sentences."""
    return " ".join(sentence(rng) for _ in range(count))


def heading(rng: random.Random) -> str:
    """Words fit for a title of a paper or a work cited."""
    return (
        f"{rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)} of {rng.choice(_PLURALS)} "
        f"{rng.choice(('under', 'with', 'for', 'in'))} {rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}"
    ).capitalize()


def people(rng: random.Random, count: int) -> list[tuple[str, str]]:
    """First and last names, none twice."""
    lasts = rng.sample(_LAST, count)
    return [
        (rng.choice(_FIRST) + (f" {rng.choice('ABHKLM')}." if rng.random() < 0.3 else ""), n) for n in lasts
    ]


def _cited(rng: random.Random, count: int) -> list[Cited]:
    out = []
    for _ in range(count):
        first = rng.randint(1, 900)
        who = tuple(people(rng, rng.randint(1, 4)))
        out.append(
            Cited(who, heading(rng), rng.choice(_JOURNALS), rng.randint(1, 90), first,
                  first + rng.randint(3, 20), rng.randint(1985, 2021))
        )  # fmt: skip
    return sorted(out, key=lambda c: (c.people[0][1], c.year))


def _citation(rng: random.Random, cited: list[Cited], how: str) -> list[Span]:
    chosen = sorted(rng.sample(range(len(cited)), rng.randint(1, 2)))
    if how == "number":
        return [(" [" + ", ".join(str(k + 1) for k in chosen) + "]", "n")]
    if how == "super":
        return [(",".join(str(k + 1) for k in chosen), "^")]
    if how == "label":
        return [(" " + cited[chosen[0]].label, "n")]
    one = cited[chosen[0]]
    lasts = [last for _, last in one.people]
    who = lasts[0] if len(lasts) == 1 else " and ".join(lasts) if len(lasts) == 2 else f"{lasts[0]} et al."
    return [(f" ({who}, {one.year})", "n")]


def _paragraph(rng: random.Random, cited: list[Cited], how: str) -> list[Span]:
    runs: list[Span] = []
    for k in range(rng.randint(2, 6)):
        text = sentence(rng)
        runs.append((" " if k else "", "n"))
        if rng.random() < 0.15:
            before, _, after = text.partition(" ")
            runs += [
                (before + " ", "n"),
                ("in vivo " if rng.random() < 0.5 else "sensu stricto ", "i"),
                (after[:-1], "n"),
            ]
        else:
            runs.append((text[:-1], "n"))
        cite = _citation(rng, cited, how) if rng.random() < 0.4 else []
        runs += [(".", "n"), *cite] if how == "super" else [*cite, (".", "n")]
    return runs


def _grid(rng: random.Random, number: int) -> Grid:
    groups = rng.random() < 0.4
    columns = rng.choice((4, 5)) if not groups else 5
    names = ["Group", *rng.sample(_HEADS, columns - 1)]
    head: list[tuple[tuple[str, int], ...]] = []
    if groups:
        head.append((("", 1), ("Before", 2), ("After", 2)))
    head.append(tuple((n, 1) for n in names))
    rows = [
        (f"{rng.choice(_ADJECTIVES).capitalize()} {rng.choice(_PLURALS)}",
         *(f"{rng.uniform(0, 99):.2f}" if rng.random() < 0.9 else "n/a" for _ in range(columns - 1)))
        for _ in range(rng.randint(4, 9))
    ]  # fmt: skip
    caption = f"{heading(rng)} and {clause(rng)}."
    note = (
        f"Values are means; n/a, not available; {rng.choice(_NOUNS)} in percent."
        if rng.random() < 0.4
        else ""
    )
    return Grid(number, caption, tuple(head), tuple(rows), note)


def draw_content(rng: random.Random, cite: str) -> Content:
    """A paper with `cite` = "number", "super", "label" or "year" as its style of citation."""
    cited = _cited(rng, rng.randint(14, 28))
    if cite == "super":
        rng.shuffle(cited)
    parts = []
    for name, under in SECTIONS:
        parts.append(Part(name, 1, [_paragraph(rng, cited, cite) for _ in range(rng.randint(1, 4))]))
        for sub in under:
            parts.append(Part(sub, 2, [_paragraph(rng, cited, cite) for _ in range(rng.randint(1, 3))]))
    return Content(
        title=heading(rng) + (f": {heading(rng).lower()}" if rng.random() < 0.5 else ""),
        authors=people(rng, rng.randint(2, 6)),
        places=[
            f"Department of {rng.choice(_NOUNS).capitalize()}, University of {n}"
            for n in rng.sample(("Norrland", "Kestrel Bay", "Altmark", "São Vicente"), 2)
        ],
        abstract=prose(rng, rng.randint(5, 9)),
        keywords=[f"{rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}" for _ in range(4)],
        parts=parts,
        tables=[_grid(rng, k + 1) for k in range(rng.randint(1, 3))],
        figures=[f"{heading(rng)}. {sentence(rng)}" for _ in range(rng.randint(1, 3))],
        cited=cited,
        thanks=prose(rng, 1),
    )
